"""How a file is read and written: errors that name it, and nothing half-written survives."""

import contextlib
import difflib
import hashlib
import importlib.util
import itertools
import os
import re
import shutil
import stat
import uuid
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

from voiceprivacy.errors import BadInput, printable

FilePath: TypeAlias = str | Path

SCRIPTS = Path(__file__).resolve().parents[2]
RESOURCES = SCRIPTS.parent / "workflow" / "resources"

MOST_OF_NAME, MOST_OF_PATH = 255, 4095  # bytes, on the disks of Linux and of others
BYTE_ORDER_MARK = "\ufeff"
# What a shell puts there instead of a file, as in ``--scores <(zcat scores.gz)``.
PIPES_OF_SHELLS = ("/dev/fd/", "/dev/stdin", "/proc/self/fd/")


BLOCK_OF_BYTES = 4_000_000
MOST_COMPARED = 1000  # names of files, of which the nearest is named


def resembling(pattern: str, names: Iterable[str]) -> str:
    """The name that is most like a pattern which fits none, as the end of an error."""
    first = list(itertools.islice(names, MOST_COMPARED))
    close = difflib.get_close_matches(pattern, first, n=1, cutoff=0)
    return f"; the nearest is called {close[0]}" if close else ""


class OurPath(str):
    """A path of ours as a parameter of a rule, which a shell gets as it is.

    Snakemake compares what ``repr`` says of what functions return; here it is the same in every
    copy of the code. Of what is no function's, it makes a string of its own.
    """

    def __repr__(self) -> str:
        return repr(wherever_ours_lie(self))


def ours(text: str) -> str:
    """Replace {scripts} and {resources} in a config's value by our own folders."""
    filled = text.replace("{scripts}", str(SCRIPTS)).replace("{resources}", str(RESOURCES))
    return text if filled == text else OurPath(filled)


def wherever_ours_lie(text: str) -> str:
    """The reverse of ``ours``: the same in every copy of the code."""
    return text.replace(str(SCRIPTS), "{scripts}").replace(str(RESOURCES), "{resources}")


# ${NAME} in a config: names of variables of the environment, whose values may be secrets.

VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


