"""The comparison as plain text for a terminal of 100 columns."""

import itertools
import textwrap

from voiceprivacy.report.answer import answers, what_was_run
from voiceprivacy.report.columns import COLUMNS, UNDEFINED

WIDTH = 100
NAME_WIDTH = 12
ATTACK_WIDTH = 13
UNDEFINED_SHORT = "undef."
UNITS = [f"{column.unit} {column.arrow}".strip() for column in COLUMNS]
NUMBER_WIDTHS = [max(7, len(column.short) + 1, len(unit) + 1) for column, unit in zip(COLUMNS, UNITS, strict=True)]


def summary(systems):
    """What was run, the answer, and one table per corpus and attacker (mean over the trial lists) as lines of text."""
    lines = textwrap.wrap(what_was_run(systems), WIDTH)
    for corpus, answer in answers(systems).items():
        lines += ["", *textwrap.wrap(f"{corpus}: {answer}", WIDTH)]
    for _, group in itertools.groupby(systems, key=lambda system: system[:3]):
        lines += ["", *_table(list(group))]
    return [*lines, "", "↑ ↓: which way means more privacy."]


def _table(systems):
    lines = [
        *textwrap.wrap(f"{systems[0].corpus}, {systems[0].attacker}, {systems[0].mean_label}", WIDTH),
        _line("", "attack", [column.short for column in COLUMNS]),
        _line("", "", UNITS),
    ]
    for name, rows in itertools.groupby(systems, key=lambda system: system.anonymiser):
        if len(name) > NAME_WIDTH:
            lines.append(name)
            name = ""
        for system in rows:
            lines.append(_line(name, system.attack, [column.text(system.mean[column.metric]) for column in COLUMNS]))
            name = ""
    return lines


def _line(name, attack, cells):
    cells = [UNDEFINED_SHORT if cell == UNDEFINED else cell for cell in cells]
    numbers = "".join(f"{cell:>{width}}" for cell, width in zip(cells, NUMBER_WIDTHS, strict=True))
    return f"{name:<{NAME_WIDTH}} {attack:<{ATTACK_WIDTH}}{numbers}"
