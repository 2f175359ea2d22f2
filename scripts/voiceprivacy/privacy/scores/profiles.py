"""What the conventional pictures of scores draw: a function for each picture, numbers only.

Conventions
-----------
* ``target`` (T,) and ``nontarget`` (N,) are 1-D arrays of scores, higher = more likely the same
  speaker.
* "actual" takes the scores at their word as LLRs (natural logarithms); "minimum" and "oracle" read
  them after oracle calibration.
* Prior log-odds are natural logarithms; LLRs that are drawn are base 10.

References
----------
Brummer and du Preez, Application-independent evaluation of speaker detection, CSL 2006 (APE, Bayes
error rate).
Brummer and de Villiers, The BOSARIS toolkit user guide, 2011 (normalised Bayes error rate, convex
hull of the ROC).
Ramos and Gonzalez-Rodriguez, Reliable support: measuring calibration of likelihood ratios, Forensic
Science International 2013 (ECE and empirical calibration plots),
https://doi.org/10.1016/j.forsciint.2013.04.014
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, logit

from voiceprivacy.privacy import Floats, Scores
from voiceprivacy.privacy.scores.calibration import (
    PROFILE_LOG_ODDS,
    count_ties,
    counted_llrs,
    ece_bit,
    ece_default_bit,
    oracle_blocks,
    oracle_llrs,
)
from voiceprivacy.privacy.scores.verification import range_of, roc_hull

MOST_BINS = 60
POSTERIOR_BINS = 20


def ece(*, target: Scores, nontarget: Scores) -> dict[str, Floats]:
    """Empirical cross-entropy in bits at each prior.

    Returns
    -------
    dict of array (P,) : ``prior_log_odds``, ``actual``, ``minimum``, ``default``
    """
    blocks = oracle_blocks(target=target, nontarget=nontarget)
    return {
        "prior_log_odds": PROFILE_LOG_ODDS,
        "actual": ece_bit(PROFILE_LOG_ODDS, target=target, nontarget=nontarget),
        "minimum": ece_bit(PROFILE_LOG_ODDS, **counted_llrs(blocks)),
        "default": ece_default_bit(PROFILE_LOG_ODDS),
    }


def bayes_error(*, target: Scores, nontarget: Scores) -> dict[str, Floats]:
    """Bayes error rate at each prior (what an APE plot shows): dict like that of ``ece``.

    Decisions are those that LLRs call for at the prior, both errors costing 1. The default decides
    by the prior alone.
    """
    # Without Laplace's rule: an infinite LLR is decided like a large one.
    target_llrs, nontarget_llrs = oracle_llrs(target=target, nontarget=nontarget)
    return {
        "prior_log_odds": PROFILE_LOG_ODDS,
        "actual": bayes_error_rate(PROFILE_LOG_ODDS, target=target, nontarget=nontarget),
        "minimum": bayes_error_rate(PROFILE_LOG_ODDS, target=target_llrs, nontarget=nontarget_llrs),
        "default": expit(-np.abs(PROFILE_LOG_ODDS)),
    }


def normalised_bayes_error(*, target: Scores, nontarget: Scores) -> dict[str, Floats]:
    """Bayes error rate in proportion to the default: dict like that of ``ece``."""
    errors = bayes_error(target=target, nontarget=nontarget)
    rates = ("actual", "minimum", "default")
    return errors | {name: errors[name] / errors["default"] for name in rates}


def bayes_error_rate(prior_log_odds: ArrayLike, *, target: Scores, nontarget: Scores) -> Floats:
    """Rate of wrong decisions when LLRs are taken at their word, at each prior (P,)."""
    log_odds = np.asarray(prior_log_odds, dtype=float)
    # Bayes decides for a target where LLR + prior log-odds >= 0: the threshold is -log_odds.
    miss = np.searchsorted(np.sort(target), -log_odds) / len(target)
    false_alarm = 1 - np.searchsorted(np.sort(nontarget), -log_odds) / len(nontarget)
    return expit(log_odds) * miss + expit(-log_odds) * false_alarm


def roc(*, target: Scores, nontarget: Scores) -> dict[str, Floats]:
    """Error rates at every threshold, from accepting everything to rejecting everything.

    Returns
    -------
    dict of array : ``miss``, ``false_alarm`` (K,) at the vertices of the curve; ``hull_miss``,
    ``hull_false_alarm`` (H,) at those of its convex hull
    """
    ties = count_ties(target=target, nontarget=nontarget)
    misses = np.cumsum(np.append(0, ties.targets))
    rejections = np.cumsum(np.append(0, ties.nontargets))
    # A vertex is where the slope changes: equal cross products are equal slopes.
    turns = np.ones(len(misses), dtype=bool)
    turns[1:-1] = ties.targets[:-1] * ties.nontargets[1:] != ties.targets[1:] * ties.nontargets[:-1]
    hull_miss, hull_false_alarm = roc_hull(oracle_blocks(target=target, nontarget=nontarget))
    return {
        "miss": misses[turns] / misses[-1],
        "false_alarm": (rejections[-1] - rejections[turns]) / rejections[-1],
        "hull_miss": hull_miss,
        "hull_false_alarm": hull_false_alarm,
    }


def tippett(*, target: Scores, nontarget: Scores) -> dict[str, dict[str, tuple[Floats, Floats]]]:
    """Share of trials whose LLR is at least so large (Tippett plot).

    Returns
    -------
    dict : ``actual`` and ``oracle`` (with Laplace) -> dict of ``target`` and ``nontarget``, each
    base-10 LLRs in ascending order (K,) and shares (K,)
    """
    oracle_target, oracle_nontarget = oracle_llrs(target=target, nontarget=nontarget, laplace=True)
    return {
        "actual": {"target": _shares_above(target), "nontarget": _shares_above(nontarget)},
        "oracle": {
            "target": _shares_above(oracle_target),
            "nontarget": _shares_above(oracle_nontarget),
        },
    }


def scores(*, target: Scores, nontarget: Scores) -> dict[str, Floats]:
    """Histograms of scores: dict of ``edges`` (B + 1,), ``target`` and ``nontarget`` (B,),
    densities.

    Infinite scores have no place in it. They are left out of both densities, which then sum to less
    than 1.
    """
    target, nontarget = np.asarray(target, dtype=float), np.asarray(nontarget, dtype=float)
    finite = np.concatenate([target, nontarget])
    finite = finite[np.isfinite(finite)]
    bins = int(np.clip(np.sqrt(len(finite)), 10, MOST_BINS))  # the square-root rule
    limits = range_of(finite, bins) if len(finite) else (0.0, 1.0)
    edges = np.histogram_bin_edges(finite, bins, limits)
    return {
        "edges": edges,
        "target": _density(target, edges),
        "nontarget": _density(nontarget, edges),
    }


def llrs(*, target: Scores, nontarget: Scores) -> dict[str, Floats]:
    """Histograms of base-10 LLRs after oracle calibration with Laplace: dict like that of
    ``scores``."""
    target_llrs, nontarget_llrs = oracle_llrs(target=target, nontarget=nontarget, laplace=True)
    return scores(target=target_llrs / np.log(10), nontarget=nontarget_llrs / np.log(10))


def calibration(*, target: Scores, nontarget: Scores) -> dict[str, dict[str, Floats]]:
    """How often scores keep their word: posteriors against the share of targets.

    Posteriors are those at the prior of the trial list, in bins of equal width. Empty bins are left
    out.
    Source: Figure 4 of Noe et al., CSL 2022.

    Returns
    -------
    dict : ``actual`` and ``oracle`` -> dict of the bins' mean ``posterior``, ``share`` of targets
    and ``trials`` (B,)
    """
    oracle = oracle_llrs(target=target, nontarget=nontarget)
    return {"actual": _reliability(target, nontarget), "oracle": _reliability(*oracle)}


PROFILES: dict[str, Callable[..., dict[str, Any]]] = {
    "ece": ece,
    "bayes_error": bayes_error,
    "normalised_bayes_error": normalised_bayes_error,
    "det": roc,
    "roc": roc,
    "tippett": tippett,
    "scores": scores,
    "llrs": llrs,
    "calibration": calibration,
}


def _shares_above(natural_llrs):
    values, counts = np.unique(np.asarray(natural_llrs) / np.log(10), return_counts=True)
    # Values ascend, so that the sum runs from the end: all that are at least so large.
    return values, np.cumsum(counts[::-1])[::-1] / len(natural_llrs)


def _density(values, edges):
    """Histogram of the finite values, in proportion to all values."""
    counts, _ = np.histogram(values[np.isfinite(values)], bins=edges)
    return counts / (len(values) * np.diff(edges))


def _reliability(target, nontarget):
    natural_llrs = np.concatenate([target, nontarget]).astype(float)
    # A posterior of 1 belongs into the last bin, not into one of its own.
    posteriors = expit(natural_llrs + logit(len(target) / len(natural_llrs)))
    bins = np.minimum((posteriors * POSTERIOR_BINS).astype(int), POSTERIOR_BINS - 1)
    trials = np.bincount(bins, minlength=POSTERIOR_BINS)
    targets = np.bincount(bins[: len(target)], minlength=POSTERIOR_BINS)
    sums = np.bincount(bins, weights=posteriors, minlength=POSTERIOR_BINS)
    used = trials > 0
    return {
        "posterior": sums[used] / trials[used],
        "share": targets[used] / trials[used],
        "trials": trials[used],
    }
