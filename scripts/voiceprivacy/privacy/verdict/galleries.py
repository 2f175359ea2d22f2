"""Closed forms over random sets of speakers: who comes first, and who alone passes a threshold.

Conventions
-----------
* A set holds ``size`` N speakers: the one in question and N - 1 others, drawn from those that are
  there without drawing anybody twice.
* Numbers of others can be weighted and need not be whole.
* All arguments broadcast; results are probabilities.

Larger sets than there are speakers need an assumption: how much the share of others who are taken
for the one in question differs. Here its normal quantile is normal, as it is where scores are
normal. Two rates of smaller sets determine the law. On the twelve curves of linkability that
Vauquier et al. publish it errs half as much as a beta law would (docs/metrics/law.md).

References
----------
Vauquier et al., Legally validated evaluation framework for voice anonymization, Interspeech 2025.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln, log_ndtr, ndtri

from voiceprivacy.privacy import Floats

WIDEST_LOG_SPREAD = 6.0  # of a law; beyond, all others are alike, or pass always or never
HALVINGS = 28
CLOSEST = 1e-12  # that a mean share comes to 0 or 1
GRID = np.linspace(-7, 7, 561)
DENSITY = np.exp(-(GRID**2) / 2) / np.exp(-(GRID**2) / 2).sum()


class Law(NamedTuple):
    """Law of the share of others that come first or pass: Phi(-(mean + spread z)), z normal.

    ``mean`` and ``spread`` are (B,).
    """

    mean: Floats
    spread: Floats


def comes_first(others: ArrayLike, above: ArrayLike, tied: ArrayLike, *, size: int) -> Floats:
    """Probability that the one in question ranks first among N, ties being shared.

    C(M - k, N - 1) / C(M, N - 1) without ties. With t of them it is the mean over the t + 1 orders
    in which the one in question can stand among the tied, which sums to
    (C(M - k + 1, N) - C(M - k - t, N)) / ((t + 1) C(M, N - 1)).

    Parameters
    ----------
    others, above, tied : array
        Numbers M of others, k of those above the one in question, t of those equal to it.
    size : int
        N, at most M + 1.
    """
    others, above, tied = np.broadcast_arrays(
        *(np.asarray(number, dtype=float) for number in (others, above, tied))
    )
    sets = _log_choose(others, size - 1)
    below = others - above - tied
    chance = np.array(np.exp(_log_choose(below, size - 1) - sets))
    shared = tied > 0
    if shared.any():
        n_tied, sets, below = tied[shared], sets[shared], below[shared]
        high = np.exp(_log_choose(below + n_tied + 1, size) - sets)
        low = np.exp(_log_choose(below, size) - sets)
        chance[shared] = (high - low) / (n_tied + 1)
    return np.clip(chance, 0.0, 1.0)


def nobody_passes(others: ArrayLike, passing: ArrayLike, *, size: int) -> Floats:
    """Probability that none of the N - 1 others is one of the k of M that pass."""
    others, passing = np.asarray(others, dtype=float), np.asarray(passing, dtype=float)
    chance = np.exp(_log_choose(others - passing, size - 1) - _log_choose(others, size - 1))
    return np.clip(chance, 0.0, 1.0)


def one_passes(others: ArrayLike, passing: ArrayLike, *, size: int) -> Floats:
    """Probability that exactly one of the N - 1 others is one of the k of M that pass."""
    others, passing = np.asarray(others, dtype=float), np.asarray(passing, dtype=float)
    rest = np.exp(_log_choose(others - passing, size - 2) - _log_choose(others, size - 1))
    return np.clip(passing * rest, 0.0, 1.0)


def chance_of_isolation(n_speakers: int) -> float:
    """Rate at which a predicate that knows nothing isolates one of N: (1 - 1/N)^(N - 1).

    It falls to 1/e = 36.8 %. Cohen and Nissim, Towards formalizing the GDPR's notion of singling
    out, PNAS 117, 2020.
    """
    return float((1 - 1 / n_speakers) ** (n_speakers - 1))


def fit_law(one_other: Floats, largest: Floats, *, size: int) -> Law:
    """Law under which no other passes at given rates.

    Parameters
    ----------
    one_other : array (B,)
        Rate at which a single other does not pass (sets of two).
    largest : array (B,)
        Rate at which none of the N - 1 others passes.
    size : int
        N, at least 3.

    Returns
    -------
    Law : all others alike where they differ less than by chance
    """
    rate = np.clip(np.asarray(one_other, dtype=float), CLOSEST, 1 - CLOSEST)
    low, high = np.full((2, *rate.shape), WIDEST_LOG_SPREAD) * [[-1], [1]]
    for _ in range(HALVINGS):  # the rate of larger sets rises with the spread
        middle = (low + high) / 2
        too_wide = nobody_expected(_law_of_spread(rate, np.exp(middle)), size=size) > largest
        low, high = np.where(too_wide, low, middle), np.where(too_wide, middle, high)
    return _law_of_spread(rate, np.exp((low + high) / 2))


def nobody_expected(law: Law, *, size: int) -> Floats:
    """Rate (B,) at which none of N - 1 others passes under a Law."""
    return np.exp((size - 1) * log_ndtr(_points(law))) @ DENSITY


def one_expected(law: Law, *, size: int) -> Floats:
    """Rate (B,) at which exactly one of N - 1 others passes under a Law."""
    points = _points(law)
    log_rate = np.log(size - 1) + log_ndtr(-points) + (size - 2) * log_ndtr(points)
    return np.exp(log_rate) @ DENSITY


def _law_of_spread(rate, spread):
    """The law with a given spread whose mean share is 1 - rate."""
    return Law(np.sqrt(1 + spread**2) * ndtri(rate), spread)


def _points(law):
    return law.mean[:, None] + law.spread[:, None] * GRID


def _log_choose(n, k):
    """Logarithm of C(n, k) for real n; -inf where fewer than k are there."""
    # Between k - 1 and k the gamma function goes on smoothly to 0, which whole numbers never see.
    enough = n > k - 1
    held = np.where(enough, n, k)
    logarithm = gammaln(held + 1) - gammaln(held - k + 1) - gammaln(k + 1)
    return np.where(enough, logarithm, -np.inf)
