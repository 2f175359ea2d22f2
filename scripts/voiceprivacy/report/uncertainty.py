"""How sure the numbers are: intervals of means, who can be told apart, and what is no more than zero evidence.

Conventions
-----------
* comparisons/{corpus}/{trials}/{extractor}/{backend}.tsv compares pairs of anonymisers, .systems.tsv beside it has the
  intervals of each; {trials} is ``mean`` for the mean over the lists, where there are several, and {corpus}/{trials}
  ``over-corpora/{average}`` for averages over lists of several corpora.
* comparisons/{corpus}/{trials}/strongest.tsv compares anonymisers with each other and with unprotected speech, each
  under the strongest attack on it.
* A run without intervals has - as every limit in metrics.tsv; then nothing is read.
"""

from pathlib import Path
from typing import NamedTuple

from voiceprivacy.catalogue import COLUMNS
from voiceprivacy.inout.tables import number, read_rows
from voiceprivacy.vocabulary import ACROSS_CORPORA, MEAN, NO_BREAK, UNDEFINED

SYSTEMS = ["condition", "metric", "anonymiser", "value", "ci_low", "ci_high"]
PAIRS = [
    *(
        "condition",
        "metric",
        "anonymiser_a",
        "anonymiser_b",
        "value_a",
        "value_b",
        "difference",
        "ci_low",
        "ci_high",
    ),
    *("share_a_better", "p_value", "p_holm", "verdict"),
]
STRONGEST = [
    *("metric", "anonymiser_a", "extractor_a", "backend_a", "condition_a"),
    *("anonymiser_b", "extractor_b", "backend_b", "condition_b"),
    *PAIRS[4:],
]
ATTACK = ["anonymiser", "extractor", "backend", "condition"]
ALIKE = "cannot be told apart"
NULL = "dece_null95_bit"
FEW_ERRORS = (
    5  # target trials on the wrong side, from which on simulated intervals hold what they promise
)
SHORT = "†"
SHORT_EXPLAINED = (
    f"{SHORT} Fewer than {FEW_ERRORS} target trials are on the wrong side (EER times target trials): an interval"
    " drawn from so few errors is too short. Those of min Cllr and D_ECE then hold the truth in as few as 80"
    f"{NO_BREAK}% of cases instead of 95, and an EER of 0 only says that no error was seen."
)


class Comparisons(NamedTuple):
    """Limits {(corpus, extractor, backend, condition, metric, anonymiser): (low, high)} of means over lists, and pairs
    {(corpus, extractor, backend, condition, metric, {anonymiser, anonymiser}): verdict}; of averages over corpora too,
    with ``over-corpora/{average}`` as the corpus. And {(corpus, attack, attack): Difference} of the strongest attacks,
    where an attack is (anonymiser, extractor, backend, condition).
    """

    limits: dict
    verdicts: dict
    strongest: dict


class Difference(NamedTuple):
    """EER of one attack minus that of another on the same speakers; ``limits`` (low, high), None with too few."""

    points: float
    limits: tuple
    verdict: str


NONE = Comparisons({}, {}, {})


def read_comparisons(folder, metrics):
    """Read the comparisons of the run that a list of Number comes from (Comparisons).

    Averages are read where they are: a folder made of two runs, or by an earlier version, has none.
    """
    lists = {}
    for metric in metrics:
        if metric.metric == "eer_percent" and metric.ci_low != "-":
            lists.setdefault((metric.corpus, metric.extractor, metric.backend), set()).add(
                metric.trials
            )
    found = Comparisons({}, {}, {})
    for (corpus, extractor, backend), names in sorted(lists.items()):
        trials = MEAN if len(names) > 1 else next(iter(names))
        _read_into(found, Path(folder) / corpus / trials, corpus, extractor, backend)
    for extractor, backend in sorted({of[1:] for of in lists}):
        for path in sorted(Path(folder, ACROSS_CORPORA).glob(f"*/{extractor}/{backend}.tsv")):
            average = path.parents[1]
            _read_into(found, average, f"{ACROSS_CORPORA}/{average.name}", extractor, backend)
    for corpus in {place[0] for place in lists}:
        names = set().union(*(of for place, of in lists.items() if place[0] == corpus))
        _read_strongest(
            found, Path(folder) / corpus / (MEAN if len(names) > 1 else min(names)), corpus
        )
    for average in Path(folder, ACROSS_CORPORA).glob("*") if lists else []:
        _read_strongest(found, average, f"{ACROSS_CORPORA}/{average.name}")
    return found


