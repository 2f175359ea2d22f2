"""Split training speech by speakers: those that attackers learn from, and those held out for
fusions of these attackers."""

import argparse

from voiceprivacy.attack.backends.fusion import held_out
from voiceprivacy.inout.files import BadInput
from voiceprivacy.inout.tables import read_manifest, write_manifest
from voiceprivacy.running.command import run, say


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--manifest", required=True, help="TSV of the training part")
    parser.add_argument("--seed", type=int, required=True, help="of the draw of each speaker")
    parser.add_argument("--learners", required=True, help="TSV to write: what attackers learn from")
    parser.add_argument("--held-out", required=True, help="TSV to write: what fusions learn from")
    arguments = parser.parse_args()

    utterances = read_manifest(arguments.manifest)
    speakers = held_out(utterances, seed=arguments.seed)
    if not speakers:
        raise BadInput(f"{arguments.manifest}: has too few speakers to hold some out for a fusion")
    kept = [utterance for utterance in utterances if utterance.speaker not in speakers]
    others = [utterance for utterance in utterances if utterance.speaker in speakers]
    write_manifest(arguments.learners, kept)
    write_manifest(arguments.held_out, others)
    n_kept = len({utterance.speaker for utterance in kept})
    say(f"attackers learn from {n_kept} speakers, fusions from the {len(speakers)} others")


if __name__ == "__main__":
    run(main)
