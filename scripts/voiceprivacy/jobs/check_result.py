"""Check a repository of results: schema, names, lists, and every number computed again.

It says which files are new, changed and removed, where it is told what was there before.
"""

import argparse
import os
import sys
from pathlib import Path

from voiceprivacy.inout.files import BadInput, counted
from voiceprivacy.organise.checking import Changes, Finding, checked, differences
from voiceprivacy.running.command import run, say

CONTRIBUTION_S = 10
MOST_NAMES = 200


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("repository", type=Path, help="its folder")
    known = parser.add_mutually_exclusive_group()
    known.add_argument(
        "--changed",
        nargs="*",
        metavar="FILE",
        help="compute only numbers again that these files concern; default: all",
    )
    known.add_argument(
        "--compared-with",
        type=Path,
        metavar="BASE",
        help="the same, of the files that are not as in this folder",
    )
    add_seconds(parser)
    arguments = parser.parse_args()

    changes = None
    if arguments.compared_with:
        changes = differences(arguments.compared_with, arguments.repository)
    elif arguments.changed is not None:
        named = sorted({below(arguments.repository, path) for path in arguments.changed})
        gone = [name for name in named if not (arguments.repository / name).exists()]
        changes = Changes([], [name for name in named if name not in gone], gone)
    if changes:
        for kind, names in changes._asdict().items():
            say(*(f"{kind}: {name}" for name in names[:MOST_NAMES]))
            say(*[f"{kind}: {len(names)} files in all"][: len(names) > MOST_NAMES])
    changed = changes.all if changes else None
    seconds = arguments.seconds or (CONTRIBUTION_S if changes else None)
    _, findings = checked(arguments.repository, changed=changed, seconds=seconds)
    refuse(arguments.repository, findings)


def add_seconds(parser: argparse.ArgumentParser) -> None:
    """Add the option of what a check may take."""
    parser.add_argument(
        "--seconds",
        type=float,
        help=f"of a processor, after which the check ends (default: {CONTRIBUTION_S} of a"
        " contribution, all that it takes of a whole repository)",
    )


def refuse(repository: Path, findings: list[Finding]) -> None:
    """Say what was found, and end (2) where it is more than notes."""
    say(*(finding.text for finding in findings))
    n_findings = sum(not finding.is_note for finding in findings)
    in_words = counted(n_findings, "finding") if n_findings else "no findings"
    say(f"{repository}: {in_words}")
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
