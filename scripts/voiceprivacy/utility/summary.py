"""All utility measures of a corpus as one table of means, with intervals from drawing speakers.

There is a mean for every anonymiser, metric and trial list.

Conventions
-----------
* Measures lie in FOLDER/CORPUS/PART/ANONYMISER/NAME.tsv.
* ``-`` instead of a trial list: all utterances of the part.
* Speakers are drawn as for the intervals of privacy: Poisson draws with mean 1 that depend on the
  seed and on the speaker's name only. So the same draws serve all anonymisers and lists. A speaker
  counts with all utterances.
* The interval is the percentile interval with quantiles of Student's t instead of the normal
  distribution (expanded). Three or four speakers need quantiles further out than replicates reach:
  they have t standard deviations to each side, within what the metric can be. Two say nothing of
  others and have no interval.
* Replicate b of all anonymisers, metrics and lists drew the same speakers, as replicate b of
  privacy did. So differences and joint statements can be made of them.
* A statistic is a function of sums over the utterances of each speaker, so that drawing speakers
  anew adds sums up (voiceprivacy.utility.statistics). Most are means.
* A mean can be weighted by another metric. A word error rate of all words is the mean of those of
  the utterances, weighted by their numbers of words.
* A statistic of several metrics together, as a macro recall is, is a number of its own beside their
  means. The metric that weights it has no number.
* Undefined values are left out of a mean, and counted.
* Which way is better stands in the catalogue, or in the config for a measure of one's own.

References
----------
Hesterberg, What teachers should know about the bootstrap, The American Statistician 69, 2015
(expanded percentile).
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, stdtrit

from voiceprivacy import seeds
from voiceprivacy.catalogue import METRICS
from voiceprivacy.errors import BadInput
from voiceprivacy.inout.arrays import write_npz
from voiceprivacy.inout.files import FilePath
from voiceprivacy.inout.manifests import Utterance
from voiceprivacy.inout.typed_tables import Limits
from voiceprivacy.utility.measures import drawn, read_measured
from voiceprivacy.utility.rows import UtilityMean
from voiceprivacy.utility.statistics import MEAN, STATISTICS, Statistic
from voiceprivacy.vocabulary import ABSENT, FEWEST_REPLICATES, FEWEST_SPEAKERS, UNDEFINED

LEVEL = 0.95

Value: TypeAlias = float | str  # a number, "undefined", or - where there is none
Columns: TypeAlias = dict[str, list[Value]]  # of each metric, in the order of the utterances
Floats: TypeAlias = NDArray[np.float64]


class Source(NamedTuple):
    """Whose measures a table holds."""

    corpus: str
    anonymiser: str
    measure: str


class Mean(NamedTuple):
    """A number of many utterances with its interval (None where there is none)."""

    value: Value
    ci_low: float | None
    ci_high: float | None
    n_utterances: int
    n_undefined: int
    n_speakers: int


class Key(NamedTuple):
    """What replicates are of."""

    trials: str
    metric: str
    anonymiser: str


class Summary(NamedTuple):
    """All numbers of a corpus, sorted, and the replicates (B,) of each: NaN where undefined.

    ``weights`` are metrics that only weight others.
    """

    numbers: list[UtilityMean]
    replicates: dict[Key, Floats]
    weights: set[str]


def summarise(
    paths: Iterable[FilePath],
    utterances: Sequence[Utterance],
    lists: Mapping[str, set[str]],
    *,
    options: Mapping[str, Mapping[str, Any]],
    n_replicates: int,
    seed: int,
) -> Summary:
    """Means of all measures of a corpus.

    Parameters
    ----------
    paths : list of path
        Tables of measures.
    utterances : list of Utterance
        The original's.
    lists : {trial list: ids of utterances}
    options : {measure: {better, weight, statistic, joint, utterances, sample, minutes}}
        Which way is better, the metric that weights the others, which of STATISTICS is taken, the
        name of a number of several metrics together, and the limits of what was measured (see
        measures.drawn); all may be absent.
    n_replicates, seed : int

    Raises
    ------
    BadInput : a metric of two measures, a measure whose metrics differ between anonymisers, a
        weight that is none
    """
    heard: dict[str, list[Utterance]] = {}  # by each measure
    measured: dict[Source, Columns] = {}
    for path in sorted(map(Path, paths)):
        source = source_of(path)
        if source.measure not in heard:
            said = options.get(source.measure, {})
            heard[source.measure] = drawn(utterances, said, seed=seed)
        measured[source] = _columns(path, heard[source.measure])
    rows_of_measure = {name: _rows_of_lists(lines, lists) for name, lines in heard.items()}
    _refuse_contradictions(measured, options)
    weights_only = {its_own["weight"] for its_own in options.values() if "weight" in its_own}
    draws = Draws(n_replicates, seed)
    numbers, replicates = [], {}
    for source, columns in measured.items():
        speakers = [utterance.speaker for utterance in heard[source.measure]]
        rows_of = rows_of_measure[source.measure]
        for metric, values, weights, statistic in _numbers_of(columns, source.measure, options):
            for trials, rows in rows_of.items():
                mean, resampled = resampled_mean(
                    [values[row] for row in rows],
                    [speakers[row] for row in rows],
                    weights=[weights[row] for row in rows],
                    draws=draws,
                    statistic=statistic,
                )
                better = ABSENT
                if metric not in weights_only:  # more words are not better
                    better = _better(metric, options.get(source.measure, {}))
                number = UtilityMean(
                    source.corpus,
                    trials,
                    source.anonymiser,
                    source.measure,
                    metric,
                    *_within_range(mean, metric),
                    better=better,
                )
                numbers.append(number)
                replicates[Key(trials, metric, source.anonymiser)] = resampled
    return Summary(sorted(numbers), replicates, weights_only)


def _numbers_of(
    columns: Columns, measure: str, options: Mapping[str, Mapping[str, Any]]
) -> Iterator[tuple[str, Sequence[Any], Sequence[Value], Statistic]]:
    """What is made of a measure: metric, values and weights (N,), and the statistic of them."""
    said = options.get(measure, {})
    statistic, weight = STATISTICS[said.get("statistic", "mean")], said.get("weight")
    weights = _weights(columns, measure, weight)
    ones = [1.0] * len(weights)
    if not statistic.joint:
        for metric, values in columns.items():
            # The metric that weights the others has a plain mean itself.
            chosen = (ones, MEAN) if metric == weight else (weights, statistic)
            yield metric, values, *chosen
        return
    together = {metric: values for metric, values in columns.items() if metric != weight}
    for metric, values in together.items():
        yield metric, values, ones, MEAN
    yield said["joint"], _rows_together(list(together.values())), weights, statistic


def _rows_together(columns: Sequence[Sequence[Value]]) -> list[Any]:
    """Values (M,) of each utterance, NaN where undefined; "undefined" where all of them are."""
    rows: list[Any] = []
    for values in zip(*columns, strict=True):
        numbers = tuple(math.nan if value == UNDEFINED else float(value) for value in values)
        rows.append(UNDEFINED if all(map(math.isnan, numbers)) else numbers)
    return rows


def _better(metric: str, options: Mapping[str, str]) -> str:
    """Which way is better: what the config says, else the catalogue."""
    known = METRICS[metric].better if metric in METRICS else "neither"
    return options.get("better") or (ABSENT if known == "neither" else known)


def _within_range(mean: Mean, metric: str) -> Mean:
    """A number whose limits lie where its metric can: those of few speakers reach beyond."""
    row = METRICS.get(metric)
    if row is None or mean.ci_low is None or mean.ci_high is None:
        return mean
    return mean._replace(ci_low=max(row.low, mean.ci_low), ci_high=min(row.high, mean.ci_high))


def _rows_of_lists(
    utterances: Sequence[Utterance], lists: Mapping[str, set[str]]
) -> dict[str, list[int]]:
    """Which utterances (their indices) are in each list, and in - for all."""
    rows_of = {ABSENT: list(range(len(utterances)))}
    for trials, ids in lists.items():
        rows_of[trials] = [row for row, line in enumerate(utterances) if line.utterance in ids]
    return rows_of


def write_replicates(path: FilePath, replicates: Mapping[Key, Floats]) -> None:
    """Write the replicates of all utterances as METRIC/ANONYMISER of an npz.

    Those of single lists are left out: nothing but their comparisons is made of them, and a run
    of twenty anonymisers would have hundreds of megabytes.
    """
    whole = {key: drawn for key, drawn in replicates.items() if key.trials == ABSENT}
    arrays = {f"{key.metric}/{key.anonymiser}": drawn for key, drawn in whole.items()}
    write_npz(path, arrays, compressed=True)


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


def _refuse_contradictions(
    measured: Mapping[Source, Columns], options: Mapping[str, Mapping[str, Any]]
) -> None:
    """Each metric is one measure's, and a measure has the same metrics of all anonymisers."""
    owners: dict[str, str] = {}
    first: dict[str, Source] = {}  # of each measure
    for source, columns in measured.items():
        joint = options.get(source.measure, {}).get("joint")
        for metric in (*columns, *filter(None, [joint])):
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


