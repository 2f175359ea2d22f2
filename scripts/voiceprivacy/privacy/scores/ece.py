"""Empirical cross-entropy: how much better a set of LLRs predicts than the prior alone.

Conventions
-----------
* ``target`` (T,) and ``nontarget`` (N,) are 1-D arrays of LLRs that are taken at their word.
* LLRs and prior log-odds are natural logarithms; the results are in bits.

Reference
---------
Noe et al., Towards a unified assessment framework of speech pseudonymisation, CSL 2022,
https://doi.org/10.1016/j.csl.2021.101299
"""

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import bernoulli, expit, factorial

from voiceprivacy.catalogue import NO_PRIVACY_BIT
from voiceprivacy.privacy import Counts, Floats, Scores
from voiceprivacy.privacy.scores.calibration import as_scores

PROFILE_LOG_ODDS = np.linspace(-10, 10, 201)  # priors of every profile (201,)

# Coefficients of Z near 0 (see _gain), where the closed form is a difference of large numbers.
_SERIES_BELOW = 1.0
_BERNOULLI = bernoulli(32)
_Z_SERIES = -(_BERNOULLI[:-1] + _BERNOULLI[1:]) / factorial(np.arange(32))
_Z_SERIES[0] = 0.0


def ece_bit(
    prior_log_odds: ArrayLike,
    *,
    target: ArrayLike,
    nontarget: ArrayLike,
    target_counts: Counts | None = None,
    nontarget_counts: Counts | None = None,
) -> Floats:
    """Empirical cross-entropy of LLRs, in bits, at each prior.

    ECE(pi) = pi <-log2 sigma(a + logit pi)> over targets
    + (1 - pi) <-log2 sigma(-b - logit pi)> over nontargets: Eq. 11 of Noe et al.

    Parameters
    ----------
    prior_log_odds : array (P,)
    target, nontarget : array (T,), array (N,)
    target_counts, nontarget_counts : array (T,), array (N,), optional
        How often each LLR occurs (default: once).

    Returns
    -------
    array (P,)
    """
    target, nontarget = as_scores(target, "target"), as_scores(nontarget, "nontarget")
    profile = []
    for log_odds in np.asarray(prior_log_odds):
        miss = np.average(np.logaddexp(0, -target - log_odds), weights=target_counts)
        false_alarm = np.average(np.logaddexp(0, nontarget + log_odds), weights=nontarget_counts)
        profile.append(expit(log_odds) * miss + expit(-log_odds) * false_alarm)
    return np.array(profile) / np.log(2)


def ece_default_bit(prior_log_odds: ArrayLike) -> Floats:
    """Empirical cross-entropy of perfect privacy (all LLRs 0), in bits, at each prior (P,).

    It is the entropy of the prior: Eq. 12 of Noe et al.
    """
    return ece_bit(prior_log_odds, target=[0.0], nontarget=[0.0])


def cece_bit(
    *,
    target: Scores,
    nontarget: Scores,
    target_counts: Counts | None = None,
    nontarget_counts: Counts | None = None,
) -> float:
    """Area between the ECE profiles of perfect privacy and of LLRs taken at their word, in bits.

    The expected calibration distortion C_ECE of calibrated scores (Eq. 16 of Noe et al.), by the
    closed form (Eq. 13) of the integral over all priors. It is at most 1 / (2 ln 2). It is negative
    where LLRs mislead, and -inf for a target LLR of -inf.

    Parameters
    ----------
    target, nontarget : array (T,), array (N,)
    target_counts, nontarget_counts : array (T,), array (N,), optional
        How often each LLR occurs (default: once).
    """
    gain = np.average(_gain(as_scores(target, "target")), weights=target_counts)
    gain += np.average(_gain(-as_scores(nontarget, "nontarget")), weights=nontarget_counts)
    return float(gain * NO_PRIVACY_BIT)


def _gain(llrs):
    """Z(l) = 1/2 + (l - (e^l - 1)) / (e^l - 1)^2 (Eq. 13 of Noe et al.), exact for every l.

    Near 0 by its series -sum (B_n + B_n+1) l^n / n! with the Bernoulli numbers B_n; for large l in
    powers of e^-l.
    """
    small, large = np.abs(llrs) < _SERIES_BELOW, llrs >= _SERIES_BELOW
    gain = np.polynomial.polynomial.polyval(np.where(small, llrs, 0), _Z_SERIES)
    negative = llrs[llrs <= -_SERIES_BELOW]
    odds = np.expm1(negative)
    gain[llrs <= -_SERIES_BELOW] = 0.5 + (negative - odds) / odds**2
    positive = np.minimum(llrs[large], 1000)  # e^-1000 is 0 already; inf * 0 is not
    inverse = np.exp(-positive)
    gain[large] = 0.5 + inverse * (positive * inverse - 1 + inverse) / np.expm1(-positive) ** 2
    return gain
