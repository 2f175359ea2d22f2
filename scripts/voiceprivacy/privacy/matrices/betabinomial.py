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
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln, xlog1py, xlogy

from voiceprivacy.errors import BadInput
from voiceprivacy.privacy import Floats

LOG_RANGE = 20.0  # of alpha and beta; further out the model is the limit to nine digits
GRID = np.array(list(itertools.product(np.linspace(-8.0, 8.0, 9), repeat=2)))  # logs of starts
CONCENTRATIONS = (0.01, 0.3, 3.0, 30.0, 1000.0)  # alpha + beta of starts with the histogram's mean
N_STARTS = 5
N_STEPS = 200
LONGEST_STEP = 4.0  # of log alpha and log beta together
NEGLIGIBLE = 1e-12  # as a step, and beside the edge
FINE_STEP = 1e-6  # Newton's next one would be too small to be seen
ROUNDING = 1e-16  # of a loss: what no step can win
SMALLEST = 1e-300  # instead of a division by zero
FLAT = 1e-14  # curvature that is rounding, of the largest
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


# Of a histogram (N,) and log gamma (..., N): losses (...), their first and their second derivatives
# by log gamma (..., N). They are sums over ranks, so mixed ones are 0.
Loss = Callable[[Floats, Floats], tuple[Floats, Floats, Floats]]


def log_pmf(alpha: Any, beta: Any, n_templates: int) -> Floats:
    """Log probability of the ranks 1..N: array (N,), or (S, N) of arrays (S,) of parameters.

    Products of rising factorials instead of beta functions: no cancellation of large terms, exactly
    uniform for alpha = beta = 1, and a gradient at the same price.
    """
    factors = _factors(alpha, beta, n_templates - 1) / np.arange(1, n_templates)
    of_alpha, of_beta, of_both = _sums(np.log(factors, out=factors))
    return of_alpha + of_beta[..., ::-1] - of_both[..., -1:]


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
    best, *_ = LOSSES[loss](probability, log_gamma)
    for exact in _exact_models(alpha / (alpha + beta), len(probability)):
        exact_loss, *_ = LOSSES[loss](probability, exact.log_gamma)
        if exact_loss <= best * (1 + 1e-7) + 1e-15:  # as good, up to the search's tolerance
            return exact
    return Fit(alpha, beta, log_gamma, "")


def _minimise(probability, loss):
    """Alpha and beta (2,) of the smallest loss, by several searches."""
    mean = np.clip(probability @ np.linspace(0, 1, len(probability)), 1e-3, 1 - 1e-3)
    same_mean = np.outer(CONCENTRATIONS, [mean, 1 - mean])
    starts = np.concatenate([np.log(same_mean), GRID])
    log_gamma = [log_pmf(*same_mean.T, len(probability)), _on_grid(len(probability))]
    losses, *_ = loss(probability, np.concatenate(log_gamma))
    best = np.argsort(losses, kind="stable")[:N_STARTS]
    points, losses = _newton(starts[best], functools.partial(_derivatives, probability, loss))
    return np.exp(points[losses.argmin()])


@functools.lru_cache(maxsize=1)
def _on_grid(n_templates):
    """Log pmf of the grid, (G, N): a gallery's speakers and replicates all ask for it."""
    return log_pmf(*np.exp(GRID).T, n_templates)


def _newton(points, derivatives):
    """Points (S, 2) where a function is smallest near each of these, and its values (S,).

    Newton's method, downhill where the function is not convex; all points move at once. A step that
    does not go down is tried again at a quarter of its length. One that leaves LOG_RANGE ends at
    its edge, and the search goes on along it.
    """
    points = np.clip(points, -LOG_RANGE, LOG_RANGE)
    values, gradients, curvatures = derivatives(points)
    reach = np.full(len(points), LONGEST_STEP)
    for _ in range(N_STEPS):
        steps = _steps(points, gradients, curvatures)
        length = np.hypot(*steps.T)
        won = -(gradients * steps).sum(axis=1)
        sizes = np.column_stack([length, np.abs(steps)])
        most = np.column_stack([reach, LOG_RANGE - points * np.sign(steps)])
        share = np.minimum(1, (most / np.maximum(sizes, SMALLEST)).min(axis=1))
        moves = (share * length > NEGLIGIBLE) & (won > ROUNDING * np.abs(values))
        if not moves.any():
            break
        there = np.clip(points + share[:, None] * steps, -LOG_RANGE, LOG_RANGE)
        value, gradient, curvature = derivatives(there)
        # Rounding may hide that a fine step goes down; it is the last one.
        fine = length < FINE_STEP
        down = moves & (fine | (value <= values))
        reach = np.where(down, LONGEST_STEP, share * length / 4) * ~(fine & down)
        points[down], values[down] = there[down], value[down]
        gradients[down], curvatures[down] = gradient[down], curvature[down]
    return points, values


