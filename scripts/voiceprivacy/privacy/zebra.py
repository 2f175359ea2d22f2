"""ZEBRA: how much private information do scores disclose, on average and at worst?

Conventions
-----------
* ``target`` (T,) and ``nontarget`` (N,) are 1-D arrays: scores where the function calibrates them itself (dece_bit,
  worst_case_log10), LLRs where it takes them at their word (ece_bit, cece_bit).
* LLRs and prior log-odds are natural logarithms; the worst case is a base-10 LLR; ECE and D_ECE are in bits.
* Where a function takes ``blocks``, they are the PAV blocks of the same scores if they are known already.

References
----------
Nautsch et al., The Privacy ZEBRA, Interspeech 2020, https://doi.org/10.21437/Interspeech.2020-1815
Noe et al., Towards a unified assessment framework of speech pseudonymisation, CSL 2022,
https://doi.org/10.1016/j.csl.2021.101299
"""

import numpy as np
from scipy.special import bernoulli, expit, factorial

from voiceprivacy.privacy.calibration import (
    count_ties,
    counted_llrs,
    interpolated_llrs,
    linear_llrs,
    oracle_blocks,
    pav_blocks,
    step_llrs,
    train_linear,
)

NO_PRIVACY_BIT = 1 / (2 * np.log(2))
TAGS = {  # Table 1 of Nautsch et al.: from which base-10 LLR on, and what it means at a flat prior
    "0": (0, "50 : 50 (flat posterior)"),
    "A": (0, "more disclosure than 50 : 50"),
    "B": (1, "one wrong in 10 to 100"),
    "C": (2, "one wrong in 100 to 10 000"),
    "D": (4, "one wrong in 10 000 to 100 000"),
    "E": (5, "one wrong in 100 000 to 1 000 000"),
    "F": (6, "one wrong in at least 1 000 000"),
}
PROFILE_LOG_ODDS = np.linspace(-10, 10, 201)
_SLACK = 1e-9  # an LLR of exactly 10, 100, ... may come out a rounding error lower
_SERIES_BELOW = 1.0
_BERNOULLI = bernoulli(32)
_Z_SERIES = -(_BERNOULLI[:-1] + _BERNOULLI[1:]) / factorial(np.arange(32))
_Z_SERIES[0] = 0.0


def assess(*, target, nontarget):
    """All ZEBRA metrics of a set of scores, and its ECE profile.

    Returns
    -------
    dict, dict of array (201,) : {metric: value}; the profile: ``prior_log_odds``, ``ece_bit`` after oracle calibration
    (without Laplace) and ``ece_default_bit`` of perfect privacy
    """
    scores = {"target": target, "nontarget": nontarget}
    ties = count_ties(**scores)
    blocks = pav_blocks(ties)
    worst = worst_case_log10(**scores, blocks=pav_blocks(ties, laplace=True))
    sizes = {"n_target": len(target), "n_nontarget": len(nontarget)}
    metrics = {
        "dece_bit": dece_bit(**scores, blocks=blocks),
        "worst_case_log10": worst,
        "worst_case_floor_log10": worst_case_floor_log10(**sizes),
        "worst_case_ceiling_log10": worst_case_ceiling_log10(**sizes),
        "tag": tag(worst),
        **sizes,
    }
    profile = {
        "prior_log_odds": PROFILE_LOG_ODDS,
        "ece_bit": ece_bit(PROFILE_LOG_ODDS, **counted_llrs(blocks)),
        "ece_default_bit": ece_default_bit(PROFILE_LOG_ODDS),
    }
    return metrics, profile


def assess_calibration(*, train, test):
    """Expected calibration distortion of each way to train a calibration on one set of scores and use it on another.

    Parameters
    ----------
    train, test : dict of array
        ``target`` and ``nontarget`` scores: two runs of the same anonymiser.

    Returns
    -------
    dict : {metric: value}
    """
    linear, blocks = train_linear(**train), oracle_blocks(**train, laplace=True)

    def distortion(calibrated, calibration):
        return cece_bit(**{label: calibrated(scores, calibration) for label, scores in test.items()})

    return {
        "cece_linear_bit": distortion(linear_llrs, linear),
        "cece_isotonic_bit": distortion(step_llrs, blocks),
        "cece_isotonic_interpolated_bit": distortion(interpolated_llrs, blocks),
    }