def expand(value: Any) -> Any:
    """Replace ${NAME} in all strings of a value by the environment's variables.

    Raises
    ------
    BadInput : a variable is not set
    """
    if isinstance(value, dict):
        return {key: expand(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [expand(inner) for inner in value]
    return VARIABLE.sub(_variable, value) if isinstance(value, str) else value


def _variable(match: re.Match[str]) -> str:
    name = match.group(1)
    if name not in os.environ:
        raise BadInput(f"{name}: not found: the variable ${{{name}}} is not set")
    return os.environ[name]


def variables_in(value: Any) -> list[str]:
    """The names in all strings of a value, each once."""
    if isinstance(value, dict):
        value = list(value.values())
    names: list[str] = []
    for inner in value if isinstance(value, list) else ():
        names += variables_in(inner)
    if isinstance(value, str):
        names = VARIABLE.findall(value)
    return sorted(set(names))


def paths_behind(value: Any) -> str:
    """A digest of the paths that variables in a value name; nothing where none is there.

    Values that are no paths do not count: they may be secrets, which change.
    """
    values = [os.environ.get(name, "") for name in variables_in(value)]
    paths = [value for value in values if os.path.exists(value)]
    return hashlib.sha256("\0".join(paths).encode()).hexdigest()[:16] if paths else ""


def folder_of_package(module: str) -> Path | None:
    """Where an installed Python package lies, which is not imported; None if it is not there."""
    spec = importlib.util.find_spec(module)
    folders = spec.submodule_search_locations if spec else None
    return Path(folders[0]) if folders else None


@contextlib.contextmanager
def naming(path: FilePath) -> Iterator[None]:
    """Put the file's name before what the block says is wrong with its content."""
    try:
        yield
    except BadInput as error:
        # Readers name the file themselves; what checks its content may not know it.
        already_named = str(error).startswith(f"{printable(path)}:")
        raise BadInput(str(error) if already_named else f"{path}: {error}") from None


# What a command reads, it does not overwrite.


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


def note_listed(paths: Iterable[FilePath]) -> None:
    """Note audio that a file lists: it is an input, too."""
    if _inputs is not None:
        _inputs.listed.update(map(str, paths))


def note_input(path: FilePath) -> None:
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


def _refuse_folder_of_inputs(folder: Path) -> None:
    if _inputs is not None and _inputs.lie_around(folder):
        where = "from this folder, or one above or below it"
        raise BadInput(f"{folder}: speech is read {where}: write to another")


def _identity(path: FilePath) -> tuple[int, int] | None:
    """The device and the inode of a path; None where nothing is there."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    return status.st_dev, status.st_ino


# Reading.


def read_lines(path: FilePath) -> list[str]:
    """The lines of a UTF-8 text file without line ends (LF or CRLF) and without a byte-order mark.

    Raises
    ------
    BadInput : it is missing or cannot be read, is a folder or no file, is not UTF-8, or holds NUL
        bytes or a byte-order mark amid the text
    """
    return lines_of(path, read_bytes(path))


def blocks_of_lines(path: FilePath) -> Iterator[list[str]]:
    """Yield the lines of a large file as read_lines gives them, in blocks of a few megabytes."""
    content = read_bytes(path)
    start, line = 0, 1
    while start < len(content):
        end = content.find(b"\n", start + BLOCK_OF_BYTES) + 1 or len(content)
        lines = lines_of(path, content[start:end], first=line)
        yield lines
        start, line = end, line + len(lines)


def lines_of(path: FilePath, content: bytes, *, first: int = 1) -> list[str]:
    """The lines of a text file with this content, as read_lines, from the line ``first`` on."""
    try:
        text = content.decode("utf-8-sig" if first == 1 else "utf-8")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + first
        byte = f"0x{content[error.start]:02x}"
        remedy = "save or unpack it as UTF-8 text"
        raise BadInput(f"{path}:{line}: not UTF-8 text (byte {byte}): {remedy}") from None
    if "\0" in text:
        line = _line_of(text, "\0") + first - 1
        raise BadInput(f"{path}:{line}: not text (it holds a NUL byte)")
    if BYTE_ORDER_MARK in text:
        line = _line_of(text, BYTE_ORDER_MARK) + first - 1
        raise BadInput(
            f"{path}:{line}: a byte-order mark inside the text, which editors do not show:"
            " remove it (were files joined?)"
        )
    # Not splitlines(): it also cuts at characters that may stand in somebody's ids.
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return lines if lines[-1] else lines[:-1]


def read_bytes(path: FilePath) -> bytes:
    """All bytes of a file; BadInput where it is missing, no file, or cannot be read."""
    refuse_endless(path)
    try:
        return Path(path).read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        raise BadInput(f"{path}: not found") from None
    except IsADirectoryError:
        raise BadInput(f"{path}: is a folder, not a file") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise BadInput(f"{path}: cannot be read ({reason})") from None
    except MemoryError:
        raise MemoryError(f"{path}: {Path(path).stat().st_size} bytes") from None


def _line_of(text: str, character: str) -> int:
    return text[: text.index(character)].count("\n") + 1


def refuse_endless(path: FilePath) -> None:
    """Refuse (BadInput) a named pipe, a device or a socket: one could read from it for ever.

    Whoever opens a file asks first, so it is noted as an input here.
    """
    note_input(path)
    if str(path).startswith(PIPES_OF_SHELLS):
        return
    try:
        mode = Path(path).stat().st_mode
    except (OSError, ValueError):  # whoever opens it says why
        return
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise BadInput(f"{path}: is a pipe or a device, not a file")


def name_too_long(path: str) -> str | None:
    """What is wrong with a path that no disk can hold; None if nothing is."""
    longest = max(len(os.fsencode(name)) for name in path.split("/"))
    if longest <= MOST_OF_NAME and len(os.fsencode(path)) <= MOST_OF_PATH:
        return None
    return (
        f"'{path[:60]}...' is longer than a path can be (a name has at most {MOST_OF_NAME} bytes)"
    )


def base_of(directory: FilePath, paths: Iterable[str]) -> str:
    """The folder that relative paths in a file of a Kaldi directory start from.

    The files do not say it: challenge directories name recordings from the folder that holds data/.

    Parameters
    ----------
    directory : path of the Kaldi directory
    paths : what the file names, in its order

    Returns
    -------
    str : the first of the working directory (""), the directory and the folders above it from
        which the first such path exists; "" where none does
    """
    directory = Path(directory)
    folders = ["", str(directory), *map(str, directory.absolute().parents)]
    for path in paths:
        if os.path.isabs(path):
            continue
        for folder in folders:
            if os.path.exists(os.path.join(folder, path)):
                return folder
    return ""


# Writing.


@contextlib.contextmanager
def whole_or_absent(path: FilePath) -> Iterator[Path]:
    """Give a temporary path beside ``path`` (same ending) that replaces it when the block succeeds.

    An error of the disk that names no file, such as a full one, gets the name of this one.

    Raises
    ------
    BadInput : a command is about to overwrite what it has read
    """
    path = Path(path)
    if not path.name:
        raise BadInput(f"{path}: is a folder, expected the name of a file")
    refuse_input(path)
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


@contextlib.contextmanager
def whole_folder_or_absent(folder: FilePath) -> Iterator[Path]:
    """Give a temporary folder beside ``folder`` that replaces it when the block succeeds.

    Raises
    ------
    BadInput : ``folder`` holds files that the new one does not have (somebody's own), or speech
        that a command reads
    """
    folder = Path(folder)
    _refuse_folder_of_inputs(folder)
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
def added_or_absent(folder: FilePath) -> Iterator[Path]:
    """Give a temporary folder whose files move into ``folder`` when the block succeeds.

    Raises
    ------
    BadInput : ``folder`` holds speech that a command reads
    """
    folder = Path(folder)
    _refuse_folder_of_inputs(folder)
    with scratch_folder(folder) as temporary:
        yield temporary
        folder.mkdir(parents=True, exist_ok=True)
        for path in temporary.iterdir():
            path.replace(folder / path.name)


@contextlib.contextmanager
def scratch_folder(path: FilePath) -> Iterator[Path]:
    """Give an empty folder beside ``path``, on the same disk, that is removed afterwards."""
    temporary = _temporary(Path(path))
    temporary.mkdir(parents=True)
    try:
        yield temporary
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def remove_earlier(path: FilePath) -> None:
    """Remove what an earlier run wrote, and what killed runs left beside it; never an input."""
    path = Path(path)
    refuse_input(path)
    path.unlink(missing_ok=True)
    remove_leftovers(path)


def remove_at_once(folder: Path) -> None:
    """Remove a folder so that nobody ever sees a part of it, whenever this process is killed."""
    removed = _temporary(folder)
    folder.replace(removed)
    shutil.rmtree(removed)


def remove_leftovers(path: FilePath) -> None:
    """Remove the temporary files and folders that killed runs left beside ``path``."""
    path = Path(path)
    name = re.compile(rf"\.{re.escape(path.stem[:100])}\.[0-9a-f]{{32}}{re.escape(path.suffix)}")
    leftovers = [beside for beside in path.parent.glob(".*") if name.fullmatch(beside.name)]
    for leftover in leftovers:
        if leftover.is_dir():
            shutil.rmtree(leftover, ignore_errors=True)
        else:
            leftover.unlink(missing_ok=True)


def _temporary(path: Path) -> Path:
    """A hidden name that nobody else takes; remove_leftovers knows its form."""
    return path.with_name(f".{path.stem[:100]}.{uuid.uuid4().hex}{path.suffix}")
