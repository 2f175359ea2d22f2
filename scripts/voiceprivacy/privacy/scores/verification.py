"""How well a speaker verifier separates targets from nontargets.

Conventions
-----------
* ``target`` (T,) and ``nontarget`` (N,) are 1-D arrays of scores, higher = more likely the same
  speaker.
* LLRs are natural logarithms; costs are in bits; error rates are in percent.
* ``blocks`` and ``ties`` are those of the same scores, if they are known already.
* Equal scores cannot be told apart: no threshold lies between them. Only Kaldi's EER ignores ties.
* ValueError is raised for a class without scores, and for scores that are no numbers.

References
----------
Brummer and du Preez, Application-independent evaluation of speaker detection, CSL 2006 (Cllr).
Brummer and de Villiers, The BOSARIS toolkit user guide, 2011 (convex hull of the ROC).
Gomez-Barrero et al., General framework to evaluate unlinkability in biometric template protection
systems, IEEE TIFS 2018, https://doi.org/10.1109/TIFS.2017.2788000 (linkability).
Maouche et al., A comparative study of speech anonymization metrics, Interspeech 2020 (linkability).
"""

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from voiceprivacy.privacy import Counts, Floats, Metrics, Number, Scores
from voiceprivacy.privacy.scores.calibration import (
    Blocks,
    Ties,
    as_scores,
    count_ties,
    counted_llrs,
    oracle_blocks,
    pav_blocks,
)
from voiceprivacy.privacy.scores.trials import Sample
from voiceprivacy.vocabulary import UNDEFINED

MANY_TIES_PERCENT = 1  # of the trials: with more, Kaldi's EER is noticeably off


class Bins(NamedTuple):
    """Number and range of the bins of a histogram."""

    number: int
    limits: tuple[float, float]


def assess(*, target: Scores, nontarget: Scores, p_target: float = 0.01) -> Metrics:
    """All verification metrics of a set of scores.

    Parameters
    ----------
    target, nontarget : array (T,), array (N,)
    p_target : float
        Prior of min_dcf.
    """
    scores: dict[str, Any] = {
        "target": np.asarray(target, dtype=float),
        "nontarget": np.asarray(nontarget, dtype=float),
    }
    ties = count_ties(**scores)
    blocks = pav_blocks(ties)
    cllr, cllr_min = cllr_bit(**scores), cllr_min_bit(**scores, blocks=blocks)
    return {
        "eer_percent": eer_percent(**scores),
        "eer_rocch_percent": eer_rocch_percent(**scores, blocks=blocks),
        "eer_speechbrain_percent": eer_speechbrain_percent(**scores, ties=ties),
        "cllr_bit": cllr,
        "cllr_min_bit": cllr_min,
        "cllr_cal_bit": cllr - cllr_min,
        "min_dcf": min_dcf(**scores, p_target=p_target, blocks=blocks),
        "linkability": linkability(**scores, blocks=blocks),
        "linkability_vpc": linkability_vpc(**scores),
        "n_target": len(scores["target"]),
        "n_nontarget": len(scores["nontarget"]),
    }


def sample_metrics(
    sample: Sample, *, bins: Bins | None = None, blocks: Blocks | None = None
) -> Metrics:
    """The metrics of ``assess`` that have an interval.

    Parameters
    ----------
    sample : Sample
    bins : Bins, optional
        Those of the scores that the sample is drawn from. linkability_vpc needs two of them: it is
        0 for one.
    blocks : Blocks, optional
        Of the sample, without Laplace's rule.
    """
    blocks = blocks or pav_blocks(sample.ties)
    scores: dict[str, Any] = {
        "target": np.repeat(sample.target, sample.target_counts),
        "nontarget": np.repeat(sample.nontarget, sample.nontarget_counts),
    }
    # Kaldi's EER and histograms take every trial by itself; costs take counts.
    cllr = cllr_bit(**sample.counted())
    cllr_min = cllr_min_bit(**scores, blocks=blocks)
    metrics: Metrics = {
        "eer_percent": eer_percent(**scores),
        "eer_rocch_percent": eer_rocch_percent(**scores, blocks=blocks),
        "eer_speechbrain_percent": eer_speechbrain_percent(**scores, ties=sample.ties),
        "cllr_bit": cllr,
        "cllr_min_bit": cllr_min,
        "cllr_cal_bit": cllr - cllr_min,
        "linkability": linkability(**scores, blocks=blocks),
    }
    if bins and bins.number > 1:
        metrics["linkability_vpc"] = linkability_vpc(**scores, bins=bins)
    return metrics


