"""Means of utility measures over utterances, with intervals from drawing speakers anew.

Conventions
-----------
* Speakers are drawn as for the intervals of privacy: Poisson draws with mean 1 that depend on the seed and on the
  speaker's name only, so that the same draws serve all anonymisers and lists. A speaker counts with all his utterances.
* The interval is the percentile interval with quantiles of Student's t instead of the normal distribution (expanded).
  Three or four speakers need quantiles further out than replicates reach, and have t standard deviations to each side;
  two say nothing of others and have none.
* A mean can be weighted by another metric: a word error rate of all words is the mean of those of the utterances,
  weighted by their numbers of words.
* Undefined values are left out of a mean, and counted.

References
----------
Hesterberg, What teachers should know about the bootstrap, The American Statistician 69, 2015 (expanded percentile).
"""

from typing import NamedTuple

import numpy as np
from scipy.special import ndtr, stdtrit

from voiceprivacy import seeds

UNDEFINED = "undefined"
LEVEL = 0.95
NONE = "-"
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
        return Mean(UNDEFINED, NONE, NONE, len(values), n_undefined, len(names))
    limits = _interval(total, share, names, n_replicates=n_replicates, seed=seed)
    return Mean(float(total.sum() / share.sum()), *limits, len(values), n_undefined, len(names))


def _interval(total, share, names, *, n_replicates, seed):
    """Limits of sum(total) / sum(share), both (S,), over draws of the speakers."""
    if len(names) < FEWEST_SPEAKERS or not n_replicates:
        return NONE, NONE
    draws = np.stack([seeds.generator(seed, "bootstrap", name).poisson(1.0, n_replicates) for name in names], axis=1)
    drawn = draws @ share
    replicates = np.sort((draws @ total)[drawn > 0] / drawn[drawn > 0])
    half_width = stdtrit(len(names) - 1, (1 + LEVEL) / 2)
    place = int(np.floor(ndtr(-half_width) * (len(replicates) + 1) + 1e-9))
    if place:
        return float(replicates[place - 1]), float(replicates[len(replicates) - place])
    mean, spread = total.sum() / share.sum(), half_width * replicates.std()
    return float(min(replicates[0], mean - spread)), float(max(replicates[-1], mean + spread))
