"""Compare the files of a finished run with the SHA-256 that its provenance.json lists."""

import argparse
import sys
from pathlib import Path

from voiceprivacy.provenance.verify import changes
from voiceprivacy.running.command import run, say


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, epilog="Exit code: 0 all are the same, 2 a file differs."
    )
    parser.add_argument(
        "results", nargs="?", default=Path("results"), type=Path, help="folder (default results)"
    )
    arguments = parser.parse_args()

    is_changed = False
    for change in changes(arguments.results):
        is_changed = True
        say(change, flush=True)  # at once: speech is read for minutes
    if is_changed:
        sys.exit(2)
    say(f"{arguments.results}: all files are as the run has made them")


if __name__ == "__main__":
    run(main)
