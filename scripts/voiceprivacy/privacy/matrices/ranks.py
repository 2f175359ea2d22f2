"""Similarity-rank disclosure: what the rank of the true speaker among all templates gives away.

Conventions
-----------
* Ranks are 1..N, 1 = the most similar template (higher score = more similar); N is the number of
  templates.
* p_k is the share of test utterances whose true speaker has rank k; log2(N p_k) bits are disclosed
  by rank k. A value means little without its N: at most log2 N bits can be disclosed.
* A single speaker has few utterances, so the disclosure is that of the beta-binomial model with
  maximum likelihood. It is the only loss that works for histograms that are mostly zero, also at
  rank 1. A speaker who is always first has the limit log2 N; then the model has no finite
  parameters.

References
----------
Backstrom et al., Privacy disclosure of similarity rank in speech and language processing, 2025,
sections IV and VII. Eq. 5 is printed with the wrong sign.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from voiceprivacy.errors import BadInput
from voiceprivacy.privacy import Counts, Floats, Metrics, Number
from voiceprivacy.privacy.matrices import betabinomial, exposure
from voiceprivacy.privacy.rows import Disclosure, ScoreMatrix
from voiceprivacy.privacy.scores.verification import eer_percent
from voiceprivacy.vocabulary import UNDEFINED

TIES = ("shared", "optimistic", "pessimistic")
FITS = ("auto", *betabinomial.LOSSES)
OBSERVATIONS_PER_RANK = 5  # with fewer, a histogram is too sparse to be read directly
ROUNDING = 1e-9  # a share that equals chance is not above it
BLOCK_ROWS = 256  # matrices are compared by so many rows at a time, which saves memory


class Ranks(NamedTuple):
    """Best and worst rank (R,) of each utterance's true template; ties make them differ."""

    best: Counts
    worst: Counts
    n_templates: int


class Assessment(NamedTuple):
    """Metrics (JSON names), histogram p (N,), fitted gamma (N,), and remarks, one line each."""

    metrics: Metrics
    p: Floats
    gamma: Floats
    notes: list[str]


class Curve(NamedTuple):
    """Histogram p (N,) and model gamma (N,)."""

    p: Floats
    gamma: Floats


class RankLine(NamedTuple):
    """One rank of a Curve."""

    rank: int
    p: float
    gamma: float


def true_ranks(matrix: ScoreMatrix) -> Ranks:
    """Rank the template of the true speaker for every test utterance.

    Parameters
    ----------
    matrix : ScoreMatrix
        Rows are test utterances, columns templates, one per speaker.

    Raises
    ------
    BadInput : no utterance, two templates of one speaker, an utterance whose speaker has none or
    that is
        its own one
    """
    true = true_columns(matrix)
    above, at_least = np.empty_like(true), np.empty_like(true)
    for start in range(0, len(true), BLOCK_ROWS):
        block = slice(start, start + BLOCK_ROWS)
        scores = matrix.scores[block]
        own = np.take_along_axis(scores, true[block, None], axis=1)
        # Strictly better templates give the best rank, equal ones included the worst.
        above[block] = np.count_nonzero(scores > own, axis=1)
        at_least[block] = np.count_nonzero(scores >= own, axis=1)
    return Ranks(above + 1, at_least, len(matrix.columns))


def histogram(ranks: Ranks, *, ties: str = "shared") -> Floats:
    """Share of utterances at each rank, array (N,).

    Parameters
    ----------
    ranks : Ranks
    ties : str
        "shared": a tie spreads its weight equally over the tied ranks. "optimistic": the best of
        them. "pessimistic": the worst of them.
    """
    best = ranks.worst if ties == "pessimistic" else ranks.best
    worst = ranks.best if ties == "optimistic" else ranks.worst
    widths = worst - best + 1
    counts = np.zeros(ranks.n_templates)
    for width in np.unique(widths):
        # Ties of one width cover the ranks from their best on: a running sum of those that began.
        starts = np.bincount(best[widths == width] - 1, minlength=ranks.n_templates).cumsum()
        ended = np.concatenate([np.zeros(width, dtype=int), starts[:-width]])
        counts += (starts - ended) / width
    return counts / len(best)


def disclosure(p: Floats) -> Metrics:
    """Statistics of rank disclosure (section IV-C of the paper) from the share of every rank (N,).

    Returns
    -------
    dict
        mean_disclosure_bit, max_disclosure_bit, std_disclosure_bit, identification_rate_percent,
        rank_spread_percent; match_positive_percent, other_positive_percent: how often the rank of
        the true, of any other speaker's template is one of evidence (log2(N p) > 0). Those
        are the true and the false positives of section VIII, "undefined" where there is no other.
        The rest to 100 % are the negatives.
    """
    gain = p * len(p)
    positive = gain > 1 + ROUNDING
    match = p[positive].sum()
    weights, bits = p[p > 0], np.log2(gain[p > 0])
    mean = weights @ bits
    n_others = len(p) - 1
    return {
        "mean_disclosure_bit": float(mean),
        "max_disclosure_bit": float(bits.max()),
        "std_disclosure_bit": float(np.sqrt(weights @ (bits - mean) ** 2)),
        "identification_rate_percent": float(100 * p[0]),
        "rank_spread_percent": float(100 * np.mean(positive)),
        "match_positive_percent": float(100 * match),
        "other_positive_percent": (
            float(100 * (positive.sum() - match) / n_others) if n_others else UNDEFINED
        ),
    }


