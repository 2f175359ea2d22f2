"""Calibration: the log-likelihood ratios (LLRs) read from scores, and their worth.

The oracle (pool adjacent violators, PAV) knows the labels of the very scores that it calibrates.
The linear and the isotonic calibration are trained on one set of scores and applied to another.
The empirical cross-entropy (ECE) says how much better LLRs predict than the prior alone.

Conventions
-----------
* ``target`` and ``nontarget`` are 1-D arrays, higher = more likely the same speaker: of scores
  where LLRs are made, of LLRs taken at their word where their worth is measured (``ece_bit``,
  ``cece_bit``). Infinite numbers are allowed where nothing else is said.
* LLRs and prior log-odds are natural logarithms; costs are in bits. Equal scores always get equal
  LLRs.

References
----------
Brummer and du Preez, The PAV algorithm optimizes binary proper scoring rules, 2013.
Brummer and de Villiers, The BOSARIS toolkit user guide, 2011: linear calibration, Laplace's rule of
succession.
Noe et al., Towards a unified assessment framework of speech pseudonymisation, CSL 2022,
https://doi.org/10.1016/j.csl.2021.101299: empirical cross-entropy.
"""

import logging
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import bernoulli, expit, factorial

from voiceprivacy.errors import BadInput
from voiceprivacy.privacy import Counts, Floats, Scores
from voiceprivacy.vocabulary import NO_PRIVACY_BIT

NEWTON_STEPS = 200  # at most; ordinary scores take about ten
PROFILE_LOG_ODDS = np.linspace(-10, 10, 201)  # priors of every profile (201,)

# Coefficients of Z near 0 (see _gain), where the closed form is a difference of large numbers.
_SERIES_BELOW = 1.0
_BERNOULLI = bernoulli(32)
_Z_SERIES = -(_BERNOULLI[:-1] + _BERNOULLI[1:]) / factorial(np.arange(32))
_Z_SERIES[0] = 0.0


class Ties(NamedTuple):
    """The G different scores in ascending order, and how often (G,) each class has them."""

    scores: Scores
    targets: Counts
    nontargets: Counts


class Blocks(NamedTuple):
    """PAV blocks (B,) in ascending order.

    Each has a range of scores, a number of scores of either class, and their common LLR.
    """

    lowest: Scores
    highest: Scores
    targets: Counts
    nontargets: Counts
    llrs: Scores


def as_scores(values: ArrayLike, label: str) -> Scores:
    """Scores or LLRs of a class as an array (N,).

    Raises
    ------
    ValueError : there are none, they are no list of numbers, or one of them is NaN
    """
    scores = np.asarray(values, dtype=float)
    if scores.ndim != 1:
        raise ValueError(f"{label} scores must be a list (N,), not {scores.shape}")
    if not len(scores):
        raise ValueError(f"no {label} scores")
    if np.isnan(scores).any():
        raise ValueError(f"a {label} score is not a number")
    return scores


def count_ties(*, target: Scores, nontarget: Scores) -> Ties:
    """Sort the scores (T,), (N,) and pool equal ones."""
    scores = np.concatenate([as_scores(target, "target"), as_scores(nontarget, "nontarget")])
    order = np.argsort(scores)
    scores = scores[order]
    first = np.flatnonzero(np.concatenate([[True], scores[1:] != scores[:-1]]))
    # The first positions before sorting were the targets'.
    targets = np.add.reduceat((order < len(target)).astype(np.int64), first)
    return Ties(scores[first], targets, np.diff(first, append=len(scores)) - targets)


def count_gaps(*, target: Scores, nontarget: Scores) -> Ties:
    """As count_ties, but nontargets that lie between two scores of targets are counted together.

    They get one LLR anyway. This takes a third of the memory where nontargets are many. Of each
    group the lowest score is given.
    """
    target, nontarget = as_scores(target, "target"), np.sort(as_scores(nontarget, "nontarget"))
    scores, counts = np.unique(target, return_counts=True)
    below, up_to = (np.searchsorted(nontarget, scores, side=side) for side in ("left", "right"))
    # Gap, score of targets, gap, ..., gap; some of them have no nontarget.
    starts = np.append(0, np.stack([below, up_to], axis=1))
    nontargets = np.diff(starts, append=len(nontarget))
    targets = np.zeros(len(starts), dtype=np.int64)
    targets[1::2] = counts
    lowest = nontarget[np.minimum(starts, len(nontarget) - 1)]
    lowest[1::2] = scores
    occur = targets + nontargets > 0
    return Ties(lowest[occur], targets[occur], nontargets[occur])


