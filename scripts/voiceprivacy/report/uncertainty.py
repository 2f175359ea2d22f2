"""How sure the numbers are: intervals of means, who can be told apart, what is zero evidence.

Conventions
-----------
* comparisons/{corpus}/{trials}/{extractor}/{backend}.tsv compares pairs of anonymisers.
  .systems.tsv beside it has the interval of each. {trials} is ``mean`` for the mean over several
  lists.
  {corpus}/{trials} is ``over-corpora/{average}`` for averages over lists of several corpora.
* comparisons/{corpus}/{trials}/strongest.tsv compares anonymisers with each other and with
  unprotected speech, each under the strongest attack on it.
* A run without intervals has - as every limit in metrics.tsv; then nothing is read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from voiceprivacy.catalogue import COLUMNS, Metric
from voiceprivacy.inout.tables import number, read_rows
from voiceprivacy.report.metrics import Number
from voiceprivacy.vocabulary import (
    ABSENT,
    ACROSS_CORPORA,
    ALIKE,
    DAGGER,
    MEAN,
    NO_BREAK,
    UNDEFINED,
    Pair,
    StrongestPair,
    SystemInterval,
)

if TYPE_CHECKING:  # comparison imports this module
    from voiceprivacy.report.comparison import System

Limits = tuple[float, float]

NULL = "dece_null95_bit"
# Target trials on the wrong side, from which on simulated intervals hold what they promise.
FEW_ERRORS = 5
SHORT_EXPLAINED = (
    f"{DAGGER} Fewer than {FEW_ERRORS} target trials are on the wrong side (EER times target"
    " trials): an interval drawn from so few errors is too short. Those of min Cllr and D_ECE"
    f" then hold the truth in as few as 80{NO_BREAK}% of cases instead of 95, and an EER of 0 only"
    " says that no error was seen."
)


class MeanKey(NamedTuple):
    """What an interval of a mean is of; ``corpus`` is over-corpora/{average} for an average."""

    corpus: str
    extractor: str
    backend: str
    condition: str
    metric: str
    anonymiser: str


class PairKey(NamedTuple):
    """Which two anonymisers a verdict compares, by which metric under which attack."""

    corpus: str
    extractor: str
    backend: str
    condition: str
    metric: str
    anonymisers: frozenset[str]


class AttackOn(NamedTuple):
    """An attack on one anonymiser."""

    anonymiser: str
    extractor: str
    backend: str
    condition: str


class StrongestKey(NamedTuple):
    """Two strongest attacks that a Difference compares."""

    corpus: str
    one: AttackOn
    other: AttackOn


class Difference(NamedTuple):
    """EER of one attack minus that of another; ``limits`` are None with too few speakers."""

    points: float
    limits: Limits | None
    verdict: str


class Comparisons(NamedTuple):
    """Intervals of means, verdicts about pairs, and differences between strongest attacks."""

    limits: dict[MeanKey, Limits | None]
    verdicts: dict[PairKey, str]
    strongest: dict[StrongestKey, Difference]


NONE = Comparisons({}, {}, {})


def read_comparisons(folder: str | Path, numbers: Iterable[Number]) -> Comparisons:
    """Read the comparisons of the run that numbers come from.

    Averages are read where they are: a folder made of two runs, or by an earlier version, has none.
    """
    folder = Path(folder)
    lists: dict[str, set[str]] = {}  # of each corpus
    attacks: dict[tuple[str, str, str], set[str]] = {}  # the lists of each attacker of a corpus
    for line in numbers:
        if line.metric == "eer_percent" and line.ci_low != ABSENT:
            attacker = (line.corpus, line.extractor, line.backend)
            attacks.setdefault(attacker, set()).add(line.trials)
            lists.setdefault(line.corpus, set()).add(line.trials)
    comparisons = Comparisons({}, {}, {})
    # What must be there, because its numbers have intervals: a missing file is an error.
    for (corpus, extractor, backend), trials in sorted(attacks.items()):
        _read_pairs(comparisons, folder / corpus / _compared(trials), corpus, extractor, backend)
    # What may be there.
    for extractor, backend in sorted({(extractor, backend) for _, extractor, backend in attacks}):
        for path in sorted((folder / ACROSS_CORPORA).glob(f"*/{extractor}/{backend}.tsv")):
            average = path.parents[1]
            corpus = f"{ACROSS_CORPORA}/{average.name}"
            _read_pairs(comparisons, average, corpus, extractor, backend)
    for corpus, trials in lists.items():
        _read_strongest(comparisons, folder / corpus / _compared(trials), corpus)
    for average in (folder / ACROSS_CORPORA).glob("*") if lists else ():
        _read_strongest(comparisons, average, f"{ACROSS_CORPORA}/{average.name}")
    return comparisons


def _compared(trials: set[str]) -> str:
    """The folder of the comparisons of some lists."""
    return MEAN if len(trials) > 1 else next(iter(trials))


def _read_pairs(
    comparisons: Comparisons, folder: Path, corpus: str, extractor: str, backend: str
) -> None:
    """Add the comparisons of one attacker in a folder."""
    path = folder / extractor / f"{backend}.tsv"
    for _, row in read_rows(path, list(Pair._fields)):
        anonymisers = frozenset((row["anonymiser_a"], row["anonymiser_b"]))
        pair = PairKey(corpus, extractor, backend, row["condition"], row["metric"], anonymisers)
        comparisons.verdicts[pair] = row["verdict"]
    systems = path.with_suffix(".systems.tsv")
    for line, row in read_rows(systems, list(SystemInterval._fields)):
        mean = MeanKey(
            corpus, extractor, backend, row["condition"], row["metric"], row["anonymiser"]
        )
        comparisons.limits[mean] = _limits(row["ci_low"], row["ci_high"], systems, line)


def _read_strongest(comparisons: Comparisons, folder: Path, corpus: str) -> None:
    """Add the comparisons of strongest attacks in a folder, where there are any."""
    path = folder / "strongest.tsv"
    for line, row in read_rows(path, list(StrongestPair._fields)) if path.exists() else ():
        one = AttackOn(*(row[f"{field}_a"] for field in AttackOn._fields))
        other = AttackOn(*(row[f"{field}_b"] for field in AttackOn._fields))
        comparisons.strongest[StrongestKey(corpus, one, other)] = Difference(
            number(row["difference"], path, line),
            _limits(row["ci_low"], row["ci_high"], path, line),
            row["verdict"],
        )


def metric_limits(line: Number) -> Limits | None:
    """The interval of a Number; None where there is none."""
    return _limits(line.ci_low, line.ci_high, "metrics.tsv", line.metric)


def _limits(low: str, high: str, path: str | Path, line: int | str) -> Limits | None:
    if {low, high} & {ABSENT, UNDEFINED}:  # no interval was asked for, or too few speakers
        return None
    return number(low, path, line), number(high, path, line)


def interval_text(column: Metric, interval: Limits | None) -> str:
    """An interval as people read it; empty where there is none."""
    return f"[{column.text(interval[0])}, {column.text(interval[1])}]" if interval else ""


def has_few_errors(eer_percent: float, n_target: float) -> bool:
    """Whether so few target trials are on the wrong side that some intervals are too short."""
    return eer_percent / 100 * n_target < FEW_ERRORS


def marked_interval(column: Metric, values: Mapping[str, Any], interval: Limits | None) -> str:
    """An interval as people read it, marked where it rests on too few errors.

    Parameters
    ----------
    values : {metric: value} of the same system, with ``few_errors``
    """
    # Replicates of trials without an error have none either: such an interval says nothing.
    no_error_seen = column.name == "eer_percent" and values[column.name] == 0
    too_short = values["few_errors"] and (column.scale == "rare errors" or no_error_seen)
    return interval_text(column, interval) + (DAGGER if interval and too_short else "")


def interval_words(column: Metric, interval: Limits) -> str:
    """An interval in a sentence."""
    low, high = interval
    return f"95{NO_BREAK}% interval {column.text(low)} to {column.text(high)}"


def attack_on(system: System) -> AttackOn:
    """The attack that a System stands for."""
    return AttackOn(system.anonymiser, system.extractor, system.backend, system.condition)


def paired_difference(comparisons: Comparisons, one: System, other: System) -> Difference | None:
    """How two systems differ under the strongest attack on each; None where it is not known."""
    pair = StrongestKey(one.corpus, attack_on(one), attack_on(other))
    return comparisons.strongest.get(pair)


def can_be_told_apart(comparisons: Comparisons, one: System, other: System) -> bool:
    """Whether two systems differ in EER.

    Their comparison on the same speakers says so; where there is none, disjoint intervals do. They
    cannot be told apart where an interval is undefined, as with one or two speakers. In a run
    without intervals they always can, which the page says elsewhere.
    """
    for pair in ((one, other), (other, one)):  # files have each pair once, in either order
        difference = paired_difference(comparisons, *pair)
        if difference:
            return difference.verdict != ALIKE
    keys = [system.key.mean("eer_percent") for system in (one, other)]
    if keys[0]._replace(anonymiser=other.anonymiser) == keys[1]:  # the same attack on both
        compared = PairKey(
            one.corpus,
            one.extractor,
            one.backend,
            one.condition,
            "eer_percent",
            frozenset((one.anonymiser, other.anonymiser)),
        )
        return comparisons.verdicts.get(compared) != ALIKE
    interval = one.intervals[one.mean_label].get("eer_percent")
    other_interval = other.intervals[other.mean_label].get("eer_percent")
    if interval is None or other_interval is None:
        # A key that is missing is of a run without intervals; a None says too few speakers.
        undefined = [key for key in keys if comparisons.limits.get(key, ()) is None]
        return not undefined
    return interval[0] > other_interval[1] or interval[1] < other_interval[0]


def within_zero_evidence(values: Mapping[str, Any]) -> bool | None:
    """Whether D_ECE is no more than zero evidence gives; None where that is not known."""
    band = values.get(NULL)
    if band is None or band == UNDEFINED:
        return None
    return values["dece_bit"] <= band


def shown_columns(systems: Iterable[System]) -> list[Metric]:
    """The columns of the comparison in which systems have numbers; given scores have no ranks."""
    known = set()
    for system in systems:
        for values in system.lists.values():
            known |= {name for name, value in values.items() if value is not None}
    return [column for column in COLUMNS if column.name in known]
