"""The beta-binomial model of similarity ranks, for histograms that are too sparse.

Conventions
-----------
* The rank k = 1..N of the true speaker's template among N;
  gamma_k = betabinom.pmf(k - 1; N - 1, alpha, beta).
* Logarithms are natural.

Why this reading of Eq. 3
-------------------------
Rank k means that k - 1 of the other N - 1 templates are more similar than the true one: k - 1
successes in N - 1 trials, a distribution over exactly the ranks 1..N. As printed (N trials, j
successes, alpha in both beta functions) it gives rank 0 a probability and does not sum to one over
the ranks. The paper's Table II decides: with alpha and beta solved from two numbers of a column
this reading gives its other statistics, the printed one does not.

References
----------
Backstrom et al., Privacy disclosure of similarity rank in speech and language processing, 2025,
Eqs. 3 and 4, section IV-B.
"""

import functools
import itertools
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import minimize
from scipy.special import gammaln, xlog1py, xlogy

from voiceprivacy.inout.files import BadInput
from voiceprivacy.privacy import Floats

LOG_RANGE = 20.0  # of alpha and beta; further out the model is the limit to nine digits
GRID = np.linspace(-8.0, 8.0, 9)  # log alpha and log beta of the starts
CONCENTRATIONS = (0.01, 0.3, 3.0, 30.0, 1000.0)  # alpha + beta of starts with the histogram's mean
N_STARTS = 5
RANK_1_WEIGHT = 1e5  # of the constraint of the loss cll


class Fit(NamedTuple):
    """Parameters, log gamma (N,), and the name of the limit where no finite parameters are best.

    In a limit alpha and beta are 0, inf, or NaN where their value does not matter. Else ``limit``
    is empty.
    """

    alpha: float
    beta: float
    log_gamma: Floats
    limit: str


class Start(NamedTuple):
    """Where a search may begin: log alpha and log beta (2,), and the log pmf (N,) there."""

    log_parameters: Floats
    log_gamma: Floats


Loss = Callable[[Floats, Floats], tuple[float, Floats]]


def log_pmf(alpha: float, beta: float, n_templates: int) -> Floats:
    """Log probability of the ranks 1..N, array (N,).

    Products of rising factorials instead of beta functions: no cancellation of large terms, exactly
    uniform for alpha = beta = 1, and a gradient at the same price.
    """
    of_alpha, of_beta, of_both = _log_rising(alpha, beta, n_templates - 1)
    return of_alpha + of_beta[::-1] - of_both[-1]


def fit(probability: ArrayLike, *, loss: str = "ll") -> Fit:
    """Fit alpha and beta to a rank histogram, from several starts.

    Parameters
    ----------
    probability : array (N,)
        Normalised histogram.
    loss : str
        ll, ms, wms, rwms or cll: sums over ranks as in section IV-B of the paper.

    Raises
    ------
    BadInput : cll for a histogram that is empty at rank 1, which has no minimum to speak of
    """
    probability = np.asarray(probability, dtype=float)
    if loss == "cll" and probability[0] == 0:
        raise BadInput("the loss cll needs an identification at rank 1, there is none; use ll")
    if len(probability) == 1:
        return Fit(np.nan, np.nan, np.zeros(1), "single template")
    alpha, beta = _minimise(probability, LOSSES[loss])
    log_gamma = log_pmf(alpha, beta, len(probability))
    best, _ = LOSSES[loss](probability, log_gamma)
    for exact in _exact_models(alpha / (alpha + beta), len(probability)):
        exact_loss, _ = LOSSES[loss](probability, exact.log_gamma)
        if exact_loss <= best * (1 + 1e-7) + 1e-15:  # as good, up to the search's tolerance
            return exact
    return Fit(alpha, beta, log_gamma, "")


def _minimise(probability, loss):
    """Alpha and beta (2,) of the smallest loss, by several searches."""
    n_templates = len(probability)
    uniform_loss, _ = loss(probability, log_pmf(1.0, 1.0, n_templates))
    scale = max(uniform_loss, 1e-30)  # losses near 1, for the tolerances of the search

    def objective(log_parameters):
        parameters = np.exp(log_parameters)
        value, slope = loss(probability, log_pmf(*parameters, n_templates))
        return value / scale, _gradient(*parameters, slope) / scale

    starts = [*_same_mean(probability), *_grid(n_templates)]
    starts.sort(key=lambda start: loss(probability, start.log_gamma)[0])
    bounds = [(-LOG_RANGE, LOG_RANGE)] * 2
    options = {"ftol": 1e-16, "gtol": 1e-11, "maxiter": 1000}
    searches = [
        minimize(objective, start, jac=True, method="L-BFGS-B", bounds=bounds, options=options)
        for start, _ in starts[:N_STARTS]
    ]
    return np.exp(min(searches, key=lambda search: search.fun).x)


