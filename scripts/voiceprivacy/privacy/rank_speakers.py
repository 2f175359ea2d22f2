"""Similarity-rank disclosure of every speaker: how the average is made up, and who is found again and again.

Conventions
-----------
* Ranks and disclosure as in ranks.py. A speaker has few utterances, so his disclosure is that of the beta-binomial
  model with maximum likelihood: the only loss that works for histograms that are mostly zero, also at rank 1.
* A speaker who is always first has the limit log2 N; the model then has no finite parameters (see betabinomial.py).

References
----------
Backstrom et al., Privacy disclosure of similarity rank in speech and language processing, 2025, section VII, Figures 6
and 7.
"""

from typing import NamedTuple

import numpy as np

from voiceprivacy.privacy import betabinomial
from voiceprivacy.privacy.ranks import Ranks, disclosure, histogram, true_ranks


class Disclosure(NamedTuple):
    """One speaker: number of utterances, share at rank 1, mean rank, and the disclosure of the fitted model."""

    speaker: str
    n_utterances: int
    identification_rate_percent: float
    mean_rank: float
    model_mean_disclosure_bit: float
    model_alpha: float
    model_beta: float


class Curve(NamedTuple):
    """Histogram p (N,) and model gamma (N,) of one speaker."""

    p: np.ndarray
    gamma: np.ndarray


def by_speaker(matrix, *, ties="shared"):
    """Fit a model to the ranks of every speaker.

    Parameters
    ----------
    matrix : ScoreMatrix
        Rows are test utterances, columns templates.
    ties : str
        See ranks.histogram.

    Returns
    -------
    list of Disclosure, {speaker: Curve} : sorted by speaker
    """
    ranks = true_ranks(matrix)
    found, curves = [], {}
    for speaker in np.unique(matrix.row_speakers).tolist():
        own = matrix.row_speakers == speaker
        p = histogram(Ranks(ranks.best[own], ranks.worst[own], ranks.n_templates), ties=ties)
        model = betabinomial.fit(p)
        curves[speaker] = Curve(p, np.exp(model.log_gamma))
        found.append(
            Disclosure(
                speaker=speaker,
                n_utterances=int(own.sum()),
                identification_rate_percent=float(100 * p[0]),
                mean_rank=float(p @ np.arange(1, len(p) + 1)),
                model_mean_disclosure_bit=disclosure(curves[speaker].gamma)["mean_disclosure_bit"],
                model_alpha=_or_undefined(model.alpha),
                model_beta=_or_undefined(model.beta),
            )
        )
    return found, curves


def summary(found):
    """Mean, standard deviation and maximum over speakers of their mean disclosure (Figure 6)."""
    bits = np.array([of.model_mean_disclosure_bit for of in found])
    return {
        "speaker_mean_disclosure_bit": float(bits.mean()),
        "speaker_std_disclosure_bit": float(bits.std()),
        "speaker_max_disclosure_bit": float(bits.max()),
    }


def examples(found):
    """The speakers of the lowest, the median and the highest disclosure, whose curves are worth a picture."""
    ranking = sorted(found, key=lambda of: (of.model_mean_disclosure_bit, of.speaker))
    return list(dict.fromkeys(ranking[place].speaker for place in (0, len(ranking) // 2, -1)))


def lines(matrix, *, ties="shared"):
    """Everything about the speakers of a matrix as lines of tables.

    Returns
    -------
    dict, list, list : summary; Disclosure of each speaker; (speaker, rank, p, gamma) of the examples
    """
    found, curves = by_speaker(matrix, ties=ties)
    shown = [(speaker, *row) for speaker in examples(found) for row in by_rank(*curves[speaker])]
    return summary(found), found, shown


def by_rank(p, gamma):
    """Lines (rank, p, gamma) of a histogram and its model."""
    return [(rank, *of) for rank, of in enumerate(zip(p, gamma, strict=True), start=1)]


def _or_undefined(value):
    return "undefined" if np.isnan(value) else float(value)
