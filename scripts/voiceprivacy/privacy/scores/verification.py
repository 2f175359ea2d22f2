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
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from voiceprivacy.errors import BadInput
from voiceprivacy.privacy import Classes, Counts, Floats, Metrics, Number, Scores
from voiceprivacy.privacy.scores.calibration import (
    Blocks,
    Ties,
    as_scores,
    count_ties,
    counted_llrs,
    counted_mean,
    oracle_blocks,
    pav_blocks,
)
from voiceprivacy.privacy.scores.samples import Sample, sums_between
from voiceprivacy.vocabulary import P_TARGET, UNDEFINED

WITHIN_ROUNDING = 1.000001  # times a gap in single precision
MANY_TIES_PERCENT = 1  # of the trials: with more, Kaldi's EER is noticeably off


class Bins(NamedTuple):
    """Number and range of the bins of a histogram."""

    number: int
    limits: tuple[float, float]


def assess(*, target: Scores, nontarget: Scores, p_target: float = P_TARGET) -> Metrics:
    """All verification metrics of a set of scores.

    Parameters
    ----------
    target, nontarget : array (T,), array (N,)
    p_target : float
        Prior of min_dcf.

    Raises
    ------
    BadInput : a prior that is not between 0 and 1
    """
    if not isinstance(p_target, Real) or not 0 < p_target < 1:
        raise BadInput(f"p_target: {p_target} is not between 0 and 1")
    scores: dict[str, Any] = {
        "target": np.asarray(target, dtype=float),
        "nontarget": np.asarray(nontarget, dtype=float),
    }
    ties = count_ties(**scores)
    blocks = pav_blocks(ties)
    cllr, cllr_min = cllr_bit(**scores), cllr_min_bit(**scores, blocks=blocks)
    return {
        "eer_percent": eer_percent(**scores, ties=ties),
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
    sample: Sample,
    *,
    bins: Bins | None = None,
    costs: Classes | None = None,
    blocks: Blocks | None = None,
) -> Metrics:
    """The metrics of ``assess`` that have an interval.

    Parameters
    ----------
    sample : Sample
    bins : Bins, optional
        Those of the scores that the sample is drawn from. linkability_vpc needs two of them: it is
        0 for one.
    costs : dict of array, optional
        ``llr_costs`` of the scores that the sample is drawn from, in ascending order.
    blocks : Blocks, optional
        Of the sample, without Laplace's rule.
    """
    blocks = blocks or pav_blocks(sample.ties)
    trials, weights = sample.trials, (sample.target_weights, sample.nontarget_weights)
    costs = costs or llr_costs(target=trials.target, nontarget=trials.nontarget)
    cllr = _cllr_bit(
        _mean_drawn(costs["target"], weights[0]), _mean_drawn(costs["nontarget"], weights[1])
    )
    cllr_min = cllr_bit(**counted_llrs(blocks))
    metrics: Metrics = {
        "eer_percent": _eer_percent(sample.ties),
        "eer_rocch_percent": _eer_rocch_percent(blocks),
        "eer_speechbrain_percent": _eer_speechbrain_of_sample(sample),
        "cllr_bit": cllr,
        "cllr_min_bit": cllr_min,
        "cllr_cal_bit": cllr - cllr_min,
        "linkability": _linkability(blocks),
    }
    if bins and bins.number > 1:
        edges = _edges(bins)
        counts = [
            _counts_between(edges, trials.target, weights[0]),
            _counts_between(edges, trials.nontarget, weights[1]),
        ]
        metrics["linkability_vpc"] = _linkability_of_bins(edges, *counts)
    return metrics


def resampled_metrics(*, target: Scores, nontarget: Scores) -> Callable[..., Metrics]:
    """The function ``sample_metrics`` for samples of one list, with its bins and costs."""
    return functools.partial(
        sample_metrics,
        bins=histogram_bins(target=target, nontarget=nontarget),
        costs=llr_costs(target=np.sort(target), nontarget=np.sort(nontarget)),
    )


def eer_percent(*, target: Scores, nontarget: Scores, ties: Ties | None = None) -> float:
    """Equal error rate exactly as Kaldi's compute-eer finds it, in percent.

    With k of the T targets below the threshold, floor(N k / T) nontargets are above it. Taken is
    the first k = 0 ... T - 1 at which the nontarget next below them is lower than target k
    (ascending), or the last k; EER = k / T. Ties are broken against the verifier: T equal scores of
    each class give 100 (T - 1) / T percent.
    """
    return _eer_percent(ties or count_ties(target=target, nontarget=nontarget))


