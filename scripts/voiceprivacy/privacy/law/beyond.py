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

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.special import log_ndtr, ndtri

from voiceprivacy.inout.files import FilePath
from voiceprivacy.inout.tables import write_table
from voiceprivacy.privacy import Counts, Floats, Names
from voiceprivacy.privacy.law import criteria, galleries, predicates
from voiceprivacy.privacy.law.criteria import Rate
from voiceprivacy.privacy.law.galleries import Conversations
from voiceprivacy.privacy.law.readings import READINGS, either_way, searched_in
from voiceprivacy.privacy.scores.trials import Ids, SpeakerTrials
from voiceprivacy.privacy.uncertainty.bootstrap import multiplicities
from voiceprivacy.vocabulary import ABSENT, ALL_UTTERANCES, WITHIN_RELEASE, LawPoint

LENGTHS = (1, 3, 10, None)  # utterances in a conversation; None: all
WITH_LIMITS = (1, 3)  # lengths whose limits hold; of longer ones nearly all can be right
TIMES_AS_MANY = 10  # speakers as are there, at most, where nothing shows that a law holds
TIMES_WHERE_IT_HOLDS = 100
FEWEST_FOR_A_LAW = 3  # speakers
FEWEST_IN_A_HALF = 6  # speakers whose threshold is taken to more people than there are
BELOW_GUESSING = 0.05  # by which an extrapolated rate may miss what guessing gives
CHECKED_SIZES = 5
SIZES = (2, 5, 10, 20, 50, 100)  # speakers, of the curves of a run
MOST_REPLICATES = 200  # of these curves: a thousand would move limits by less than a line's width
MOST_COMPARED = 20  # speakers among whom readings are compared
WIDEST_LOG_SPREAD = 6.0  # of a law; beyond, all others are alike, or pass always or never
HALVINGS = 28
ROUNDING = 1e-9  # of rates
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


class Links:
    """Linkability of one list of conversations, among any number of speakers.

    How often a random other speaker comes first differs between conversations by a law. The rates
    among two and among all speakers that are there determine it.
    """

    def __init__(self, rows: Conversations, speakers: Names, drawn: Counts, seed: int) -> None:
        self.drawn = drawn
        self.contests = criteria.contests_of(rows, len(speakers))
        self.largest = criteria.largest_gallery(self.contests)

    @staticmethod
    def guessing(n_speakers: int) -> float:
        """Linkability of who draws lots."""
        return 1 / n_speakers

    def measured(self, n_speakers: int) -> Rate:
        """Linkability among as many speakers as are there, or fewer."""
        return criteria.settled(criteria.linked(self.contests, n_speakers, self.drawn))

    def beyond(self, n_speakers: int) -> Rate:
        """Linkability among more."""
        reason = _too_far(self.largest, n_speakers)
        may_go_on = reason and self.largest * TIMES_WHERE_IT_HOLDS >= n_speakers
        if may_go_on and self._predicts():
            reason = ""
        if reason:
            return criteria.undefined(reason, self.drawn)
        expected = nobody_expected(self.law, size=n_speakers)
        return criteria.settled(expected, f"extrapolated from {self.largest} speakers")

    @cached_property
    def law(self) -> Law:
        """That of all speakers."""
        return self._law_of(self.largest, self.drawn)

    def _law_of(self, size, drawn):
        two = criteria.linked(self.contests, 2, drawn)
        return fit_law(two, criteria.linked(self.contests, size, drawn), size=size)

    def _predicts(self):
        """Whether the law of a tenth of the speakers predicts the rates among more of them."""
        part = self.largest // TIMES_AS_MANY
        if part < FEWEST_FOR_A_LAW or len(self.drawn) == 1:
            return False
        fitted = self._law_of(part, self.drawn[:1])
        for size in np.unique(np.geomspace(part, self.largest, CHECKED_SIZES).astype(int)):
            low, high = np.nanquantile(self.measured(size).replicates, (0.025, 0.975))
            if not low <= nobody_expected(fitted, size=size)[0] <= high:
                return False
        return True


