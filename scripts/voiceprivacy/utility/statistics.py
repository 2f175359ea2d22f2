"""Numbers of many utterances that are functions of sums over each speaker.

Conventions
-----------
* ``terms`` makes of values and weights (N,) of utterances what is summed of each (N, K).
* ``of_speakers``, where there is one, makes of the sums (K, S) of S speakers what is summed over
  speakers (L, S). So a speaker can count once, however many utterances there are.
* ``of_sums`` makes the number (...) of sums (..., L): NaN where it is undefined.
* Drawing speakers anew adds up what stands before the last step.

The statistics
--------------
* mean: sum of weight times value over sum of weights.
* rate: a percentage of counted things, such as word errors of words. The weight is how many things
  an utterance has. One that has none counts its errors all the same: there the value is 100 times
  their number. So nothing that a recogniser invents where nobody speaks is lost.
* macro_recall: the mean of several recalls, each over all utterances (values (N, M) of M labels,
  NaN but for the label that the utterance has).
* macro_recall_of_speakers: that mean for each speaker, over labels that occur there; then the mean
  over the speakers of a fold, and over folds. The weight is the number of the fold.

References
----------
VoicePrivacy 2024 and 2026 Challenges: unweighted average recall, as their programs compute it.
"""

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]

MOST_FOLDS = 20


class Statistic(NamedTuple):
    """A number of many utterances; ``joint`` says that it is one of several metrics together."""

    terms: Callable[[Floats, Floats], Floats]
    of_sums: Callable[[Floats], Floats]
    of_speakers: Callable[[Floats], Floats] | None = None
    joint: bool = False


def mean_terms(values: Floats, weights: Floats) -> Floats:
    """Terms (N, 2) of a weighted mean."""
    return np.stack([weights * values, weights], axis=1)


def rate_terms(values: Floats, weights: Floats) -> Floats:
    """Terms (N, 2) of a rate: where nothing is counted, the value is that of one thing."""
    return np.stack([np.maximum(weights, 1) * values, weights], axis=1)


def ratio(sums: Floats) -> Floats:
    """The first of two sums (..., 2) over the second."""
    return _over(sums[..., 0], sums[..., 1])


def recall_terms(values: Floats, weights: Floats) -> Floats:
    """Terms (N, 2 M): of each label the value, and whether the utterance has it."""
    return np.concatenate([np.nan_to_num(values), ~np.isnan(values)], axis=1).astype(float)


def mean_of_ratios(sums: Floats) -> Floats:
    """Mean over M labels of sums (..., 2 M) over counts; labels without any are left out."""
    n_labels = sums.shape[-1] // 2
    return _mean(_over(sums[..., :n_labels], sums[..., n_labels:]))


def recall_terms_with_fold(values: Floats, weights: Floats) -> Floats:
    """Terms (N, 2 M + MOST_FOLDS): those of recalls, and a one for the fold."""
    folds = weights[:, None] == np.arange(MOST_FOLDS)
    return np.concatenate([recall_terms(values, weights), folds], axis=1)


def means_of_folds(sums: Floats) -> Floats:
    """What speakers add up (2 MOST_FOLDS, S): in the folds, a speaker's recall and a one."""
    recalls = mean_of_ratios(sums[:-MOST_FOLDS].T)
    is_in = (sums[-MOST_FOLDS:] > 0) & ~np.isnan(recalls)
    return np.concatenate([is_in * np.nan_to_num(recalls), is_in.astype(float)])


def _over(sums: Floats, counts: Floats) -> Floats:
    return np.divide(sums, counts, out=np.full(sums.shape, np.nan), where=counts > 0)


def _mean(values: Floats) -> Floats:
    """Mean over the last axis of what is defined; NaN where nothing is."""
    is_defined = ~np.isnan(values)
    total = np.where(is_defined, values, 0).sum(axis=-1)
    return _over(total, is_defined.sum(axis=-1))


MEAN = Statistic(mean_terms, ratio)
STATISTICS = {
    "mean": MEAN,
    "rate": Statistic(rate_terms, ratio),
    "macro_recall": Statistic(recall_terms, mean_of_ratios, joint=True),
    "macro_recall_of_speakers": Statistic(
        recall_terms_with_fold, mean_of_ratios, means_of_folds, joint=True
    ),
}
