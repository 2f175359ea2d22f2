"""How well a speaker verifier separates targets from nontargets.

Conventions
-----------
* ``target`` (T,) and ``nontarget`` (N,) are 1-D arrays of scores, higher = more likely the same speaker.
* LLRs are natural logarithms; costs are in bits; error rates are in percent.
* Where a function takes ``blocks`` or ``ties``, they are those of the same scores if they are known already.
* Equal scores cannot be told apart: no threshold lies between them. Only Kaldi's EER knows nothing of ties.

References
----------
Brummer and du Preez, Application-independent evaluation of speaker detection, CSL 2006 (Cllr).
Brummer and de Villiers, The BOSARIS toolkit user guide, 2011 (convex hull of the ROC).
Gomez-Barrero et al., General framework to evaluate unlinkability in biometric template protection systems, IEEE TIFS
2018, https://doi.org/10.1109/TIFS.2017.2788000; Maouche et al., A comparative study of speech anonymization metrics,
Interspeech 2020 (linkability).
"""

import numpy as np

from voiceprivacy.privacy.scores.calibration import (
    as_scores,
    count_ties,
    counted_llrs,
    oracle_blocks,
    pav_blocks,
)


def assess(*, target, nontarget, p_target=0.01):
    """All verification metrics of a set of scores: {metric: value}."""
    scores = {
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


def of_sample(sample, *, bins=None):
    """The metrics of ``assess`` that have an interval, of a trials.Sample: {metric: value}.

    ``bins`` are those of the scores that the sample is drawn from (histogram_bins). Without two of them there is no
    linkability_vpc, which is 0 for one.
    """
    target = np.repeat(sample.target, sample.target_counts)
    nontarget = np.repeat(sample.nontarget, sample.nontarget_counts)
    scores, blocks = {"target": target, "nontarget": nontarget}, pav_blocks(sample.ties)
    cllr = cllr_bit(**{name: of for name, of in sample._asdict().items() if name != "ties"})
    cllr_min = cllr_min_bit(**scores, blocks=blocks)
    return {
        "eer_percent": eer_percent(**scores),
        "eer_rocch_percent": eer_rocch_percent(**scores, blocks=blocks),
        "eer_speechbrain_percent": eer_speechbrain_percent(**scores, ties=sample.ties),
        "cllr_bit": cllr,
        "cllr_min_bit": cllr_min,
        "cllr_cal_bit": cllr - cllr_min,
        "linkability": linkability(**scores, blocks=blocks),
        **(
            {"linkability_vpc": linkability_vpc(**scores, bins=bins)}
            if bins and bins[0] > 1
            else {}
        ),
    }


def eer_percent(*, target, nontarget):
    """Equal error rate exactly as Kaldi's compute-eer finds it, in percent.

    With k of the T targets below the threshold, floor(N k / T) nontargets are above it: the first k = 0 ... T - 1 at
    which the nontarget next below them is lower than target k (ascending), or the last k; EER = k / T. Ties are
    broken against the verifier: T equal scores of each class give 100 (T - 1) / T percent.
    """
    target, nontarget = (
        np.sort(as_scores(target, "target")),
        np.sort(as_scores(nontarget, "nontarget")),
    )
    k = np.arange(len(target))
    separated = nontarget[len(nontarget) - 1 - len(nontarget) * k // len(target)] < target
    separated[-1] = True
    return float(100 * np.argmax(separated) / len(target))


def eer_rocch_percent(*, target, nontarget, blocks=None):
    """Equal error rate on the convex hull of the ROC, in percent; equal scores give 50."""
    miss, false_alarm = roc_hull(blocks or oracle_blocks(target=target, nontarget=nontarget))
    gap = miss - false_alarm  # rises from -1 to 1
    after = np.argmax(gap >= 0)
    share = gap[after - 1] / (gap[after - 1] - gap[after])
    return float(100 * (miss[after - 1] + share * (miss[after] - miss[after - 1])))


def eer_speechbrain_percent(*, target, nontarget, ties=None):
    """Equal error rate as SpeechBrain takes it, in percent; equal scores give 50.

    Thresholds are the scores (those between two scores part them in the same way); a score is accepted above the
    threshold. Of all thresholds the lowest one at which the two error rates are closest; the mean of the two there.
    Two thresholds are often equally close: there SpeechBrain's single precision decides, so it decides here too.
    """
    ties = ties or count_ties(target=target, nontarget=nontarget)
    n_target, n_nontarget = ties.targets.sum(), ties.nontargets.sum()
    misses, false_alarms = np.cumsum(ties.targets), n_nontarget - np.cumsum(ties.nontargets)
    miss = misses.astype(np.float32) / np.float32(n_target)
    false_alarm = false_alarms.astype(np.float32) / np.float32(n_nontarget)
    gap = np.abs(false_alarm - miss)
    closest, *others = np.flatnonzero(gap <= gap.min() * 1.000001)
    for other in others:
        if gap[other] < abs(float(false_alarm[closest]) - float(miss[closest])):
            closest = other
    return float(50 * (misses[closest] / n_target + false_alarms[closest] / n_nontarget))


def cllr_bit(*, target, nontarget, target_counts=None, nontarget_counts=None):
    """Cost of LLRs that are taken at their word, in bits; 1 = a coin toss, 0 = perfect.

    ``target_counts`` and ``nontarget_counts`` say how often each LLR occurs (default: once). Brummer and du Preez,
    2006; Eq. 4 of Noe et al., CSL 2022.
    """
    miss = np.average(np.logaddexp(0, -as_scores(target, "target")), weights=target_counts)
    false_alarm = np.average(
        np.logaddexp(0, as_scores(nontarget, "nontarget")), weights=nontarget_counts
    )
    return float((miss + false_alarm) / (2 * np.log(2)))


def cllr_min_bit(*, target, nontarget, blocks=None):
    """Cllr after oracle calibration: what remains when only the order of the scores counts."""
    return cllr_bit(**counted_llrs(blocks or oracle_blocks(target=target, nontarget=nontarget)))


def cllr_cal_bit(*, target, nontarget):
    """What the Cllr loses to calibration: Cllr - min Cllr."""
    return cllr_bit(target=target, nontarget=nontarget) - cllr_min_bit(
        target=target, nontarget=nontarget
    )


def min_dcf(*, target, nontarget, p_target=0.01, blocks=None):
    """Lowest detection cost at a prior, both errors costing 1; 1 = no better than without scores.

    Normalised by the cost min(p, 1 - p) of always deciding the same, as NIST does.
    """
    miss, false_alarm = roc_hull(blocks or oracle_blocks(target=target, nontarget=nontarget))
    costs = p_target * miss + (1 - p_target) * false_alarm
    return float(costs.min() / min(p_target, 1 - p_target))


def linkability(*, target, nontarget, blocks=None):
    """Mean over targets of max(0, 2 sigma(l) - 1), l the oracle LLR; 0 = unlinkable, 1 = linkable.

    D_sys of Gomez-Barrero et al. at omega = 1, a lower bound where the likelihood ratio is not monotone in the score.
    """
    llrs = counted_llrs(blocks or oracle_blocks(target=target, nontarget=nontarget))
    return float(
        np.average(np.maximum(0, np.tanh(llrs["target"] / 2)), weights=llrs["target_counts"])
    )


def linkability_vpc(*, target, nontarget, omega=1.0, bins=None):
    """D_sys with the histograms of the VoicePrivacy challenge; 0 = unlinkable, 1 = linkable.

    Ratio of the two histograms in each of the ``bins`` (histogram_bins, by default those of these scores), trapezoidal
    rule over the bins' centres: with many bins for few scores it is above 0 even without any information. Fewer than
    ten targets leave no bin and give 0, as the challenge's program does; infinite scores have no bins ("undefined").
    ``omega`` is the prior ratio of targets and nontargets.
    """
    target, nontarget = as_scores(target, "target"), as_scores(nontarget, "nontarget")
    if np.isinf(target).any() or np.isinf(nontarget).any():
        return "undefined"
    bins = bins or histogram_bins(target=target, nontarget=nontarget)
    if not bins:
        return 0.0
    density, edges = np.histogram(target, *bins, density=True)
    other, _ = np.histogram(nontarget, *bins, density=True)
    both = omega * density + other
    link = np.divide(omega * density - other, both, out=np.zeros(len(both)), where=both > 0)
    return float(np.trapezoid(np.maximum(0, link) * density, (edges[:-1] + edges[1:]) / 2))


def histogram_bins(*, target, nontarget):
    """Number and range of the bins of linkability_vpc: min(T // 10, 100) between the lowest and the highest score.

    None for fewer than ten targets or infinite scores.
    """
    scores = np.concatenate([target, nontarget])
    limits = (scores.min(), scores.max())
    bins = min(len(target) // 10, 100)
    return (bins, limits) if bins and np.isfinite(limits).all() else None


def roc_hull(blocks):
    """Rates of missed targets and of accepted nontargets (B + 1,) at the vertices of the ROC's convex hull."""
    misses, rejections = (
        np.cumsum(np.append(0, blocks.targets)),
        np.cumsum(np.append(0, blocks.nontargets)),
    )
    return misses / misses[-1], (rejections[-1] - rejections) / rejections[-1]


def tied_percent(*, target, nontarget, ties=None):
    """Share of trials whose score a trial of the other class has too, in percent: what Kaldi's EER gets wrong."""
    ties = ties or count_ties(target=target, nontarget=nontarget)
    mixed = (ties.targets > 0) & (ties.nontargets > 0)
    return float(
        100 * (ties.targets + ties.nontargets)[mixed].sum() / (len(target) + len(nontarget))
    )
