"""Similarity-rank disclosure: what the rank of the true speaker among all templates gives away.

Conventions
-----------
* Ranks are 1..N, 1 = the most similar template (higher score = more similar); N is the number of templates.
* p_k is the share of test utterances whose true speaker has rank k; log2(N p_k) bits are disclosed by rank k. A value
  means little without its N: at most log2 N bits can be disclosed.

References
----------
Backstrom et al., Privacy disclosure of similarity rank in speech and language processing, 2025, section IV. Eq. 5 is
printed with the wrong sign.
"""

from typing import NamedTuple

import numpy as np

from voiceprivacy.inout.files import BadInput
from voiceprivacy.privacy.matrices import betabinomial
from voiceprivacy.privacy.scores.verification import eer_percent

TIES = ("shared", "optimistic", "pessimistic")
FITS = ("auto", *betabinomial.LOSSES)
OBSERVATIONS_PER_RANK = 5
BLOCK_ROWS = 256


class Ranks(NamedTuple):
    """Best and worst rank (R,) of the true template of every test utterance, which ties leave open, and N."""

    best: np.ndarray
    worst: np.ndarray
    n_templates: int


class Assessment(NamedTuple):
    """Metrics (JSON names), histogram p (N,), fitted gamma (N,), and remarks, one line each."""

    metrics: dict
    p: np.ndarray
    gamma: np.ndarray
    notes: list


def true_ranks(matrix):
    """Rank the template of the true speaker for every test utterance.

    Parameters
    ----------
    matrix : ScoreMatrix
        Rows are test utterances, columns templates, one per speaker.

    Returns
    -------
    Ranks

    Raises
    ------
    BadInput : no utterance, two templates of one speaker, an utterance whose speaker has none or that is its own one
    """
    true = _true_columns(matrix)
    above, at_least = np.empty_like(true), np.empty_like(true)
    for start in range(0, len(true), BLOCK_ROWS):
        block = slice(start, start + BLOCK_ROWS)
        scores = matrix.scores[block]
        own = np.take_along_axis(scores, true[block, None], axis=1)
        above[block] = np.count_nonzero(scores > own, axis=1)
        at_least[block] = np.count_nonzero(scores >= own, axis=1)
    return Ranks(above + 1, at_least, len(matrix.columns))


def histogram(ranks, *, ties="shared"):
    """Share of utterances at each rank, array (N,).

    Parameters
    ----------
    ranks : Ranks
    ties : str
        "shared": a tie spreads its weight equally over the tied ranks. "optimistic": the best of them.
        "pessimistic": the worst of them.
    """
    best = ranks.worst if ties == "pessimistic" else ranks.best
    worst = ranks.best if ties == "optimistic" else ranks.worst
    widths = worst - best + 1
    counts = np.zeros(ranks.n_templates)
    for width in np.unique(widths):
        starts = np.bincount(best[widths == width] - 1, minlength=ranks.n_templates).cumsum()
        counts += (starts - np.concatenate([np.zeros(width, dtype=int), starts[:-width]])) / width
    return counts / len(best)


def disclosure(p):
    """Statistics of rank disclosure (section IV-C of the paper) from the probability of every rank, array (N,).

    Returns
    -------
    dict
        mean_disclosure_bit, max_disclosure_bit, std_disclosure_bit, identification_rate_percent, rank_spread_percent;
        match_positive_percent, other_positive_percent: how often the rank of the true, of any other speaker's template
        is one that speaks for him (log2(N p) > 0; the true and the false positives of section VIII; undefined where
        there is no other). The rest to 100 % are the negatives.
    """
    gain = p * len(p)
    positive = gain > 1 + 1e-9  # equal to chance is not above it
    match = p[positive].sum()
    weights, bits = p[p > 0], np.log2(gain[p > 0])
    mean = weights @ bits
    return {
        "mean_disclosure_bit": float(mean),
        "max_disclosure_bit": float(bits.max()),
        "std_disclosure_bit": float(np.sqrt(weights @ (bits - mean) ** 2)),
        "identification_rate_percent": float(100 * p[0]),
        "rank_spread_percent": float(100 * np.mean(positive)),
        "match_positive_percent": float(100 * match),
        "other_positive_percent": float(100 * (positive.sum() - match) / (len(p) - 1))
        if len(p) > 1
        else "undefined",
    }


def assess(matrix, *, fit="auto", ties="shared"):
    """Rank disclosure of a score matrix: statistics of the histogram and of a fitted beta-binomial model.

    Parameters
    ----------
    matrix : ScoreMatrix
        Rows are test utterances, columns templates.
    fit : str
        ll, ms, wms, rwms or cll: the loss of the fit. "auto": ll. The headline, disclosure_bit, is the histogram's mean
        where there are at least five utterances a rank, else the model's.
    ties : str
        See histogram.

    Returns
    -------
    Assessment
    """
    p = histogram(true_ranks(matrix), ties=ties)
    return assess_histogram(p, n_utterances=len(matrix.rows), fit=fit)


