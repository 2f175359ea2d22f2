"""Galleries that are larger than the one at hand: how often the true speaker would come first.

What is measured ends at the N templates that are there. Beyond, a law is taken: the share u of all
other people who are more similar to an utterance than its own speaker. Among N templates the true
one has rank k with the chance of k - 1 of N - 1 others being more similar.

Conventions
-----------
* The law is u = Phi(-(mean + spread z)), z standard normal: it is exact where scores of both kinds
  are normal. With 100 simulated speakers it misses the rate of first ranks among 1,000 by 1 to 3
  points, the beta-binomial model by 1 to 6, and generalised Pareto tails of the nontarget scores by
  3 to 14 (tests/benchmark/larger_galleries.py).
* A tie counts half.
* Intervals are those of the jackknife over at most FOLDS groups of speakers, each left out with
  their utterances and their templates, on the scale of log odds. They hold what chance does, and
  not how far the law is from the truth.
* A gallery may be TIMES_AS_MANY times larger. Beyond, the law must have shown what it can: of ten
  parts of the speakers, the interval from each must hold what all of them show, in eight parts.
* These numbers are guesses about people who are not there. No verdict takes them.

References
----------
Backstrom et al., Privacy disclosure of similarity rank in speech and language processing, 2025,
section IV-B, for the beta-binomial model.
Vauquier et al., Legally validated evaluation framework for voice anonymization, Interspeech 2025.
"""

from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, gammaln, log_ndtr, logit, logsumexp, ndtr, ndtri, stdtrit

from voiceprivacy.inout.arrays import ScoreMatrix, restricted
from voiceprivacy.privacy import Floats
from voiceprivacy.privacy.matrices import ranks
from voiceprivacy.vocabulary import GalleryGuess

SIZES = (100, 1000, 10_000, 100_000, 1_000_000)
TIMES_AS_MANY = 10
FOLDS = 50
PARTS, PARTS_THAT_HOLD = 10, 8
FEWEST = 10  # speakers of a law
LEVEL = 0.95
MOST_SPREAD = 6.0
MOST_MEAN = 8.0
EXACT = 512  # ranks; the law's own density gives the chance of later ones
BINS = 400  # of these
STEP = 1e-4  # of derivatives
START_SPREADS = (0.5, 1.0, 2.0)  # of a search, which can end at a wrong law
GRID = np.linspace(-6, 6, 1201)
LOG_WEIGHTS = -(GRID**2) / 2 - logsumexp(-(GRID**2) / 2)


class Law(NamedTuple):
    """How the share of others who are more similar differs between utterances; see above."""

    mean: float
    log_spread: float


class Above(NamedTuple):
    """How many of ``n_others`` templates are more similar than the true one: ``counts`` (R,)."""

    counts: Floats
    n_others: int


def guesses(matrix: ScoreMatrix, *, sizes: tuple[int, ...] = SIZES) -> list[GalleryGuess]:
    """What the gallery at hand would show by its law, and larger ones that may be guessed.

    Parameters
    ----------
    matrix : ScoreMatrix
        R test utterances (rows) against the templates of N speakers.
    sizes : templates of the galleries; those that are not larger than N are left out

    Raises
    ------
    ranks.TooFewSpeakers : fewer than ten; the true template is always first, or always last
    BadInput : see ranks.true_ranks
    """
    n_templates = len(matrix.columns)
    law, covariance, degrees = _fitted(matrix)
    is_shown = any(size > TIMES_AS_MANY * n_templates for size in sizes) and law_holds(matrix)
    guessed = []
    for size in (n_templates, *(size for size in sizes if size > n_templates)):
        is_far = size > TIMES_AS_MANY * n_templates
        if is_shown or not is_far:
            first = _limits(law, covariance, degrees, size, identification)
            bits = _limits(law, covariance, degrees, size, _share_disclosed)
            most = np.log2(size)
            numbers = [100 * value for value in first] + [most * value for value in bits]
            guessed.append(GalleryGuess(size, is_far, *map(float, numbers)))
    return guessed


def law_holds(matrix: ScoreMatrix) -> bool:
    """Whether laws of a tenth of the speakers tell how often all of them would come first.

    False where there are too few speakers to see it.
    """
    speakers = np.unique(matrix.column_speakers)
    if len(speakers) < PARTS * FEWEST:
        return False
    p = ranks.histogram(ranks.true_ranks(matrix))
    n_holding = 0
    for part in range(PARTS):
        some = speakers[part::PARTS]
        rows, columns = (
            np.isin(axis, some) for axis in (matrix.row_speakers, matrix.column_speakers)
        )
        try:
            fitted = _fitted(restricted(matrix, rows, columns))
        except ranks.TooFewSpeakers:  # always first: a tenth of the speakers tells nothing
            continue
        _, low, high = _limits(*fitted, len(matrix.columns), identification)
        n_holding += low <= p[0] <= high
    return n_holding >= PARTS_THAT_HOLD


