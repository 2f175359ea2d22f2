"""What a command reads, it does not overwrite."""

import contextlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from voiceprivacy.errors import BadInput


class _Inputs:
    """What was opened, by device and inode, and audio that manifests list, which may be next."""

    def __init__(self) -> None:
        self.opened: set[tuple[int, int] | None] = set()
        self.listed: set[str] = set()

    def are(self, path: Path) -> bool:
        """Whether a path leads to one of them, by whatever name."""
        target = _identity(path)
        # Listed audio is looked at only where something is in the way: a disk may be far away.
        is_there = target is not None
        return is_there and (target in self.opened or target in set(map(_identity, self.listed)))

    def lie_around(self, folder: Path) -> bool:
        """Whether audio lies in a folder or below it, or beside what would be written there."""
        path = os.path.realpath(folder)
        for audio_folder in {os.path.dirname(audio) for audio in self.listed}:
            if os.path.commonpath([path, real := os.path.realpath(audio_folder)]) in (path, real):
                return True
        return False


_inputs: _Inputs | None = None  # None where no command runs


@contextlib.contextmanager
def guarding_inputs() -> Iterator[None]:
    """Within the block nothing that was read can be overwritten: BadInput."""
    global _inputs
    before, _inputs = _inputs, _Inputs()
    try:
        yield
    finally:
        _inputs = before


def note_listed(paths: Iterable[str | Path]) -> None:
    """Note audio that a file lists: it is an input, too."""
    if _inputs is not None:
        _inputs.listed.update(map(str, paths))


def note_input(path: str | Path) -> None:
    """Note a file that is read, or will be."""
    if _inputs is not None:
        _inputs.opened.add(_identity(path))


def refuse_input(path: Path) -> None:
    """Refuse (BadInput) to overwrite a file that this command has read or written."""
    if _inputs is not None and _inputs.are(path):
        raise BadInput(
            f"{path}: is an input of this command, or another output,"
            " and would be overwritten: name another file"
        )


def refuse_folder_of_inputs(folder: Path) -> None:
    """Refuse (BadInput) to replace a folder that speech is read from, or one around it."""
    if _inputs is not None and _inputs.lie_around(folder):
        where = "from this folder, or one above or below it"
        raise BadInput(f"{folder}: speech is read {where}: write to another")


def _identity(path: str | Path) -> tuple[int, int] | None:
    """The device and the inode of a path; None where nothing is there."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    return status.st_dev, status.st_ino