def assess(matrix: ScoreMatrix, *, fit: str = "auto", ties: str = "shared") -> Assessment:
    """Rank disclosure of a score matrix: statistics of the histogram and of a beta-binomial model.

    Parameters
    ----------
    matrix : ScoreMatrix
        Rows are test utterances, columns templates.
    fit : str
        ll, ms, wms, rwms or cll: the loss of the fit. "auto": ll. The headline, disclosure_bit, is
        the histogram's mean where there are at least five utterances a rank, else the model's.
    ties : str
        See histogram.

    Raises
    ------
    BadInput : see true_ranks; the loss cll without an utterance at rank 1
    """
    p = histogram(true_ranks(matrix), ties=ties)
    return assess_histogram(p, n_utterances=len(matrix.rows), fit=fit)


def assess_histogram(p: Floats, *, n_utterances: int, fit: str = "auto") -> Assessment:
    """Rank disclosure of a normalised histogram (N,); see assess."""
    model = betabinomial.fit(p, loss=_loss(fit))
    gamma = np.exp(model.log_gamma)
    histogram_metrics, fitted_metrics = disclosure(p), disclosure(gamma)
    enough = n_utterances >= OBSERVATIONS_PER_RANK * len(p)
    # A sparse histogram overstates disclosure: every empty rank looks like knowledge.
    headline = histogram_metrics if enough else fitted_metrics
    metrics: Metrics = {
        "n_templates": len(p),
        "log2_n_templates_bit": float(np.log2(len(p))),
        "n_utterances": n_utterances,
        "disclosure_bit": headline["mean_disclosure_bit"],
        **histogram_metrics,
        **{f"model_{name}": value for name, value in fitted_metrics.items()},
        "model_alpha": _or_undefined(model.alpha),
        "model_beta": _or_undefined(model.beta),
        **_goodness(p, model.log_gamma),
    }
    if enough:
        metrics["mean_disclosure_bias_bit"] = histogram_bias_bit(len(p), n_utterances)
    return Assessment(metrics, p, gamma, _notes(metrics, model.limit, enough))


def histogram_bias_bit(n_ranks: int, n_utterances: int) -> float:
    """How much too high the mean disclosure of a histogram of so many ranks is expected to be.

    It is the first-order bias of an entropy that is estimated from counts (Miller 1955).
    """
    return float((n_ranks - 1) / (2 * n_utterances * np.log(2)))


def model_metrics(p: Floats, *, fit: str = "auto") -> Metrics:
    """Statistics of the model that is fitted to a histogram (N,): {metric: value}."""
    model = betabinomial.fit(p, loss=_loss(fit))
    return {f"model_{name}": value for name, value in disclosure(np.exp(model.log_gamma)).items()}


def goodness_of_fits(p: Floats) -> Metrics:
    """How well each of the five losses fits a histogram (N,), in bits (Table III of the paper).

    The metrics are kl_LOSS_bit and rank1_match_LOSS_bit. cll is undefined where no utterance has
    rank 1.
    """
    metrics: Metrics = {}
    for loss in betabinomial.LOSSES:
        goodness: Metrics = {"kl_bit": UNDEFINED, "rank1_match_bit": UNDEFINED}
        if loss != "cll" or p[0] > 0:
            goodness = _goodness(p, betabinomial.fit(p, loss=loss).log_gamma)
        for name in ("kl", "rank1_match"):
            metrics[f"{name}_{loss}_bit"] = goodness[f"{name}_bit"]
    return metrics


def gallery_eer_percent(matrix: ScoreMatrix) -> Number:
    """Equal error rate if every test utterance is tried against every template (Table II).

    "undefined" for a single template.
    """
    true = np.zeros(matrix.scores.shape, dtype=bool)
    true[np.arange(len(true)), true_columns(matrix)] = True
    if true.all():
        return UNDEFINED
    scores: dict[str, Any] = {"target": matrix.scores[true], "nontarget": matrix.scores[~true]}
    return eer_percent(**scores)


