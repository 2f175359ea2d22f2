"""How a file of text is read: errors name the file and the line."""

import contextlib
import csv
import difflib
import itertools
import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

from voiceprivacy.errors import BadInput, printable
from voiceprivacy.inout.inputs import note_input

FilePath: TypeAlias = str | Path

MOST_OF_NAME, MOST_OF_PATH = 255, 4095  # bytes, on the disks of Linux and of others
BYTE_ORDER_MARK = "\ufeff"
# What a shell puts there instead of a file, as in ``--scores <(zcat scores.gz)``.
PIPES_OF_SHELLS = ("/dev/fd/", "/dev/stdin", "/proc/self/fd/")
BLOCK_OF_BYTES = 4_000_000
MOST_COMPARED = 1000  # names of files, of which the nearest is named


@contextlib.contextmanager
def naming(path: FilePath) -> Iterator[None]:
    """Put the file's name before what the block says is wrong with its content."""
    try:
        yield
    except BadInput as error:
        # Readers name the file themselves; what checks its content may not know it.
        already_named = str(error).startswith(f"{printable(path)}:")
        raise BadInput(str(error) if already_named else f"{path}: {error}") from None


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


def rows_of_csv(path: FilePath, *, quoted: bool = True) -> Iterator[tuple[int, dict[Any, Any]]]:
    """Yield (line number, {column: text}) of a CSV of somebody else, whose first line is a header.

    Fields are separated by what the header has most of: commas, tabs, or semicolons, as
    spreadsheets of many countries write. Those beyond the header are a list, under None.

    Raises
    ------
    BadInput : it is none; the message names the file and the line
    """
    lines = read_lines(path)
    separator = max(",;\t", key="".join(lines[:1]).count)
    quoting: Any = csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE
    ended = (f"{line}\n" for line in lines)  # a text in quotes may go on in the next line
    reader = csv.DictReader(ended, delimiter=separator, quoting=quoting, strict=True)
    first = 1  # line where the row begins that is read now
    try:
        first += bool(reader.fieldnames)
        for row in reader:
            n_more = sum(str(value).count("\n") for value in row.values())
            yield reader.line_num - n_more, row
            first = reader.line_num + 1
    except csv.Error as error:
        raise BadInput(f"{path}:{first}: is no CSV ({error})") from None


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


def resembling(pattern: str, names: Iterable[str]) -> str:
    """The name that is most like a pattern which fits none, as the end of an error."""
    first = list(itertools.islice(names, MOST_COMPARED))
    close = difflib.get_close_matches(pattern, first, n=1, cutoff=0)
    return f"; the nearest is called {close[0]}" if close else ""
