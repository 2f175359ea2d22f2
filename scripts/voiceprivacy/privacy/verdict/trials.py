"""The trials of one list and one system under all attacks, and what an attacker sees of each.

A target is a trial of one person. Targets are judged, and nontargets between persons who have
targets. All other trials serve as cohort alone.

Each score has up to four forms: ``raw``, and less the mean of its enrolment, of its recording, or
of both. Such a mean is over a cohort, which never holds the two persons of the trial. A target has
one person only, so one more person is left out: the cohorts of targets and nontargets are equally
large, and no form tells how the list was made.

Nothing here depends on names, on the order of rows, or on the unit and the sign of scores: scores
are standardised, and persons, enrolments and recordings are numbered by their scores.
"""

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csc_array

from voiceprivacy.privacy import Counts, Flags, Floats

FEWEST_PERSONS = 4  # two to learn from, two to judge
FEWEST_IN_COHORT = 3  # persons; the mean of fewer is mostly noise
FEWER = 10  # one trial or pair in so many may have a smaller cohort, or fewer recordings
FARTHEST = 1e6  # quartile ranges from the median
RESOLUTION = 1e9  # parts of a quartile range; scores in another unit round to the same numbers
N_ROUNDS = 3  # of numbering; only equal scores need more than one


class NotMeasured(Exception):
    """A list cannot be measured: few_persons, no_nontargets or equal_scores."""


class Trials(NamedTuple):
    """M trials of S persons under A attacks, in the order of their persons and recordings.

    Persons have the same numbers as enrolled and as tried. Scores are standardised.
    """

    enrolment_person: Counts  # (M,)
    trial_person: Counts  # (M,)
    enrolment: Counts  # (M,)
    trial: Counts  # (M,) recordings that are tried
    scores: Floats  # (M, A)
    persons: tuple[str, ...]  # (S,)

    @property
    def target(self) -> Flags:
        """Which trials are of one person, array (M,)."""
        return self.enrolment_person == self.trial_person

    @property
    def pair(self) -> Counts:
        """The ordered pair of persons of each trial as one number, array (M,)."""
        return self.enrolment_person * len(self.persons) + self.trial_person

    def only(self, rows: Any) -> "Trials":
        """Some trials; persons keep their numbers."""
        return Trials._make([*(column[rows] for column in self[:5]), self.persons])


def trials_of(ids: Any, scores: Floats, speaker_of: Mapping[str, str]) -> Trials:
    """Number persons, enrolments and recordings, and standardise scores.

    Parameters
    ----------
    ids : M pairs of str
        Enrolment and recording. A trial that is there twice counts once.
    scores : array (M, A)
        Higher or lower ones for the same speaker, also non-finite ones
    speaker_of : mapping of str
        The speaker of each id

    Raises
    ------
    KeyError : an id has no speaker
    """
    sides = np.array(ids).T
    speakers = [[speaker_of[name] for name in side] for side in sides.tolist()]
    persons, person = np.unique(speakers, return_inverse=True)
    numbers = [np.unique(side, return_inverse=True)[1] for side in sides]
    groups = np.stack([*person, *numbers])
    first = np.unique(groups[2] * len(numbers[1]) + groups[3], return_index=True)[1]
    groups = groups[:, first]
    target = groups[0] == groups[1]
    scores = standardised(scores[first], target)
    ranks = _ranks(np.abs(scores).sum(axis=1), groups)
    ranked = [rank[group] for rank, group in zip(ranks, groups, strict=True)]
    ordered = tuple(persons[np.argsort(ranks[0])].tolist())
    return Trials._make([*ranked, scores, ordered]).only(np.lexsort(ranked[::-1]))


def standardised(scores: Floats, target: Flags) -> Floats:
    """Scores (M, A) with median 0 and quartile range 1, and targets above nontargets on average.

    Infinite scores lie one quartile range beyond finite ones, NaN at the median, and none further
    out than FARTHEST: a cohort's mean would be that one score. Equal scores are zero.
    """
    return np.apply_along_axis(_standardised, 0, scores, target)


def _standardised(scores, target):
    finite = scores[np.isfinite(scores)]
    if not len(finite):
        return np.zeros(len(scores))
    low, median, high = np.quantile(finite, [0.25, 0.5, 0.75])
    spread = (high - low) or finite.std() or 1
    known = np.clip(np.nan_to_num(scores, nan=median), finite.min() - spread, finite.max() + spread)
    # Sums of whole numbers are exact, so that the sign does not depend on the order of rows.
    parts = np.rint(np.clip((known - median) / spread, -FARTHEST, FARTHEST) * RESOLUTION)
    above = (parts * target).sum() / max(target.sum(), 1) - parts.mean() or parts.sum()
    return parts * np.copysign(1, above) / RESOLUTION


