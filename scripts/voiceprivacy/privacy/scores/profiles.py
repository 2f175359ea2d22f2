"""What the conventional pictures of a set of scores draw: numbers only, each picture's in a function of its own.

Conventions
-----------
* ``target`` (T,) and ``nontarget`` (N,) are 1-D arrays of scores, higher = more likely the same speaker.
* "actual" takes the scores at their word as LLRs (natural logarithms); "minimum" reads them after oracle calibration.
* Prior log-odds are natural logarithms; LLRs that are drawn are base 10.

References
----------
Brummer and du Preez, Application-independent evaluation of speaker detection, CSL 2006 (APE, Bayes error rate).
Brummer and de Villiers, The BOSARIS toolkit user guide, 2011 (normalised Bayes error rate, convex hull of the ROC).
Ramos and Gonzalez-Rodriguez, Reliable support: measuring calibration of likelihood ratios, Forensic Science
International 2013 (ECE and empirical calibration plots), https://doi.org/10.1016/j.forsciint.2013.04.014
"""

import numpy as np
from scipy.special import expit, logit

from voiceprivacy.privacy.scores.calibration import (
    count_ties,
    counted_llrs,
    oracle_blocks,
    oracle_llrs,
)
from voiceprivacy.privacy.scores.ece import PROFILE_LOG_ODDS, ece_bit, ece_default_bit
from voiceprivacy.privacy.scores.verification import roc_hull

MOST_BINS = 60
POSTERIOR_BINS = 20


def ece(*, target, nontarget):
    """Empirical cross-entropy at each prior: dict of ``prior_log_odds``, ``actual``, ``minimum``, ``default`` (P,)."""
    return {
        "prior_log_odds": PROFILE_LOG_ODDS,
        "actual": ece_bit(PROFILE_LOG_ODDS, target=target, nontarget=nontarget),
        "minimum": ece_bit(
            PROFILE_LOG_ODDS, **counted_llrs(oracle_blocks(target=target, nontarget=nontarget))
        ),
        "default": ece_default_bit(PROFILE_LOG_ODDS),
    }


def bayes_error(*, target, nontarget):
    """Bayes error rate at each prior (what an APE plot shows): dict like that of ``ece``.

    Decisions are those that LLRs call for at the prior, both errors costing 1; the default decides by the prior alone.
    """
    oracle = dict(
        zip(("target", "nontarget"), oracle_llrs(target=target, nontarget=nontarget), strict=True)
    )
    return {
        "prior_log_odds": PROFILE_LOG_ODDS,
        "actual": bayes_error_rate(PROFILE_LOG_ODDS, target=target, nontarget=nontarget),
        "minimum": bayes_error_rate(PROFILE_LOG_ODDS, **oracle),
        "default": expit(-np.abs(PROFILE_LOG_ODDS)),
    }


def normalised_bayes_error(*, target, nontarget):
    """Bayes error rate in proportion to the default: dict like that of ``ece``."""
    errors = bayes_error(target=target, nontarget=nontarget)
    rates = {name: errors[name] / errors["default"] for name in ("actual", "minimum", "default")}
    return {"prior_log_odds": errors["prior_log_odds"], **rates}


def bayes_error_rate(prior_log_odds, *, target, nontarget):
    """Rate of wrong decisions when LLRs are taken at their word, at each prior (P,)."""
    log_odds = np.asarray(prior_log_odds, dtype=float)
    miss = np.searchsorted(np.sort(target), -log_odds) / len(target)
    false_alarm = 1 - np.searchsorted(np.sort(nontarget), -log_odds) / len(nontarget)
    return expit(log_odds) * miss + expit(-log_odds) * false_alarm


def roc(*, target, nontarget):
    """Error rates at every threshold: ``miss``, ``false_alarm`` (K,), ``hull_miss``, ``hull_false_alarm``.

    Vertices of the curve only, from accepting everything to rejecting everything.
    """
    ties = count_ties(target=target, nontarget=nontarget)
    misses, rejections = (
        np.cumsum(np.append(0, ties.targets)),
        np.cumsum(np.append(0, ties.nontargets)),
    )
    turns = np.ones(len(misses), dtype=bool)
    turns[1:-1] = ties.targets[:-1] * ties.nontargets[1:] != ties.targets[1:] * ties.nontargets[:-1]
    hull_miss, hull_false_alarm = roc_hull(oracle_blocks(target=target, nontarget=nontarget))
    return {
        "miss": misses[turns] / misses[-1],
        "false_alarm": (rejections[-1] - rejections[turns]) / rejections[-1],
        "hull_miss": hull_miss,
        "hull_false_alarm": hull_false_alarm,
    }


def tippett(*, target, nontarget):
    """Share of trials whose LLR is at least so large (Tippett plot), of the scores and after oracle calibration.

    Returns
    -------
    dict : ``actual`` and ``oracle`` (with Laplace) -> dict of ``target`` and ``nontarget``, each base-10 LLRs in
    ascending order (K,) and shares (K,)
    """
    oracle = oracle_llrs(target=target, nontarget=nontarget, laplace=True)
    return {
        name: {
            label: _shares_above(np.asarray(llrs) / np.log(10))
            for label, llrs in zip(("target", "nontarget"), of, strict=True)
        }
        for name, of in (("actual", (target, nontarget)), ("oracle", oracle))
    }


def scores(*, target, nontarget):
    """Histograms of scores: dict of ``edges`` (B + 1,), ``target`` and ``nontarget`` (B,), densities.

    Infinite scores have no place in it and are left out of both densities, which then sum to less than 1.
    """
    target, nontarget = np.asarray(target, dtype=float), np.asarray(nontarget, dtype=float)
    finite = np.concatenate([target, nontarget])
    finite = finite[np.isfinite(finite)]
    bins = int(np.clip(np.sqrt(len(finite)), 10, MOST_BINS))
    edges = np.histogram_bin_edges(finite, bins=bins)
    densities = {
        label: np.histogram(of[np.isfinite(of)], bins=edges)[0] / (len(of) * np.diff(edges))
        for label, of in (("target", target), ("nontarget", nontarget))
    }
    return {"edges": edges, **densities}


def llrs(*, target, nontarget):
    """Histograms of base-10 LLRs after oracle calibration with Laplace: dict like that of ``scores``."""
    target_llrs, nontarget_llrs = oracle_llrs(target=target, nontarget=nontarget, laplace=True)
    return scores(target=target_llrs / np.log(10), nontarget=nontarget_llrs / np.log(10))


def calibration(*, target, nontarget):
    """How often scores keep their word: posteriors against the share of targets (Figure 4 of Noe et al., CSL 2022).

    Posteriors are those at the prior of the trial list, in bins of equal width; empty bins are left out.

    Returns
    -------
    dict : ``actual`` and ``oracle`` -> dict of the bins' mean ``posterior``, ``share`` of targets and ``trials`` (B,)
    """
    oracle = oracle_llrs(target=target, nontarget=nontarget)
    return {"actual": _reliability(target, nontarget), "oracle": _reliability(*oracle)}


PROFILES = {
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


def _shares_above(llrs):
    values, counts = np.unique(llrs, return_counts=True)
    return values, np.cumsum(counts[::-1])[::-1] / len(llrs)


def _reliability(target, nontarget):
    llrs = np.concatenate([target, nontarget]).astype(float)
    posteriors = expit(llrs + logit(len(target) / len(llrs)))
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