def _same_mean(probability):
    """Models that have the histogram's mean."""
    mean = np.clip(probability @ np.linspace(0, 1, len(probability)), 1e-3, 1 - 1e-3)
    both = np.array([mean, 1 - mean])
    return [_start(np.log(both * sum_), len(probability)) for sum_ in CONCENTRATIONS]


@functools.lru_cache(maxsize=1)
def _grid(n_templates):
    """The same for all histograms of a gallery: a thousand replicates ask for it."""
    return [_start(np.array(point), n_templates) for point in itertools.product(GRID, GRID)]


def _start(log_parameters, n_templates):
    return Start(log_parameters, log_pmf(*np.exp(log_parameters), n_templates))


def _gradient(alpha, beta, slope):
    """Derivatives of a loss by log alpha and log beta from those by log gamma, array (N,)."""
    of_alpha, of_beta, of_both = _rising_slope(alpha, beta, len(slope) - 1)
    by_alpha = slope @ (of_alpha - of_both[-1])
    by_beta = slope @ (of_beta[::-1] - of_both[-1])
    return np.array([alpha * by_alpha, beta * by_beta])


def _log_rising(alpha, beta, n):
    """Log of x (x + 1) ... (x + k - 1) / k! for k = 0..n, array (3, n + 1).

    The rows are of x = alpha, beta and their sum.
    """
    factors = _factors(alpha, beta, n) / np.arange(1, n + 1)
    return _sums(np.log(factors, out=factors))


def _rising_slope(alpha, beta, n):
    """Derivatives of _log_rising by x, array (3, n + 1)."""
    return _sums(1 / _factors(alpha, beta, n))


def _factors(alpha, beta, n):
    return np.add.outer([alpha, beta, alpha + beta], np.arange(n))


def _sums(terms):
    sums = np.zeros((len(terms), terms.shape[1] + 1))
    terms.cumsum(axis=1, out=sums[:, 1:])
    return sums


def _exact_models(last_probability, n_templates):
    """Models that a search meets up to rounding only: the uniform one, and the limits.

    A limit has no finite positive parameters.

    ``last_probability`` is the mean of the beta distribution, alpha / (alpha + beta).
    """
    others = np.arange(n_templates)
    binomial = (
        xlogy(others, last_probability)
        + xlog1py(others[::-1], -last_probability)
        + gammaln(n_templates)
        - gammaln(others + 1)
        - gammaln(n_templates - others)
    )
    return [
        Fit(1.0, 1.0, log_pmf(1.0, 1.0, n_templates), ""),
        Fit(0.0, np.nan, _log_ends(0.0, n_templates), "perfect identification"),
        Fit(np.nan, 0.0, _log_ends(1.0, n_templates), "always last"),
        Fit(0.0, 0.0, _log_ends(last_probability, n_templates), "first or last"),
        Fit(np.inf, np.inf, binomial, "binomial"),
    ]


def _log_ends(last_probability, n_templates):
    """Log probability of ranks that are always the first or the last, array (N,)."""
    probability = np.zeros(n_templates)
    probability[[0, -1]] = 1 - last_probability, last_probability
    with np.errstate(divide="ignore"):
        return np.log(probability)


def _log_likelihood(probability, log_gamma):
    """Loss and its derivatives by log gamma; so for all losses."""
    seen = probability > 0
    return -(probability[seen] @ log_gamma[seen]), -probability


def _constrained_log_likelihood(probability, log_gamma):
    loss, slope = _log_likelihood(probability, log_gamma)
    miss, gamma_1 = probability[0] - np.exp(log_gamma[0]), np.exp(log_gamma[0])
    slope[0] -= 2 * RANK_1_WEIGHT * miss * gamma_1
    return loss + RANK_1_WEIGHT * miss**2, slope


def _squares(probability, log_gamma, weights=1.0):
    gamma = np.exp(log_gamma)
    miss = probability - gamma
    return np.sum(weights * miss**2), -2 * weights * miss * gamma


def _weighted_squares(probability, log_gamma):
    return _squares(probability, log_gamma, probability)


def _rank_weighted_squares(probability, log_gamma):
    return _squares(probability, log_gamma, np.exp(-np.arange(1.0, len(probability) + 1)))


LOSSES: dict[str, Loss] = {
    "ll": _log_likelihood,
    "ms": _squares,
    "wms": _weighted_squares,
    "rwms": _rank_weighted_squares,
    "cll": _constrained_log_likelihood,
}