def _ranks(size, groups):
    """Ranks of persons (twice), enrolments and recordings by sums over their trials.

    A sum adds the values of trials in the order of the values, so that it is exactly the same for
    any order of rows. In each further round a trial counts by the sums of those who take part in
    it: who has equal scores against others is told apart by the others. What stays equal is
    exchangeable.

    Parameters
    ----------
    size : array (M,)
        Of each trial's scores, at least 0
    groups : array (4, M)
        enrolment_person, trial_person, enrolment, trial
    """
    n_persons = groups[:2].max() + 1
    value = size
    for _ in range(N_ROUNDS):
        order = np.argsort(value)
        enrolled, tried, enrolment, trial = (
            np.bincount(group[order], value[order], length)
            for group, length in zip(groups, (n_persons, n_persons, 0, 0), strict=True)
        )
        person = enrolled + math.sqrt(2) * tried
        sums = (person, person, enrolment, trial)
        value = 1 + size
        # Irrational factors: other sums do not add up to the same.
        for group, key, factor in zip(groups, sums, (1, 3, 5, 7), strict=True):
            value = value * (1 + math.sqrt(factor) * key / (key.max() or 1))[group]
    return [np.argsort(np.argsort(key, kind="stable")) for key in sums]


def judged(trials: Trials) -> Flags:
    """Which trials are judged: both persons have targets. Array (M,).

    Raises
    ------
    NotMeasured : few_persons, no_nontargets
    """
    own = np.isin(np.arange(len(trials.persons)), trials.trial_person[trials.target])
    chosen = own[trials.enrolment_person] & own[trials.trial_person]
    if own.sum() < FEWEST_PERSONS:
        raise NotMeasured("few_persons")
    if trials.target[chosen].all():
        raise NotMeasured("no_nontargets")
    return chosen


def group_sums(groups: Counts, values: Floats, n_groups: int) -> Floats:
    """Sums of values (M,) or (M, A) over the rows of each group, array (n_groups,) or with A."""
    rows = np.arange(len(groups) + 1)
    return csc_array((np.ones(len(groups)), groups, rows), (n_groups, len(groups))) @ values


def group_means(groups: Counts, values: Floats) -> tuple[Counts, Floats]:
    """Distinct groups, array (E,), and means of values (M, A) over their rows, array (E, A)."""
    present, position, sizes = np.unique(groups, return_inverse=True, return_counts=True)
    return present, group_sums(position, values, len(present)) / sizes[:, None]


def counted(values: Floats) -> Floats:
    """Values (M,) or (M, A) with a column of ones: in sums it says of how many rows."""
    return np.column_stack([values, np.ones(len(values))])


def means_of(sums: Floats) -> Floats:
    """Means from sums of counted values; 0 where there are none."""
    return sums[:, :-1] / np.maximum(sums[:, -1:], 1)


def forms_of(trials: Trials, chosen: Flags) -> dict[str, Floats]:
    """The forms of all scores, {name: array (M, A)}.

    A trial whose cohort has fewer than three persons is NaN. A form is left out if these are more
    than one in ten of the chosen trials of a class.
    """
    enrolment, n_tried, spare = _cohort_means(trials, trials.enrolment, trials.trial_person)
    recording, n_enrolled, _ = _cohort_means(trials, trials.trial, trials.enrolment_person)
    both = enrolment + recording - _grand_means(trials, spare)
    fewest = np.minimum(n_tried, n_enrolled)
    forms = {"raw": trials.scores}
    cohorts = {"enrolment": n_tried, "recording": n_enrolled, "both": fewest}
    for (name, n_persons), mean in zip(cohorts.items(), (enrolment, recording, both), strict=True):
        known = n_persons >= FEWEST_IN_COHORT
        share = min(known[chosen & label].mean() for label in (trials.target, ~trials.target))
        if share >= 1 - 1 / FEWER:
            forms[name] = np.where(known[:, None], trials.scores - mean, np.nan)
    return forms


def _cohort_means(trials, ids, other):
    """Means of the nontargets of each id: first within a person, then over persons.

    Returns
    -------
    means : array (M, A)
    n_persons : array (M,)
        In the cohort of each trial
    spare : array (M,)
        The second person whom the cohort leaves out: the other one of a nontarget; for a target
        the next one of the cohort
    """
    n_all = len(trials.persons)
    code = ids * n_all + other
    entries, means = _nontarget_means(trials, code)
    holder = entries // n_all
    n_persons = np.bincount(holder, minlength=ids.max() + 1)
    total = group_sums(holder, means, len(n_persons))
    start = np.cumsum(n_persons) - n_persons
    # A nontarget is an entry itself. A target takes the next one, and the first after the last.
    after = np.searchsorted(entries, code) - start[ids]
    n_own = n_persons[ids]
    position = np.minimum(start[ids] + after % np.maximum(n_own, 1), len(entries) - 1)
    n_left = n_own - 1
    return (
        (total[ids] - means[position]) / np.maximum(n_left, 1)[:, None],
        n_left,
        entries[position] % n_all,
    )


def _grand_means(trials, spare):
    """Means over all pairs without two persons of each trial, which make centring exact."""
    n_all = len(trials.persons)
    pairs, means = _nontarget_means(trials, trials.pair)
    values = counted(means)
    own = trials.enrolment_person
    by_person = sum(group_sums(side, values, n_all) for side in divmod(pairs, n_all))
    left = values.sum(axis=0) - by_person[own] - by_person[spare]
    # A pair of the two was taken away twice.
    for code in (own * n_all + spare, spare * n_all + own):
        position = np.minimum(np.searchsorted(pairs, code), len(pairs) - 1)
        left += values[position] * (pairs[position] == code)[:, None]
    return means_of(left)


def _nontarget_means(trials, code):
    """Distinct codes of nontargets (E,), and means of their scores (E, A)."""
    nontarget = ~trials.target
    return group_means(code[nontarget], trials.scores[nontarget])
