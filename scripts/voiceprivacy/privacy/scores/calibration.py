"""Calibration: the log-likelihood ratios (LLRs) that an adversary reads from scores.

The oracle (pool adjacent violators, PAV) knows the labels of the very scores that it calibrates; the linear and the
isotonic calibration are trained on one set of scores and applied to another.

Conventions
-----------
* ``target`` and ``nontarget`` are 1-D arrays of scores, higher = more likely the same speaker; infinite scores are
  allowed where nothing else is said.
* LLRs are natural logarithms. Equal scores always get equal LLRs.

References
----------
Brummer and du Preez, The PAV algorithm optimizes binary proper scoring rules, 2013.
Brummer and de Villiers, The BOSARIS toolkit user guide, 2011: linear calibration, Laplace's rule of succession.
"""

import logging
from typing import NamedTuple

import numpy as np
from scipy.optimize import isotonic_regression
from scipy.special import expit

from voiceprivacy.inout.files import BadInput


class Ties(NamedTuple):
    """The G different scores in ascending order, and how many targets and nontargets (G,) have each."""

    scores: np.ndarray
    targets: np.ndarray
    nontargets: np.ndarray


class Blocks(NamedTuple):
    """PAV blocks (B,) in ascending order: score range, number of scores of each class, and their common LLR."""

    lowest: np.ndarray
    highest: np.ndarray
    targets: np.ndarray
    nontargets: np.ndarray
    llrs: np.ndarray


def as_scores(values, label):
    """Scores or LLRs of a class as an array (N,) of float64.

    Raises
    ------
    ValueError : there are none, they are no list of numbers, or one of them is NaN
    """
    values = np.asarray(values, dtype=float)
    if values.ndim != 1:
        raise ValueError(f"{label} scores must be a list (N,), not {values.shape}")
    if not len(values):
        raise ValueError(f"no {label} scores")
    if np.isnan(values).any():
        raise ValueError(f"a {label} score is not a number")
    return values


def count_ties(*, target, nontarget):
    """Sort the scores and pool equal ones (Ties)."""
    scores = np.concatenate([as_scores(target, "target"), as_scores(nontarget, "nontarget")])
    order = np.argsort(scores)
    scores = scores[order]
    first = np.flatnonzero(np.concatenate([[True], scores[1:] != scores[:-1]]))
    targets = np.add.reduceat((order < len(target)).astype(np.int64), first)
    return Ties(scores[first], targets, np.diff(first, append=len(scores)) - targets)


def pav_blocks(ties, *, laplace=False):
    """Calibrate by pool-adjacent-violators.

    Parameters
    ----------
    ties : Ties
    laplace : bool
        Add one tied target-nontarget pair below and one above all scores (Laplace's rule of succession), so that every
        LLR is finite. The pairs count in the LLRs; they are left out of the blocks' numbers and of the prior.

    Returns
    -------
    Blocks : without ``laplace`` the first LLR can be -inf and the last one inf
    """
    n_target, n_nontarget = ties.targets.sum(), ties.nontargets.sum()
    scores, targets, nontargets = _with_pairs(ties) if laplace else ties
    counts = targets + nontargets
    edges = isotonic_regression(targets / counts, weights=counts).blocks
    first, last = edges[:-1], edges[1:] - 1
    targets, nontargets = np.add.reduceat(targets, first), np.add.reduceat(nontargets, first)
    with np.errstate(divide="ignore"):  # a block of one class only: -inf or inf is the right answer
        llrs = np.log(
            (targets * n_nontarget) / (nontargets * n_target)
        )  # of integers: zero evidence is exactly 0
    if laplace:
        for pair in (0, -1):
            targets[pair] -= 1
            nontargets[pair] -= 1
    blocks = Blocks(scores[first], scores[last], targets, nontargets, llrs)
    return Blocks(*(values[targets + nontargets > 0] for values in blocks))


def oracle_blocks(*, target, nontarget, laplace=False):
    """PAV blocks of scores (Blocks)."""
    return pav_blocks(count_ties(target=target, nontarget=nontarget), laplace=laplace)


def oracle_llrs(*, target, nontarget, laplace=False):
    """Calibrate scores by pool-adjacent-violators (see pav_blocks).

    Returns
    -------
    array (T,), array (N,) : LLRs in the order of the scores; without ``laplace`` they can be infinite
    """
    blocks = oracle_blocks(target=target, nontarget=nontarget, laplace=laplace)
    return step_llrs(target, blocks), step_llrs(nontarget, blocks)


