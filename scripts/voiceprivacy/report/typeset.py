"""How names, numbers and tables are written: TSV in full precision, the rest as a paper shows it.

LaTeX tables need the package booktabs.
"""

import operator
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from voiceprivacy.inout.files import BadInput, whole_or_absent
from voiceprivacy.inout.tables import write_table
from voiceprivacy.vocabulary import DAGGER, DASH, INFINITY, MINUS, NO_BREAK

SPECIAL = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}
SIGNS = {
    DASH: "--",
    MINUS: "$-$",
    INFINITY: r"$\infty$",
    NO_BREAK: "~",
    "↑": r"$\uparrow$",
    "↓": r"$\downarrow$",
    DAGGER: r"$^\dagger$",
}
TO_LATEX = str.maketrans(SPECIAL | SIGNS)
MOST_NAMES = 6  # of a longer list, so many names are written out
MINUS_SIGN = re.compile(r"(^|/)-(?=\d|inf$)")  # of a number; else it is a hyphen


# Names and numbers.


def listed(names: Sequence[str], last: str = " and ") -> str:
    """Names (not empty) in a sentence; of many the first ones, and how many more there are."""
    if len(names) > MOST_NAMES + 1:
        names = [*names[:MOST_NAMES], f"{len(names) - MOST_NAMES} more"]
        last = " and "
    if len(names) == 1:
        return names[0]
    return f"{', '.join(names[:-1])}{last}{names[-1]}"


def short(value: float) -> str:
    """A number of a legend or a paper: three digits, or the magnitude of a smaller one."""
    return f"{value:.3f}" if value == 0 or abs(value) >= 5e-4 else f"{value:.0e}"


# LaTeX.


def latex(text: str) -> str:
    """Text with LaTeX's special characters escaped."""
    return text.translate(TO_LATEX)


def latex_with_math(text: str) -> str:
    """Text with LaTeX's special characters escaped outside of $...$."""
    parts = text.split("$")
    parts[::2] = map(latex, parts[::2])  # every other part stands between two $
    return "$".join(parts)


def latex_row(cells: Iterable[str]) -> str:
    """One line of a tabular, its cells escaped."""
    return " & ".join(map(latex, cells)) + r" \\"


def write_text(path: str | Path, text: str) -> None:
    """Write a text that is whole or not there."""
    with whole_or_absent(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


# Tables of papers.


class Shown(NamedTuple):
    """A column as a paper shows it: its title (math in $...$), and the text of a row's cell."""

    title: str
    text: Callable[[dict[str, Any]], str]


class Table(NamedTuple):
    """A table of raw values {name: value}; neighbours with the same first cell form a group."""

    names: Sequence[str]
    columns: Sequence[Shown]
    rows: Sequence[dict[str, Any]]


def write(path: str | Path, table: Table) -> None:
    """Write a table; the ending of ``path`` (tsv, md or tex) says how.

    Raises
    ------
    BadInput : another ending
    """
    kind = Path(path).suffix
    if kind == ".tsv":
        values = operator.itemgetter(*table.names)
        write_table(path, table.names, map(values, table.rows))
    elif kind in TEXTS:
        write_text(path, TEXTS[kind](table))
    else:
        raise BadInput(f"{path}: cannot write this kind of table; end the name in tsv, md or tex")


def markdown(table: Table) -> str:
    """The table as Markdown text."""
    rows = [[column.title for column in table.columns], *_cells(table)]
    escaped = [_escaped(row) for row in rows]  # before widths are taken
    widths = [max(3, *map(len, column)) for column in zip(*escaped, strict=True)]
    lines = []
    for row in escaped:
        cells = [f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)]
        lines.append(f"| {' | '.join(cells)} |")
    below_titles = f"|{'|'.join('-' * (width + 2) for width in widths)}|"
    return "\n".join([lines[0], below_titles, *lines[1:], ""])


def _escaped(row: Iterable[str]) -> list[str]:
    return [cell.replace("|", r"\|") for cell in row]


def booktabs(table: Table) -> str:
    """The table as LaTeX text, groups apart by rules."""
    titles = [column.title for column in table.columns]
    lines = [
        rf"\begin{{tabular}}{{{'l' * len(titles)}}}",
        r"\toprule",
        _math_row(titles),
        r"\midrule",
    ]
    rows = list(_cells(table))
    # Without a first cell that is left out, every row would be a group of its own.
    grouped = any(row[0] == "" for row in rows)
    for index, row in enumerate(rows):
        if grouped and index and row[0]:
            lines.append(r"\midrule")
        lines.append(_math_row(row))
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", ""])


TEXTS = {".md": markdown, ".tex": booktabs}


def _cells(table: Table) -> Iterator[list[str]]:
    """Rows of text; the first cell of a group stands once."""
    before = None
    for row in table.rows:
        first, *others = (column.text(row) for column in table.columns)
        yield ["" if first == before else first, *others]
        before = first


def _math_row(cells: Iterable[str]) -> str:
    return " & ".join(MINUS_SIGN.sub(r"\1$-$", latex_with_math(cell)) for cell in cells) + r" \\"