def eer_rocch_percent(*, target: Scores, nontarget: Scores, blocks: Blocks | None = None) -> float:
    """Equal error rate on the convex hull of the ROC, in percent; equal scores give 50.

    Source: Brummer and de Villiers, 2011.
    """
    return _eer_rocch_percent(blocks or oracle_blocks(target=target, nontarget=nontarget))


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
    return _eer_speechbrain_percent(np.cumsum(ties.targets), np.cumsum(ties.nontargets))


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
    costs = llr_costs(target=target, nontarget=nontarget)
    miss = counted_mean(costs["target"], target_counts)
    false_alarm = counted_mean(costs["nontarget"], nontarget_counts)
    return _cllr_bit(miss, false_alarm)


def llr_costs(*, target: Scores, nontarget: Scores) -> dict[str, Floats]:
    """What each LLR (T,), (N,) of a class costs in the Cllr, in nats: {label: array}."""
    target, nontarget = as_scores(target, "target"), as_scores(nontarget, "nontarget")
    return {"target": np.logaddexp(0, -target), "nontarget": np.logaddexp(0, nontarget)}


def cllr_min_bit(*, target: Scores, nontarget: Scores, blocks: Blocks | None = None) -> float:
    """Cllr after oracle calibration, in bits: what remains when only the scores' order counts."""
    return cllr_bit(**counted_llrs(blocks or oracle_blocks(target=target, nontarget=nontarget)))


def cllr_cal_bit(*, target: Scores, nontarget: Scores) -> float:
    """What the Cllr loses to calibration, in bits: Cllr - min Cllr."""
    scores: dict[str, Any] = {"target": target, "nontarget": nontarget}
    return cllr_bit(**scores) - cllr_min_bit(**scores)