def _read_into(found, folder, corpus, extractor, backend):
    """Add the comparisons of one attacker in a folder to Comparisons."""
    path = folder / extractor / f"{backend}.tsv"
    for _, row in read_rows(path, PAIRS):
        pair = frozenset((row["anonymiser_a"], row["anonymiser_b"]))
        found.verdicts[corpus, extractor, backend, row["condition"], row["metric"], pair] = row[
            "verdict"
        ]
    systems = path.with_suffix(".systems.tsv")
    for line, row in read_rows(systems, SYSTEMS):
        key = (corpus, extractor, backend, row["condition"], row["metric"], row["anonymiser"])
        found.limits[key] = _limits(row["ci_low"], row["ci_high"], systems, line)


def _read_strongest(found, folder, corpus):
    """Add the comparisons of strongest attacks in a folder to Comparisons, where there are any."""
    path = folder / "strongest.tsv"
    for line, row in read_rows(path, STRONGEST) if path.exists() else []:
        one, other = (tuple(row[f"{name}_{of}"] for name in ATTACK) for of in "ab")
        limits = _limits(row["ci_low"], row["ci_high"], path, line)
        points = number(row["difference"], path, line)
        found.strongest[corpus, one, other] = Difference(points, limits, row["verdict"])


def metric_limits(metric):
    """The interval of a Number as numbers; None where there is none."""
    return _limits(metric.ci_low, metric.ci_high, "metrics.tsv", metric.metric)


def _limits(low, high, path, line):
    if "-" in (low, high) or UNDEFINED in (low, high):
        return None
    return number(low, path, line), number(high, path, line)


def interval_text(column, interval):
    """An interval as people read it; empty where there is none."""
    return f"[{column.text(interval[0])}, {column.text(interval[1])}]" if interval else ""


def has_few_errors(eer_percent, n_target):
    """Whether so few of the target trials are on the wrong side that intervals of some metrics are too short."""
    return eer_percent / 100 * n_target < FEW_ERRORS


def marked_interval(column, values, interval):
    """An interval as people read it, with a mark where {metric: value} says that it rests on too few errors."""
    short = column.scale == "rare errors" or (
        column.name == "eer_percent" and values[column.name] == 0
    )
    mark = SHORT if interval and short and values["few_errors"] else ""
    return interval_text(column, interval) + mark


def interval_words(column, interval):
    """An interval (low, high) in a sentence."""
    return f"95{NO_BREAK}% interval {column.text(interval[0])} to {column.text(interval[1])}"


def paired_difference(comparisons, one, other):
    """The Difference of a system from another, each under the strongest attack on it; None where it is not known."""
    place = [tuple(getattr(of, name) for name in ATTACK) for of in (one, other)]
    return comparisons.strongest.get((one.corpus, *place))


def can_be_told_apart(comparisons, one, other):
    """Whether two systems differ in EER: by their comparison on the same speakers, else by disjoint intervals.

    Not where an interval is undefined, as with one or two speakers. True in a run without intervals, which is said
    elsewhere.
    """
    for pair in ((one, other), (other, one)):
        if paired := paired_difference(comparisons, *pair):
            return paired.verdict != ALIKE
    if (one.corpus, *one[1:3], one.condition) == (other.corpus, *other[1:3], other.condition):
        key = (
            *one[:3],
            one.condition,
            "eer_percent",
            frozenset((one.anonymiser, other.anonymiser)),
        )
        return comparisons.verdicts.get(key) != ALIKE
    intervals = [system.intervals[system.mean_label].get("eer_percent") for system in (one, other)]
    if None in intervals:
        keys = [(*of[:3], of.condition, "eer_percent", of.anonymiser) for of in (one, other)]
        return not any(
            key in comparisons.limits and comparisons.limits[key] is None for key in keys
        )
    (low, high), (other_low, other_high) = intervals
    return low > other_high or high < other_low


def within_zero_evidence(values):
    """Whether the D_ECE of {metric: value} is no more than zero evidence gives; None where that is not known."""
    band = values.get(NULL)
    return None if band in (None, UNDEFINED) else values["dece_bit"] <= band


def shown_columns(systems):
    """The columns of the comparison in which these systems have numbers (scores of others give no ranks, say)."""
    return [
        column
        for column in COLUMNS
        if any(values[column.name] is not None for of in systems for values in of.lists.values())
    ]
