"""How sure the numbers are: intervals of means, and what is zero evidence.

Conventions
-----------
* comparisons/{corpus}/{trials}/{extractor}/{backend}.systems.tsv has the interval of each system.
  {trials} is ``mean`` for the mean over several lists.
  {corpus}/{trials} is ``over-corpora/{average}`` for averages over lists of several corpora.
* Who leaves less evidence than whom is no question of these intervals: see verdict.py.
* No value is shown outside of its own interval: ``catalogue.shown`` alone decides what is shown.
* A run without intervals has - as every limit in metrics.tsv; then nothing is read.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from voiceprivacy.catalogue.metric import Metric
from voiceprivacy.catalogue.shown import Shown, shown
from voiceprivacy.inout.files import FilePath
from voiceprivacy.inout.tables import number
from voiceprivacy.inout.typed_tables import Limits, limits_of, read_typed
from voiceprivacy.privacy.rows import SystemInterval
from voiceprivacy.report.metrics import Number
from voiceprivacy.vocabulary import (
    ABSENT,
    ACROSS_CORPORA,
    MEAN,
    UNDEFINED,
    NumberKey,
)

NULL = "dece_null95_bit"
TOO_FEW = "too few speakers to tell"
NEARLY_ALL = 0.95  # of a scale: an interval so wide says nothing

# The trials of a key are MEAN; its corpus is over-corpora/{average} for an average.
Comparisons = dict[NumberKey, Limits | None]  # intervals of means over lists
NONE: Comparisons = {}


def read_comparisons(folder: FilePath, numbers: Iterable[Number]) -> Comparisons:
    """Read the comparisons of the run that numbers come from.

    Averages are read where they are: a folder made of two runs, or by an earlier version, has none.

    Raises
    ------
    BadInput : numbers of a system on all lists have intervals, and the file of their means is
        missing or wrong
    """
    folder = Path(folder)
    # The lists on which each attacker of a corpus tried each system.
    attacks: dict[tuple[str, str, str], dict[str, set[str]]] = {}
    for line in numbers:
        if line.metric == "eer_percent" and line.ci_low != ABSENT:
            attacker = (line.corpus, line.extractor, line.backend)
            lists = attacks.setdefault(attacker, {}).setdefault(line.anonymiser, set())
            lists.add(line.trials)
    comparisons: Comparisons = {}
    for (corpus, extractor, backend), systems in sorted(attacks.items()):
        trials = set().union(*systems.values())
        # What must be there, because its numbers have intervals: a missing file is an error.
        if trials in systems.values():
            compared = MEAN if len(trials) > 1 else min(trials)
            _read_limits(comparisons, folder / corpus / compared, corpus, extractor, backend)
        # What may be there.
        for average in sorted((folder / ACROSS_CORPORA).glob("*")):
            if (average / extractor / f"{backend}.systems.tsv").exists():
                over = f"{ACROSS_CORPORA}/{average.name}"
                _read_limits(comparisons, average, over, extractor, backend)
    return comparisons


def _read_limits(
    comparisons: Comparisons, folder: Path, corpus: str, extractor: str, backend: str
) -> None:
    """Add the intervals under one attacker in a folder."""
    path = folder / extractor / f"{backend}.systems.tsv"
    for row in read_typed(SystemInterval, path):
        attack = (extractor, backend, row.condition)
        mean = NumberKey(corpus, MEAN, row.anonymiser, *attack, row.metric)
        comparisons[mean] = limits_of(row.ci_low, row.ci_high)


def metric_limits(line: Number) -> Limits | None:
    """The interval of a Number; None where there is none."""
    if ABSENT in (line.ci_low, line.ci_high):  # not asked for, or too few speakers
        return None
    where = ("metrics.tsv", line.metric)
    return number(line.ci_low, *where), number(line.ci_high, *where)


def interval_text(column: Metric, interval: Limits | None) -> str:
    """An interval as people read it; empty where there is none."""
    return f"[{column.text(interval[0])}, {column.text(interval[1])}]" if interval else ""


def shown_number(line: Number) -> Shown:
    """What is shown of a line of metrics.tsv; its value may be a word."""
    try:
        value: Any = float(line.value)
    except ValueError:
        value = line.value
    return shown(value, metric_limits(line), line.unbiased)


def tells_nothing(column: Metric, limits: Limits | None) -> bool:
    """Whether an interval is as wide as its metric's scale, or nearly so."""
    # Guessing is the other end of errors, and not to be always wrong.
    width = 50.0 if column.name == "eer_percent" else column.high - column.low
    return limits is not None and limits[1] - limits[0] >= NEARLY_ALL * width


def within_zero_evidence(values: Mapping[str, Any]) -> bool | None:
    """Whether D_ECE is no more than zero evidence gives; None where that is not known."""
    band = values.get(NULL)
    if band in (None, UNDEFINED):
        return None
    return values["dece_bit"] <= band
