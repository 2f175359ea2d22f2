"""How a file is read and written: errors that name the place, and nothing half-written survives."""

import contextlib
import json
import math
import re
import shutil
import stat
import uuid
from pathlib import Path

import numpy as np

SCRIPTS = Path(__file__).resolve().parents[2]
RESOURCES = SCRIPTS.parent / "workflow" / "resources"


MARK = "\ufeff"  # byte order


class BadInput(Exception):
    """Something a person gave us is wrong; the message, one line, names the file, the line and what to do."""

    def __str__(self):
        return printable(super().__str__())


def printable(text):
    """A text as one line, in which control characters of somebody's ids and paths are spelled out."""
    return "".join(
        of if of.isprintable() else of.encode("unicode_escape").decode() for of in str(text)
    )


def counted(number, one, several=None):
    """A number of things in words: 1 file, 2 files; ``several`` where it is not ``one`` with an s."""
    return f"{number} {one if number == 1 else several or f'{one}s'}"


def ours(text):
    """Replace {scripts} and {resources} in a config's value by our own folders, wherever they lie."""
    return text.replace("{scripts}", str(SCRIPTS)).replace("{resources}", str(RESOURCES))


def read_json(path):
    """Read a JSON file; the strings inf and -inf become numbers."""
    try:
        return _from_json(json.loads("\n".join(read_lines(path))))
    except json.JSONDecodeError as error:
        raise BadInput(f"{path}:{error.lineno}: not JSON ({error.msg})") from None
    except (
        ValueError,
        RecursionError,
    ) as error:  # a number of thousands of digits, brackets in thousands of brackets
        raise BadInput(f"{path}: not JSON that can be read ({error})") from None


def write_json(path, values):
    """Write metrics as JSON: infinity as inf and -inf; NaN is an error of the program."""
    with whole_or_absent(path) as temporary:
        temporary.write_text(
            json.dumps(_to_json(values), indent=1, allow_nan=False) + "\n", encoding="utf-8"
        )


@contextlib.contextmanager
def whole_or_absent(path):
    """Give a temporary path beside ``path`` (same ending) that replaces it when the block succeeds.

    An error of the disk that names no file, such as a full one, gets the name of this one.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = _temporary(path)
    try:
        yield temporary
        temporary.replace(path)
    except OSError as error:
        if error.errno is not None and str(error.filename) in ("None", str(temporary)):
            raise type(error)(error.errno, error.strerror, str(path)) from error
        raise
    finally:
        with contextlib.suppress(
            OSError
        ):  # of a read-only disk: the first error is the one to tell
            temporary.unlink(missing_ok=True)


@contextlib.contextmanager
def whole_folder_or_absent(folder):
    """Give a temporary folder beside ``folder`` that replaces it when the block succeeds.

    Raises
    ------
    BadInput : ``folder`` holds files that the new one does not have (somebody's own)
    """
    folder = Path(folder)
    temporary = _temporary(folder)
    temporary.mkdir(parents=True)
    try:
        yield temporary
        if folder.exists():
            foreign = {path.name for path in folder.iterdir()} - {
                path.name for path in temporary.iterdir()
            }
            if foreign:
                raise BadInput(
                    f"{folder}: holds other files ({min(foreign)}): name a folder of its own"
                )
            remove_at_once(folder)
        temporary.replace(folder)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def remove_at_once(folder):
    """Remove a folder so that nobody ever finds a part of it, whenever this process is killed."""
    removed = _temporary(folder)
    folder.replace(removed)
    shutil.rmtree(removed)


@contextlib.contextmanager
def added_or_absent(folder):
    """Give a temporary folder whose files move into ``folder`` when the block succeeds."""
    folder = Path(folder)
    with scratch_folder(folder) as temporary:
        yield temporary
        folder.mkdir(parents=True, exist_ok=True)
        for path in temporary.iterdir():
            path.replace(folder / path.name)


@contextlib.contextmanager
def scratch_folder(path):
    """Give an empty folder beside ``path``, on the same disk, that is removed afterwards."""
    temporary = _temporary(Path(path))
    temporary.mkdir(parents=True)
    try:
        yield temporary
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def remove_leftovers(path):
    """Remove the temporary files and folders beside ``path`` that earlier runs left there when they were killed."""
    path = Path(path)
    name = re.compile(rf"\.{re.escape(path.stem[:100])}\.[0-9a-f]{{32}}{re.escape(path.suffix)}")
    for leftover in [beside for beside in path.parent.glob(".*") if name.fullmatch(beside.name)]:
        if leftover.is_dir():
            shutil.rmtree(leftover, ignore_errors=True)
        else:
            leftover.unlink(missing_ok=True)


def _temporary(path):
    return path.with_name(f".{path.stem[:100]}.{uuid.uuid4().hex}{path.suffix}")


def read_lines(path):
    """The lines of a UTF-8 text file without line ends (LF or CRLF); a byte-order mark is left out.

    Raises
    ------
    BadInput : it is missing or cannot be read, is a folder or no file, is not UTF-8, or holds NUL bytes or
        a byte-order mark amid the text
    """
    refuse_endless(path)
    try:
        content = Path(path).read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        raise BadInput(f"{path}: not found") from None
    except IsADirectoryError:
        raise BadInput(f"{path}: is a folder, not a file") from None
    except (OSError, ValueError) as error:
        raise BadInput(
            f"{path}: cannot be read ({getattr(error, 'strerror', None) or error})"
        ) from None
    except MemoryError:
        raise MemoryError(f"{path}: {Path(path).stat().st_size} bytes") from None
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise BadInput(
            f"{path}:{line}: not UTF-8 text (byte 0x{content[error.start]:02x})"
        ) from None
    if "\0" in text:
        raise BadInput(
            f"{path}:{text[: text.index(chr(0))].count(chr(10)) + 1}: not text (it holds a NUL byte)"
        )
    if MARK in text:
        line = text[: text.index(MARK)].count("\n") + 1
        raise BadInput(
            f"{path}:{line}: a byte-order mark amid the text, where nobody sees it: were files joined?"
        )
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return lines if lines[-1] else lines[:-1]


def refuse_endless(path):
    """Refuse (BadInput) a named pipe, a device or a socket, from which one could read for ever.

    What a shell puts there instead of a file, as in ``--scores <(zcat scores.gz)``, is no name of anybody's.
    """
    if str(path).startswith(("/dev/fd/", "/dev/stdin", "/proc/self/fd/")):
        return
    try:
        mode = Path(path).stat().st_mode
    except (OSError, ValueError):  # whoever opens it says why
        return
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise BadInput(f"{path}: is a pipe or a device, not a file")


@contextlib.contextmanager
def naming(path):
    """Put the file's name before what the block says is wrong with its content."""
    try:
        yield
    except BadInput as error:
        raise BadInput(
            str(error) if str(error).startswith(f"{path}:") else f"{path}: {error}"
        ) from None


def _to_json(value):
    if isinstance(value, dict):
        return {name: _to_json(of) for name, of in value.items()}
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, float) and math.isinf(value):
        return str(value)
    return value


def _from_json(value):
    if isinstance(value, dict):
        return {name: _from_json(of) for name, of in value.items()}
    return float(value) if value in ("inf", "-inf") else value
