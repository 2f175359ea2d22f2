"""Singling out and linkability among more speakers than a list has, and as curves.

What is measured is in law; what is beyond it is a guess from a law of the others, marked as such
and never part of a verdict.
"""

import itertools
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from voiceprivacy.privacy import Counts
from voiceprivacy.privacy.scores.trials import SpeakerTrials
from voiceprivacy.privacy.verdict import conversations, galleries, law, links, predicates, rates
from voiceprivacy.privacy.verdict.rates import Rate

LENGTHS = (1, 3, 10, None)  # utterances in a conversation; None: all
TIMES_AS_MANY = 10  # speakers as are there, at most, where nothing shows that a law holds
TIMES_WHERE_IT_HOLDS = 100
FEWEST_FOR_A_LAW = 3  # speakers
CHECKED_SIZES = 5


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

    How often a random other speaker comes first differs between conversations by a law (see
    galleries). The rates among two and among all speakers that are there determine it.

    Parameters
    ----------
    trials, enrolment_id, trial_id, n_speakers, length, weights, seed
        As for linkability.

    Returns
    -------
    Rate : up to ten times as many speakers as are there. Up to a hundred times where the law of a
        tenth of them predicts the rates of the rest within their 95 % intervals.
    """
    drawn = rates.with_everybody(len(trials.speakers), weights)
    rows, reason = conversations.joined(trials, enrolment_id, trial_id, length, seed)
    if reason:
        return rates.undefined(reason, drawn)
    contests = links.contests_of(rows, len(trials.speakers))
    largest = links.largest_gallery(contests)
    if n_speakers <= largest:
        return rates.settled(links.linked(contests, n_speakers, drawn))
    reason = _too_far(largest, n_speakers)
    if reason and largest * TIMES_WHERE_IT_HOLDS >= n_speakers and _predicts(contests, drawn):
        reason = ""
    if reason:
        return rates.undefined(reason, drawn)
    fitted = _law_of(contests, largest, drawn)
    expected = galleries.nobody_expected(fitted, size=n_speakers)
    return rates.settled(expected, f"extrapolated from {largest} speakers")


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
    drawn = rates.with_everybody(len(trials.speakers), weights)
    rows, reason = conversations.joined(trials, enrolment_id, trial_id, length, seed)
    if reason:
        return rates.undefined(reason, drawn)
    folds = predicates.folds(rows, trials.speakers, seed=seed)
    largest = predicates.largest_half(folds)
    reason = predicates.why_not_calibrated(folds, n_speakers) or _too_far(largest, n_speakers)
    if reason:
        return rates.undefined(reason, drawn)
    sums = np.zeros((2, 3, len(drawn)))
    for fold in folds:
        limits = predicates.thresholds(
            fold.calibration, n_speakers=n_speakers, factor=1, drawn=drawn
        )
        sums += _nobody_else(fold.other, limits, largest, drawn)
    return rates.settled(
        _isolated_beyond(sums, largest, n_speakers), f"extrapolated from {largest} speakers"
    )


CRITERIA = {
    "linkability": (law.linkability, extrapolated_linkability),
    "singling_out": (law.singling_out, extrapolated_singling_out),
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
    return galleries.fit_law(
        links.linked(contests, 2, drawn), links.linked(contests, size, drawn), size=size
    )


def _predicts(contests, drawn):
    """Whether the law of a tenth of the speakers predicts the rates among more of them."""
    largest = links.largest_gallery(contests)
    part = largest // TIMES_AS_MANY
    if part < FEWEST_FOR_A_LAW or len(drawn) == 1:
        return False
    fitted = _law_of(contests, part, drawn[:1])
    for size in np.unique(np.geomspace(part, largest, CHECKED_SIZES).astype(int)):
        replicates = rates.settled(links.linked(contests, size, drawn)).replicates
        low, high = np.nanquantile(replicates, (0.025, 0.975))
        if not low <= galleries.nobody_expected(fitted, size=size)[0] <= high:
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
    share = rates.share(sums[:, 0], sums[:, 0].sum(axis=0))
    alone = []
    for expected, (total, two, most) in zip(
        (galleries.nobody_expected, galleries.one_expected), sums, strict=True
    ):
        held = np.maximum(total, 1)  # a kind of cell that is not there has no share
        fitted = galleries.fit_law(two / held, most / held, size=largest)
        alone.append(expected(fitted, size=n_speakers))
    return (share * alone).sum(axis=0)
