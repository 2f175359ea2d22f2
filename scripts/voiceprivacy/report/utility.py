"""What protected speech is still good for, as metrics.tsv and the page show it.

Conventions
-----------
* In metrics.tsv a measure of utility has - as extractor, backend and condition. As trials it has a
  trial list, or - for all utterances of the trial part. ``better`` says which way means more
  utility.
* Pitch correlation alone says nothing of whether words are understood: speech that is only noise
  would lead a table of privacy. ``understood_note`` says so where nothing else was measured.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from voiceprivacy.catalogue import ARROWS, METRICS
from voiceprivacy.inout.tables import number, read_rows
from voiceprivacy.report.metrics import Number
from voiceprivacy.vocabulary import ABSENT, DASH, MINUS, ORIGINAL, UNDEFINED

PITCH = "pitch_correlation"


class Utility(NamedTuple):
    """One line of metrics/utility/CORPUS.tsv; numbers as text in full precision."""

    corpus: str
    trials: str
    anonymiser: str
    measure: str
    metric: str
    value: str
    ci_low: str
    ci_high: str
    n_utterances: str
    n_undefined: str
    n_speakers: str
    better: str

    @property
    def metric_line(self) -> Number:
        """The same number as a line of metrics.tsv."""
        return Number(
            corpus=self.corpus,
            trials=self.trials,
            anonymiser=self.anonymiser,
            extractor=ABSENT,
            backend=ABSENT,
            condition=ABSENT,
            metric=self.metric,
            value=self.value,
            ci_low=self.ci_low,
            ci_high=self.ci_high,
        )


class UtilityCell(NamedTuple):
    """A number as shown.

    Attributes
    ----------
    text, interval : over all utterances
    lists : [(list, text, interval)] of the trial lists, where there are several
    n_undefined : how many utterances are left out
    """

    text: str
    interval: str
    lists: list[tuple[str, str, str]]
    n_undefined: int


class UtilityTable(NamedTuple):
    """One corpus: columns [(title, arrow)] and rows [(anonymiser, cells)]; None: not measured."""

    corpus: str
    columns: list[tuple[str, str]]
    rows: list[tuple[str, list[UtilityCell | None]]]


class UtilitySection(NamedTuple):
    """What the page shows; ``note`` is empty where more than pitch was measured."""

    tables: list[UtilityTable]
    note: str


def read_utility(paths: Iterable[str | Path]) -> list[Utility]:
    """Read the tables of assess_utility."""
    measured = []
    for path in paths:
        for line, row in read_rows(path, list(Utility._fields)):
            if row["value"] != UNDEFINED:
                number(row["value"], path, line)
            measured.append(Utility(**row))
    return measured


def titled(metric: str) -> str:
    """What people call a measure of utility; somebody's own measure is called as he called it."""
    return METRICS[metric].title if metric in METRICS else metric


def utility_section(measured: Sequence[Utility]) -> UtilitySection:
    """What the page shows."""
    tables = []
    for corpus in dict.fromkeys(line.corpus for line in measured):
        tables.append(_table(corpus, [line for line in measured if line.corpus == corpus]))
    return UtilitySection(tables, understood_note(measured))


def understood_note(measured: Sequence[Utility]) -> str:
    """Sentences for the first screen where nothing but pitch was measured; empty otherwise."""
    if any(line.metric != PITCH for line in measured):
        return ""
    only = "of utility only the pitch was measured" if measured else "no utility was measured"
    return (
        f"Whether the words are still understood was not measured ({only}): by privacy alone,"
        " noise wins. The config takes a recogniser's word error rate as utility."
    )


def _table(corpus: str, measured: Sequence[Utility]) -> UtilityTable:
    metrics = dict.fromkeys((line.metric, line.better) for line in measured)
    anonymisers = sorted(
        {line.anonymiser for line in measured}, key=lambda name: (name != ORIGINAL, name)
    )
    lines: dict[tuple[str, str], list[Utility]] = {}
    for line in measured:
        lines.setdefault((line.anonymiser, line.metric), []).append(line)
    rows = []
    for anonymiser in anonymisers:
        cells = [_cell(lines.get((anonymiser, metric), [])) for metric, _ in metrics]
        rows.append((anonymiser, cells))
    columns = [(titled(metric), ARROWS.get(better, "")) for metric, better in metrics]
    return UtilityTable(corpus, columns, rows)


def _cell(lines: Sequence[Utility]) -> UtilityCell | None:
    by_list = {line.trials: line for line in lines}
    whole = by_list.pop(ABSENT, None)
    if whole is None:
        return None
    lists = []
    if len(by_list) > 1:
        lists = [(trials, _text(line.value), _interval(line)) for trials, line in by_list.items()]
    return UtilityCell(_text(whole.value), _interval(whole), lists, int(whole.n_undefined))


def _interval(line: Utility) -> str:
    if ABSENT in (line.ci_low, line.ci_high):
        return ""
    return f"[{_text(line.ci_low)}, {_text(line.ci_high)}]"


def _text(value: str) -> str:
    """A number as people read it: two decimals, three for small ones."""
    if value == ABSENT:
        return DASH
    if value == UNDEFINED:
        return UNDEFINED
    digits = 3 if 0 < abs(float(value)) < 0.1 else 2
    return f"{float(value):.{digits}f}".replace("-", MINUS)