class Draws:
    """How often each speaker is drawn in each replicate, as for privacy."""

    def __init__(self, n_replicates: int, seed: int) -> None:
        self.n_replicates = n_replicates
        self.seed = seed
        self._drawn: dict[str, NDArray[np.int64]] = {}

    def of(self, speakers: Sequence[str]) -> NDArray[np.int64]:
        """Numbers of draws (B, S) of some speakers."""
        for name in speakers:
            if name not in self._drawn:  # a speaker is in all metrics of all anonymisers
                generator = seeds.generator(self.seed, "bootstrap", name)
                self._drawn[name] = generator.poisson(1.0, self.n_replicates)
        return np.stack([self._drawn[name] for name in speakers], axis=1)


def resampled_mean(
    values: Sequence[Any],
    speakers: Sequence[str],
    *,
    weights: Sequence[Value] | None = None,
    draws: Draws,
    statistic: Statistic = MEAN,
) -> tuple[Mean, Floats]:
    """Mean of values over utterances, and its replicates (B,).

    Parameters
    ----------
    values : list of N floats or "undefined"
        Tuples of floats for a statistic of several metrics.
    speakers : list of N str
    weights : list of N floats >= 0 or "undefined", optional
    draws : Draws
    statistic : Statistic
        What is taken of them, if not the mean.

    Returns
    -------
    Mean, array (B,) : value is "undefined" without any defined value (of a positive weight), and
        a replicate is NaN then
    """
    weights = [1.0] * len(values) if weights is None else weights
    rows: list[tuple[Any, Any, str]] = []  # value, weight, speaker
    for value, weight, speaker in zip(values, weights, speakers, strict=True):
        if UNDEFINED not in (value, weight):
            rows.append((value, weight, speaker))
    names = sorted({speaker for _, _, speaker in rows})
    n_undefined = len(values) - len(rows)
    nothing = Mean(UNDEFINED, None, None, len(values), n_undefined, 0)
    if not rows:
        return nothing, np.full(draws.n_replicates, np.nan)
    sums = _sums_of_speakers(rows, names, statistic)
    # A speaker of whom all sums are 0 says nothing of others.
    nothing = nothing._replace(n_speakers=int(sums.any(axis=0).sum()))
    of_all = float(statistic.of_sums(np.array([term.sum() for term in sums])))
    drawn = draws.of(names)
    replicates = statistic.of_sums(np.stack([drawn @ term for term in sums], axis=1))
    if np.isnan(of_all):  # all have the weight 0
        return nothing, replicates
    low, high = _interval(of_all, replicates, n_speakers=nothing.n_speakers)
    return nothing._replace(value=of_all, ci_low=low, ci_high=high), replicates


