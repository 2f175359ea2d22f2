"""A table for people and machines: TSV in full precision, Markdown and LaTeX (booktabs) as a paper shows it."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from voiceprivacy.inout.files import BadInput, whole_or_absent
from voiceprivacy.inout.tables import write_table
from voiceprivacy.report.latex import latex_with_math


class Shown(NamedTuple):
    """A column as a paper shows it: title (math in $...$) and the text of a row's cell."""

    title: str
    text: Callable


class Table(NamedTuple):
    """``rows`` are dicts of raw values by ``names``; rows in a row with the same first cell form a group."""

    names: list
    columns: list
    rows: list


def write(path, table):
    """Write a Table; the ending of ``path`` (tsv, md or tex) says how."""
    kind = Path(path).suffix
    if kind == ".tsv":
        return write_table(
            path, table.names, [[row[name] for name in table.names] for row in table.rows]
        )
    if kind not in TEXTS:
        raise BadInput(f"{path}: cannot write this kind of table; end the name in tsv, md or tex")
    with whole_or_absent(path) as temporary:
        temporary.write_text(TEXTS[kind](table), encoding="utf-8")


def markdown(table):
    """The table as Markdown text."""
    titles = [column.title for column in table.columns]
    cells = [titles, *_cells(table)]
    cells = [[cell.replace("|", r"\|") for cell in row] for row in cells]
    widths = [max(3, *(len(row[k]) for row in cells)) for k in range(len(titles))]
    lines = [
        "| "
        + " | ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True))
        + " |"
        for row in cells
    ]
    return "\n".join(
        [lines[0], "|" + "|".join("-" * (width + 2) for width in widths) + "|", *lines[1:], ""]
    )


def booktabs(table):
    """The table as LaTeX text, groups apart by rules (needs the package booktabs)."""
    titles = [column.title for column in table.columns]
    lines = [
        rf"\begin{{tabular}}{{{'l' * len(titles)}}}",
        r"\toprule",
        _latex_row(titles),
        r"\midrule",
    ]
    rows = list(_cells(table))
    grouped = any(row[0] == "" for row in rows)
    for index, row in enumerate(rows):
        lines += [r"\midrule"] if grouped and index and row[0] else []
        lines.append(_latex_row(row))
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", ""])


SIGN = re.compile(r"(^|/)-(?=\d|inf$)")  # of a number: a minus, no hyphen
TEXTS = {".md": markdown, ".tex": booktabs}


def _cells(table):
    """Rows of text; the first cell of a group stands once."""
    before = None
    for row in table.rows:
        first, *others = (column.text(row) for column in table.columns)
        yield ["" if first == before else first, *others]
        before = first


def _latex_row(cells):
    return " & ".join(SIGN.sub(r"\1$-$", latex_with_math(cell)) for cell in cells) + r" \\"