def ece_bit(prior_log_odds, *, target, nontarget, target_counts=None, nontarget_counts=None):
    """Empirical cross-entropy of LLRs, in bits, at each prior (P,).

    ECE(pi) = pi <-log2 sigma(a + logit pi)> over targets + (1 - pi) <-log2 sigma(-b - logit pi)> over nontargets.
    ``target_counts`` and ``nontarget_counts`` say how often each LLR occurs (default: once). Eq. 11 of Noe et al.
    """
    target, nontarget = np.asarray(target, dtype=float), np.asarray(nontarget, dtype=float)
    profile = []
    for log_odds in prior_log_odds:
        miss = np.average(np.logaddexp(0, -target - log_odds), weights=target_counts)
        false_alarm = np.average(np.logaddexp(0, nontarget + log_odds), weights=nontarget_counts)
        profile.append(expit(log_odds) * miss + expit(-log_odds) * false_alarm)
    return np.array(profile) / np.log(2)


def ece_default_bit(prior_log_odds):
    """Empirical cross-entropy of perfect privacy (all LLRs 0) in bits (P,): the prior's entropy. Noe et al., Eq. 12."""
    return ece_bit(prior_log_odds, target=[0.0], nontarget=[0.0])


def cece_bit(*, target, nontarget, target_counts=None, nontarget_counts=None):
    """Area between the ECE profiles of perfect privacy and of LLRs that are taken at their word, in bits.

    The expected calibration distortion C_ECE of calibrated scores (Eq. 16 of Noe et al.): the closed form (Eq. 13) of
    the integral over all priors. At most 1 / (2 ln 2); negative where LLRs mislead, -inf for a target LLR of -inf.
    ``target_counts`` and ``nontarget_counts`` say how often each LLR occurs (default: once).
    """
    gain = np.average(_gain(target), weights=target_counts)
    gain += np.average(_gain(-np.asarray(nontarget, dtype=float)), weights=nontarget_counts)
    return float(gain * NO_PRIVACY_BIT)


def dece_bit(*, target, nontarget, blocks=None):
    """Expected privacy disclosure D_ECE, in bits: 0 = zero evidence, 1 / (2 ln 2) = no privacy.

    Eq. 6 of Nautsch et al. = Eq. 13 of Noe et al., on oracle LLRs without Laplace.
    """
    return cece_bit(**counted_llrs(blocks or oracle_blocks(target=target, nontarget=nontarget)))


def worst_case_log10(*, target, nontarget, blocks=None):
    """Worst-case privacy disclosure: the strongest oracle LLR (with Laplace), base 10. Eq. 8 of Nautsch et al."""
    blocks = blocks or oracle_blocks(target=target, nontarget=nontarget, laplace=True)
    return float(np.abs(blocks.llrs).max() / np.log(10))


def worst_case_floor_log10(*, n_target, n_nontarget):
    """The worst case of a list of this size if all scores are equal, base 10: 0 for as many targets as nontargets."""
    few, many = sorted([n_target, n_nontarget])
    return float(np.log10((few + 1) * many / ((many + 1) * few)))


def worst_case_ceiling_log10(*, n_target, n_nontarget):
    """The worst case of a list of this size if targets and nontargets are perfectly separated, base 10."""
    above, below = (n_target + 1) * n_nontarget / n_target, (n_nontarget + 1) * n_target / n_nontarget
    return float(np.log10(max(above, below)))


def describe(metrics):
    """What the tag of ``assess`` means, and which one a list of this size can reach at most, in words."""
    highest = tag(metrics["worst_case_ceiling_log10"])
    return f"tag {metrics['tag']}: {TAGS[metrics['tag']][1]} (a list of this size can show {highest} at most)"


def tag(worst_case_log10):
    """Categorical tag 0, A ... F of a worst case (base-10 LLR). Table 1 of Nautsch et al.; 1.0 is B."""
    if worst_case_log10 == 0:
        return "0"
    return [name for name, (edge, _) in TAGS.items() if worst_case_log10 >= edge - _SLACK][-1]


def _gain(llrs):
    """Z(l) = 1/2 + (l - (e^l - 1)) / (e^l - 1)^2 (Eq. 13 of Noe et al.), exact for every l.

    Near 0 by its series -sum (B_n + B_n+1) l^n / n! with the Bernoulli numbers B_n; for large l in powers of e^-l.
    """
    llrs = np.asarray(llrs, dtype=float)
    small, large = np.abs(llrs) < _SERIES_BELOW, llrs >= _SERIES_BELOW
    gain = np.polynomial.polynomial.polyval(np.where(small, llrs, 0), _Z_SERIES)
    negative = llrs[llrs <= -_SERIES_BELOW]
    odds = np.expm1(negative)
    gain[llrs <= -_SERIES_BELOW] = 0.5 + (negative - odds) / odds**2
    positive = np.minimum(llrs[large], 1000)  # e^-1000 is 0 already; inf * 0 is not
    inverse = np.exp(-positive)
    gain[large] = 0.5 + inverse * (positive * inverse - 1 + inverse) / np.expm1(-positive) ** 2
    return gain
