"""Scores read in four directions, and the counts that every error rate is made of.

An attacker is free to read scores in any direction. Scores of a system that makes voices of one
speaker *less* alike are as good as any other: turned round. So a reading is part of an attack.

Conventions
-----------
* ``ascending`` takes high scores for the same speaker, ``descending`` low ones. ``far`` takes
  scores far from the median of the nontargets, ``near`` those close to it. That median is taken
  anew from every sample.
* Arrays over readings (4,) are in the order of READINGS.
* Error rates only depend on how many nontargets lie below each target, and how many are equal to
  it. So a sample of M trials is reduced to at most 2 T + 1 groups for T targets.
"""

from typing import Any, NamedTuple

import numpy as np

from voiceprivacy.privacy import Counts, Flags, Scores
from voiceprivacy.privacy.scores.trials import Ids, SpeakerTrials

READINGS = ("ascending", "descending", "near", "far")


class Ordered(NamedTuple):
    """Counts of G groups of trials in ascending order of a reading; each has any trial.

    Trials of equal score are in one group. Neighbours of one class only may share a group, which
    changes no rate. ``targets`` and ``nontargets`` are (G,). The T target trials have a group
    ``groups``, a weight ``weights`` and a speaker ``speakers`` (T,).
    """

    targets: Counts
    nontargets: Counts
    groups: Counts
    weights: Counts
    speakers: Counts

    def reversed(self) -> "Ordered":
        """The same groups in descending order."""
        last = len(self.targets) - 1
        return self._replace(
            targets=self.targets[::-1],
            nontargets=self.nontargets[::-1],
            groups=last - self.groups,
        )


class Reader:
    """Reads the trials of one list again and again, with other weights or other labels."""

    def __init__(self, trials: SpeakerTrials) -> None:
        self.trials = trials
        scores = trials.scores
        first = np.flatnonzero(np.concatenate([[True], scores[1:] != scores[:-1]]))
        sizes = np.diff(first, append=len(scores))
        # Trials with the score of trial i are begin[i] to end[i] - 1.
        self.begin = np.repeat(first, sizes)
        self.end = np.repeat(first + sizes, sizes)

    def orders(self, weights: Counts, owner: Counts) -> list[Ordered]:
        """Ordered in all READINGS, of trials with integer weights (M,); empty if a class has none.

        ``owner`` (M,) is the speaker whose target a trial is, -1 for nontargets (see owners).
        """
        target = owner >= 0
        drawn = np.flatnonzero(target & (weights > 0))
        # Entry i: how many nontargets are among the first i trials (M + 1,).
        before = np.concatenate([[0], np.cumsum(np.where(target, 0, weights))])
        if not len(drawn) or not before[-1]:
            return []
        own, speakers = weights[drawn], owner[drawn]
        below, up_to = before[self.begin[drawn]], before[self.end[drawn]]
        ascending = _ordered(below, up_to, before[-1], own, speakers)
        far = self._far(before, drawn, own, speakers)
        return [ascending, ascending.reversed(), far.reversed(), far]

    def _far(self, before, drawn, own, speakers):
        """Ordered of distances from the median; see orders."""
        scores = self.trials.scores
        centre = _median(scores, before)
        distance = distances(scores, centre)
        middle = int(np.searchsorted(scores, centre))
        left, right = distance[:middle][::-1].copy(), distance[middle:]  # both ascend
        order = np.argsort(distance[drawn], kind="stable")
        radius = distance[drawn][order]

        def n_within(side):
            end = middle + np.searchsorted(right, radius, side)
            begin = middle - np.searchsorted(left, radius, side)
            return before[end] - before[begin]

        return _ordered(
            n_within("left"), n_within("right"), before[-1], own[order], speakers[order]
        )


def owners(trials: SpeakerTrials) -> Counts:
    """The speaker whose target each trial (M,) is, -1 for nontargets."""
    return np.where(trials.target, trials.trial, -1)


def read_in(scores: Scores, reading: str, *, nontarget: Flags) -> Scores:
    """Ascending scores (M,) as an attacker reads them: higher = more likely the same speaker.

    ``nontarget`` (M,) says of whose scores ``near`` and ``far`` take the median.
    """
    if reading in ("ascending", "descending"):
        return scores if reading == "ascending" else -scores
    centre = _median(scores, np.concatenate([[0], np.cumsum(nontarget)]))
    far = distances(scores, centre)
    return far if reading == "far" else -far


def either_way(trials: SpeakerTrials, ids: Ids) -> tuple[SpeakerTrials, Ids]:
    """Unordered pairs in both directions: either utterance may be the one that is searched."""
    both = SpeakerTrials(
        trials.speakers,
        np.repeat(trials.scores, 2),  # beside each other, so that scores still ascend
        np.repeat(trials.target, 2),
        *_both_ways(trials.enrolment, trials.trial),
    )
    return both, Ids(*_both_ways(ids.enrolment, ids.trial))


def searched_in(trials: SpeakerTrials, ids: Ids, reading: str) -> dict[str, Any]:
    """Trials with the scores of a reading, ascending, as criteria of law take them."""
    scores = read_in(trials.scores, reading, nontarget=~trials.target)
    order = np.argsort(scores, kind="stable")
    return {
        "trials": SpeakerTrials(
            trials.speakers,
            scores[order],
            trials.target[order],
            trials.enrolment[order],
            trials.trial[order],
        ),
        "enrolment_id": ids.enrolment[order],
        "trial_id": ids.trial[order],
    }


def distances(scores: Scores, centre: float) -> Scores:
    """How far scores (M,) are from a centre; an infinite score is not far from an infinite one."""
    with np.errstate(invalid="ignore"):  # inf - inf
        return np.where(scores == centre, 0.0, np.abs(scores - centre))


def _both_ways(one, other):
    return np.column_stack([one, other]).ravel(), np.column_stack([other, one]).ravel()


def _median(scores, before):
    """Median of ascending scores (M,) of which the first i weigh ``before[i]`` (M + 1,)."""
    half = before[-1] / 2
    low = scores[np.searchsorted(before[1:], half)]
    high = scores[np.searchsorted(before[1:], half, "right")]
    if low == high:
        return float(low)
    # Half of the scores are -inf and half inf: any number is as far from both.
    return 0.0 if np.isinf(low) and np.isinf(high) else float(low / 2 + high / 2)


def _ordered(below, up_to, n_nontarget, weights, speakers):
    """Ordered of targets (T,) in ascending order of a reading.

    ``below`` and ``up_to`` (T,) are the numbers of nontargets with a lower score than each, and
    with at most that score.
    """
    begins = np.concatenate([[True], (np.diff(below) != 0) | (np.diff(up_to) != 0)])
    starts = np.flatnonzero(begins)
    # Nontargets between targets and those equal to targets take turns.
    edges = np.column_stack([below[starts], up_to[starts]]).ravel()
    nontargets = np.diff(edges, prepend=0, append=n_nontarget)
    targets = np.zeros_like(nontargets)
    targets[1::2] = np.add.reduceat(weights, starts)
    is_filled = targets + nontargets > 0
    position = np.cumsum(is_filled) - 1
    groups = position[1::2][np.cumsum(begins) - 1]
    return Ordered(targets[is_filled], nontargets[is_filled], groups, weights, speakers)