def pav_blocks(ties: Ties, *, laplace: bool = False) -> Blocks:
    """Calibrate by pool-adjacent-violators.

    Parameters
    ----------
    ties : Ties
    laplace : bool
        Add one tied target-nontarget pair below and one above all scores (Laplace's rule of
        succession), so that every LLR is finite. The pairs count in the LLRs. They do not count in
        the blocks' numbers, nor in the prior.

    Returns
    -------
    Blocks : without ``laplace`` the first LLR can be -inf and the last one inf

    Source: Brummer and du Preez, 2013; Laplace's rule as in the BOSARIS toolkit.
    """
    from scipy.optimize import isotonic_regression  # half a second: many jobs calibrate nothing

    n_target, n_nontarget = ties.targets.sum(), ties.nontargets.sum()
    scores, targets, nontargets = _with_pairs(ties) if laplace else ties
    counts = targets + nontargets
    edges = isotonic_regression(targets / counts, weights=counts).blocks
    first, last = edges[:-1], edges[1:] - 1
    targets, nontargets = np.add.reduceat(targets, first), np.add.reduceat(nontargets, first)
    with np.errstate(divide="ignore"):  # a block of one class only: -inf or inf is the right answer
        # Products of integers, not differences of logarithms: zero evidence is exactly 0.
        llrs = np.log((targets * n_nontarget) / (nontargets * n_target))
    if laplace:
        for pair in (0, -1):
            targets[pair] -= 1
            nontargets[pair] -= 1
    # A block that held an added pair only holds no score any more.
    filled = targets + nontargets > 0
    return Blocks(
        lowest=scores[first][filled],
        highest=scores[last][filled],
        targets=targets[filled],
        nontargets=nontargets[filled],
        llrs=llrs[filled],
    )


def oracle_blocks(*, target: Scores, nontarget: Scores, laplace: bool = False) -> Blocks:
    """PAV blocks of scores (T,), (N,); see pav_blocks."""
    return pav_blocks(count_ties(target=target, nontarget=nontarget), laplace=laplace)


def oracle_llrs(
    *, target: Scores, nontarget: Scores, laplace: bool = False
) -> tuple[Scores, Scores]:
    """Calibrate scores by pool-adjacent-violators (see pav_blocks).

    Returns
    -------
    array (T,), array (N,) : LLRs in the order of the scores; without ``laplace`` they can be
    infinite
    """
    blocks = pav_blocks(count_gaps(target=target, nontarget=nontarget), laplace=laplace)
    return step_llrs(target, blocks), step_llrs(nontarget, blocks)


def counted_llrs(blocks: Blocks) -> dict[str, Any]:
    """The LLRs of PAV blocks as the arguments of a cost: each class's LLRs and their counts."""
    llrs: dict[str, Any] = {}
    for label, counts in (("target", blocks.targets), ("nontarget", blocks.nontargets)):
        llrs[label], llrs[f"{label}_counts"] = blocks.llrs[counts > 0], counts[counts > 0]
    return llrs


def step_llrs(scores: Scores, blocks: Blocks) -> Scores:
    """Isotonic calibration of scores (N,) as a step function, array (N,).

    A score gets the LLR of the highest trained score that is not above it.
    """
    block = np.searchsorted(blocks.lowest, scores, side="right") - 1
    return blocks.llrs[np.maximum(block, 0)]


def interpolated_llrs(scores: Scores, blocks: Blocks) -> Scores:
    """Isotonic calibration of scores (N,) with interpolated posteriors, array (N,).

    The posterior is linear between trained scores and constant outside of them. ``blocks`` can hold
    infinite LLRs, but no infinite scores.
    """
    trained = np.stack([blocks.lowest, blocks.highest], axis=1).ravel()
    prior = np.log(blocks.targets.sum()) - np.log(blocks.nontargets.sum())
    log_odds = np.repeat(blocks.llrs + prior, 2)
    posterior = np.interp(scores, trained, expit(log_odds))
    # Interpolated too, because 1 - posterior is inexact where the posterior is near 1.
    complement = np.interp(scores, trained, expit(-log_odds))
    with np.errstate(divide="ignore"):
        return np.log(posterior) - np.log(complement) - prior


def linear_llrs(scores: Scores, calibration: tuple[float, float]) -> Scores:
    """Linear calibration of scores (N,): scale * score + offset.

    Parameters
    ----------
    scores : array (N,)
    calibration : scale and offset
    """
    scale, offset = calibration
    # A scale of 0 makes infinite scores no evidence as well, but 0 * inf is not 0.
    scaled = scale * np.asarray(scores, dtype=float) if scale else np.zeros(len(scores))
    return scaled + offset


