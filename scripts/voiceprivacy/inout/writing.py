"""How files and folders are written: whole or not at all, and never over an input."""

import contextlib
import errno
import os
import re
import shutil
import stat
import uuid
from collections.abc import Iterator
from pathlib import Path

from voiceprivacy.errors import BadInput
from voiceprivacy.inout.files import PIPES_OF_SHELLS
from voiceprivacy.inout.inputs import note_input, refuse_folder_of_inputs, refuse_input

FULL = (errno.ENOSPC, errno.EDQUOT)
PROBE = 2**16  # bytes
LONGEST_STEM = 100  # bytes that a hidden name has of the name of its file
STREAMS = (*PIPES_OF_SHELLS, "/dev/stdout", "/dev/stderr")


@contextlib.contextmanager
def whole_or_absent(path: str | Path) -> Iterator[Path]:
    """Give a temporary path beside ``path`` (same ending) that replaces it when the block succeeds.

    An error of the disk that names no file, such as a full one, gets the name of this one.

    Raises
    ------
    BadInput : a command is about to overwrite what it has read, or to replace a device or a pipe
    """
    path = Path(path)
    if not path.name:
        raise BadInput(f"{path}: is a folder, expected the name of a file")
    refuse_input(path)
    _refuse_device(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = _temporary(path)
    try:
        yield temporary
        temporary.replace(path)
        note_input(path)  # two outputs under one name: the first would be lost
    except OSError as error:
        if error.errno is not None and str(error.filename) in ("None", str(temporary)):
            raise type(error)(error.errno, error.strerror, str(path)) from error
        raise
    finally:
        with contextlib.suppress(OSError):  # of a read-only disk: the first error is to be told
            temporary.unlink(missing_ok=True)


def _refuse_device(path: Path) -> None:
    """Refuse (BadInput) what is there and no file: root would replace /dev/null of the machine."""
    is_device = str(path).startswith(STREAMS)
    with contextlib.suppress(OSError):  # nothing is there
        mode = path.stat().st_mode
        is_device = is_device or not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))
    if is_device:
        raise BadInput(f"{path}: is a pipe or a device, which is not written: name a file")


@contextlib.contextmanager
def whole_folder_or_absent(folder: str | Path) -> Iterator[Path]:
    """Give a temporary folder beside ``folder`` that replaces it when the block succeeds.

    Where ``folder`` is a link, as to a larger disk, what it leads to is replaced.

    Raises
    ------
    BadInput : ``folder`` holds files that the new one does not have (somebody's own), or speech
        that a command reads
    """
    folder = Path(folder)
    refuse_folder_of_inputs(folder)
    folder = folder.resolve() if folder.is_symlink() else folder
    with scratch_folder(folder) as temporary:
        yield temporary
        if folder.exists():  # one that we made before is replaced
            _refuse_others_files(folder, {path.name for path in temporary.iterdir()})
            remove_at_once(folder)
        temporary.replace(folder)


def _refuse_others_files(folder: Path, own: set[str]) -> None:
    others = {path.name for path in folder.iterdir()} - own
    if others:
        raise BadInput(f"{folder}: holds other files ({min(others)}): name a folder of its own")


@contextlib.contextmanager
def added_or_absent(folder: str | Path) -> Iterator[Path]:
    """Give a temporary folder whose files move into ``folder`` when the block succeeds.

    Raises
    ------
    BadInput : ``folder`` holds speech that a command reads
    """
    folder = Path(folder)
    refuse_folder_of_inputs(folder)
    with scratch_folder(folder) as temporary:
        yield temporary
        folder.mkdir(parents=True, exist_ok=True)
        for path in temporary.iterdir():
            path.replace(folder / path.name)


@contextlib.contextmanager
def scratch_folder(path: str | Path) -> Iterator[Path]:
    """Give an empty folder beside ``path``, on the same disk, that is removed afterwards."""
    temporary = _temporary(Path(path))
    temporary.mkdir(parents=True)
    try:
        yield temporary
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


@contextlib.contextmanager
def naming_full_disk(path: str | Path, remedy: str) -> Iterator[None]:
    """Say of a full disk which file or folder has no room, and what to do."""
    try:
        yield
    except OSError as error:
        if error.errno not in FULL:
            raise
        raise OSError(error.errno, f"{error.strerror}: {remedy}", str(path)) from error


def why_not_writable(folder: str | Path) -> str | None:
    """Why no file can be written into a folder, which is made where needed; None if one can."""
    probe = Path(folder, f".{uuid.uuid4().hex}")
    try:
        probe.parent.mkdir(parents=True, exist_ok=True)
        try:
            probe.write_bytes(bytes(PROBE))  # an empty file needs no room
        finally:
            probe.unlink(missing_ok=True)
    except OSError as error:
        return error.strerror or str(error)
    return None


def remove_earlier(path: str | Path) -> None:
    """Remove what an earlier run wrote, and what killed runs left beside it; never an input."""
    path = Path(path)
    refuse_input(path)
    _refuse_device(path)
    path.unlink(missing_ok=True)
    remove_leftovers(path)


def remove_at_once(folder: Path) -> None:
    """Remove a folder in one step: a part of it is never seen, even if this process is killed."""
    removed = _temporary(folder)
    folder.replace(removed)
    shutil.rmtree(removed)


def remove_leftovers(path: str | Path) -> None:
    """Remove the temporary files and folders that killed runs left beside ``path``."""
    path = Path(path)
    before, after = _hidden(path, "\0").split("\0")
    name = re.compile(rf"{re.escape(before)}[0-9a-f]{{32}}{re.escape(after)}")
    leftovers = [beside for beside in path.parent.glob(".*") if name.fullmatch(beside.name)]
    for leftover in leftovers:
        if leftover.is_dir():
            shutil.rmtree(leftover, ignore_errors=True)
        else:
            leftover.unlink(missing_ok=True)


def _temporary(path: Path) -> Path:
    """A hidden name that nobody else takes; remove_leftovers knows its form."""
    return path.with_name(_hidden(path, uuid.uuid4().hex))


def _hidden(path: Path, unique: str) -> str:
    """A hidden name that is no longer than a disk takes, whatever the bytes of a letter are."""
    stem = os.fsencode(path.stem)[:LONGEST_STEM].decode(errors="ignore")
    return f".{stem}.{unique}{path.suffix}"
