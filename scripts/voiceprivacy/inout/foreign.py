"""What somebody else made: names, texts and folders are looked at before they are believed.

Conventions
-----------
* Every check returns what it was given, or raises BadInput with the file, the key and the reason.
* Names of corpora, lists, anonymisers and attackers are those that a config can have.
* A folder is read without links: a symbolic one leads elsewhere, and so may a second name of a file
  (a hard link). Devices, pipes and sockets are refused.
"""

import contextlib
import math
import os
import re
import shlex
import signal
import stat
import threading
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from voiceprivacy.errors import BadInput, counted, shown
from voiceprivacy.inout.files import FilePath
from voiceprivacy.vocabulary import ABSENT

NAME = re.compile(r"[a-z][a-z0-9_]{0,199}")
FILE_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+@-]{0,254}")
MOST_CHARACTERS = 10_000  # of one text
MOST_VALUES, MOST_LEVELS = 200_000, 40  # of one JSON file
MOST_DIGITS = 40
# What readers stumble over in values of another type than they expect.
UNEXPECTED = (
    KeyError,
    TypeError,
    ValueError,
    AttributeError,
    IndexError,
    OverflowError,
    RecursionError,
)


@contextlib.contextmanager
def not_ours(where: object) -> Iterator[None]:
    """Say of values that no reader expects that they are wrong in ``where``."""
    try:
        yield
    except UNEXPECTED as error:
        reason = f"{type(error).__name__}: {error}"
        raise BadInput(f"{where}: holds what no run writes ({reason})") from None


# Values.


def composed(name: str) -> str:
    """A name as it is known here: accents within their letters (NFC), as Linux and Windows write.

    macOS takes them apart (NFD). Names from files and from tables go through this, so that é in
    one and e with an accent in the other are one name.
    """
    return name if name.isascii() else unicodedata.normalize("NFC", name)


def name(value: object, where: str, *, in_table: bool = False) -> str:
    """A name as configs have it; a table of numbers may have - too."""
    if isinstance(value, str) and (NAME.fullmatch(value) or (in_table and value == ABSENT)):
        return value
    raise BadInput(f"{where}: '{value}' cannot be a name (small letters, digits and _)")


def like(value: object, pattern: str, where: str) -> str:
    """A text that is wholly of a pattern."""
    if isinstance(value, str) and re.fullmatch(pattern, value):
        return value
    raise BadInput(f"{where}: '{value}' is not of the form that a run writes")


def line(value: object, where: str, *, most: int = MOST_CHARACTERS) -> str:
    """A text of one line without control characters."""
    if isinstance(value, str) and len(value) <= most and value.isprintable():
        return value
    raise BadInput(f"{where}: '{value}' is no line of text")