def fit(above: Above, near: Law | None = None) -> Law:
    """The likeliest law of counts; ``near`` is one that is close to it, from which it is sought.

    Raises
    ------
    ranks.TooFewSpeakers : the true template is always first, or always last
    """
    counts, weights = np.unique(above.counts, return_counts=True)
    if counts[-1] == 0 or counts[0] == above.n_others:
        always = "first" if counts[-1] == 0 else "last"
        raise ranks.TooFewSpeakers(
            f"the true speaker is always {always}, perhaps but for a few speakers:"
            " nothing tells of larger galleries"
        )

    def loss(parameters: Floats) -> tuple[float, Floats]:
        mean, spread = parameters[0], np.exp(parameters[1])
        x = mean + spread * GRID
        log_above, log_below = log_ndtr(-x), log_ndtr(x)
        others = counts[:, None]
        joint = others * log_above + (above.n_others - others) * log_below + LOG_WEIGHTS
        log_p = logsumexp(joint, axis=1, keepdims=True)
        # Mills' ratios: the derivatives of both logarithms by x.
        log_density = -(x**2) / 2 - np.log(2 * np.pi) / 2
        slope = (above.n_others - others) * np.exp(log_density - log_below)
        slope = np.exp(joint - log_p) * (slope - others * np.exp(log_density - log_above))
        by_row = np.stack([slope.sum(axis=1), (slope * spread * GRID).sum(axis=1)])
        return -float(weights @ log_p[:, 0]), -(by_row @ weights.astype(float))

    starts = [near] if near else [_with_share(above, spread) for spread in START_SPREADS]
    bounds = [(-MOST_MEAN, MOST_MEAN), (-5.0, np.log(MOST_SPREAD))]
    searches = [
        minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds) for start in starts
    ]
    return Law(*map(float, min(searches, key=lambda search: search.fun).x))


def _with_share(above, spread):
    """The law of this spread that has the counts' mean share."""
    share = np.clip(above.counts.mean() / above.n_others, 1e-6, 1 - 1e-6)
    return Law(-float(ndtri(share)) * np.sqrt(1 + spread**2), np.log(spread))


def identification(law: Law, n_templates: int) -> float:
    """The chance of the first rank among so many templates."""
    x = law.mean + np.exp(law.log_spread) * GRID
    return float(np.exp(logsumexp(LOG_WEIGHTS + (n_templates - 1) * log_ndtr(x))))


def disclosure_bit(law: Law, n_templates: int) -> float:
    """The mean disclosure of the rank among so many templates: log2 N less the ranks' entropy."""
    spread = np.exp(law.log_spread)
    x = law.mean + spread * GRID
    n_others = n_templates - 1
    k = np.arange(min(EXACT, n_templates))[:, None]
    log_choices = gammaln(n_others + 1) - gammaln(k + 1) - gammaln(n_others - k + 1)
    joint = log_choices + k * log_ndtr(-x) + (n_others - k) * log_ndtr(x) + LOG_WEIGHTS
    masses = np.exp(logsumexp(joint, axis=1))
    widths = np.ones(len(masses))
    if n_templates > EXACT:
        edges = np.geomspace(EXACT, n_templates, BINS + 1)
        shares = np.minimum(edges / n_templates, 1 - 1e-15)
        later = np.diff(ndtr((law.mean + ndtri(shares)) / spread))
        rest = max(0.0, 1 - masses.sum())
        masses = np.append(masses, later * rest / max(later.sum(), 1e-300))
        widths = np.append(widths, np.diff(edges))
    masses, widths = masses[masses > 0], widths[masses > 0]
    return float(masses @ np.log2(n_templates * masses / widths))


def _share_disclosed(law, n_templates):
    return disclosure_bit(law, n_templates) / np.log2(n_templates)


def _fitted(matrix: ScoreMatrix) -> tuple[Law, Floats, int]:
    """The law of a matrix, the covariance (2, 2) of its parameters, and degrees of freedom."""
    speakers = np.unique(matrix.row_speakers)
    if len(speakers) < FEWEST:
        raise ranks.TooFewSpeakers(
            f"{len(speakers)} speakers are tested: {FEWEST} tell of larger galleries"
        )
    true = ranks.true_columns(matrix)
    own = np.take_along_axis(matrix.scores, true[:, None], axis=1)
    is_above = (matrix.scores > own) + 0.5 * (matrix.scores == own)
    is_above[np.arange(len(true)), true] = 0
    counts = is_above.sum(axis=1)
    law = fit(Above(counts, len(matrix.columns) - 1))
    n_folds = min(FOLDS, len(speakers))
    without = []
    for fold in range(n_folds):
        left_out = speakers[fold::n_folds]
        rows = ~np.isin(matrix.row_speakers, left_out)
        columns = np.isin(matrix.column_speakers, left_out)
        fewer = counts[rows] - is_above[np.ix_(rows, columns)].sum(axis=1)
        without.append(fit(Above(fewer, int((~columns).sum()) - 1), law))
    spread = np.array(without) - np.mean(without, axis=0)
    return law, (n_folds - 1) / n_folds * spread.T @ spread, n_folds - 1


def _limits(law, covariance, degrees, n_templates, of_law):
    """(value, low, high) of a share that a law gives, by the delta method on its log odds."""

    def log_odds(mean: float, log_spread: float) -> float:
        return float(logit(np.clip(of_law(Law(mean, log_spread), n_templates), 1e-12, 1 - 1e-12)))

    value = log_odds(*law)
    slope = np.array(
        [
            log_odds(law.mean + STEP, law.log_spread) - log_odds(law.mean - STEP, law.log_spread),
            log_odds(law.mean, law.log_spread + STEP) - log_odds(law.mean, law.log_spread - STEP),
        ]
    ) / (2 * STEP)
    half = stdtrit(degrees, (1 + LEVEL) / 2) * np.sqrt(slope @ covariance @ slope)
    return tuple(map(float, expit([value, value - half, value + half])))
