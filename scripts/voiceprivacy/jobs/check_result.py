"""Check a repository of results: schema, names, lists, and every number computed again."""

import argparse
import os
import sys
from pathlib import Path

from voiceprivacy.inout.files import BadInput, counted
from voiceprivacy.organise.checking import check
from voiceprivacy.running.command import run, say


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("repository", type=Path, help="its folder")
    parser.add_argument(
        "--changed",
        nargs="*",
        metavar="FILE",
        help="compute only numbers again that these files concern; default: all",
    )
    arguments = parser.parse_args()

    changed = None
    if arguments.changed is not None:
        changed = {below(arguments.repository, path) for path in arguments.changed}
    n_findings = 0
    for finding in check(arguments.repository, changed=changed):
        n_findings += not finding.is_note
        say(finding.text)
    in_words = counted(n_findings, "finding") if n_findings else "no findings"
    say(f"{arguments.repository}: {in_words}")
    if n_findings:
        sys.exit(2)


def below(repository: Path, path: str) -> str:
    """A path below the repository, whether it is named from there or from here."""
    from_here = os.path.relpath(path, repository)
    if Path(path).exists() and not from_here.startswith(".."):
        return from_here
    if os.path.isabs(path) or ".." in Path(path).parts:
        raise BadInput(f"--changed {path}: lies outside of {repository}")
    return os.path.normpath(path)


if __name__ == "__main__":
    run(main)
