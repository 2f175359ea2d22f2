"""The job verify."""

import sys
from pathlib import Path

from voiceprivacy.provenance.verify import changes
from voiceprivacy.running.adapter import run
from voiceprivacy.running.command import say


def verify(
    results: Path = Path("results"),
) -> None:
    """Compare the files of a finished run with the SHA-256 that its provenance.json lists.

    Exit code: 0 all are the same, 2 a file differs.

    Parameters
    ----------
    results : folder
    """
    is_changed = False
    for change in changes(results):
        is_changed = True
        say(change, flush=True)  # at once: speech is read for minutes
    if is_changed:
        sys.exit(2)
    say(f"{results}: all files are as the run has made them")


if __name__ == "__main__":
    run(verify)
