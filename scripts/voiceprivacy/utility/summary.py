"""All utility measures of a corpus as one table of means, with intervals from drawing speakers.

There is a mean for every anonymiser, metric and trial list.

Conventions
-----------
* Measures lie in FOLDER/CORPUS/PART/ANONYMISER/NAME.tsv.
* ``-`` instead of a trial list: all utterances of the part.
* Speakers are drawn as for the intervals of privacy: Poisson draws with mean 1 that depend on the
  seed and on the speaker's name only. So the same draws serve all anonymisers and lists. A speaker
  counts with all his utterances.
* The interval is the percentile interval with quantiles of Student's t instead of the normal
  distribution (expanded). Three or four speakers need quantiles further out than replicates reach:
  they have t standard deviations to each side. Two say nothing of others and have no interval.
* A mean can be weighted by another metric. A word error rate of all words is the mean of those of
  the utterances, weighted by their numbers of words.
* Undefined values are left out of a mean, and counted.

References
----------
Hesterberg, What teachers should know about the bootstrap, The American Statistician 69, 2015
(expanded percentile).
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, stdtrit

from voiceprivacy.inout import seeds
from voiceprivacy.inout.files import BadInput, FilePath
from voiceprivacy.inout.tables import Utterance, write_table
from voiceprivacy.utility.measures import read_measured
from voiceprivacy.vocabulary import ABSENT, UNDEFINED

LEVEL = 0.95
FEWEST_SPEAKERS = 3

Value: TypeAlias = float | str  # a number, "undefined", or - where there is none
Columns: TypeAlias = dict[str, list[Value]]  # of each metric, in the order of the utterances


class Source(NamedTuple):
    """Whose measures a table holds."""

    corpus: str
    anonymiser: str
    measure: str


class Mean(NamedTuple):
    """A mean over utterances with its interval (- where there is none)."""

    value: Value
    ci_low: Value
    ci_high: Value
    n_utterances: int
    n_undefined: int
    n_speakers: int


class Utility(NamedTuple):
    """One number of the summary.

    ``measure`` is the name in the config, ``better`` is higher, lower or -.
    """

    corpus: str
    trials: str
    anonymiser: str
    measure: str
    metric: str
    value: Value
    ci_low: Value
    ci_high: Value
    n_utterances: int
    n_undefined: int
    n_speakers: int
    better: str


def summarise(
    paths: Iterable[FilePath],
    utterances: Sequence[Utterance],
    lists: Mapping[str, set[str]],
    *,
    options: Mapping[str, Mapping[str, str]],
    n_replicates: int,
    seed: int,
) -> list[Utility]:
    """Means of all measures of a corpus.

    Parameters
    ----------
    paths : list of path
        Tables of measures.
    utterances : list of Utterance
        The original's.
    lists : {trial list: ids of utterances}
    options : {measure: {better, weight}}
        Which way is better, and the metric that weights the others; both may be absent.
    n_replicates, seed : int

    Returns
    -------
    list of Utility, sorted

    Raises
    ------
    BadInput : a metric of two measures, a measure whose metrics differ between anonymisers, a
        weight that is none
    """
    speakers = [utterance.speaker for utterance in utterances]
    rows_of = _rows_of_lists(utterances, lists)
    measured = {source_of(path): _columns(path, utterances) for path in sorted(map(Path, paths))}
    _refuse_contradictions(measured)
    numbers = []
    for source, columns in measured.items():
        better = options.get(source.measure, {}).get("better", ABSENT)
        weight = options.get(source.measure, {}).get("weight")
        weights = _weights(columns, source.measure, weight)
        for metric, values in columns.items():
            # The metric that weights the others has a plain mean itself.
            is_weighted = metric != weight
            for trials, rows in rows_of.items():
                mean_of_list = mean(
                    [values[row] for row in rows],
                    [speakers[row] for row in rows],
                    weights=[weights[row] for row in rows] if is_weighted else None,
                    n_replicates=n_replicates,
                    seed=seed,
                )
                number = Utility(
                    source.corpus,
                    trials,
                    source.anonymiser,
                    source.measure,
                    metric,
                    *mean_of_list,
                    better=better,
                )
                numbers.append(number)
    return sorted(numbers)


def _rows_of_lists(
    utterances: Sequence[Utterance], lists: Mapping[str, set[str]]
) -> dict[str, list[int]]:
    """Which utterances (their indices) are in each list, and in - for all."""
    rows_of = {ABSENT: list(range(len(utterances)))}
    for trials, ids in lists.items():
        rows_of[trials] = [row for row, line in enumerate(utterances) if line.utterance in ids]
    return rows_of


def write_summary(path: FilePath, numbers: Iterable[Utility]) -> None:
    """Write the numbers of a summary as TSV."""
    write_table(path, Utility._fields, numbers)


def source_of(path: FilePath) -> Source:
    """Whose measures a table holds, by its path."""
    try:
        corpus, _, anonymiser, name = Path(path).parts[-4:]
    except ValueError:
        raise BadInput(f"{path}: expected CORPUS/PART/ANONYMISER/NAME.tsv") from None
    return Source(corpus, anonymiser, name.removesuffix(".tsv"))


def _columns(path: Path, utterances: Sequence[Utterance]) -> Columns:
    columns: Columns = {}
    for line in read_measured(path, [utterance.utterance for utterance in utterances]):
        columns.setdefault(line.metric, []).append(line.value)
    return columns


def _refuse_contradictions(measured: Mapping[Source, Columns]) -> None:
    """Each metric is one measure's, and a measure has the same metrics of all anonymisers."""
    owners: dict[str, str] = {}
    first: dict[str, Source] = {}  # of each measure
    for source, columns in measured.items():
        for metric in columns:
            owner = owners.setdefault(metric, source.measure)
            if owner != source.measure:
                raise BadInput(
                    f"utility: {owner} and {source.measure} both measure {metric};"
                    " rename it in one of them"
                )
        other = first.setdefault(source.measure, source)
        if different := sorted(columns.keys() ^ measured[other].keys()):
            raise BadInput(
                f"utility: {source.measure} measures {different[0]} for only one of"
                f" {other.anonymiser} and {source.anonymiser}"
            )


