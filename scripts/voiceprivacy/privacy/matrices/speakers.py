"""Who is still at risk: what the protected speech of each speaker gives away, where an average hides it.

Conventions
-----------
* A trial belongs to the speaker who is tried: it is his speech that was protected.
* LLRs come from one oracle calibration of all trials of the condition, as the attacker has it; no speaker is calibrated
  alone. So the numbers of the speakers add up: their means, weighted by numbers of trials, are the condition's.
* De-identification of a speaker compares how much his own similarity stands out in his column (the protected speech)
  of OP and of OO. The mean of the signed gaps of a condition is its ddiag_signed.

References
----------
Noe et al., Towards a unified assessment framework of speech pseudonymisation, CSL 72, 2022: Eqs. 8, 9 and 13 restricted
to one speaker, which its section 8 names as future work.
"""

from typing import NamedTuple

import numpy as np

from voiceprivacy.inout.files import BadInput
from voiceprivacy.privacy.matrices import betabinomial
from voiceprivacy.privacy.matrices.ranks import Ranks, disclosure, histogram, true_ranks
from voiceprivacy.privacy.scores.calibration import oracle_llrs
from voiceprivacy.privacy.scores.ece import cece_bit
from voiceprivacy.vocabulary import UNDEFINED


class Exposure(NamedTuple):
    """One speaker in one condition.

    ``dece_bit`` and ``worst_case_log10`` as in ZEBRA, but of his trials only; undefined without a target trial.
    """

    speaker: str
    n_target: int
    n_nontarget: int
    dece_bit: float
    worst_case_log10: float


def exposures(scores, speakers):
    """D_ECE and worst case of every tried speaker under the calibration of the whole list.

    A speaker's D_ECE can be negative: the evidence misleads the attacker about him more than it helps. The worst case
    is often the same for many speakers, who share the block of the highest or of the lowest scores.

    Parameters
    ----------
    scores : dict {target, nontarget: array of scores}
    speakers : dict {target, nontarget: array of the tried speakers}, in the same order

    Returns
    -------
    list of Exposure : sorted by speaker
    """
    plain = dict(zip(scores, oracle_llrs(**scores), strict=True))
    laplace = dict(zip(scores, oracle_llrs(**scores, laplace=True), strict=True))
    return [
        _exposure(
            str(speaker),
            {label: plain[label][speakers[label] == speaker] for label in scores},
            {label: laplace[label][speakers[label] == speaker] for label in scores},
        )
        for speaker in np.unique(np.concatenate(list(speakers.values())))
    ]


def deid_percents(*, oo, op):
    """De-identification of every speaker: {speaker: percent}; undefined where the gap in OO is, or where it is 0.

    Parameters
    ----------
    oo, op : dict {speaker: gap}, from ``gaps``
    """
    if oo.keys() != op.keys():
        raise BadInput(
            f"oo and op hold different speakers ('{min(oo.keys() ^ op.keys())}' is in one of them only)"
        )
    return {
        speaker: UNDEFINED
        if UNDEFINED in (gap, op[speaker]) or gap == 0
        else 100 * (1 - abs(op[speaker]) / abs(gap))
        for speaker, gap in oo.items()
    }


def gaps(cells):
    """How much every speaker's own similarity stands above the others' in his column: {speaker: gap}.

    Parameters
    ----------
    cells : dict {(row speaker, column speaker): similarity or undefined}
    """
    others = {}
    for (row, column), similarity in cells.items():
        if row != column:
            others.setdefault(column, []).append(similarity)
    own = {speaker: cells.get((speaker, speaker), UNDEFINED) for speaker in others}
    return {
        speaker: UNDEFINED if own[speaker] == UNDEFINED else own[speaker] - float(np.mean(of))
        for speaker, of in others.items()
    }


def _exposure(speaker, llrs, laplace):
    n_target, n_nontarget = len(llrs["target"]), len(llrs["nontarget"])
    if not n_target or not n_nontarget:
        return Exposure(speaker, n_target, n_nontarget, UNDEFINED, UNDEFINED)
    worst = max(np.abs(of).max() for of in laplace.values()) / np.log(10)
    return Exposure(speaker, n_target, n_nontarget, cece_bit(**llrs), float(worst))


# Similarity-rank disclosure of every speaker: how the average is made up, and who is found again and again.
#
# Conventions
# -----------
# * Ranks and disclosure as in ranks.py. A speaker has few utterances, so his disclosure is that of the beta-binomial
#   model with maximum likelihood: the only loss that works for histograms that are mostly zero, also at rank 1.
# * A speaker who is always first has the limit log2 N; the model then has no finite parameters (see betabinomial.py).
#
# References
# ----------
# Backstrom et al., Privacy disclosure of similarity rank in speech and language processing, 2025, section VII, Figures 6
# and 7.


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
