"""Singling out and linkability among more speakers than a list has, and as curves.

What is measured is in criteria; what is beyond it is a guess from a law of the others, marked as
such and never part of a verdict.

The law says how much the share of others who are taken for the one in question differs. Its normal
quantile is assumed to be normal, as it is where scores are normal. Two rates of smaller sets
determine it. On the twelve curves of linkability that Vauquier et al. publish it errs half as much
as a beta law would (docs/metrics/law.md).

References
----------
Vauquier et al., Legally validated evaluation framework for voice anonymization, Interspeech 2025.
"""

import itertools
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.special import log_ndtr, ndtri

from voiceprivacy.privacy import Counts, Floats
from voiceprivacy.privacy.law import criteria, galleries, predicates
from voiceprivacy.privacy.law.criteria import Rate
from voiceprivacy.privacy.scores.trials import SpeakerTrials

LENGTHS = (1, 3, 10, None)  # utterances in a conversation; None: all
TIMES_AS_MANY = 10  # speakers as are there, at most, where nothing shows that a law holds
TIMES_WHERE_IT_HOLDS = 100
FEWEST_FOR_A_LAW = 3  # speakers
CHECKED_SIZES = 5
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


class Point(NamedTuple):
    """One point of a curve: N, L (None: all utterances), and whether it is beyond the speakers."""

    n_speakers: int
    length: int | None
    rate: Rate
    extrapolated: bool


def extrapolated_linkability(
    *,
    trials: SpeakerTrials,
    enrolment_id: Counts,
    trial_id: Counts,
    n_speakers: int,
    length: int | None = 1,
    weights: Counts | None = None,
    seed: int = 0,
) -> Rate:
    """Linkability among more speakers than there are; never for a verdict.

    How often a random other speaker comes first differs between conversations by a law. The rates
    among two and among all speakers that are there determine it.

    Parameters
    ----------
    trials, enrolment_id, trial_id, n_speakers, length, weights, seed
        As for linkability.

    Returns
    -------
    Rate : up to ten times as many speakers as are there. Up to a hundred times where the law of a
        tenth of them predicts the rates of the rest within their 95 % intervals.
    """
    drawn = criteria.with_everybody(len(trials.speakers), weights)
    rows, reason = galleries.joined(trials, enrolment_id, trial_id, length, seed)
    if reason:
        return criteria.undefined(reason, drawn)
    contests = criteria.contests_of(rows, len(trials.speakers))
    largest = criteria.largest_gallery(contests)
    if n_speakers <= largest:
        return criteria.settled(criteria.linked(contests, n_speakers, drawn))
    reason = _too_far(largest, n_speakers)
    if reason and largest * TIMES_WHERE_IT_HOLDS >= n_speakers and _predicts(contests, drawn):
        reason = ""
    if reason:
        return criteria.undefined(reason, drawn)
    fitted = _law_of(contests, largest, drawn)
    expected = nobody_expected(fitted, size=n_speakers)
    return criteria.settled(expected, f"extrapolated from {largest} speakers")


def extrapolated_singling_out(
    *,
    trials: SpeakerTrials,
    enrolment_id: Counts,
    trial_id: Counts,
    n_speakers: int,
    length: int | None = 1,
    weights: Counts | None = None,
    seed: int = 0,
) -> Rate:
    """Singling out among more speakers than half of the list; never for a verdict.

    The threshold is the one for N speakers, which needs 10 N trials as ever. The share of others
    that pass differs between predicates by a law, one where the own speaker passes and one where
    not.

    Parameters
    ----------
    trials, enrolment_id, trial_id, n_speakers, length, weights, seed
        As for singling_out.

    Returns
    -------
    Rate : up to ten times as many speakers as are in a half
    """
    drawn = criteria.with_everybody(len(trials.speakers), weights)
    rows, reason = galleries.joined(trials, enrolment_id, trial_id, length, seed)
    if reason:
        return criteria.undefined(reason, drawn)
    folds = predicates.folds(rows, trials.speakers, seed=seed)
    largest = predicates.largest_half(folds)
    reason = predicates.why_not_calibrated(folds, n_speakers) or _too_far(largest, n_speakers)
    if reason:
        return criteria.undefined(reason, drawn)
    sums = np.zeros((2, 3, len(drawn)))
    for fold in folds:
        limits = predicates.thresholds(
            fold.calibration, n_speakers=n_speakers, factor=1, drawn=drawn
        )
        sums += _nobody_else(fold.other, limits, largest, drawn)
    return criteria.settled(
        _isolated_beyond(sums, largest, n_speakers), f"extrapolated from {largest} speakers"
    )


