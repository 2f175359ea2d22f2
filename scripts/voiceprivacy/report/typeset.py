"""How names, numbers and tables are written: TSV in full precision, the rest as a paper shows it.

LaTeX tables are table* across both columns of a paper (170 mm), and need the packages booktabs and
graphicx. A table that is too wide is made smaller, down to SMALLEST. One that is larger still, or
too high for a page, becomes several, each with the columns that name its rows.
"""

import itertools
import operator
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from voiceprivacy.catalogue.shown import marks_explained
from voiceprivacy.errors import BadInput
from voiceprivacy.inout.files import FilePath
from voiceprivacy.inout.tables import write_table
from voiceprivacy.inout.writing import whole_or_absent
from voiceprivacy.vocabulary import DAGGER, DASH, DOUBLE_DAGGER, INFINITY, MINUS, NO_BREAK

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
    DOUBLE_DAGGER: r"$^\ddagger$",
}
TO_LATEX = str.maketrans(SPECIAL | SIGNS)
NAMING = ("Set", "System", "")  # titles of columns that name what a row is of
MOST_NAMES = 6  # of a longer list, so many names are written out
# A number and its interval.
WITH_LIMITS = re.compile(rf"([^\[\]]+) (\[[^\[\]]+\][{DAGGER}{DOUBLE_DAGGER}]?)")
NEEDED = r"% Needs \usepackage{booktabs}, and \usepackage{graphicx} for a wide table."
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


TEXT_POINTS, TEXT_LINES = 480, 52  # of a page in two columns (170 mm), in a type of 8 points
SMALLEST = 0.8  # to which a table that is too wide is made smaller
COLUMN_GAP, CHARACTER = 6.0, 4.6  # points between columns, and of an average character
SMALL = r"{\scriptsize "  # before what stands below a number; a brace closes it
SMALL_CHARACTER = 4.0
COMMAND = re.compile(r"\\(?:textit|scriptsize|rightarrow|infty|dagger|uparrow|downarrow)|[\\{}$^]")
MOST_FLOATS = 12  # that LaTeX is given before it has to place them

Row = Sequence[str]  # cells of one line, as LaTeX
Rows = Sequence[Row]


def floats(
    *,
    heads: Rows,
    blocks: Sequence[Rows],
    n_names: int,
    titles: Sequence[str] = (),
    caption: str = "",
    label: str = "",
    notes: Sequence[str] = (),
    ruled: bool = False,
) -> list[str]:
    """Lines of a table* across both columns of a paper; of several, where it is too large for one.

    Parameters
    ----------
    heads : rows of titles
    blocks : rows of cells; those of a block stay on one page
    n_names : the first columns, which name the rows and stand in every table
    titles : LaTeX above each block; one that stands already is not repeated
    caption, label : of the table; without a caption it has neither
    notes : LaTeX below it
    ruled : whether blocks are apart by rules
    """
    every = [*heads, *itertools.chain.from_iterable(blocks)]
    widths = [max(map(_points, column)) for column in zip(*every, strict=True)]
    titled = list(zip(titles or [""] * len(blocks), blocks, strict=True))
    lines: list[str] = []
    count = 0
    for columns in _that_fit(widths, n_names):
        width = sum(widths[column] for column in columns)
        for page in _pages(titled):
            if count and count % MOST_FLOATS == 0:
                lines.append(r"\clearpage")
            count += 1
            lines += [r"\begin{table*}[tp]", r"\centering\footnotesize\setlength{\tabcolsep}{3pt}"]
            lines += [rf"\caption{{{caption}}}"] if caption and count == 1 else []
            lines += [rf"\label{{{label}}}"] if label and caption and count == 1 else []
            lines += [r"\resizebox{\textwidth}{!}{%"] if width > TEXT_POINTS else []
            lines += _tabular(heads, page, columns, n_names, ruled=ruled)
            lines += ["}"] if width > TEXT_POINTS else []
            lines += [rf"\par\smallskip\parbox{{\textwidth}}{{{note}}}" for note in notes]
            lines.append(r"\end{table*}")
    return lines


def _tabular(
    heads: Rows,
    page: Sequence[tuple[str, Rows]],
    columns: Sequence[int],
    n_names: int,
    *,
    ruled: bool,
) -> Iterator[str]:
    """Lines of a tabular of some columns."""
    sides = "l" * n_names + "r" * (len(columns) - n_names)
    yield from (rf"\begin{{tabular}}{{@{{}}{sides}@{{}}}}", r"\toprule")
    yield from (_line(row, columns) for row in heads)
    before = ""
    for index, (title, block) in enumerate(page):
        has_title = title not in ("", before)
        if ruled or has_title or index == 0:
            yield r"\midrule"
        if has_title:
            yield rf"\multicolumn{{{len(columns)}}}{{@{{}}l}}{{{title}}} \\"
        before = title
        for row in block:
            # What stands below a number is left out where no column of it is here.
            if row[0] or any(row[column] for column in columns[n_names:]):
                yield _line(row, columns)
    yield from (r"\bottomrule", r"\end{tabular}")


