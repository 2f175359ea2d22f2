"""Tables, which the rooms hand to each other: UTF-8, tabs, a header line.

Only modules of this room read or write them. A mistake in one raises BadInput with the file, the
line and the reason.
"""

import contextlib
import csv
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import TypeAlias

from numpy.typing import ArrayLike

from voiceprivacy.errors import BadInput
from voiceprivacy.inout.files import FilePath, read_lines
from voiceprivacy.inout.foreign import composed
from voiceprivacy.inout.writing import whole_or_absent

FINDINGS = ["level", "file", "line", "what", "sound"]  # of a corpus, as its checks write them
NAMES = {"utterance", "speaker", "enrolment", "trial", "id"}  # columns that hold people's names
DIGITS = re.compile("[0-9]{1,18}")
Row: TypeAlias = dict[str, str]


def read_table(path: FilePath, columns: list[str]) -> list[Row]:
    """Read any TSV with these columns as a list of {column: text}, as read_rows does."""
    return [row for _, row in read_rows(path, columns)]


def read_rows(path: FilePath, columns: list[str]) -> Iterator[tuple[int, Row]]:
    """Yield (line number, {column: text}) of a TSV that must have these columns, in any order.

    Empty lines are passed over.
    """
    for line, fields in fields_of(path, read_lines(path), columns):
        yield line, dict(zip(columns, fields, strict=True))


def fields_of(
    path: FilePath, lines: list[str], columns: list[str]
) -> Iterator[tuple[int, list[str]]]:
    """Yield (line number, its fields in the order of ``columns``)."""
    lines = unquoted(path, lines)
    order = column_order(path, lines, columns)
    are_names = [name in NAMES for name in columns]
    for line, text in enumerate(lines[1:], start=2):
        if not text:
            continue
        fields = text.split("\t")
        if len(fields) != len(columns):
            raise BadInput(f"{path}:{line}: expected {len(columns)} columns, found {len(fields)}")
        texts = [fields[index] for index in order]
        if not text.isascii():
            known = zip(texts, are_names, strict=True)
            texts = [composed(field) if is_name else field for field, is_name in known]
        yield line, texts


def unquoted(path: FilePath, lines: list[str]) -> list[str]:
    """Lines of a table with tabs, without the quotes that R and pandas write around texts.

    Fields of CSV become fields between tabs. Elsewhere, where the header has no quotes, a quote is
    part of a text.

    Raises
    ------
    BadInput : a quote is left open, as of a text with a line end
    """
    delimiter = _delimiter(lines)
    return _unquote(path, lines, delimiter, first=1) if delimiter else lines


def unquoted_blocks(path: FilePath, blocks: Iterator[list[str]]) -> Iterator[list[str]]:
    """Blocks of lines of one table as ``unquoted`` has them."""
    beginning = next(blocks, [])
    delimiter, line = _delimiter(beginning), 1
    for lines in chain([beginning], blocks):
        yield _unquote(path, lines, delimiter, first=line) if delimiter else lines
        line += len(lines)


def _delimiter(lines: Sequence[str]) -> str | None:
    """What is between fields that are to be read as csv has them; None of a plain table."""
    header = "".join(lines[:1])
    if "," in header and not {"\t", " "} & {*header}:
        return ","
    names = header.split("\t")
    is_quoted = all(len(name) > 1 and name[0] == name[-1] == '"' for name in names)
    return "\t" if is_quoted else None


def _unquote(path: FilePath, lines: list[str], delimiter: str, *, first: int) -> list[str]:
    without_quotes = []
    for line, text in enumerate(lines, start=first):
        try:
            fields = next(csv.reader([text], delimiter=delimiter, strict=True), [])
        except csv.Error as error:
            raise BadInput(f"{path}:{line}: is no line of a table in quotes ({error})") from None
        without_quotes.append("\t".join(fields))
    return without_quotes


def column_order(path: FilePath, lines: Sequence[str], names: Sequence[str]) -> list[int]:
    """Where each column is, by the first of some lines, which must name these and no other."""
    header = "".join(lines[:1])
    columns = header.split("\t")
    if sorted(columns) != sorted(names):
        seen = f": '{header[:100]}'" if header else ""
        expected = f"expected the columns {' '.join(names)}, separated by tabs or commas{seen}"
        raise BadInput(f"{path}:1: {expected}")
    for name in columns:
        if columns.count(name) > 1:
            raise BadInput(f"{path}:1: column '{name}' occurs twice")
    return [columns.index(name) for name in names]


def number(text: str, path: FilePath, line: int | str) -> float:
    """The number in a field (inf is one, NaN is not)."""
    value = number_in(text)
    if math.isnan(value):
        with contextlib.suppress(ValueError):
            if math.isinf(float(text)):
                raise BadInput(f"{path}:{line}: '{text}' is beyond double precision")
        raise BadInput(f"{path}:{line}: '{text}' is not a number")
    return value


def whole_number(text: str, path: FilePath, line: int | str) -> int:
    """The whole number in a field."""
    value = number(text, path, line)
    if not value.is_integer():
        raise BadInput(f"{path}:{line}: '{text}' is not a whole number")
    return int(value)


def number_in(text: str) -> float:
    """The number that a text is; NaN if it is none.

    Of what Python reads, other digits, 1_000, a space beside a number, and numbers that it takes
    for infinite are none.

    >>> number_in("+1e+3"), number_in("inf"), number_in("1_000"), number_in(" 1")
    (1000.0, inf, nan, nan)
    >>> number_in("1e999")
    nan
    """
    plain = text.isascii() and "_" not in text and text == text.strip()
    try:
        value = float(text) if plain else math.nan
    except ValueError:
        return math.nan
    return math.nan if math.isinf(value) and "inf" not in text.lower() else value


def whole_number_in(text: str) -> int | None:
    """The whole number that a text of digits is; None of any other text, and of too many digits.

    >>> whole_number_in("007"), whole_number_in("-1"), whole_number_in("9" * 5000)
    (7, None, None)
    """
    return int(text) if DIGITS.fullmatch(text) else None


def write_table(path: FilePath, columns: Sequence[str], rows: Iterable[Iterable]) -> None:
    """Write a TSV; numbers in full precision, infinity as inf and -inf.

    Raises
    ------
    BadInput : a value has a tab or a line end, as the names of folders may
    """
    with (
        whole_or_absent(path) as temporary,
        open(temporary, "w", newline="", encoding="utf-8") as file,
    ):
        writer = csv.writer(
            file, delimiter="\t", lineterminator="\n", quoting=csv.QUOTE_NONE, quotechar=None
        )
        writer.writerow(columns)
        try:
            writer.writerows(rows)
        except csv.Error:
            raise BadInput(
                f"{path}: a tab or a line end in a name or a path, which no table can hold:"
                f" rename that folder or file (working directory: {Path.cwd()})"
            ) from None


def write_curves(path: FilePath, curves: Mapping[str, Mapping[str, ArrayLike]]) -> None:
    """Write {label: {column: array}} as one TSV with the labels in front.

    Every label has the same columns; the arrays of one label are equally long.
    """
    columns = ["label", *next(iter(curves.values()))]
    rows = []
    for label, curve in curves.items():
        for values in zip(*curve.values(), strict=True):
            rows.append((label, *values))
    write_table(path, columns, rows)
