"""Trials of speakers who can be weighted, left out, or given other labels; no file is read here."""

import itertools
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from voiceprivacy.privacy import Counts, Flags, Names, Scores
from voiceprivacy.privacy.scores.calibration import Ties


class SpeakerTrials(NamedTuple):
    """M trials in ascending order of their scores.

    ``speakers`` (S,) are those of both sides, sorted by name. ``scores`` and ``target`` are (M,);
    ``enrolment`` and ``trial`` (M,) are the positions of the trials' speakers.
    """

    speakers: Names
    scores: Scores
    target: Flags
    enrolment: Counts
    trial: Counts


class Groups(NamedTuple):
    """G groups of neighbouring scores, in ascending order.

    ``scores`` (G,) are the lowest ones. ``targets`` and ``nontargets`` (G + 1,) are where the
    groups begin among the sorted scores of a class, and where the last one ends.
    """

    scores: Scores
    targets: Counts
    nontargets: Counts


class ByClass(NamedTuple):
    """The trials of a list by class, in ascending order of their scores, ready to be weighted.

    ``target`` (T,) and ``nontarget`` (N,) are scores. ``speaker`` (T,), ``enrolled`` (N,) and
    ``tried`` (N,) are the positions of the trials' speakers.
    """

    target: Scores
    nontarget: Scores
    speaker: Counts
    enrolled: Counts
    tried: Counts
    groups: Groups


class Sample(NamedTuple):
    """Weighted trials of a list: how often each target (T,) and nontarget (N,) occurs, 0 for never.

    ``ties`` are the groups of scores that occur (see ``by_class``).
    """

    trials: ByClass
    target_weights: Counts
    nontarget_weights: Counts
    ties: Ties

    @property
    def classes(self) -> dict[str, tuple[Scores, Counts]]:
        """The scores of either class and their weights: {target, nontarget: two arrays}."""
        return {
            "target": (self.trials.target, self.target_weights),
            "nontarget": (self.trials.nontarget, self.nontarget_weights),
        }

    def counted(self) -> dict[str, Any]:
        """The scores that occur and their counts as the arguments of a cost such as cllr_bit."""
        counts: dict[str, Any] = {}
        for label, (scores, weights) in self.classes.items():
            drawn = np.flatnonzero(weights != 0)
            counts[label] = scores[drawn]
            counts[f"{label}_counts"] = weights[drawn].astype(np.int64)
        return counts

    def single(self, first: int, last: int) -> Ties:
        """The single scores in its ties at the positions ``first`` to ``last``, inclusive."""
        is_last = last + 1 == len(self.ties.scores)
        limits = self.ties.scores[[first, last if is_last else last + 1]]
        scores, weights = [], []
        for class_scores, class_weights in self.classes.values():
            start, end = np.searchsorted(class_scores, limits)
            within = slice(start, None if is_last else end)
            drawn = np.flatnonzero(class_weights[within])
            scores.append(class_scores[within][drawn])
            weights.append(class_weights[within][drawn])
        single, score = np.unique(np.concatenate(scores), return_inverse=True)
        counts = np.zeros((2, len(single)), dtype=np.int64)
        n_targets = len(scores[0])
        np.add.at(counts[0], score[:n_targets], weights[0])
        np.add.at(counts[1], score[n_targets:], weights[1])
        return Ties(single, *counts)


def n_speakers(trials: SpeakerTrials) -> int:
    """Number of speakers with target trials, who are on both sides; others make nontargets."""
    return len(np.unique(trials.enrolment[trials.target]))


def by_class(trials: SpeakerTrials, *, every_score: bool = False) -> ByClass:
    """Sort the trials of a list by class and find its groups of scores.

    No threshold matters between scores of one class that have none of the other between them. So
    the groups are runs of scores that only one class has, and single scores that both have.

    Parameters
    ----------
    trials : SpeakerTrials
    every_score : bool
        Whether every score is a group of its own. Calibrations of other scores need that.
    """
    targets, nontargets = np.flatnonzero(trials.target), np.flatnonzero(~trials.target)
    groups = _every_score(trials)
    return ByClass(
        trials.scores[targets],
        trials.scores[nontargets],
        trials.enrolment[targets],
        trials.enrolment[nontargets],
        trials.trial[nontargets],
        groups if every_score else _pooled(groups),
    )


