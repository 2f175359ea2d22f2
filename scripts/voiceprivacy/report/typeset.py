"""Tables for people and machines: TSV in full precision, Markdown and LaTeX as a paper shows them.

LaTeX tables need the package booktabs.
"""

import itertools
import operator
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from voiceprivacy.catalogue import Metric
from voiceprivacy.inout.files import BadInput, whole_or_absent
from voiceprivacy.inout.tables import write_table
from voiceprivacy.report.comparison import System, expanded
from voiceprivacy.report.uncertainty import (
    SHORT,
    SHORT_EXPLAINED,
    marked_interval,
    shown_columns,
)
from voiceprivacy.vocabulary import DASH, INFINITY, MINUS, NO_BREAK

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
    SHORT: r"$^\dagger$",
}
TO_LATEX = str.maketrans(SPECIAL | SIGNS)
MINUS_SIGN = re.compile(r"(^|/)-(?=\d|inf$)")  # of a number; else it is a hyphen


def latex(text: str) -> str:
    """Text with LaTeX's special characters escaped."""
    return text.translate(TO_LATEX)


def latex_with_math(text: str) -> str:
    """Text with LaTeX's special characters escaped outside of $...$."""
    parts = text.split("$")
    parts[::2] = map(latex, parts[::2])
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
    escaped = [_escaped(row) for row in rows]
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


# The comparison.


def write_latex(path: str | Path, systems: Sequence[System]) -> None:
    """Write the comparison: a row per system and list, and one for the mean, rounded.

    Systems are grouped by corpus and attacker. A comment above the table says what the mark of too
    short intervals means, where one has it.
    """
    columns = shown_columns(systems)
    titles = ["Anonymiser", "Attack", "List", *(column.title for column in columns)]
    units = ["", "", "", *(f"{column.unit} {column.arrow}".strip() for column in columns)]
    lines = [
        rf"\begin{{tabular}}{{lll{'r' * len(columns)}}}",
        r"\toprule",
        latex_row(titles),
        latex_row(units),
    ]
    groups = itertools.groupby(systems, key=lambda system: (system.corpus, system.attacker))
    for attacked, group in groups:
        title = rf"\textit{{{latex(', '.join(attacked))}}}"
        lines += [r"\midrule", rf"\multicolumn{{{len(titles)}}}{{l}}{{{title}}} \\"]
        for system in group:
            lines += _system_rows(system, columns)
    if any(SIGNS[SHORT] in line for line in lines):
        lines.insert(0, f"% {latex(SHORT_EXPLAINED)}")
    write_text(path, "\n".join([*lines, r"\bottomrule", r"\end{tabular}", ""]))


def _system_rows(system: System, columns: Sequence[Metric]) -> Iterator[str]:
    for trials, values in expanded(system):
        cells = []
        for column in columns:
            cell = column.text(values[column.name])
            cells.append(f"{cell} ({values['tag']})" if column.tagged and values["tag"] else cell)
        yield latex_row([system.anonymiser, system.attack, trials, *cells])
        intervals = [
            marked_interval(column, values, system.intervals[trials][column.name])
            for column in columns
        ]
        if any(intervals):
            yield latex_row(["", "", "95 %", *intervals])
