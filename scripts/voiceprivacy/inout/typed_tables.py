"""Tables of typed rows: the fields of a named tuple are the columns, its types say what is read.

Conventions
-----------
* ``float | str`` is a number, or one of the words "undefined" and "-"; ``int | str`` a whole number
  or any word; ``float | None`` a limit, None where it does not exist (- in the file).
* A Name is one as configs have it. A Numeral is a number, or one of the two words, that stays text,
  so that it is shown and written as it was read.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Annotated, Any, get_type_hints

from voiceprivacy.inout import foreign
from voiceprivacy.inout.files import FilePath
from voiceprivacy.inout.tables import number, read_rows, whole_number, whole_number_in, write_table
from voiceprivacy.vocabulary import ABSENT, UNDEFINED

Name = Annotated[str, "name"]
Numeral = Annotated[str, "number or word"]
WORDS = (UNDEFINED, ABSENT)
Limits = tuple[float, float]


def read_typed(kind: Any, path: FilePath) -> list[Any]:
    """Read a TSV as a list of named tuples of a kind.

    Raises
    ------
    BadInput : other columns, or a field that is not of its type; with file and line
    """
    return [row for *_, row in typed_rows(kind, path)]


def read_labelled(kind: Any, path: FilePath) -> dict[str, list[Any]]:
    """Read a TSV with a column ``label`` in front: {label: rows}."""
    rows: dict[str, list[Any]] = {}
    for _, label, row in typed_rows(kind, path, "label"):
        rows.setdefault(label, []).append(row)
    return rows


def typed_rows(kind: Any, path: FilePath, *front: str) -> Iterator[tuple[Any, ...]]:
    """Yield (line, what stands in the columns in front of the row, row)."""
    hints = get_type_hints(kind, include_extras=True)
    parsers = {name: PARSERS[hint] for name, hint in hints.items()}
    for line, row in read_rows(path, [*front, *parsers]):
        fields = [parse(row[name], path, line) for name, parse in parsers.items()]
        yield line, *(row[name] for name in front), kind(*fields)


def write_typed(path: FilePath, kind: Any, rows: Iterable[Iterable[Any]], *front: str) -> None:
    """Write named tuples of a kind as a TSV, each with what stands in the columns ``front``."""
    texts = ([ABSENT if cell is None else cell for cell in row] for row in rows)
    write_table(path, [*front, *kind._fields], texts)


def limits_of(low: float | None, high: float | None) -> Limits | None:
    """An interval; None where it has no limits."""
    return None if low is None or high is None else (low, high)


def _text(text: str, path: FilePath, line: int) -> str:
    return text


def _name(text: str, path: FilePath, line: int) -> str:
    return foreign.name(text, f"{path}:{line}")


def _number_or_word(text: str, path: FilePath, line: int) -> float | str:
    return text if text in WORDS else number(text, path, line)


def _limit(text: str, path: FilePath, line: int) -> float | None:
    return None if text == ABSENT else number(text, path, line)


def _numeral(text: str, path: FilePath, line: int) -> str:
    _number_or_word(text, path, line)
    return text


def _whole_or_word(text: str, path: FilePath, line: int) -> int | str:
    number = whole_number_in(text)
    return text if number is None else number


PARSERS: dict[Any, Callable[[str, FilePath, int], Any]] = {
    str: _text,
    Name: _name,
    Numeral: _numeral,
    int: whole_number,
    float: number,
    float | str: _number_or_word,
    float | None: _limit,
    int | str: _whole_or_word,
}