def resampled_metrics(*, target: Scores, nontarget: Scores) -> Callable[..., Metrics]:
    """The function ``sample_metrics`` with the bins of the scores that samples are drawn from."""
    return functools.partial(
        sample_metrics, bins=histogram_bins(target=target, nontarget=nontarget)
    )


def eer_percent(*, target: Scores, nontarget: Scores) -> float:
    """Equal error rate exactly as Kaldi's compute-eer finds it, in percent.

    With k of the T targets below the threshold, floor(N k / T) nontargets are above it. Taken is
    the first k = 0 ... T - 1 at which the nontarget next below them is lower than target k
    (ascending), or the last k; EER = k / T. Ties are broken against the verifier: T equal scores of
    each class give 100 (T - 1) / T percent.
    """
    target = np.sort(as_scores(target, "target"))
    nontarget = np.sort(as_scores(nontarget, "nontarget"))
    k = np.arange(len(target))
    separated = nontarget[len(nontarget) - 1 - len(nontarget) * k // len(target)] < target
    separated[-1] = True  # Kaldi stops at the last target, wherever the nontargets are
    return float(100 * np.argmax(separated) / len(target))


def eer_rocch_percent(*, target: Scores, nontarget: Scores, blocks: Blocks | None = None) -> float:
    """Equal error rate on the convex hull of the ROC, in percent; equal scores give 50.

    Source: Brummer and de Villiers, 2011.
    """
    miss, false_alarm = roc_hull(blocks or oracle_blocks(target=target, nontarget=nontarget))
    # Between two vertices of the hull a verifier tosses a coin: error rates are linear there.
    gap = miss - false_alarm  # rises from -1 to 1
    after = np.argmax(gap >= 0)
    share = gap[after - 1] / (gap[after - 1] - gap[after])
    return float(100 * (miss[after - 1] + share * (miss[after] - miss[after - 1])))


def eer_speechbrain_percent(
    *, target: Scores, nontarget: Scores, ties: Ties | None = None
) -> float:
    """Equal error rate as SpeechBrain takes it, in percent; equal scores give 50.

    Thresholds are the scores (those between two scores part them in the same way). A score is
    accepted above the threshold. The EER is the mean of the two error rates at the lowest threshold
    at which they are closest. Two thresholds are often equally close: there SpeechBrain's single
    precision decides, so it decides here too.
    """
    ties = ties or count_ties(target=target, nontarget=nontarget)
    n_target, n_nontarget = ties.targets.sum(), ties.nontargets.sum()
    misses, false_alarms = np.cumsum(ties.targets), n_nontarget - np.cumsum(ties.nontargets)
    miss = misses.astype(np.float32) / np.float32(n_target)
    false_alarm = false_alarms.astype(np.float32) / np.float32(n_nontarget)
    gap = np.abs(false_alarm - miss)
    # SpeechBrain walks over the thresholds and compares a gap in single with one in double
    # precision.
    # Only thresholds within rounding of the smallest gap can win, so the walk is over those.
    closest, *others = np.flatnonzero(gap <= gap.min() * 1.000001)
    for other in others:
        if gap[other] < abs(float(false_alarm[closest]) - float(miss[closest])):
            closest = other
    return float(50 * (misses[closest] / n_target + false_alarms[closest] / n_nontarget))


def cllr_bit(
    *,
    target: Scores,
    nontarget: Scores,
    target_counts: Counts | None = None,
    nontarget_counts: Counts | None = None,
) -> float:
    """Cost of LLRs that are taken at their word, in bits; 1 = a coin toss, 0 = perfect.

    Source: Brummer and du Preez, 2006; Eq. 4 of Noe et al., CSL 2022.

    Parameters
    ----------
    target, nontarget : array (T,), array (N,)
    target_counts, nontarget_counts : array (T,), array (N,), optional
        How often each LLR occurs (default: once).
    """
    target, nontarget = as_scores(target, "target"), as_scores(nontarget, "nontarget")
    miss = np.average(np.logaddexp(0, -target), weights=target_counts)
    false_alarm = np.average(np.logaddexp(0, nontarget), weights=nontarget_counts)
    return float((miss + false_alarm) / (2 * np.log(2)))


def cllr_min_bit(*, target: Scores, nontarget: Scores, blocks: Blocks | None = None) -> float:
    """Cllr after oracle calibration, in bits: what remains when only the scores' order counts."""
    return cllr_bit(**counted_llrs(blocks or oracle_blocks(target=target, nontarget=nontarget)))


def cllr_cal_bit(*, target: Scores, nontarget: Scores) -> float:
    """What the Cllr loses to calibration, in bits: Cllr - min Cllr."""
    scores: dict[str, Any] = {"target": target, "nontarget": nontarget}
    return cllr_bit(**scores) - cllr_min_bit(**scores)


def min_dcf(
    *, target: Scores, nontarget: Scores, p_target: float = 0.01, blocks: Blocks | None = None
) -> float:
    """Lowest detection cost at the prior ``p_target``, both errors costing 1.

    It is normalised by the cost min(p, 1 - p) of always deciding the same, as NIST does: 1 = no
    better than without scores.
    """
    miss, false_alarm = roc_hull(blocks or oracle_blocks(target=target, nontarget=nontarget))
    costs = p_target * miss + (1 - p_target) * false_alarm
    return float(costs.min() / min(p_target, 1 - p_target))


def linkability(*, target: Scores, nontarget: Scores, blocks: Blocks | None = None) -> float:
    """Mean over targets of max(0, 2 sigma(l) - 1), l the oracle LLR; 0 = unlinkable, 1 = linkable.

    D_sys of Gomez-Barrero et al. at omega = 1. It is a lower bound where the likelihood ratio is
    not monotone in the score.
    """
    llrs = counted_llrs(blocks or oracle_blocks(target=target, nontarget=nontarget))
    local = np.maximum(0, np.tanh(llrs["target"] / 2))  # tanh(l / 2) = 2 sigma(l) - 1
    return float(np.average(local, weights=llrs["target_counts"]))


def linkability_vpc(
    *, target: Scores, nontarget: Scores, omega: float = 1.0, bins: Bins | None = None
) -> Number:
    """D_sys with the histograms of the VoicePrivacy challenge; 0 = unlinkable, 1 = linkable.

    The ratio of the two histograms in each bin, by the trapezoidal rule over the bins' centres.
    With many bins for few scores it is above 0 even without any information. Fewer than ten targets
    leave no bin and give 0, as the challenge's program does. Infinite scores have no bins:
    "undefined".

    Source: Maouche et al., 2020.

    Parameters
    ----------
    target, nontarget : array (T,), array (N,)
    omega : float
        The prior ratio of targets and nontargets.
    bins : Bins, optional
        By default histogram_bins of these scores.
    """
    target, nontarget = as_scores(target, "target"), as_scores(nontarget, "nontarget")
    if np.isinf(target).any() or np.isinf(nontarget).any():
        return UNDEFINED
    bins = bins or histogram_bins(target=target, nontarget=nontarget)
    if not bins:
        return 0.0
    density, edges = np.histogram(target, bins.number, bins.limits, density=True)
    other, _ = np.histogram(nontarget, bins.number, bins.limits, density=True)
    both = omega * density + other
    link = np.divide(omega * density - other, both, out=np.zeros(len(both)), where=both > 0)
    centres = (edges[:-1] + edges[1:]) / 2
    return float(np.trapezoid(np.maximum(0, link) * density, centres))


def histogram_bins(*, target: Scores, nontarget: Scores) -> Bins | None:
    """Bins of linkability_vpc: min(T // 10, 100) between the lowest and the highest score.

    None for fewer than ten targets or infinite scores.
    """
    scores = np.concatenate([target, nontarget])
    limits = (scores.min(), scores.max())
    number = min(len(target) // 10, 100)
    return Bins(number, limits) if number and np.isfinite(limits).all() else None


def roc_hull(blocks: Blocks) -> tuple[Floats, Floats]:
    """Vertices (B + 1,) of the ROC's convex hull: missed targets and accepted nontargets, rates."""
    misses = np.cumsum(np.append(0, blocks.targets))
    rejections = np.cumsum(np.append(0, blocks.nontargets))
    return misses / misses[-1], (rejections[-1] - rejections) / rejections[-1]


def tied_percent(*, target: Scores, nontarget: Scores, ties: Ties | None = None) -> float:
    """Share of trials whose score a trial of the other class has too, in percent.

    Kaldi's EER gets these wrong.
    """
    ties = ties or count_ties(target=target, nontarget=nontarget)
    mixed = (ties.targets > 0) & (ties.nontargets > 0)
    n_mixed = (ties.targets + ties.nontargets)[mixed].sum()
    return float(100 * n_mixed / (len(target) + len(nontarget)))


def warning_of_ties(*, target: Scores, nontarget: Scores) -> str:
    """What is to be said of scores that trials of both classes have; empty if they are few."""
    percent = tied_percent(target=target, nontarget=nontarget)
    if percent <= MANY_TIES_PERCENT:
        return ""
    return (
        f"{percent:.3g} % of the trials have a score that a trial of the other class has too;"
        " eer_percent (Kaldi's) counts that as errors, eer_rocch_percent is right"
    )