CRITERIA = {
    "linkability": (criteria.linkability, extrapolated_linkability),
    "singling_out": (criteria.singling_out, extrapolated_singling_out),
}


def curve(
    criterion: str,
    *,
    trials: SpeakerTrials,
    enrolment_id: Counts,
    trial_id: Counts,
    sizes: Sequence[int],
    lengths: Sequence[int | None] = LENGTHS,
    weights: Counts | None = None,
    seed: int = 0,
) -> list[Point]:
    """A criterion (linkability, singling_out) over N and over L, beyond the speakers too."""
    measure, extrapolate = CRITERIA[criterion]
    points = []
    for length, n_speakers in itertools.product(lengths, sizes):
        given: dict[str, Any] = {
            "trials": trials,
            "enrolment_id": enrolment_id,
            "trial_id": trial_id,
            "n_speakers": n_speakers,
            "length": length,
            "weights": weights,
            "seed": seed,
        }
        rate = measure(**given)
        measured = not np.isnan(rate.value)
        rate = rate if measured else extrapolate(**given)
        extrapolated = not measured and not np.isnan(rate.value)
        points.append(Point(n_speakers, length, rate, extrapolated))
    return points


def _too_far(largest, n_speakers):
    if largest < FEWEST_FOR_A_LAW:
        return f"{largest} speakers are too few to extrapolate from"
    if n_speakers > TIMES_AS_MANY * largest:
        return f"{n_speakers} speakers are more than ten times as many as the {largest} there"
    return ""


def _law_of(contests, size, drawn):
    return fit_law(
        criteria.linked(contests, 2, drawn), criteria.linked(contests, size, drawn), size=size
    )


def _predicts(contests, drawn):
    """Whether the law of a tenth of the speakers predicts the rates among more of them."""
    largest = criteria.largest_gallery(contests)
    part = largest // TIMES_AS_MANY
    if part < FEWEST_FOR_A_LAW or len(drawn) == 1:
        return False
    fitted = _law_of(contests, part, drawn[:1])
    for size in np.unique(np.geomspace(part, largest, CHECKED_SIZES).astype(int)):
        replicates = criteria.settled(criteria.linked(contests, size, drawn)).replicates
        low, high = np.nanquantile(replicates, (0.025, 0.975))
        if not low <= nobody_expected(fitted, size=size)[0] <= high:
            return False
    return True


def _nobody_else(attacked, limits, largest, drawn):
    """Weighted sums (2, 3, B) over cells whose own speaker passes, and over the rest.

    Of 1, and of the chances that nobody else passes in sets of two and of ``largest``.
    """
    sums = np.zeros((2, 3, len(drawn)))
    cells = predicates.in_sets(attacked, largest)
    for part in predicates.passing(cells, limits, drawn):
        two = galleries.nobody_passes(part.others, part.passing, size=2)
        most = galleries.nobody_passes(part.others, part.passing, size=largest)
        for total, own in zip(sums, (part.own, ~part.own), strict=True):
            for count, chance in zip(total, (1.0, two, most), strict=True):
                count += (part.weight * own * chance).sum(axis=0)
    return sums


def _isolated_beyond(sums, largest, n_speakers):
    """Rate of isolation (B,) among N from the sums of _nobody_else."""
    share = criteria.share(sums[:, 0], sums[:, 0].sum(axis=0))
    alone = []
    for expected, (total, two, most) in zip((nobody_expected, one_expected), sums, strict=True):
        held = np.maximum(total, 1)  # a kind of cell that is not there has no share
        fitted = fit_law(two / held, most / held, size=largest)
        alone.append(expected(fitted, size=n_speakers))
    return (share * alone).sum(axis=0)


# The law of the others.


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