def min_dcf(
    *, target: Scores, nontarget: Scores, p_target: float = P_TARGET, blocks: Blocks | None = None
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
    return _linkability(blocks or oracle_blocks(target=target, nontarget=nontarget))


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
    counts, edges = np.histogram(target, bins.number, bins.limits)
    others, _ = np.histogram(nontarget, bins.number, bins.limits)
    return _linkability_of_bins(edges, counts, others, omega=omega)


def histogram_bins(*, target: Scores, nontarget: Scores) -> Bins | None:
    """Bins of linkability_vpc: min(T // 10, 100) between the lowest and the highest score.

    None for fewer than ten targets or infinite scores.
    """
    scores = np.concatenate([target, nontarget])
    number = min(len(target) // 10, 100)
    return Bins(number, range_of(scores, number)) if number and np.isfinite(scores).all() else None


def range_of(scores: Scores, n_bins: int) -> tuple[float, float]:
    """Lowest and highest of scores (N,); more where they differ by too little for so many bins."""
    low, high = scores.min(), scores.max()
    rounding = 2 * n_bins * np.spacing(np.abs(scores).max())
    if high - low > rounding:
        return low, high
    wider = max(0.5, rounding)  # as numpy does for equal scores
    return low - wider, high + wider


def roc_hull(blocks: Blocks) -> tuple[Floats, Floats]:
    """Vertices (B + 1,) of the ROC's convex hull: missed targets and accepted nontargets, rates."""
    misses = np.cumsum(np.append(0, blocks.targets))
    rejections = np.cumsum(np.append(0, blocks.nontargets))
    return misses / misses[-1], (rejections[-1] - rejections) / rejections[-1]


def warning_of_ties(*, target: Scores, nontarget: Scores) -> str:
    """What is to be said of scores that trials of both classes have; empty if they are few.

    Kaldi's EER gets these trials wrong.
    """
    ties = count_ties(target=target, nontarget=nontarget)
    counts = ties.targets + ties.nontargets
    mixed = (ties.targets > 0) & (ties.nontargets > 0)
    percent = 100 * counts[mixed].sum() / counts.sum()
    if percent <= MANY_TIES_PERCENT:
        return ""
    return (
        f"{percent:.3g} % of the trials have a score that a trial of the other class has too;"
        " eer_percent (Kaldi's) counts that as errors, eer_rocch_percent is right"
    )


def _eer_percent(ties: Ties) -> float:
    """Kaldi's EER; equal or neighbouring scores of one class may be counted together."""
    n_target, n_nontarget = ties.targets.sum(), ties.nontargets.sum()
    targets_below = np.cumsum(ties.targets) - ties.targets
    nontargets_below = np.cumsum(ties.nontargets) - ties.nontargets
    # Of all nontargets, floor(N k / T) are above the threshold. The next one is lower than target
    # k if so many are not below this: floor(N k / T) >= N - below, k >= T (N - below) / N.
    k = -((nontargets_below - n_nontarget) * n_target // n_nontarget)
    k = np.maximum(k, targets_below)
    separated = k < targets_below + ties.targets
    # Kaldi stops at the last target, wherever the nontargets are.
    first = k[np.argmax(separated)] if separated.any() else n_target - 1
    return float(100 * first / n_target)


def _eer_rocch_percent(blocks: Blocks) -> float:
    miss, false_alarm = roc_hull(blocks)
    # Between two vertices of the hull a verifier tosses a coin: error rates are linear there.
    gap = miss - false_alarm  # rises from -1 to 1
    after = np.argmax(gap >= 0)
    share = gap[after - 1] / (gap[after - 1] - gap[after])
    return float(100 * (miss[after - 1] + share * (miss[after] - miss[after - 1])))


def _eer_speechbrain_percent(
    misses: Counts, rejections: Counts, totals: tuple[int, int] | None = None
) -> float:
    """SpeechBrain's EER by the numbers of targets and of nontargets up to each score (G,).

    ``totals`` are the numbers of either class, if there are higher scores.
    """
    n_target, n_nontarget = totals or (int(misses[-1]), int(rejections[-1]))
    false_alarms = n_nontarget - rejections
    miss = _rates_in_single(misses, n_target)
    false_alarm = _rates_in_single(false_alarms, n_nontarget)
    gap = np.abs(false_alarm - miss)
    # SpeechBrain walks over the thresholds and compares a gap in single with one in double
    # precision.
    # Only thresholds within rounding of the smallest gap can win, so the walk is over those.
    closest, *others = np.flatnonzero(gap <= gap.min() * WITHIN_ROUNDING)
    for other in others:
        if gap[other] < abs(float(false_alarm[closest]) - float(miss[closest])):
            closest = other
    return float(50 * (misses[closest] / n_target + false_alarms[closest] / n_nontarget))


def _eer_speechbrain_of_sample(sample: Sample) -> float:
    """The same of a sample, of whose ties only those near the EER are split into single scores."""
    misses, rejections = np.cumsum(sample.ties.targets), np.cumsum(sample.ties.nontargets)
    totals = int(misses[-1]), int(rejections[-1])
    miss = _rates_in_single(misses, totals[0])
    gap = _rates_in_single(totals[1] - rejections, totals[1]) - miss  # falls from 1 to -1
    closest = np.abs(gap).min() * WITHIN_ROUNDING
    # Within ties the gap falls from that of the ties below to their own.
    first, last = int(np.argmax(gap <= closest)), int(np.count_nonzero(gap[:-1] >= -closest))
    single = sample.single(first, last)
    below = misses[first] - sample.ties.targets[first]
    rejected_below = rejections[first] - sample.ties.nontargets[first]
    return _eer_speechbrain_percent(
        below + np.cumsum(single.targets), rejected_below + np.cumsum(single.nontargets), totals
    )


def _rates_in_single(counts: Counts, total: int) -> NDArray[np.float32]:
    return counts.astype(np.float32) / np.float32(total)


def _cllr_bit(miss: float, false_alarm: float) -> float:
    """Cllr from the mean costs of either class, in nats."""
    return float((miss + false_alarm) / (2 * np.log(2)))


def _mean_drawn(costs: Floats, weights: Counts) -> float:
    """Weighted mean of costs (N,). Those that are not drawn may be infinite."""
    if weights.max() == 1:
        return float(costs[weights != 0].mean())
    drawn = np.flatnonzero(weights != 0)
    return float(counted_mean(costs[drawn], weights[drawn]))


def _linkability(blocks: Blocks) -> float:
    has_targets = blocks.targets > 0
    # tanh(l / 2) = 2 sigma(l) - 1
    local = np.maximum(0, np.tanh(blocks.llrs[has_targets] / 2))
    return float(counted_mean(local, blocks.targets[has_targets]))


@functools.lru_cache(maxsize=1)  # a thousand samples have the same
def _edges(bins: Bins) -> Floats:
    """Where bins begin and end, array (B + 1,)."""
    return np.histogram_bin_edges([], bins.number, bins.limits)


def _counts_between(edges: Floats, scores: Scores, weights: Counts) -> Counts:
    """Weights of sorted scores (N,) in each bin, (B,), as np.histogram counts them."""
    positions = np.searchsorted(scores, edges)
    positions[-1] = np.searchsorted(scores, edges[-1], side="right")  # the last bin is closed
    return sums_between(weights, positions)


def _linkability_of_bins(
    edges: Floats, targets: Counts, nontargets: Counts, *, omega: float = 1.0
) -> float:
    """linkability_vpc of the counts (B,) of both classes in bins with edges (B + 1,)."""
    widths = np.diff(edges)
    density, other = targets / widths / targets.sum(), nontargets / widths / nontargets.sum()
    both = omega * density + other
    link = np.divide(omega * density - other, both, out=np.zeros(len(both)), where=both > 0)
    centres = (edges[:-1] + edges[1:]) / 2
    return float(np.trapezoid(np.maximum(0, link) * density, centres))
