"""What protected speech is still good for, as metrics.tsv and the page show it.

Conventions
-----------
* In metrics.tsv a measure of utility has - as extractor, backend and condition; as trials it has a trial list, or -
  for all utterances of the trial part. ``better`` says which way means more utility.
* Pitch correlation alone says nothing of whether words are understood: speech that is only noise would lead a table of
  privacy. ``understood_note`` says so where nothing else was measured.
"""

from typing import NamedTuple

from voiceprivacy.catalogue import ARROWS, METRICS
from voiceprivacy.inout.tables import number, read_rows
from voiceprivacy.report.metrics import Number
from voiceprivacy.vocabulary import DASH, MINUS, ORIGINAL, UNDEFINED

NOWHERE = "-"
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
    def metric_line(self):
        """The same number as a line of metrics.tsv."""
        place = (self.corpus, self.trials, self.anonymiser, NOWHERE, NOWHERE, NOWHERE)
        return Number(*place, self.metric, self.value, self.ci_low, self.ci_high)


class UtilityCell(NamedTuple):
    """A number as shown: over all utterances, its interval, those of the trial lists, and how many are left out."""

    text: str
    interval: str
    lists: list
    n_undefined: int


class UtilityTable(NamedTuple):
    """One corpus: columns [(title, arrow), ...] and rows [(anonymiser, [UtilityCell or None, ...]), ...]."""

    corpus: str
    columns: list
    rows: list


class UtilitySection(NamedTuple):
    """What the page shows; ``note`` is empty where more than pitch was measured."""

    tables: list
    note: str


def read_utility(paths):
    """Read the tables of assess_utility as a list of Utility."""
    found = []
    for path in paths:
        for line, row in read_rows(path, list(Utility._fields)):
            if row["value"] != UNDEFINED:
                number(row["value"], path, line)
            found.append(Utility(**row))
    return found


def titled(metric: str) -> str:
    """What people call a measure of utility; somebody's own measure is called as he called it."""
    return METRICS[metric].title if metric in METRICS else metric


def utility_section(measured):
    """What the page shows of a list of Utility."""
    corpora = dict.fromkeys(of.corpus for of in measured)
    tables = [_table(corpus, [of for of in measured if of.corpus == corpus]) for corpus in corpora]
    return UtilitySection(tables, understood_note(measured))


def understood_note(measured):
    """Sentences for the first screen where nothing but pitch was measured; empty otherwise."""
    if any(of.metric != PITCH for of in measured):
        return ""
    only = "of utility only the pitch was measured" if measured else "no utility was measured"
    return (
        f"Whether the words are still understood was not measured ({only}): by privacy alone, noise wins."
        " The config takes a recogniser's word error rate as utility."
    )


def _table(corpus, measured):
    metrics = list(dict.fromkeys((of.metric, of.better) for of in measured))
    names = dict.fromkeys(of.anonymiser for of in measured)
    names = sorted(names, key=lambda name: (name != ORIGINAL, name))
    rows = [
        (
            name,
            [
                _cell([of for of in measured if (of.anonymiser, of.metric) == (name, metric)])
                for metric, _ in metrics
            ],
        )
        for name in names
    ]
    columns = [(titled(metric), ARROWS.get(better, "")) for metric, better in metrics]
    return UtilityTable(corpus, columns, rows)


def _cell(of_metric):
    by_list = {of.trials: of for of in of_metric}
    whole = by_list.pop(NOWHERE, None)
    if whole is None:
        return None
    lists = (
        [(trials, _text(of.value), _interval(of)) for trials, of in by_list.items()]
        if len(by_list) > 1
        else []
    )
    return UtilityCell(_text(whole.value), _interval(whole), lists, int(whole.n_undefined))


def _interval(of):
    return (
        f"[{_text(of.ci_low)}, {_text(of.ci_high)}]"
        if NOWHERE not in (of.ci_low, of.ci_high)
        else ""
    )


def _text(value):
    """A number as people read it: two decimals, more for small ones."""
    if value == NOWHERE:
        return DASH
    if value == UNDEFINED:
        return UNDEFINED
    number_of = float(value)
    small = 0 < abs(number_of) < 0.1
    return f"{number_of:.{3 if small else 2}f}".replace("-", MINUS)