def by_speaker(
    matrix: ScoreMatrix, *, ties: str = "shared"
) -> tuple[list[Disclosure], dict[str, Curve]]:
    """Fit a model to the ranks of every speaker (section VII), and one to those of all.

    Parameters
    ----------
    matrix : ScoreMatrix
        Rows are test utterances, columns templates.
    ties : str
        See histogram.

    Returns
    -------
    list of Disclosure, {speaker: Curve} : sorted by speaker
    """
    ranks = true_ranks(matrix)
    speakers, n_utterances = np.unique(matrix.row_speakers, return_counts=True)
    histograms = []
    for speaker in speakers:
        own = matrix.row_speakers == speaker
        of_speaker = Ranks(ranks.best[own], ranks.worst[own], ranks.n_templates)
        histograms.append(histogram(of_speaker, ties=ties))
    shrunken = exposure.shrink(histograms, n_utterances.tolist())
    disclosures, curves = [], {}
    for position, (speaker, p) in enumerate(zip(speakers.tolist(), histograms, strict=True)):
        model = betabinomial.fit(p)
        curves[speaker] = Curve(p, np.exp(model.log_gamma))
        modelled: dict[str, Any] = disclosure(curves[speaker].gamma)
        disclosures.append(
            Disclosure(
                speaker=speaker,
                n_utterances=int(n_utterances[position]),
                identification_rate_percent=float(100 * p[0]),
                mean_rank=float(p @ np.arange(1, len(p) + 1)),
                model_mean_disclosure_bit=modelled["mean_disclosure_bit"],
                model_alpha=_or_undefined(model.alpha),
                model_beta=_or_undefined(model.beta),
                shrunken_disclosure_bit=float(shrunken.bits[position]),
                shrunken_low_bit=float(shrunken.low[position]),
                shrunken_high_bit=float(shrunken.high[position]),
            )
        )
    return disclosures, curves


def summary(disclosures: Sequence[Disclosure]) -> Metrics:
    """Mean, standard deviation and maximum over speakers of their mean disclosure (Figure 6)."""
    bits = np.array([disclosed.model_mean_disclosure_bit for disclosed in disclosures])
    return {
        "speaker_mean_disclosure_bit": float(bits.mean()),
        "speaker_std_disclosure_bit": float(bits.std()),
        "speaker_max_disclosure_bit": float(bits.max()),
    }


def examples(disclosures: Sequence[Disclosure]) -> list[str]:
    """The speakers of the lowest, the median and the highest disclosure (Figure 7)."""
    ranking = sorted(
        disclosures,
        key=lambda disclosed: (disclosed.model_mean_disclosure_bit, disclosed.speaker),
    )
    shown = (ranking[0], ranking[len(ranking) // 2], ranking[-1])
    return list(dict.fromkeys(disclosed.speaker for disclosed in shown))


def by_rank(p: Floats, gamma: Floats) -> list[RankLine]:
    """Lines of a table of a histogram (N,) and its model (N,)."""
    lines = enumerate(zip(p, gamma, strict=True), start=1)
    return [RankLine(rank, share, modelled) for rank, (share, modelled) in lines]


def _loss(fit):
    return "ll" if fit == "auto" else fit


def true_columns(matrix: ScoreMatrix) -> Counts:
    """The column of the template of each row's speaker (R,).

    Raises
    ------
    BadInput : see true_ranks
    """
    speakers, first, counts = np.unique(
        matrix.column_speakers, return_index=True, return_counts=True
    )
    if not len(matrix.rows) or not len(speakers):
        raise BadInput("there are no test utterances or no templates")
    if counts.max() > 1:
        raise BadInput(
            f"speaker '{speakers[counts.argmax()]}' has {counts.max()} templates;"
            " each needs exactly one"
        )
    # A name behind all others would have the position len(speakers), which is none.
    position = np.minimum(np.searchsorted(speakers, matrix.row_speakers), len(speakers) - 1)
    strangers = np.flatnonzero(speakers[position] != matrix.row_speakers)
    if len(strangers):
        row = strangers[0]
        raise BadInput(
            f"utterance '{matrix.rows[row]}': its speaker '{matrix.row_speakers[row]}'"
            " has no template"
        )
    true = first[position]
    own = np.flatnonzero(matrix.column_sources[true] == matrix.row_sources)
    if len(own):
        raise BadInput(
            f"utterance '{matrix.rows[own[0]]}' is compared with itself;"
            " enrol its speaker with others"
        )
    return true


def _goodness(p: Floats, log_gamma: Floats) -> Metrics:
    """Kullback-Leibler divergence and match of rank 1 (section IV-B of the paper), in bits."""
    with np.errstate(divide="ignore"):  # an empty rank
        log_p = np.log(p)
    divergence = p[p > 0] @ (log_p[p > 0] - log_gamma[p > 0]) / np.log(2)
    never_first = p[0] == 0 and np.isneginf(log_gamma[0])  # inf - inf
    rank1_match = UNDEFINED if never_first else float(abs(log_p[0] - log_gamma[0]) / np.log(2))
    return {"kl_bit": max(0.0, float(divergence)), "rank1_match_bit": rank1_match}  # not -1e-16


def _or_undefined(value: float) -> Number:
    return UNDEFINED if np.isnan(value) else float(value)


def _notes(metrics: Mapping[str, Any], limit: str, enough: bool) -> list[str]:
    notes = []
    if limit:
        notes.append(f"the best model is a limit without finite alpha and beta: {limit}")
    if metrics["n_templates"] == 1:
        notes.append("with a single template there is nothing to disclose")
    if not enough:
        notes.append(
            f"fewer than {OBSERVATIONS_PER_RANK} utterances a rank ({metrics['n_utterances']} for"
            f" {metrics['n_templates']}): read the model (model_), the histogram is too sparse"
        )
    return notes