def _weights(columns: Columns, measure: str, name: str | None) -> Sequence[Value]:
    """The values of the metric that weights the others of a measure; ones without a name."""
    if name is None:
        return [1.0] * len(next(iter(columns.values())))
    if name not in columns:
        raise BadInput(
            f"utility: {measure}: weight: it measures no '{name}', only {', '.join(columns)}"
        )
    for value in columns[name]:
        if not isinstance(value, str) and value < 0:
            raise BadInput(f"utility: {measure}: weight {name} is {value:g}, below 0")
    return columns[name]


# One mean.


def mean(
    values: Sequence[Value],
    speakers: Sequence[str],
    *,
    weights: Sequence[Value] | None = None,
    n_replicates: int,
    seed: int,
) -> Mean:
    """Mean of values over utterances.

    Parameters
    ----------
    values : list of N floats or "undefined"
    speakers : list of N str
    weights : list of N floats >= 0 or "undefined", optional
    n_replicates, seed : int

    Returns
    -------
    Mean : value is "undefined" without any defined value (of a positive weight)
    """
    weights = [1.0] * len(values) if weights is None else weights
    rows: list[tuple[Any, Any, str]] = []  # value, weight, speaker
    for value, weight, speaker in zip(values, weights, speakers, strict=True):
        if UNDEFINED not in (value, weight):
            rows.append((value, weight, speaker))
    names = sorted({speaker for _, _, speaker in rows})
    position = {name: index for index, name in enumerate(names)}
    weighted_sums, weight_sums = np.zeros(len(names)), np.zeros(len(names))
    for value, weight, speaker in rows:
        weighted_sums[position[speaker]] += weight * value
        weight_sums[position[speaker]] += weight
    n_undefined = len(values) - len(rows)
    if not weight_sums.sum() > 0:  # no value is left, or all have the weight 0
        return Mean(UNDEFINED, ABSENT, ABSENT, len(values), n_undefined, len(names))
    value = float(weighted_sums.sum() / weight_sums.sum())
    low, high = _interval(weighted_sums, weight_sums, names, n_replicates=n_replicates, seed=seed)
    return Mean(value, low, high, len(values), n_undefined, len(names))


def _interval(
    weighted_sums: NDArray[np.float64],
    weight_sums: NDArray[np.float64],
    names: Sequence[str],
    *,
    n_replicates: int,
    seed: int,
) -> tuple[Value, Value]:
    """Limits of the ratio of two sums over speakers, both (S,), over draws of the speakers."""
    if len(names) < FEWEST_SPEAKERS or not n_replicates:
        return ABSENT, ABSENT
    generators = [seeds.generator(seed, "bootstrap", name) for name in names]
    draws = np.stack([one.poisson(1.0, n_replicates) for one in generators], axis=1)
    drawn_weights = draws @ weight_sums
    is_drawn = drawn_weights > 0  # a Poisson draw may leave all speakers out
    replicates = np.sort((draws @ weighted_sums)[is_drawn] / drawn_weights[is_drawn])
    half_width = stdtrit(len(names) - 1, (1 + LEVEL) / 2)
    # Rounding must not move the rank: 1e-9 is far below one part of any number of replicates.
    rank = int(np.floor(ndtr(-half_width) * (len(replicates) + 1) + 1e-9))
    if rank:  # the expanded percentile; with too few speakers it would lie beyond the replicates
        return float(replicates[rank - 1]), float(replicates[-rank])
    middle, spread = weighted_sums.sum() / weight_sums.sum(), half_width * replicates.std()
    return float(min(replicates[0], middle - spread)), float(max(replicates[-1], middle + spread))