def draw(trials: ByClass, weights: Counts) -> Sample | None:
    """Sample of trials by one weight for each speaker (S,).

    A target trial of speaker i weighs w_i, a nontarget trial of i and j weighs w_i w_j: two copies
    of a speaker never form a nontarget trial. None where a class is left without trials.
    """
    # A thousand draws of a million trials: small numbers pass through the processor's caches.
    small = weights.astype(np.min_scalar_type(int(weights.max()) ** 2))
    return weigh_classes(
        trials, small[trials.speaker], small[trials.enrolled] * small[trials.tried]
    )


def whole_sample(trials: ByClass) -> Sample:
    """Sample in which every trial occurs once.

    Raises
    ------
    ValueError : a class has no trials
    """
    sample = weigh_classes(trials, np.ones_like(trials.speaker), np.ones_like(trials.enrolled))
    if sample is None:
        raise ValueError("all trials are targets, or all are nontargets")
    return sample


def without_each(trials: ByClass, n_speakers: int) -> Iterator[Sample | None]:
    """Yield a sample without each speaker; None where a class is left without trials.

    A speaker has few of the trials. So these are taken from the sums of all, and the work for a
    speaker does not grow with the list as that of ``draw`` does.
    """
    classes = (
        _without_each(trials.groups.targets, [trials.speaker], n_speakers),
        _without_each(trials.groups.nontargets, [trials.enrolled, trials.tried], n_speakers),
    )
    for (target_weights, targets), (nontarget_weights, nontargets) in zip(*classes, strict=True):
        yield _sample(trials, target_weights, nontarget_weights, targets, nontargets)


def weigh_classes(
    trials: ByClass, target_weights: Counts, nontarget_weights: Counts
) -> Sample | None:
    """Sample of trials with integer weights (T,), (N,); None where a class is left without."""
    return _sample(
        trials,
        target_weights,
        nontarget_weights,
        sums_between(target_weights, trials.groups.targets),
        sums_between(nontarget_weights, trials.groups.nontargets),
    )


def sums_between(weights: Counts, edges: Counts) -> Counts:
    """Sums (E - 1,) of the weights from each edge (E,), a position, up to the next one."""
    sums = np.zeros(len(edges) - 1, dtype=np.int64)
    filled = np.flatnonzero(edges[1:] > edges[:-1])
    if len(filled):
        within = weights[: edges[-1]]
        sums[filled] = np.add.reduceat(within, edges[filled], dtype=np.int64)
    return sums


def _sample(trials, target_weights, nontarget_weights, targets, nontargets):
    """Sample of weights (T,), (N,) and of their sums in each group (G,); None without a class."""
    if not targets.any() or not nontargets.any():
        return None
    # Positions of the groups that occur: a mask takes ten times as long.
    drawn = np.flatnonzero(targets + nontargets > 0)
    ties = Ties(trials.groups.scores[drawn], targets[drawn], nontargets[drawn])
    return Sample(trials, target_weights, nontarget_weights, ties)


def _without_each(edges, sides, n_speakers):
    """Yield weights (M,) of a class's trials without each speaker, and their sums in groups (G,).

    ``edges`` (G + 1,) are where the groups begin; each of ``sides`` (M,) says whose a trial is.
    """
    weights, sums = np.ones(edges[-1], dtype=np.uint8), np.diff(edges)
    group = np.repeat(np.arange(len(sums)), sums)
    speakers = np.concatenate(sides)
    order = np.argsort(speakers, kind="stable")
    begins = np.searchsorted(speakers[order], np.arange(n_speakers + 1))
    for first, last in itertools.pairwise(begins):
        without, own = weights.copy(), order[first:last] % len(weights)
        without[own] = 0
        yield without, sums - np.bincount(group[own], minlength=len(sums))


def _every_score(trials: SpeakerTrials) -> Groups:
    """Groups that are single scores."""
    begins = np.concatenate([[True], trials.scores[1:] != trials.scores[:-1]])
    first = np.flatnonzero(begins[: len(trials.scores)])
    edges = np.append(first, len(trials.scores))
    targets = np.append(0, np.cumsum(trials.target))[edges]
    return Groups(trials.scores[first], targets, edges - targets)


def _pooled(groups: Groups) -> Groups:
    """Groups between which a threshold matters: runs of scores that one class only has."""
    targets, nontargets = np.diff(groups.targets) > 0, np.diff(groups.nontargets) > 0
    mixed = targets & nontargets
    begins = mixed[1:] | mixed[:-1] | (targets[1:] != targets[:-1])
    first = np.flatnonzero(np.concatenate([[True], begins])[: len(mixed)])
    return Groups(
        groups.scores[first],
        np.append(groups.targets[first], groups.targets[-1]),
        np.append(groups.nontargets[first], groups.nontargets[-1]),
    )
