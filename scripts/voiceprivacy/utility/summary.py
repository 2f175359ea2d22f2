"""All utility measures of a corpus as one table: a mean for every anonymiser, metric and trial list.

Conventions
-----------
* Measures lie in FOLDER/CORPUS/PART/ANONYMISER/NAME.tsv.
* ``-`` instead of a trial list: all utterances of the part.
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr, stdtrit

from voiceprivacy.inout import seeds
from voiceprivacy.inout.files import BadInput
from voiceprivacy.inout.tables import write_table
from voiceprivacy.utility.measures import read_measured
from voiceprivacy.vocabulary import ABSENT, UNDEFINED

# Means of utility measures over utterances, with intervals from drawing speakers anew.
#
# Conventions
# -----------
# * Speakers are drawn as for the intervals of privacy: Poisson draws with mean 1 that depend on the seed and on the
#   speaker's name only, so that the same draws serve all anonymisers and lists. A speaker counts with all his utterances.
# * The interval is the percentile interval with quantiles of Student's t instead of the normal distribution (expanded).
#   Three or four speakers need quantiles further out than replicates reach, and have t standard deviations to each side;
#   two say nothing of others and have none.
# * A mean can be weighted by another metric: a word error rate of all words is the mean of those of the utterances,
#   weighted by their numbers of words.
# * Undefined values are left out of a mean, and counted.
#
# References
# ----------
# Hesterberg, What teachers should know about the bootstrap, The American Statistician 69, 2015 (expanded percentile).

LEVEL = 0.95
FEWEST_SPEAKERS = 3


class Mean(NamedTuple):
    """A mean over utterances with its interval (- where there is none)."""

    value: float | str
    ci_low: float | str
    ci_high: float | str
    n_utterances: int
    n_undefined: int
    n_speakers: int


def mean(values, speakers, *, weights=None, n_replicates, seed):
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
    rows = [row for row in zip(values, weights, speakers, strict=True) if UNDEFINED not in row[:2]]
    n_undefined = len(values) - len(rows)
    names = sorted({speaker for _, _, speaker in rows})
    total, share = np.zeros(len(names)), np.zeros(len(names))
    for value, weight, speaker in rows:
        total[names.index(speaker)] += weight * value
        share[names.index(speaker)] += weight
    if not share.sum() > 0:
        return Mean(UNDEFINED, ABSENT, ABSENT, len(values), n_undefined, len(names))
    limits = _interval(total, share, names, n_replicates=n_replicates, seed=seed)
    return Mean(float(total.sum() / share.sum()), *limits, len(values), n_undefined, len(names))


def _interval(total, share, names, *, n_replicates, seed):
    """Limits of sum(total) / sum(share), both (S,), over draws of the speakers."""
    if len(names) < FEWEST_SPEAKERS or not n_replicates:
        return ABSENT, ABSENT
    draws = np.stack(
        [seeds.generator(seed, "bootstrap", name).poisson(1.0, n_replicates) for name in names],
        axis=1,
    )
    drawn = draws @ share
    replicates = np.sort((draws @ total)[drawn > 0] / drawn[drawn > 0])
    half_width = stdtrit(len(names) - 1, (1 + LEVEL) / 2)
    place = int(np.floor(ndtr(-half_width) * (len(replicates) + 1) + 1e-9))
    if place:
        return float(replicates[place - 1]), float(replicates[len(replicates) - place])
    mean, spread = total.sum() / share.sum(), half_width * replicates.std()
    return float(min(replicates[0], mean - spread)), float(max(replicates[-1], mean + spread))


class Utility(NamedTuple):
    """One number of the summary; ``measure`` is the name in the config, ``better`` is higher, lower or -."""

    corpus: str
    trials: str
    anonymiser: str
    measure: str
    metric: str
    value: float | str
    ci_low: float | str
    ci_high: float | str
    n_utterances: int
    n_undefined: int
    n_speakers: int
    better: str


def summarise(paths, utterances, lists, *, options, n_replicates, seed):
    """Means of all measures of a corpus.

    Parameters
    ----------
    paths : list of path
    utterances : list of voiceprivacy.inout.tables.Utterance
        The original's.
    lists : {trial list: set of utterance ids}
    options : {measure: {better, weight}}
        Which way is better, and the metric that weights the others; both may be absent.
    n_replicates, seed : int

    Returns
    -------
    list of Utility, sorted

    Raises
    ------
    BadInput : a metric of two measures, a measure whose metrics differ between anonymisers, a weight that is none
    """
    groups = {ABSENT: {utterance.utterance for utterance in utterances}, **lists}
    measured = {place(path): _columns(path, utterances) for path in sorted(map(Path, paths))}
    _check(measured)
    found = []
    for (corpus, anonymiser, measure), metrics in measured.items():
        of = options.get(measure, {})
        weights = _weights(metrics, measure, of.get("weight"))
        for metric, values in metrics.items():
            for trials, chosen in groups.items():
                rows = [
                    at for at, utterance in enumerate(utterances) if utterance.utterance in chosen
                ]
                number = mean(
                    [values[at] for at in rows],
                    [utterances[at].speaker for at in rows],
                    weights=[weights[at] for at in rows]
                    if weights and metric != of["weight"]
                    else None,
                    n_replicates=n_replicates,
                    seed=seed,
                )
                found.append(
                    Utility(
                        corpus, trials, anonymiser, measure, metric, *number, of.get("better", "-")
                    )
                )
    return sorted(found)


def write_summary(path, found):
    """Write a list of Utility."""
    write_table(path, Utility._fields, found)


def place(path):
    """(corpus, anonymiser, measure) of a table of measures."""
    try:
        corpus, _, anonymiser, name = Path(path).parts[-4:]
    except ValueError:
        raise BadInput(f"{path}: expected CORPUS/PART/ANONYMISER/NAME.tsv") from None
    return corpus, anonymiser, name.removesuffix(".tsv")


def _columns(path, utterances):
    """{metric: values in the order of the utterances}."""
    columns = {}
    for _, metric, value in read_measured(path, [utterance.utterance for utterance in utterances]):
        columns.setdefault(metric, []).append(value)
    return columns


def _check(measured):
    owner, metrics_of = {}, {}
    for (_, anonymiser, measure), metrics in measured.items():
        for metric in metrics:
            if owner.setdefault(metric, measure) != measure:
                raise BadInput(
                    f"utility: {owner[metric]} and {measure} both measure {metric}; rename it in one of them"
                )
        first, expected = metrics_of.setdefault(measure, (anonymiser, metrics.keys()))
        if different := sorted(metrics.keys() ^ expected):
            raise BadInput(
                f"utility: {measure} measures {different[0]} for only one of {first} and {anonymiser}"
            )


def _weights(metrics, measure, name):
    if name is None:
        return None
    if name not in metrics:
        raise BadInput(
            f"utility: {measure}: weight: it measures no '{name}', only {', '.join(metrics)}"
        )
    for value in metrics[name]:
        if not isinstance(value, str) and value < 0:
            raise BadInput(f"utility: {measure}: weight {name} is {value:g}, below 0")
    return metrics[name]