def _sums_of_speakers(
    rows: Sequence[tuple[Any, Any, str]], names: Sequence[str], statistic: Statistic
) -> Floats:
    """What a statistic is made of, summed over the utterances of each speaker (K, S)."""
    position = {name: index for index, name in enumerate(names)}
    values, weights, speakers = zip(*rows, strict=True)
    terms = statistic.terms(np.array(values, float), np.array(weights, float))
    rows_of = [position[speaker] for speaker in speakers]
    sums = np.zeros((terms.shape[1], len(names)))
    for own, term in zip(sums, terms.T, strict=True):
        np.add.at(own, rows_of, term)
    return statistic.of_speakers(sums) if statistic.of_speakers else sums


def _interval(value: float, replicates: Floats, *, n_speakers: int) -> Limits | tuple[None, None]:
    """Limits of a number from its replicates (B,) over draws of the speakers."""
    ordered = np.sort(replicates[~np.isnan(replicates)])  # a draw may leave all speakers out
    if n_speakers < FEWEST_SPEAKERS or len(ordered) < FEWEST_REPLICATES:
        return None, None
    half_width = stdtrit(n_speakers - 1, (1 + LEVEL) / 2)
    # Rounding must not move the rank: 1e-9 is far below one part of any number of replicates.
    rank = int(np.floor(ndtr(-half_width) * (len(ordered) + 1) + 1e-9))
    if rank:  # the expanded percentile; with too few speakers it would lie beyond the replicates
        return float(ordered[rank - 1]), float(ordered[-rank])
    spread = half_width * ordered.std()
    return float(min(ordered[0], value - spread)), float(max(ordered[-1], value + spread))