def _points(cell: str) -> float:
    wide = SMALL_CHARACTER if cell.startswith(SMALL) else CHARACTER
    return wide * len(COMMAND.sub("", cell)) + COLUMN_GAP


def _that_fit(widths: Sequence[float], n_names: int) -> Iterator[list[int]]:
    """Columns of each table: those that name the rows, and as many others as there is room."""
    names = list(range(n_names))
    left = TEXT_POINTS / SMALLEST - sum(widths[:n_names])
    columns: list[int] = []
    for column in range(n_names, len(widths)):
        if columns and sum(widths[index] for index in [*columns, column]) > left:
            yield [*names, *columns]
            columns = []
        columns.append(column)
    yield [*names, *columns]


def _pages(titled: Sequence[tuple[str, Rows]]) -> Iterator[list[tuple[str, Rows]]]:
    """Blocks of each page, with their titles."""
    page: list[tuple[str, Rows]] = []
    for title, block in titled:
        titles = {one for one, _ in page} | {title}
        n_lines = sum(len(rows) for _, rows in page) + len(block) + len(titles)
        if page and n_lines > TEXT_LINES:
            yield page
            page = []
        page.append((title, block))
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

    ``notes`` are sentences below it; ``caption`` and ``label`` are those of LaTeX.
    """

    names: Sequence[str]
    columns: Sequence[Shown]
    rows: Sequence[dict[str, Any]]
    notes: Sequence[str] = ()
    caption: str = ""
    label: str = ""


def write(path: FilePath, table: Table) -> None:
    """Write a table; the ending of ``path`` (tsv, md or tex) says how. Texts explain a dagger.

    Raises
    ------
    BadInput : another ending
    """
    kind = Path(path).suffix
    if kind == ".tsv":
        values = operator.itemgetter(*table.names)
        write_table(path, table.names, map(values, table.rows))
    elif kind in TEXTS:
        notes = [*table.notes, *marks_explained(itertools.chain.from_iterable(_cells(table)))]
        write_text(path, TEXTS[kind](table._replace(notes=notes)))
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
    """The table as LaTeX text, with intervals below their numbers.

    A first column with sets becomes a line above the rows of each.
    """
    has_sets = table.columns[0].title == NAMING[0]
    columns = table.columns[has_sets:]
    blocks: list[Rows] = []
    titles = []
    for row in table.rows:
        cells = [column.text(row) for column in columns]
        blocks.append(_with_limits_below(cells))
        titles.append(rf"\textit{{{latex(table.columns[0].text(row))}}}" if has_sets else "")
    lines = floats(
        heads=[[latex_with_math(column.title) for column in columns]],
        blocks=blocks,
        n_names=_n_names(columns),
        titles=titles,
        caption=latex(table.caption),
        label=table.label,
        notes=[latex(note) for note in table.notes],
    )
    return "\n".join([NEEDED, *lines, ""])


def _with_limits_below(cells: Sequence[str]) -> list[Row]:
    """A row as LaTeX; of a cell NUMBER [LOW, HIGH] the limits stand in a row below it."""
    split = [WITH_LIMITS.fullmatch(cell) for cell in cells]
    above = [match[1] if match else cell for match, cell in zip(split, cells, strict=True)]
    rows: list[Row] = [[_number_as_latex(cell) for cell in above]]
    if any(split):
        rows.append([f"{SMALL}{_number_as_latex(match[2])}}}" if match else "" for match in split])
    return rows


def _number_as_latex(cell: str) -> str:
    return MINUS_SIGN.sub("$-$", latex(cell))


def _n_names(columns: Sequence[Shown]) -> int:
    """The columns that name a row: those with a set, a system and a condition in their titles."""
    named = [column.title in NAMING for column in columns]
    return max(1, named.index(False) if False in named else len(named))


TEXTS = {".md": markdown, ".tex": booktabs}


def _cells(table: Table) -> Iterator[list[str]]:
    """Rows of text; the first cell of a group stands once."""
    before = None
    for row in table.rows:
        first, *others = (column.text(row) for column in table.columns)
        yield ["" if first == before else first, *others]
        before = first