def _steps(points, gradients, curvatures):
    """Newton's steps (S, 2); none over the edge of LOG_RANGE, along which the search goes on."""
    over = (np.abs(points) > LOG_RANGE - NEGLIGIBLE) & (np.sign(points) != np.sign(gradients))
    gradients = np.where(over, 0, gradients)
    curvatures = np.where(over[:, :, None] | over[:, None, :], np.eye(2), curvatures)
    sizes, axes = np.linalg.eigh(curvatures)
    sizes = np.maximum(np.abs(sizes), FLAT * np.abs(sizes).max(axis=1, keepdims=True))
    along = (gradients[:, None, :] @ axes)[:, 0]
    along = np.divide(along, sizes, out=np.zeros_like(along), where=sizes > 0)
    return -(axes @ along[:, :, None])[:, :, 0]


def _derivatives(probability, loss, log_parameters):
    """Losses (S,) at log alpha and log beta (S, 2), gradients (S, 2), second derivatives (S, 2, 2).

    The log pmf is a sum of functions of alpha, of beta, and of both together.
    """
    parameters = np.exp(log_parameters).T
    log_gamma = log_pmf(*parameters, len(probability))
    value, slope, bend = loss(probability, log_gamma)
    inverse = 1 / _factors(*parameters, len(probability) - 1)
    both = parameters[:, :, None]
    first = both * _by_parameter(_sums(inverse))
    second = both**2 * _by_parameter(-_sums(inverse**2))
    of_both = parameters.prod(axis=0) * (inverse[2] ** 2).sum(axis=1)
    gradient = (first * slope).sum(axis=2)
    pure, mixed = gradient + (second * slope).sum(axis=2), of_both * slope.sum(axis=1)
    curvature = np.einsum("isk,jsk->sij", first * bend, first)
    curvature += np.array([[pure[0], mixed], [mixed, pure[1]]]).transpose(2, 0, 1)
    return value, gradient.T, curvature


def _by_parameter(sums):
    """What log_pmf makes of derivatives (3, S, N) of its parts: by alpha and by beta, (2, S, N)."""
    of_alpha, of_beta, of_both = sums
    return np.stack([of_alpha, of_beta[:, ::-1]]) - of_both[:, -1:]


def _factors(alpha, beta, n):
    return np.add.outer([alpha, beta, alpha + beta], np.arange(n))


def _sums(terms):
    """Sums of the first k terms along the last axis, k = 0..n."""
    sums = np.zeros((*terms.shape[:-1], terms.shape[-1] + 1))
    terms.cumsum(axis=-1, out=sums[..., 1:])
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
    seen = probability > 0
    slope = np.broadcast_to(-probability, log_gamma.shape)
    loss = -(log_gamma[..., seen] * probability[seen]).sum(axis=-1)
    return loss, slope, np.zeros(log_gamma.shape)


def _constrained_log_likelihood(probability, log_gamma):
    loss, slope, bend = _log_likelihood(probability, log_gamma)
    slope = slope.copy()
    rank_1, gamma_1 = probability[0], np.exp(log_gamma[..., 0])
    slope[..., 0] -= 2 * RANK_1_WEIGHT * (rank_1 - gamma_1) * gamma_1
    bend[..., 0] -= 2 * RANK_1_WEIGHT * (rank_1 - 2 * gamma_1) * gamma_1
    return loss + RANK_1_WEIGHT * (rank_1 - gamma_1) ** 2, slope, bend


def _squares(probability, log_gamma, weights=1.0):
    gamma = np.exp(log_gamma)
    miss = probability - gamma
    slope, bend = -2 * weights * miss * gamma, -2 * weights * (miss - gamma) * gamma
    return np.sum(weights * miss**2, axis=-1), slope, bend


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
