"""The job split_speakers."""

from voiceprivacy.attack.backends import fusion
from voiceprivacy.inout.files import BadInput
from voiceprivacy.inout.tables import read_manifest, write_manifest
from voiceprivacy.running.adapter import run
from voiceprivacy.running.command import say


def split_speakers(
    *,
    manifest: str,
    seed: int,
    learners: str,
    held_out: str,
) -> None:
    """Split training speech by speakers: those to learn from, and those held out for fusions.

    Parameters
    ----------
    manifest : TSV of the training part
    seed : of the draw of each speaker
    learners : TSV to write: what attackers learn from
    held_out : TSV to write: what fusions learn from
    """
    utterances = read_manifest(manifest)
    speakers = fusion.held_out(utterances, seed=seed)
    if not speakers:
        raise BadInput(f"{manifest}: has too few speakers to hold some out for a fusion")
    kept = [utterance for utterance in utterances if utterance.speaker not in speakers]
    others = [utterance for utterance in utterances if utterance.speaker in speakers]
    write_manifest(learners, kept)
    write_manifest(held_out, others)
    n_kept = len({utterance.speaker for utterance in kept})
    say(f"attackers learn from {n_kept} speakers, fusions from the {len(speakers)} others")


if __name__ == "__main__":
    run(split_speakers)