class Isolation:
    """Singling out in one list of conversations, among any number of speakers.

    The threshold is always the one for N speakers, which needs 10 N trials. The share of others
    that pass differs between predicates by a law, one where the own speaker passes and one where
    not.
    """

    def __init__(self, rows: Conversations, speakers: Names, drawn: Counts, seed: int) -> None:
        self.drawn = drawn
        self.folds = predicates.folds(rows, speakers, seed=seed)
        self.largest = predicates.largest_half(self.folds)

    guessing = staticmethod(galleries.chance_of_isolation)

    def measured(self, n_speakers: int) -> Rate:
        """Singling out among as many speakers as are in a half, or fewer."""
        reason = predicates.why_not_calibrated(self.folds, n_speakers)
        if reason:
            return criteria.undefined(reason, self.drawn)
        return criteria.isolated(self.folds, n_speakers, self.drawn)

    def beyond(self, n_speakers: int) -> Rate:
        """Singling out among more, without replicates: they held the truth in 89 % of lists.

        A threshold from few speakers passes far more or far fewer of others than it should, and so
        isolates less than a threshold that has nothing to do with voices. An attacker can always
        guess: such a rate tells of the threshold, not of the system.
        """
        reason = predicates.why_not_calibrated(self.folds, n_speakers)
        reason = reason or _too_far(self.largest, n_speakers)
        if not reason and self.largest < FEWEST_IN_A_HALF:
            reason = f"{self.largest} speakers in a half are too few for a threshold of others"
        if reason:
            return criteria.undefined(reason, self.drawn)
        once = self.drawn[:1]
        sums = np.zeros((2, 3, 1))
        for fold in self.folds:
            limits = predicates.thresholds(fold.calibration, n_speakers=n_speakers, drawn=once)
            sums += _nobody_else(fold.other, limits, self.largest, once)
        expected = _isolated_beyond(sums, self.largest, n_speakers)
        guessing = self.guessing(n_speakers)
        if expected[0] < guessing - BELOW_GUESSING:
            reason = (
                f"the threshold of {self.largest} speakers is poor: among {n_speakers} it would"
                f" isolate {100 * expected[0]:.0f} %, guessing isolates {100 * guessing:.0f} %"
            )
            return criteria.undefined(reason, self.drawn)
        return criteria.settled(expected, f"extrapolated from {self.largest} speakers")


CRITERIA: dict[str, type[Links] | type[Isolation]] = {
    "linkability": Links,
    "singling_out": Isolation,
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
    """A criterion of CRITERIA over N (``sizes``) and over L, beyond the speakers too.

    Parameters
    ----------
    trials, enrolment_id, trial_id, seed
        As for criteria.linkability and criteria.singling_out.
    weights
        The same; replicates are made for lengths WITH_LIMITS only.

    Returns
    -------
    list of Point : up to ten times as many speakers as are there, or are in a half. Linkability
        goes on up to a hundred times as many where the law of a tenth of them predicts the rates of
        the rest within their 95 % intervals. Undefined points say why.
    """
    drawn = criteria.with_everybody(len(trials.speakers), weights)
    points = []
    for length in lengths:
        rows, reason = galleries.joined(trials, enrolment_id, trial_id, length, seed)
        if reason:
            rate = criteria.undefined(reason, drawn)
            points += [Point(n_speakers, length, rate, False) for n_speakers in sizes]
            continue
        own = drawn if length in WITH_LIMITS else drawn[:1]
        measure = CRITERIA[criterion](rows, trials.speakers, own, seed)
        for n_speakers in sizes:
            is_there = n_speakers <= measure.largest
            rate = measure.measured(n_speakers) if is_there else measure.beyond(n_speakers)
            extrapolated = not is_there and not np.isnan(rate.value)
            points.append(Point(n_speakers, length, rate, extrapolated))
    return points


def write_curves(path: FilePath, curves: Mapping[str, Sequence[LawPoint]]) -> None:
    """Write {condition: points} as one TSV: label and the columns of LawPoint."""
    rows: list[tuple] = []
    for condition, points in curves.items():
        rows += [(condition, *point) for point in points]
    write_table(path, ["label", *LawPoint._fields], rows)


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
                    points.append(_law_point(reading, criterion, point))
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
    return [strongest] if low != ABSENT and low > ascending else []


def _compared_linkability(trials, ids, reading, weights, seed):
    """Linkability of single utterances in a reading, by which readings are compared."""
    rows, _ = galleries.joined(**searched_in(trials, ids, reading), length=1, seed=seed)
    drawn = criteria.with_everybody(len(trials.speakers), weights)
    links = Links(rows, trials.speakers, drawn, seed)
    return links.measured(max(1, min(MOST_COMPARED, links.largest)))


def _law_point(reading, criterion, point):
    low, high = _limits(point.rate)
    return LawPoint(
        reading,
        criterion,
        point.n_speakers,
        ALL_UTTERANCES if point.length is None else point.length,
        point.rate.value,
        low,
        high,
        CRITERIA[criterion].guessing(point.n_speakers),
        "yes" if point.extrapolated else "no",
    )


def _limits(rate):
    """95 % interval; none without replicates, or where all are the same, which says too little."""
    usable = rate.replicates[~np.isnan(rate.replicates)]
    if not len(usable) or np.ptp(usable) < ROUNDING:
        return ABSENT, ABSENT
    low, high = np.quantile(usable, (0.025, 0.975))
    # They are moved around the value, and can miss it by a rounding.
    return min(low, rate.value), max(high, rate.value)


def _too_far(largest, n_speakers):
    if largest < FEWEST_FOR_A_LAW:
        return f"{largest} speakers are too few to extrapolate from"
    if n_speakers > TIMES_AS_MANY * largest:
        return f"{n_speakers} speakers are more than ten times as many as the {largest} there"
    return ""


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