def a_number(value: object, where: str) -> float:
    """A number, which may be infinite but not NaN."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if is_number and not math.isnan(value):  # type: ignore[arg-type]
        return value  # type: ignore[return-value]
    raise BadInput(f"{where}: '{value}' is no number")


def mapping(value: object, where: str) -> dict[str, Any]:
    """A JSON object."""
    if isinstance(value, dict):
        return value
    raise BadInput(f"{where}: expected {{...}}, not '{value}'")


def plain_values(value: Any, where: str) -> Any:
    """JSON of bounded depth and size, whose texts have no control characters but line ends."""
    left = [MOST_VALUES]

    def check(inner: Any, level: int) -> None:
        left[0] -= 1
        if left[0] < 0 or level > MOST_LEVELS:
            raise BadInput(f"{where}: holds too much, or is nested too deeply")
        if isinstance(inner, dict):
            for key, below in inner.items():
                line(key, where, most=500)
                check(below, level + 1)
        elif isinstance(inner, list):
            for below in inner:
                check(below, level + 1)
        elif isinstance(inner, str):
            for text in re.split(r"[\n\t]", inner):  # long commands are folded
                line(text, where)
        elif isinstance(inner, float) and not math.isfinite(inner):
            raise BadInput(f"{where}: {inner} is not a number that is allowed here")

    check(value, 0)
    return value


# Folders.


def plain_file(path: FilePath, folder: FilePath) -> Path:
    """A regular file below a folder, with no link on the way and no second name.

    Raises
    ------
    BadInput : it is anything else, or a name on the way cannot be one of ours
    """
    path, folder = Path(path), Path(folder)
    relative = path.relative_to(folder)
    step = folder
    for part in relative.parts:
        step = step / part
        if not FILE_NAME.fullmatch(part):
            raise BadInput(f"{shown(folder)}: '{relative}' is no name that a run gives a file")
        status = os.lstat(step)
        if stat.S_ISLNK(status.st_mode):
            raise BadInput(f"{step}: is a link, which may lead elsewhere: replace it by a copy")
    if not stat.S_ISREG(status.st_mode):
        raise BadInput(f"{path}: is no plain file")
    if status.st_nlink > 1:
        raise BadInput(f"{path}: has a second name (a hard link): copy the folder with cp -r first")
    return path


OF_A_DISK = "lost+found"  # at its top, for root alone
MOST_WAYS = 1000  # that links may lead to one folder


def files_below(root: FilePath, endings: tuple[str, ...] = ("",)) -> Iterator[str]:
    """Relative paths of files below a folder, links followed, hidden ones left out.

    ``endings`` are in small letters; those of names may have capitals.

    Raises
    ------
    BadInput : links lead in a circle, or a folder is reached in too many ways;
        a folder cannot be read
    """

    def refuse(error: OSError) -> None:
        raise BadInput(f"{error.filename}: cannot be read ({error.strerror})")

    above: dict[str, frozenset[tuple[int, int]]] = {}
    ways: Counter[tuple[int, int]] = Counter()
    top = str(Path(root))
    for folder, folders, names in os.walk(top, onerror=refuse, followlinks=True):
        status = os.stat(folder)
        identity = (status.st_dev, status.st_ino)
        on_the_way = above.get(os.path.dirname(folder), frozenset())
        ways[identity] += 1
        if identity in on_the_way or ways[identity] > MOST_WAYS:
            raise BadInput(f"{folder}: is a link to a folder on the way to it: remove the link")
        above[folder] = on_the_way | {identity}
        shown = (name for name in folders if not name.startswith(".") and name != OF_A_DISK)
        folders[:] = sorted(shown)
        prefix = "" if folder == top else f"{os.path.relpath(folder, top)}/"
        for name in sorted(names):
            if name.lower().endswith(endings) and not name.startswith("."):
                yield prefix + name


NO_UTF8 = re.compile(r".*?[\ud800-\udfff][^/]*", re.DOTALL)


def refuse_no_utf8(root: FilePath, paths: Iterable[FilePath]) -> None:
    """Refuse (BadInput) names that are not UTF-8, as tables and configs are.

    ``paths`` are those of files below the folder ``root``, from where it is.
    """
    if odd := sorted({match[0] for path in paths if (match := NO_UTF8.match(str(path)))}):
        others = f" (and {counted(len(odd) - 1, 'other')})" if len(odd) > 1 else ""
        convmv = f"convmv -f latin1 -t utf8 -r --notest {shlex.quote(str(root))}"
        raise BadInput(f"{odd[0]}: its name is not UTF-8{others}: rename it ({convmv})")


# Patterns: some take longer than anybody lives.

LONGEST_S, LONGEST_S_OF_A_TEXT = 10, 1e-4
SOON_S = 1e-3  # a timer of 0 would never ring


class _TimeIsUp(BaseException):
    """Nothing on the way takes it for an error of a file."""


@contextlib.contextmanager
def within(seconds: float | None, message: str) -> Iterator[None]:
    """Refuse (BadInput) a block that takes a processor longer; None gives it all the time.

    A block within another one takes of that one's time.
    """

    def end(*_: object) -> None:
        raise _TimeIsUp

    if seconds is None or threading.current_thread() is not threading.main_thread():
        yield
        return
    around_s, _ = signal.setitimer(signal.ITIMER_VIRTUAL, 0)  # left to the block around, or 0
    before = signal.signal(signal.SIGVTALRM, end)
    given_s, left_s = min(seconds, around_s or seconds), 0.0
    try:
        try:
            signal.setitimer(signal.ITIMER_VIRTUAL, given_s)
            yield
        finally:
            left_s, _ = signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    except _TimeIsUp:
        if given_s < seconds:  # it is the block around that takes too long
            raise
        raise BadInput(message) from None
    finally:
        signal.signal(signal.SIGVTALRM, before)
        if around_s:
            signal.setitimer(signal.ITIMER_VIRTUAL, max(SOON_S, around_s - given_s + left_s))


@contextlib.contextmanager
def matching(pattern: str, n_texts: int) -> Iterator[None]:
    """Match a regular expression of somebody against so many texts within the block.

    Raises
    ------
    BadInput : it is none, or takes longer than 10 s (of a processor) and 0.1 ms a text
    """

    message = f"{pattern}: is not matched within {LONGEST_S} s: write it with fewer * or +"
    try:
        with within(LONGEST_S + n_texts * LONGEST_S_OF_A_TEXT, message):
            yield
    except re.error as error:
        raise BadInput(f"{pattern}: is no regular expression ({error})") from None
