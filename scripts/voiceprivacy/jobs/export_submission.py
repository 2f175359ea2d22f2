"""Pack what a challenge asks for: scores of every set in Kaldi's form, summaries, and speech."""

import argparse
from pathlib import Path

from voiceprivacy.inout.files import counted
from voiceprivacy.organise.finished_run import unchanged
from voiceprivacy.organise.submission import gather, pack
from voiceprivacy.provenance.verify import PUBLIC_SEED, refuse_public_seed
from voiceprivacy.running.command import run, say


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--results", default=Path("results"), type=Path, help="of a finished run (default results)"
    )
    parser.add_argument(
        "--anonymiser", required=True, help="whose submission it is: a name of the config"
    )
    parser.add_argument(
        "--audio",
        action="store_true",
        help="with the protected speech; its names are the utterances' ids",
    )
    parser.add_argument(
        "--output",
        default=Path("submission.zip"),
        type=Path,
        help="zip to write (default submission.zip)",
    )
    parser.add_argument("--public-seed", action="store_true", help=PUBLIC_SEED)
    arguments = parser.parse_args()

    contents = gather(
        unchanged(arguments.results), arguments.anonymiser, with_audio=arguments.audio
    )
    if arguments.audio and not arguments.public_seed:
        refuse_public_seed(arguments.results, [arguments.anonymiser])
    pack(arguments.output, contents)
    n_sets = sum(name.endswith("/trials") for name in contents)
    n_scores = sum(name.endswith(".scores") for name in contents)
    n_utterances = sum(name.startswith("wav/") for name in contents)
    scores = f"{counted(n_sets, 'set')}, {counted(n_scores, 'score file')}"
    speech = f"{counted(n_utterances, 'utterance')} of protected speech"
    say(f"wrote {arguments.output}: {scores}, {speech}")


if __name__ == "__main__":
    run(main)
