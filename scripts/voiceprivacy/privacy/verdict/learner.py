"""The attacker who learns: logistic regression, and the candidates among which they choose.

A candidate is a set of columns with a ridge. Each form of each score has a column and its damped
square; raw and doubly centred scores have ten bins too, and lines that bend, for LLRs are flat and
then rise where many persons are hidden. Products of two scores serve where attacks find nothing
alone, and everything together. The regression is class-balanced, and its prior lies on
whitened coordinates: units, rotations and the order of columns change nothing.

Reference
---------
Bruemmer and du Preez, Application-independent evaluation of speaker detection, CSL 2006.
"""

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from scipy.special import expit

from voiceprivacy.privacy import Flags, Floats

ONE_SCORE, IN_BINS, BENT = "one score", "one score in bins", "one score with bends"
FUSION, ALL, PRODUCTS = "fusion", "all", "products"
SINGLE = (ONE_SCORE, IN_BINS, BENT)  # kinds that use one score
RIDGES = (0.1, 1.0, 8.0)  # of everything
PRODUCTS_RIDGE = 8.0
MOST_PRODUCTS = 28  # that are learnt from: those of eight scores; time grows with their square
INTERCEPT_RIDGE = 1e-3
BINNED = ("raw", "both")
BENDS = (0.05, 0.25, 0.75, 0.95)  # quantiles at which a line may bend
BEND = 5  # quartile ranges; the square of a score further out grows like the score
N_STEPS = 25
SMALLEST_STEP, LARGEST_STEP = 1e-6, 5.0
NEGLIGIBLE = 1e-10  # of the largest variance: columns that depend on each other


class Candidate(NamedTuple):
    """Columns to learn from, the precision of the prior, and the kind of candidate.

    Of the columns ``perhaps`` those are used that are farthest apart in the classes.
    """

    columns: list[int]
    ridge: float
    kind: str
    perhaps: Sequence[int] = ()


def design(forms: dict[str, Floats], n_bins: int) -> tuple[Floats, list[Candidate]]:
    """All columns, array (M, C), of which the first is 1; and the candidates.

    Parameters
    ----------
    forms : {name: array (M, A)}
        Standardised scores; NaN where a trial has none, and so are its columns
    n_bins : int
        Of raw and doubly centred scores; 1 for no bins and no bends
    """
    columns = [np.ones(len(forms["raw"]))]
    candidates: list[Candidate] = []
    smooth: list[int] = []
    for name, scores in forms.items():
        linear = []
        for score in scores.T:
            column = len(columns)
            linear.append(column)
            smooth += [column, column + 1]
            columns += [score, score**2 / (1 + np.abs(score) / BEND)]
            candidates.append(Candidate([column, column + 1], 0.2, ONE_SCORE))
            if n_bins > 1 and name in BINNED:
                bins, beyond = _bins(score, n_bins), _beyond_bends(score)
                for kind, always, more in ((IN_BINS, [], bins), (BENT, [column], beyond)):
                    places = range(len(columns), len(columns) + len(more))
                    candidates.append(Candidate([*always, *places], 1.0, kind))
                    columns += more
        candidates.append(Candidate(linear[1:] and linear, 1.0, FUSION))
    candidates += [Candidate(smooth, ridge, ALL) for ridge in RIDGES]
    products = [*_products(scores)]
    numbers = [*range(len(columns), len(columns) + len(products))]
    candidates.append(Candidate(numbers and linear, PRODUCTS_RIDGE, PRODUCTS, numbers))
    columns += products
    return np.stack(columns, axis=1), [each for each in candidates if each.columns]


def _products(scores):
    """Products of each two scores (M, A), which grow like a score where both lie further out."""
    for one, other in combinations(scores.T, 2):
        product = one * other
        yield product / (1 + np.sqrt(np.abs(product)) / BEND)


def _bins(score, n_bins):
    """An indicator of each bin but the first. Bins have about as many trials; ties share one."""
    ordered = np.sort(score)
    twice_middle = sum(np.searchsorted(ordered, score, side) for side in ("left", "right"))
    number = twice_middle * n_bins // (2 * len(score))
    return [(number == each) + 0 * score for each in np.unique(number)[1:]]


def _beyond_bends(score):
    """By how much scores (M,) lie beyond some quantiles, away from the middle."""
    bends = zip(BENDS, np.nanquantile(score, BENDS), strict=True)
    return [np.maximum(score - bend if share > 0.5 else bend - score, 0) for share, bend in bends]


def fit(columns: Floats, target: Flags, weights: Floats, candidates: list[Candidate]) -> Floats:
    """Learn all candidates from the same trials.

    Parameters
    ----------
    columns : array (M, C)
        The first one is 1
    target : array (M,)
    weights : array (M,)
        With the same sum in both classes

    Returns
    -------
    array (C, K) : columns @ it are LLRs, natural logarithms, as classes are balanced
    """
    means = np.average(columns, axis=0, weights=weights)
    centred = columns - means
    slopes = np.zeros((len(means), len(candidates)))
    for number, (always, ridge, _, perhaps) in enumerate(candidates):
        places = always + _most_apart(centred, perhaps, target, weights)
        own = centred[:, places]
        variances, axes = np.linalg.eigh((own.T * weights) @ own / weights.sum())
        kept = variances > NEGLIGIBLE * max(variances.max(), NEGLIGIBLE)
        whitening = axes[:, kept] / np.sqrt(variances[kept])
        coordinates = own @ whitening
        constant, *learnt = _logistic(coordinates, target, weights, ridge)
        slopes[places, number] = whitening @ learnt
        slopes[0, number] = constant - means @ slopes[:, number]
    return slopes


def _most_apart(centred, places, target, weights):
    """The columns, at most MOST_PRODUCTS of some, whose mean differs most between the classes."""
    if len(places) <= MOST_PRODUCTS:
        return [*places]
    own = centred[:, places]
    apart = np.abs((weights * np.where(target, 1, -1)) @ own)
    deviations = np.sqrt(weights @ own**2)
    order = np.argsort(-apart / np.maximum(deviations, NEGLIGIBLE), kind="stable")
    return sorted(places[rank] for rank in order[:MOST_PRODUCTS].tolist())


def _logistic(coordinates, target, weights, ridge):
    """The intercept and slopes that are a posteriori the most likely, by Newton's method."""
    prior = np.diag([INTERCEPT_RIDGE, *[ridge] * coordinates.shape[1]])
    coordinates = np.insert(coordinates, 0, 1, axis=1)
    learnt = np.zeros(len(prior))
    for _ in range(N_STEPS):
        posterior = expit(coordinates @ learnt)
        gradient = (weights * (target - posterior)) @ coordinates - prior @ learnt
        curvature = weights * posterior * (1 - posterior)
        hessian = (coordinates.T * curvature) @ coordinates + prior
        step = np.linalg.solve(hessian, gradient)
        longest = np.abs(step).max()
        learnt += step * min(1, LARGEST_STEP / max(longest, SMALLEST_STEP))
        if longest < SMALLEST_STEP:
            break
    return learnt
