"""The comparison as a LaTeX table (needs the package booktabs)."""

import itertools

from voiceprivacy.inout.files import whole_or_absent
from voiceprivacy.report.comparison import expanded
from voiceprivacy.report.uncertainty import SHORT, SHORT_EXPLAINED, marked_interval, shown_columns
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


def write_latex(path, systems):
    """Write one row per system and list, and one for the mean, rounded, grouped by corpus and attacker.

    A comment above it says what the mark of too short intervals means, where one has it.
    """
    with whole_or_absent(path) as temporary:
        temporary.write_text("\n".join(_table(systems)) + "\n", encoding="utf-8")


def _table(systems):
    columns = shown_columns(systems)
    titles = ["Anonymiser", "Attack", "List", *(column.title for column in columns)]
    units = ["", "", "", *(f"{column.unit} {column.arrow}".strip() for column in columns)]
    lines = [
        rf"\begin{{tabular}}{{lll{'r' * len(columns)}}}",
        r"\toprule",
        _row(titles),
        _row(units),
    ]
    for place, group in itertools.groupby(
        systems, key=lambda system: (system.corpus, system.attacker)
    ):
        lines += [
            r"\midrule",
            rf"\multicolumn{{{len(titles)}}}{{l}}{{\textit{{{latex(', '.join(place))}}}}} \\",
        ]
        lines += [line for system in group for line in _rows(system, columns)]
    note = [f"% {latex(SHORT_EXPLAINED)}"] if any(SIGNS[SHORT] in line for line in lines) else []
    return [*note, *lines, r"\bottomrule", r"\end{tabular}"]


def _rows(system, columns):
    for trials, values in expanded(system):
        cells = [column.text(values[column.name]) for column in columns]
        if values["tag"]:
            cells = [
                f"{cell} ({values['tag']})" if column.tagged else cell
                for cell, column in zip(cells, columns, strict=True)
            ]
        yield _row([system.anonymiser, system.attack, trials, *cells])
        intervals = [
            marked_interval(column, values, system.intervals[trials][column.name])
            for column in columns
        ]
        if any(intervals):
            yield _row(["", "", "95 %", *intervals])


def latex(text):
    """Text with LaTeX's special characters escaped."""
    return text.translate(TO_LATEX)


def latex_with_math(text):
    """Text with LaTeX's special characters escaped outside of $...$."""
    parts = text.split("$")
    return "$".join(part if index % 2 else latex(part) for index, part in enumerate(parts))


def _row(cells):
    return " & ".join(map(latex, cells)) + r" \\"