def train_linear(
    *,
    target: Scores,
    nontarget: Scores,
    target_counts: Counts | None = None,
    nontarget_counts: Counts | None = None,
    quiet: bool = False,
) -> tuple[float, float]:
    """Train the linear calibration: the logistic regression at prior 0.5, which minimises the Cllr.

    Separable scores have no finite solution. Then a tied target-nontarget pair is added at the
    lowest and at the highest score, as Laplace's rule does for PAV. Equal scores give (0, 0): no
    evidence.

    Parameters
    ----------
    target, nontarget : array (T,), array (N,)
    target_counts, nontarget_counts : array (T,), array (N,), optional
        How often each score occurs (default: once).
    quiet : bool
        Whether separable scores go without a note in the log.

    Returns
    -------
    float, float : scale and offset

    Raises
    ------
    BadInput : a score is infinite
    """
    target, nontarget = as_scores(target, "target"), as_scores(nontarget, "nontarget")
    if np.isinf(target).any() or np.isinf(nontarget).any():
        raise BadInput(
            "linear calibration cannot be trained on infinite scores:"
            " make them finite or leave them out"
        )
    low, high = min(target.min(), nontarget.min()), max(target.max(), nontarget.max())
    if low == high:
        return 0.0, 0.0
    target_weights = _weights(target, target_counts)
    nontarget_weights = _weights(nontarget, nontarget_counts)
    if target.min() >= nontarget.max() or target.max() <= nontarget.min():
        logging.getLogger(__name__).log(
            logging.DEBUG if quiet else logging.WARNING,
            "note: targets and nontargets are separable, so logistic regression has no finite"
            " solution; a target and a nontarget are added at the lowest and at the highest score",
        )
        target, nontarget = np.append(target, [low, high]), np.append(nontarget, [low, high])
        target_weights = np.append(target_weights, [1, 1])
        nontarget_weights = np.append(nontarget_weights, [1, 1])
    # Scores are mapped to [-1, 1]: Newton's method then works for scores of any size.
    # (Halved before they are added: the sum of two large scores may overflow.)
    middle, half_range = low / 2 + high / 2, high / 2 - low / 2
    scale, offset = _logistic_regression(
        (target - middle) / half_range,
        (nontarget - middle) / half_range,
        target_weights,
        nontarget_weights,
    )
    return float(scale / half_range), float(offset - scale * middle / half_range)


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
        miss = counted_mean(np.logaddexp(0, -target - log_odds), target_counts)
        false_alarm = counted_mean(np.logaddexp(0, nontarget + log_odds), nontarget_counts)
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
    llrs = {"target": target, "nontarget": nontarget}
    counts = {"target_counts": target_counts, "nontarget_counts": nontarget_counts}
    return cece_bits([llrs | counts])[0]


def cece_bits(sets: Sequence[Mapping[str, Any]]) -> list[float]:
    """``cece_bit`` of several sets of LLRs, each given as its arguments.

    What LLRs gain is a series of thirty terms. So it is worked out for all of them at once: of a
    thousand replicates with a dozen LLRs each that takes a tenth of the time.
    """
    llrs: list[Floats] = []
    if not sets:
        return []
    for one in sets:
        llrs += [as_scores(one["target"], "target"), -as_scores(one["nontarget"], "nontarget")]
    ends = np.cumsum([len(values) for values in llrs])
    gains = iter(np.split(_gain(np.concatenate(llrs)), ends[:-1]))
    bits = []
    for one in sets:
        gain = counted_mean(next(gains), one.get("target_counts"))
        gain += counted_mean(next(gains), one.get("nontarget_counts"))
        bits.append(float(gain * NO_PRIVACY_BIT))
    return bits


def counted_mean(numbers: Floats, counts: Counts | None) -> float:
    """Mean of numbers (N,), each of which occurs ``counts`` times (N,), or once."""
    if counts is None:
        return numbers.mean()
    # As np.average has it, which takes four times as long for a dozen numbers.
    return np.add.reduce(numbers * counts) / np.add.reduce(counts)


def _with_pairs(ties):
    """Ties with a tied target-nontarget pair below and above all others (Laplace)."""
    return Ties(
        np.concatenate([ties.scores[:1], ties.scores, ties.scores[-1:]]),
        np.concatenate([[1], ties.targets, [1]]),
        np.concatenate([[1], ties.nontargets, [1]]),
    )


def _weights(scores, counts):
    return np.ones(len(scores)) if counts is None else np.asarray(counts, dtype=float)


def _logistic_regression(target, nontarget, target_weights, nontarget_weights):
    """Scale and offset (2,) that minimise the Cllr.

    By Newton's method, with steps that are halved where the cost would rise.
    """
    signs = np.repeat([1.0, -1.0], [len(target), len(nontarget)])
    weights = np.concatenate(
        [
            0.5 * target_weights / target_weights.sum(),
            0.5 * nontarget_weights / nontarget_weights.sum(),
        ]
    )
    inputs = np.stack([np.concatenate([target, nontarget]), np.ones(len(signs))], axis=1)

    def cost(parameters):
        return weights @ np.logaddexp(0, -signs * (inputs @ parameters))

    parameters = np.zeros(2)
    for _ in range(NEWTON_STEPS):
        llrs = inputs @ parameters
        gradient = -inputs.T @ (weights * signs * expit(-signs * llrs))
        hessian = inputs.T @ (inputs * (weights * expit(llrs) * expit(-llrs))[:, None])
        # Least squares instead of a solution: nearly separable scores have a nearly singular
        # Hessian.
        step = np.linalg.lstsq(hessian, gradient)[0]
        while cost(parameters - step) > cost(parameters) and np.abs(step).max() > 1e-8:
            step /= 2
        parameters -= step
        if np.abs(step).max() <= 1e-14 * np.abs(parameters).max():
            break
    return parameters


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
