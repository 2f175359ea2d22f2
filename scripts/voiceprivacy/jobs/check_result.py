"""The job check_result."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from voiceprivacy.errors import BadInput, counted
from voiceprivacy.organise.checking import Changes, checked, differences
from voiceprivacy.running.adapter import run
from voiceprivacy.running.command import say


def check_result(
    repository: Path,
    *,
    changed: Sequence[str] | None = None,
    compared_with: Path | None = None,
    seconds: float = 10,
) -> None:
    """Check a repository of results: schema, names, lists, and every number computed again.

    With --compared-with, it lists which files are new, changed and removed.

    Parameters
    ----------
    repository : its folder
    changed : compute only numbers again that these files concern (default: all)
    compared_with : instead of --changed: the same, of the files that are not as in this folder
    seconds : processor seconds after which the check of a contribution ends
    """
    changes = None
    if compared_with and changed is not None:
        raise BadInput("give --changed or --compared-with")
    if compared_with:
        changes = differences(compared_with, repository)
    elif changed is not None:
        named = sorted({below(repository, path) for path in changed})
        gone = [name for name in named if not (repository / name).exists()]
        changes = Changes([], [name for name in named if name not in gone], gone)
    if changes:
        say(*changes.lines)
    _, findings = checked(repository, changes=changes, seconds=seconds)
    refuse(repository, findings)


def refuse(repository: Path, findings: list[str]) -> None:
    """Say what was found, and end (2) where something was."""
    say(*findings)
    in_words = counted(len(findings), "finding") if findings else "no findings"
    say(f"{repository}: {in_words}")
    if findings:
        sys.exit(2)


def below(repository: Path, path: str) -> str:
    """A path below the repository, named from there or from here; the file may be removed."""
    if not path:
        raise BadInput("--changed '': expected the name of a file")
    from_here = os.path.relpath(path, repository)
    is_below = from_here.split(os.sep)[0] != os.pardir
    if is_below and (os.path.isabs(path) or not (repository / path).exists()):
        return from_here
    if os.path.isabs(path) or ".." in Path(path).parts:
        raise BadInput(f"--changed {path}: lies outside of {repository}")
    return os.path.normpath(path)


if __name__ == "__main__":
    run(check_result)
