"""Curves of singling out and linkability: over the number of speakers, and over utterances."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from voiceprivacy.privacy import Counts
from voiceprivacy.privacy.law import criteria, galleries
from voiceprivacy.privacy.law.criteria import Rate
from voiceprivacy.privacy.law.readings import READINGS, either_way, searched_in
from voiceprivacy.privacy.rows import LawPoint
from voiceprivacy.privacy.scores.samples import SpeakerTrials
from voiceprivacy.privacy.scores.score_files import Ids
from voiceprivacy.privacy.uncertainty.bootstrap import multiplicities
from voiceprivacy.vocabulary import ALL_UTTERANCES, FEWEST_REPLICATES, WITHIN_RELEASE

LENGTHS = (1, 3, 10, None)  # utterances in a conversation; None: all
WITH_LIMITS = (1, 3)  # lengths whose limits hold; of longer ones nearly all can be right
SIZES = (2, 5, 10, 20, 50, 100)  # speakers, of the curves of a run
MOST_REPLICATES = 200  # of these curves: a thousand would move limits by less than a line's width
MOST_COMPARED = 20  # speakers among whom readings are compared
ROUNDING = 1e-9  # of rates
CRITERIA = {"linkability": criteria.linked_among, "singling_out": criteria.isolated_among}


class Point(NamedTuple):
    """One point of a curve: N, L (None: all utterances), and the rate."""

    n_speakers: int
    length: int | None
    rate: Rate


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
    """A criterion of CRITERIA over N (``sizes``) and over L.

    Parameters
    ----------
    trials : SpeakerTrials
        M trials.
    enrolment_id, trial_id : array (M,) of int
        Which model and which utterance each trial is of.
    sizes : numbers of speakers, each at least 2
    lengths : numbers of utterances that are known to belong together; None: all of a speaker
    weights : array (B, S) of int, optional
        How often each speaker is drawn in each replicate (bootstrap.multiplicities); replicates are
        made for lengths WITH_LIMITS only.
    seed : int
        Of the choice of utterances for a conversation, and of singling out.

    Returns
    -------
    list of Point : undefined ones say why
    """
    drawn = criteria.with_everybody(len(trials.speakers), weights)
    points = []
    for length in lengths:
        own = drawn if length in WITH_LIMITS else drawn[:1]
        rows, reason = galleries.joined(trials, enrolment_id, trial_id, length, seed)
        rates = [criteria.undefined(reason, own)] * len(sizes)
        if not reason:
            rates = CRITERIA[criterion](sizes, rows, trials.speakers, own, seed)
        points += [Point(size, length, rate) for size, rate in zip(sizes, rates, strict=True)]
    return points


def guessing(criterion: str, n_speakers: int) -> float:
    """The rate of who draws lots."""
    if criterion == "linkability":
        return 1 / n_speakers
    return galleries.chance_of_isolation(n_speakers)


def curves_of(
    condition: str, trials: SpeakerTrials, ids: Ids, *, n_replicates: int, seed: int
) -> list[LawPoint]:
    """All criteria in ascending reading, and in the strongest other that is surely stronger.

    The strongest links most among 20 speakers, or among as many as are there. It is surely stronger
    where its lower limit is above the value of the ascending one: of four readings of noise, one
    always links more than the others.

    Parameters
    ----------
    trials, ids : of one condition; within a release alike on either side (see trials.ids_of)
    n_replicates : of the limits; at most MOST_REPLICATES are drawn
    """
    if condition in WITHIN_RELEASE:
        trials, ids = either_way(trials, ids)
    weights = multiplicities(
        trials.speakers, n_replicates=min(n_replicates, MOST_REPLICATES), seed=seed
    )
    readings = [READINGS[0], *_surely_stronger(trials, ids, weights, seed)]
    points = []
    for reading in readings:
        searched = searched_in(trials, ids, reading)
        for criterion in CRITERIA:
            for point in curve(criterion, **searched, sizes=SIZES, weights=weights, seed=seed):
                if not np.isnan(point.rate.value):
                    size, length, rate = point
                    low, high = _limits(rate)
                    own = (length or ALL_UTTERANCES, rate.value, low, high)
                    lots = guessing(criterion, size)
                    points.append(LawPoint(reading, criterion, size, *own, lots))
    return points


def _surely_stronger(trials, ids, weights, seed):
    """The other reading that links most, if it surely links more than the ascending one."""
    values = {}
    for reading in READINGS:
        values[reading] = _compared_linkability(trials, ids, reading, None, seed).value
    ascending = values.pop(READINGS[0])
    strongest = max(values, key=lambda reading: values[reading])
    if not values[strongest] > ascending:
        return []
    low, _ = _limits(_compared_linkability(trials, ids, strongest, weights, seed))
    return [strongest] if low is not None and low > ascending else []


def _compared_linkability(trials, ids, reading, weights, seed):
    """Linkability of single utterances in a reading, by which readings are compared."""
    rows, _ = galleries.joined(**searched_in(trials, ids, reading), length=1, seed=seed)
    drawn = criteria.with_everybody(len(trials.speakers), weights)
    contests = criteria.contests_of(rows, len(trials.speakers))
    n_compared = max(1, min(MOST_COMPARED, criteria.largest_gallery(contests)))
    return criteria.settled(criteria.linked(contests, n_compared, drawn))


def _limits(rate):
    """95 % interval; none without replicates, or where all are the same, which says too little."""
    usable = rate.replicates[~np.isnan(rate.replicates)]
    if len(usable) < FEWEST_REPLICATES or np.ptp(usable) < ROUNDING:
        return None, None
    low, high = np.quantile(usable, (0.025, 0.975))
    # They are moved around the value, and can miss it by a rounding.
    return min(low, rate.value), max(high, rate.value)
