"""The job verify."""

import sys
from itertools import chain
from pathlib import Path

from voiceprivacy.inout.checksums import sha256_of
from voiceprivacy.provenance.verify import changes
from voiceprivacy.running.adapter import run
from voiceprivacy.running.command import say


def verify(
    checked: Path = Path("results"),
    results: Path | None = None,
) -> None:
    """Compare the files of a finished run with the SHA-256 that its provenance.json lists.

    Of a statement, every fact is computed again from the scores, too.

    Exit code: 0 all are the same, 2 a file or a fact differs.

    Parameters
    ----------
    checked : folder of a finished run, or statement.json
    results : of a statement: the folder that it is of (default: results)
    """
    is_statement = bool(results) or checked.suffix == ".json"
    folder = results or (Path("results") if is_statement else checked)
    complaints = changes(folder)
    if is_statement:
        from voiceprivacy.organise.statement import untrue

        complaints = chain(complaints, untrue(checked, folder))
    is_changed = False
    for complaint in complaints:
        is_changed = True
        say(complaint, flush=True)  # at once: speech is read for minutes
    if is_changed:
        sys.exit(2)
    if is_statement:
        say(f"{checked}: every fact is as {folder} has it; SHA-256 {sha256_of(checked)}")
    say(f"{folder}: all files are as the run has made them")


if __name__ == "__main__":
    run(verify)