def assess_histogram(p, *, n_utterances, fit="auto"):
    """Rank disclosure of a normalised histogram (see assess)."""
    model = betabinomial.fit(p, loss="ll" if fit == "auto" else fit)
    gamma = np.exp(model.log_gamma)
    of_histogram, of_model = disclosure(p), disclosure(gamma)
    enough = n_utterances >= OBSERVATIONS_PER_RANK * len(p)
    metrics = {
        "n_templates": len(p),
        "log2_n_templates_bit": float(np.log2(len(p))),
        "n_utterances": n_utterances,
        "disclosure_bit": (of_histogram if enough else of_model)["mean_disclosure_bit"],
        **of_histogram,
        **{f"model_{name}": value for name, value in of_model.items()},
        "model_alpha": _or_undefined(model.alpha),
        "model_beta": _or_undefined(model.beta),
        **_goodness(p, model.log_gamma),
    }
    if enough:
        metrics["mean_disclosure_bias_bit"] = (len(p) - 1) / (2 * n_utterances * np.log(2))
    return Assessment(metrics, p, gamma, _notes(metrics, model.limit, fit))


def model_metrics(p, *, fit="auto"):
    """Statistics of the model that is fitted to a histogram: {metric: value}."""
    model = betabinomial.fit(p, loss="ll" if fit == "auto" else fit)
    return {f"model_{name}": value for name, value in disclosure(np.exp(model.log_gamma)).items()}


def goodness_of_fits(p):
    """How well each of the five losses fits a histogram (Table III of the paper): kl_LOSS_bit and rank1_match_LOSS_bit.

    cll is undefined where no utterance has rank 1.
    """
    metrics = {}
    for loss in betabinomial.LOSSES:
        known = loss != "cll" or p[0] > 0
        found = _goodness(p, betabinomial.fit(p, loss=loss).log_gamma) if known else {}
        for name in ("kl", "rank1_match"):
            metrics[f"{name}_{loss}_bit"] = found.get(f"{name}_bit", "undefined")
    return metrics


def gallery_eer_percent(matrix):
    """Equal error rate if every test utterance is tried against every template of the gallery (Table II)."""
    true = np.zeros(matrix.scores.shape, dtype=bool)
    true[np.arange(len(true)), _true_columns(matrix)] = True
    if true.all():
        return "undefined"  # a single template
    return eer_percent(target=matrix.scores[true], nontarget=matrix.scores[~true])


def _true_columns(matrix):
    speakers, first, counts = np.unique(
        matrix.column_speakers, return_index=True, return_counts=True
    )
    if not len(matrix.rows) or not len(speakers):
        raise BadInput("there are no test utterances or no templates")
    if counts.max() > 1:
        raise BadInput(
            f"speaker '{speakers[counts.argmax()]}' has {counts.max()} templates; each needs exactly one"
        )
    place = np.minimum(np.searchsorted(speakers, matrix.row_speakers), len(speakers) - 1)
    strangers = np.flatnonzero(speakers[place] != matrix.row_speakers)
    if len(strangers):
        row = strangers[0]
        raise BadInput(
            f"utterance '{matrix.rows[row]}': its speaker '{matrix.row_speakers[row]}' has no template"
        )
    true = first[place]
    own = np.flatnonzero(matrix.column_sources[true] == matrix.row_sources)
    if len(own):
        raise BadInput(
            f"utterance '{matrix.rows[own[0]]}' is compared with itself; enrol its speaker with others"
        )
    return true


def _goodness(p, log_gamma):
    """Kullback-Leibler divergence and match of rank 1 (section IV-B of the paper), in bits."""
    with np.errstate(divide="ignore"):  # an empty rank
        log_p = np.log(p)
    divergence = p[p > 0] @ (log_p[p > 0] - log_gamma[p > 0]) / np.log(2)
    never_first = p[0] == 0 and np.isneginf(log_gamma[0])
    return {
        "kl_bit": max(0.0, float(divergence)),  # not -1e-16
        "rank1_match_bit": "undefined"
        if never_first
        else float(abs(log_p[0] - log_gamma[0]) / np.log(2)),
    }


def _or_undefined(value):
    return "undefined" if np.isnan(value) else float(value)


def _notes(metrics, limit, fit):
    notes = []
    if limit:
        notes.append(f"the best model is a limit without finite alpha and beta: {limit}")
    if metrics["n_templates"] == 1:
        notes.append("with a single template there is nothing to disclose")
    enough = metrics["n_utterances"] >= OBSERVATIONS_PER_RANK * metrics["n_templates"]
    if fit == "auto" and not enough:
        notes.append(
            f"{metrics['n_utterances']} utterances are less than {OBSERVATIONS_PER_RANK} a rank:"
            " read the model (model_), the histogram is too sparse"
        )
    return notes