def counted_llrs(blocks):
    """The LLRs of PAV blocks as the arguments of a cost: target, nontarget and how often each LLR occurs."""
    llrs = {}
    for label, counts in (("target", blocks.targets), ("nontarget", blocks.nontargets)):
        llrs[label], llrs[f"{label}_counts"] = blocks.llrs[counts > 0], counts[counts > 0]
    return llrs


def step_llrs(scores, blocks):
    """Isotonic calibration as a step function: the LLR of the highest trained score that is not above the score."""
    block = np.searchsorted(blocks.lowest, scores, side="right") - 1
    return blocks.llrs[np.maximum(block, 0)]


def interpolated_llrs(scores, blocks):
    """Isotonic calibration with the posterior interpolated between trained scores, constant outside of them.

    ``blocks`` can hold infinite LLRs, but no infinite scores.
    """
    trained = np.stack([blocks.lowest, blocks.highest], axis=1).ravel()
    prior = np.log(blocks.targets.sum()) - np.log(blocks.nontargets.sum())
    log_odds = np.repeat(blocks.llrs + prior, 2)
    posterior = np.interp(scores, trained, expit(log_odds))
    complement = np.interp(
        scores, trained, expit(-log_odds)
    )  # not 1 - posterior, which is inexact near 1
    with np.errstate(divide="ignore"):
        return np.log(posterior) - np.log(complement) - prior


def linear_llrs(scores, calibration):
    """Linear calibration: scale * score + offset, ``calibration`` = (scale, offset)."""
    scale, offset = calibration
    scaled = (
        scale * np.asarray(scores, dtype=float) if scale else np.zeros(len(scores))
    )  # 0 * inf is not 0
    return scaled + offset


def train_linear(*, target, nontarget, target_counts=None, nontarget_counts=None, quiet=False):
    """Train the linear calibration: the logistic regression at prior 0.5, which minimises the Cllr.

    Separable scores have no finite solution; then a tied target-nontarget pair is added at the lowest and at the
    highest score (as Laplace's rule does for PAV), and unless ``quiet`` a note is logged. Equal scores give (0, 0): no
    evidence.
    ``target_counts`` and ``nontarget_counts`` say how often each score occurs (default: once).

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
            "linear calibration cannot be trained on infinite scores: make them finite or leave them out"
        )
    low, high = min(target.min(), nontarget.min()), max(target.max(), nontarget.max())
    if low == high:
        return 0.0, 0.0
    counts = [
        np.ones(len(scores)) if of is None else np.asarray(of, dtype=float)
        for scores, of in ((target, target_counts), (nontarget, nontarget_counts))
    ]
    if target.min() >= nontarget.max() or target.max() <= nontarget.min():
        logging.getLogger(__name__).log(
            logging.DEBUG if quiet else logging.WARNING,
            "note: targets and nontargets are separable, so logistic regression has no finite solution; "
            "a target and a nontarget are added at the lowest and at the highest score",
        )
        target, nontarget = np.append(target, [low, high]), np.append(nontarget, [low, high])
        counts = [np.append(of, [1, 1]) for of in counts]
    middle, half_range = low / 2 + high / 2, high / 2 - low / 2
    scale, offset = _logistic_regression(
        (target - middle) / half_range, (nontarget - middle) / half_range, *counts
    )
    return float(scale / half_range), float(offset - scale * middle / half_range)


def _with_pairs(ties):
    """Scores, targets and nontargets with a tied pair below and above all others (Laplace)."""
    scores = np.concatenate([ties.scores[:1], ties.scores, ties.scores[-1:]])
    return scores, *(
        np.concatenate([[1], counts, [1]]) for counts in (ties.targets, ties.nontargets)
    )


def _logistic_regression(target, nontarget, target_counts, nontarget_counts, iterations=200):
    """Scale and offset (2,) that minimise the Cllr, by Newton's method with halved steps where the cost would rise."""
    signs = np.repeat([1.0, -1.0], [len(target), len(nontarget)])
    weights = np.concatenate([0.5 * of / of.sum() for of in (target_counts, nontarget_counts)])
    inputs = np.stack([np.concatenate([target, nontarget]), np.ones(len(signs))], axis=1)

    def cost(parameters):
        return weights @ np.logaddexp(0, -signs * (inputs @ parameters))

    parameters = np.zeros(2)
    for _ in range(iterations):
        llrs = inputs @ parameters
        gradient = -inputs.T @ (weights * signs * expit(-signs * llrs))
        hessian = inputs.T @ (inputs * (weights * expit(llrs) * expit(-llrs))[:, None])
        step = np.linalg.lstsq(hessian, gradient)[0]
        while cost(parameters - step) > cost(parameters) and np.abs(step).max() > 1e-8:
            step /= 2
        parameters -= step
        if np.abs(step).max() <= 1e-14 * np.abs(parameters).max():
            break
    return parameters
