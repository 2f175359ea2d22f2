"""The comparison as plain text for a terminal of 100 columns."""

import itertools
import textwrap

from voiceprivacy.catalogue import COLUMNS as ALL_COLUMNS
from voiceprivacy.report.answer import answers, rank_answers, what_was_run, zero_evidence
from voiceprivacy.report.comparison import strongest_attacks
from voiceprivacy.report.standings import averaged
from voiceprivacy.report.uncertainty import NONE, NULL
from voiceprivacy.vocabulary import UNDEFINED

WIDTH = 100
NAME_WIDTH = 12
ATTACK_WIDTH = 13
MOST_SYSTEMS = 30
CORRECTED = (
    "zero evid.: D_ECE up to there is no more than permuted speakers give. With few speakers minCllr, D_ECE and ranks"
    " show more than there is; their intervals are corrected for it, so a number can lie outside its own."
)
UNDEFINED_SHORT = "undef."
COLUMNS = [column for column in ALL_COLUMNS if not column.optional]
UNITS = [f"{column.unit} {column.arrow}".strip() for column in COLUMNS]
NUMBER_WIDTHS = [
    max(7, len(column.short) + 1, len(unit) + 1)
    for column, unit in zip(COLUMNS, UNITS, strict=True)
]


def summary(systems, comparisons=NONE, controls=(), averages=None, metrics=()):
    """What was run, the answer, and one table per corpus and attacker (mean over the trial lists) as lines of text."""
    lines = textwrap.wrap(what_was_run(systems), WIDTH)
    found = answers(
        systems, comparisons, controls, averaged(systems, averages, comparisons)
    ) or rank_answers(metrics)
    for name, answer in found.items():
        lines += [
            "",
            *textwrap.wrap(f"{name}: {answer.text}" if len(found) > 1 else answer.text, WIDTH),
        ]
    for corpus, sentence in zero_evidence(systems).items():
        lines += [
            "",
            *textwrap.wrap(f"{corpus}: {sentence}" if len(found) > 1 else sentence, WIDTH),
        ]
    shown = systems
    if len(systems) > MOST_SYSTEMS:
        strongest = set(map(id, strongest_attacks(systems).values()))
        shown = [system for system in systems if id(system) in strongest]
        lines += [
            "",
            "Of many systems, the strongest attack on each anonymiser; all are in the report.",
        ]
    for _, group in itertools.groupby(shown, key=lambda system: system[:3]):
        lines += ["", *_table(list(group))]
    return [
        *lines,
        *(["", "↑ ↓: which way means more privacy."] if systems else []),
        *textwrap.wrap(CORRECTED if comparisons != NONE else "", WIDTH),
    ]


def _table(systems):
    lines = [
        *textwrap.wrap(
            f"{systems[0].corpus}, {systems[0].attacker}, {systems[0].mean_label}", WIDTH
        ),
        _line("", "attack", [column.short for column in COLUMNS]),
        _line("", "", UNITS),
    ]
    for name, rows in itertools.groupby(systems, key=lambda system: system.anonymiser):
        if len(name) > NAME_WIDTH:
            lines.append(name)
            name = ""
        for system in rows:
            lines.append(
                _line(
                    name,
                    system.attack,
                    [column.text(system.mean[column.name]) for column in COLUMNS],
                )
            )
            lines += _uncertainty(system)
            name = ""
    return lines


def _uncertainty(system):
    """Lines below a system: both limits of the intervals, and up to where D_ECE is zero evidence."""
    intervals, band = system.intervals[system.mean_label], system.mean[NULL]
    lines = []
    if any(intervals.values()):
        for place, title in enumerate(("  95 % from", "  95 % to")):
            limits = (intervals[column.name] for column in COLUMNS)
            texts = (
                column.text(of[place]) if of else ""
                for column, of in zip(COLUMNS, limits, strict=True)
            )
            lines.append(_line("", title, texts))
    if band is not None:
        lines.append(
            _line(
                "",
                "  zero evid.",
                [column.text(band) if column.name == "dece_bit" else "" for column in COLUMNS],
            )
        )
    return lines


def _line(name, attack, cells):
    cells = [UNDEFINED_SHORT if cell == UNDEFINED else cell for cell in cells]
    numbers = "".join(f"{cell:>{width}}" for cell, width in zip(cells, NUMBER_WIDTHS, strict=True))
    return f"{name:<{NAME_WIDTH}} {attack:<{ATTACK_WIDTH}}{numbers}".rstrip()
