"""How names, numbers and tables are written: TSV in full precision, the rest as a paper shows it.

LaTeX tables need the package booktabs. A table that is too wide or too high for the text of an A4
page in LaTeX's own article class becomes several, each with the columns that name its rows.
"""

import itertools
import operator
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from voiceprivacy.errors import BadInput
from voiceprivacy.inout.files import FilePath
from voiceprivacy.inout.tables import write_table
from voiceprivacy.inout.writing import whole_or_absent
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
NAMING = ("Set", "System", "")  # titles of columns that name what a row is of
MOST_NAMES = 6  # of a longer list, so many names are written out
MINUS_SIGN = re.compile(r"(?<![^/[( ])-(?=\d|inf\b)")  # of a number; else it is a hyphen


# Names and numbers.


def listed(names: Sequence[str], last: str = " and ", *, most: int = MOST_NAMES) -> str:
    """Names (not empty) in a sentence; of more than ``most`` the first ones, and how many more."""
    if len(names) > most + 1:
        names = [*names[:most], f"{len(names) - most} more"]
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


TEXT_POINTS, TEXT_LINES = 345, 58  # of a page of article, in a type of 8 points
COLUMN_GAP, CHARACTER = 6.0, 4.6  # points between columns, and of an average character
COMMAND = re.compile(r"\\(?:textit|rightarrow|infty|dagger|uparrow|downarrow)|[\\{}$^]")

Row = Sequence[str]  # cells of one line, as LaTeX


def tabulars(
    *,
    heads: Sequence[Row],
    blocks: Sequence[Sequence[Row]],
    n_names: int,
    title: str = "",
    ruled: bool = False,
) -> list[str]:
    """Lines of as many tabulars as the columns and rows need.

    Parameters
    ----------
    heads : rows of titles
    blocks : rows of cells; those of a block stay on one page
    n_names : the first columns, which name the rows and stand in every tabular
    title : LaTeX that stands below the titles of each
    ruled : whether blocks are apart by rules
    """
    every = [*heads, *itertools.chain.from_iterable(blocks)]
    widths = [max(map(_points, column)) for column in zip(*every, strict=True)]
    lines = [r"{\footnotesize\setlength{\tabcolsep}{3pt}\setlength{\parindent}{0pt}"]
    for columns in _that_fit(widths, n_names):
        for page in _pages(blocks):
            sides = "l" * n_names + "r" * (len(columns) - n_names)
            lines += [rf"\begin{{tabular}}{{@{{}}{sides}@{{}}}}", r"\toprule"]
            lines += [_line(row, columns) for row in heads]
            if title:
                lines += [r"\midrule", rf"\multicolumn{{{len(columns)}}}{{@{{}}l}}{{{title}}} \\"]
            for index, block in enumerate(page):
                lines += [r"\midrule"] if ruled or index == 0 else []
                lines += [_line(row, columns) for row in block]
            lines += [r"\bottomrule", r"\end{tabular}\par\medskip"]
    return [*lines, "}"]


def _points(cell: str) -> float:
    return CHARACTER * len(COMMAND.sub("", cell)) + COLUMN_GAP


def _that_fit(widths: Sequence[float], n_names: int) -> Iterator[list[int]]:
    """Columns of each tabular: those that name the rows, and as many others as there is room."""
    names = list(range(n_names))
    left = TEXT_POINTS - sum(widths[:n_names])
    columns: list[int] = []
    for column in range(n_names, len(widths)):
        if columns and sum(widths[index] for index in [*columns, column]) > left:
            yield [*names, *columns]
            columns = []
        columns.append(column)
    yield [*names, *columns]


def _pages(blocks: Sequence[Sequence[Row]]) -> Iterator[list[Sequence[Row]]]:
    """Blocks of each page."""
    page: list[Sequence[Row]] = []
    for block in blocks:
        if page and sum(map(len, page)) + len(block) > TEXT_LINES:
            yield page
            page = []
        page.append(block)
    yield page


def _line(row: Row, columns: Sequence[int]) -> str:
    cells = " & ".join(row[column] for column in columns)
    # LaTeX would take these for an argument of the \\ of the line before.
    guard = "{}" if cells.startswith(("[", "*")) else ""
    return rf"{guard}{cells} \\"


def write_text(path: FilePath, text: str) -> None:
    """Write a text that is whole or not there."""
    with whole_or_absent(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


# Tables of papers.


class Shown(NamedTuple):
    """A column as a paper shows it: its title (math in $...$), and the text of a row's cell."""

    title: str
    text: Callable[[dict[str, Any]], str]


class Table(NamedTuple):
    """A table of raw values {name: value}; neighbours with the same first cell form a group.

    ``notes`` are sentences below it.
    """

    names: Sequence[str]
    columns: Sequence[Shown]
    rows: Sequence[dict[str, Any]]
    notes: Sequence[str] = ()


def write(path: FilePath, table: Table) -> None:
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
    notes = ["", *table.notes] if table.notes else []
    return "\n".join([lines[0], below_titles, *lines[1:], *notes, ""])


def _escaped(row: Iterable[str]) -> list[str]:
    return [cell.replace("|", r"\|") for cell in row]


def booktabs(table: Table) -> str:
    """The table as LaTeX text, a group of rows together on a page."""
    heads = [[latex_with_math(column.title) for column in table.columns]]
    blocks: list[list[list[str]]] = []
    for row in _cells(table):
        if row[0] or not blocks:
            blocks.append([])
        blocks[-1].append([MINUS_SIGN.sub("$-$", latex(cell)) for cell in row])
    # Without a first cell that is left out, every row would be a group of its own.
    ruled = any(len(block) > 1 for block in blocks)
    lines = tabulars(heads=heads, blocks=blocks, n_names=_n_names(table), ruled=ruled)
    lines += [rf"{{\footnotesize {latex(note)}}}\par" for note in table.notes]
    return "\n".join([*lines, ""])


def _n_names(table: Table) -> int:
    """The columns that name a row: those with a set, a system and a condition in their titles."""
    named = [column.title in NAMING for column in table.columns]
    return max(1, named.index(False) if False in named else len(named))


TEXTS = {".md": markdown, ".tex": booktabs}


def _cells(table: Table) -> Iterator[list[str]]:
    """Rows of text; the first cell of a group stands once."""
    before = None
    for row in table.rows:
        first, *others = (column.text(row) for column in table.columns)
        yield ["" if first == before else first, *others]
        before = first
