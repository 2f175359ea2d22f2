"""The comparison as plain text for a terminal of 100 columns."""

import itertools
import textwrap
from collections.abc import Collection, Iterable, Sequence

from voiceprivacy.catalogue import COLUMNS as ALL_COLUMNS
from voiceprivacy.report.answer import answers, rank_answers, what_was_run, zero_evidence
from voiceprivacy.report.comparison import System, strongest_attacks
from voiceprivacy.report.leaderboard import Averages, averaged
from voiceprivacy.report.metrics import Number
from voiceprivacy.report.uncertainty import NONE, NULL, Comparisons
from voiceprivacy.vocabulary import UNDEFINED

WIDTH = 100
NAME_WIDTH = 12
ATTACK_WIDTH = 13
MOST_SYSTEMS = 30
CORRECTED = (
    "zero evid.: D_ECE up to there is no more than permuted speakers give. With few speakers"
    " minCllr, D_ECE and ranks show more than there is; their intervals are corrected for it, so a"
    " number can lie outside its own."
)
UNDEFINED_SHORT = "undef."
COLUMNS = [column for column in ALL_COLUMNS if not column.optional]
UNITS = [f"{column.unit} {column.arrow}".strip() for column in COLUMNS]
NUMBER_WIDTHS = [
    max(7, len(column.short) + 1, len(unit) + 1)
    for column, unit in zip(COLUMNS, UNITS, strict=True)
]


def summary(
    systems: Sequence[System],
    comparisons: Comparisons = NONE,
    controls: Collection[str] = (),
    averages: Averages | None = None,
    numbers: Iterable[Number] = (),
) -> list[str]:
    """What was run, the answer, and a table for each corpus and attacker, as lines of text.

    The tables show the mean over the trial lists. Of a run without trial lists, ``numbers`` give
    the answer.
    """
    lines = _wrapped(what_was_run(systems))
    on_averages = averaged(systems, averages, comparisons)
    verdicts = answers(systems, comparisons, controls, on_averages) or rank_answers(numbers)
    several = len(verdicts) > 1
    for name, answer in verdicts.items():
        lines += ["", *_wrapped(f"{name}: {answer.text}" if several else answer.text)]
    for corpus, sentence in zero_evidence(systems).items():
        lines += ["", *_wrapped(f"{corpus}: {sentence}" if several else sentence)]
    shown = systems
    # A terminal shows some tens of lines at once; the page has them all.
    if len(systems) > MOST_SYSTEMS:
        strongest = strongest_attacks(systems)
        shown = [
            system for system in systems if system is strongest[system.corpus, system.anonymiser]
        ]
        lines += [
            "",
            "Of many systems, the strongest attack on each anonymiser; all are in the report.",
        ]
    attackers = itertools.groupby(shown, key=lambda system: (system.corpus, system.attacker))
    for _, group in attackers:
        lines += ["", *_table(list(group))]
    if systems:
        lines += ["", "↑ ↓: which way means more privacy."]
    if comparisons != NONE:
        lines += _wrapped(CORRECTED)
    return lines


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, WIDTH)


def _table(systems: Sequence[System]) -> list[str]:
    first = systems[0]
    lines = [
        *_wrapped(f"{first.corpus}, {first.attacker}, {first.mean_label}"),
        _line("", "attack", [column.short for column in COLUMNS]),
        _line("", "", UNITS),
    ]
    for name, rows in itertools.groupby(systems, key=lambda system: system.anonymiser):
        if len(name) > NAME_WIDTH:  # on a line of its own, so that columns stay below each other
            lines.append(name)
            name = ""
        for system in rows:
            cells = [column.text(system.mean[column.name]) for column in COLUMNS]
            lines.append(_line(name, system.attack, cells))
            lines += _uncertainty(system)
            name = ""  # once for all rows of an anonymiser
    return lines


def _uncertainty(system: System) -> list[str]:
    """Lines below a system: both limits of its intervals, and up to where D_ECE is no evidence."""
    intervals = system.intervals[system.mean_label]
    band = system.mean[NULL]
    lines = []
    if any(intervals.values()):
        low, high = [], []
        for column in COLUMNS:
            limits = intervals[column.name]
            low.append(column.text(limits[0]) if limits else "")
            high.append(column.text(limits[1]) if limits else "")
        lines += [_line("", "  95 % from", low), _line("", "  95 % to", high)]
    if band is not None:
        cells = [column.text(band) if column.name == "dece_bit" else "" for column in COLUMNS]
        lines.append(_line("", "  zero evid.", cells))
    return lines


def _line(name: str, attack: str, cells: Iterable[str]) -> str:
    texts = []
    for cell, width in zip(cells, NUMBER_WIDTHS, strict=True):
        texts.append(f"{UNDEFINED_SHORT if cell == UNDEFINED else cell:>{width}}")
    return f"{name:<{NAME_WIDTH}} {attack:<{ATTACK_WIDTH}}{''.join(texts)}".rstrip()
