"""Scored trials and who speaks in them: speakers can be weighted, left out, or given other labels.

Conventions
-----------
* A speaker is the same on the enrolment and on the trial side; a target trial has one speaker on
  both.
* Scores are sorted once; every sample of them is a weight for each trial. Trials between which no
  threshold matters are counted together.
"""

import itertools
import sys
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from voiceprivacy.inout.files import BadInput, FilePath, naming
from voiceprivacy.inout.scored_trials import ScoredTrials, read_scored_trials, warning_of_itself
from voiceprivacy.inout.tables import read_speakers
from voiceprivacy.privacy import Classes, Counts, Flags, Names, Scores
from voiceprivacy.privacy.scores.calibration import Ties
from voiceprivacy.running.command import say

LARGEST, SMALLEST = 1e150, 1e-150  # of scores, and of their spread
FEW_ABOVE = 0.2  # of the targets, where scores are the wrong way round


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


class ScoreFile(NamedTuple):
    """Scores of a file; ``trials`` say who speaks in each, None if that is not known."""

    scores: Classes
    trials: SpeakerTrials | None


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


def read_score_file(
    path: FilePath, *, key: FilePath | None = None, speaker_map: FilePath | None = None
) -> ScoreFile:
    """Read a score file once, as scores and as trials of speakers.

    Parameters
    ----------
    path : path
        Our TSV; with ``key`` a score file of Kaldi's (see read_scored_trials).
    key : path, optional
    speaker_map : path, optional
        TSV: id speaker.

    Raises
    ------
    BadInput : the file is none, or the speakers do not go with its labels
    """
    scored = read_checked(path, key=key)
    trials = arranged(path, scored, speaker_map) if speaker_map else None
    return ScoreFile(scored.classes, trials)


def read_checked(path: FilePath, *, key: FilePath | None = None) -> ScoredTrials:
    """Read a score file as ``read_scored_trials`` does, and say on stderr what is odd in it.

    Trials may compare a recording with itself, scores be infinite on the wrong side, or lower the
    more alike two voices are.

    Raises
    ------
    BadInput : the file is none, or double precision cannot count with its scores
    """
    scored = read_scored_trials(path, key=key)
    itself = warning_of_itself(scored)
    for warning in (itself, _of_infinite(scored), warning_of_reversed(**scored.classes)):
        if warning:
            say(f"warning: {path}: {warning}", file=sys.stderr)
    _refuse_beyond_precision(path, scored.scores)
    return scored


def _of_infinite(scored):
    target = np.arange(len(scored.scores)) < scored.n_targets
    wrong = np.flatnonzero(scored.scores == np.where(target, -np.inf, np.inf))
    if not len(wrong):
        return ""
    # Nontargets first, which are the likelier mistake.
    first = scored.named(wrong[np.searchsorted(wrong, scored.n_targets) % len(wrong)])
    more = f" and {len(wrong) - 1} more" if len(wrong) > 1 else ""
    named = f"{first.label} '{first.enrolment} {first.trial}'{more}"
    return f"the score of {named} is infinite on the wrong side: cllr_bit is infinite by it"


def warning_of_reversed(target: Scores, nontarget: Scores) -> str | None:
    """What to say of scores that are lower the more alike two voices are; None of others."""
    with np.errstate(invalid="ignore"):  # the mean of inf and -inf
        middle = np.median(nontarget)
        above, equal = np.mean(target > middle), np.mean(target == middle)
    if above + equal / 2 >= FEW_ABOVE:  # equal scores are no distances
        return None
    return (
        f"{100 * above:.0f} % of the targets score above the median nontarget: higher must mean"
        " more alike, so negate distances"
    )


def _refuse_beyond_precision(path, scores):
    """Refuse scores whose sums or differences double precision cannot hold."""
    finite = scores[np.isfinite(scores)]
    lowest, highest = (finite.min(), finite.max()) if len(finite) else (0.0, 0.0)
    if max(-lowest, highest) > LARGEST or 0 < highest - lowest < SMALLEST:
        raise BadInput(
            f"{path}: its scores lie between {lowest:.3g} and {highest:.3g}, beyond what double"
            " precision can count with: multiply all of them by a constant"
        )


def arranged(path: FilePath, scored: ScoredTrials, speaker_map: FilePath) -> SpeakerTrials:
    """Sort the scored trials of a file and look up their speakers in a map (TSV: id speaker).

    Raises
    ------
    BadInput : the speakers do not go with the labels; the file is named
    """
    speaker_of = read_speakers(speaker_map)
    with naming(path):
        return arrange(scored, speaker_of)


def arrange(scored: ScoredTrials, speaker_of: Mapping[str, str]) -> SpeakerTrials:
    """Sort scored trials and look up their speakers, {id: speaker} of enrolments and trials.

    Raises
    ------
    BadInput : an id without speaker, a target of two speakers, a nontarget of one
    """
    enrolled = [_speaker(name, speaker_of) for name in scored.enrolments]
    tried = [_speaker(name, speaker_of) for name in scored.trials]
    # Both sides at once: a speaker has one position, on whichever side.
    speakers, positions = np.unique(np.array([*enrolled, *tried]), return_inverse=True)
    enrolment = positions[: len(enrolled)][scored.enrolment]
    trial = positions[len(enrolled) :][scored.trial]
    target = np.arange(len(scored.scores)) < scored.n_targets
    mislabelled = np.flatnonzero((enrolment == trial) != target)
    if len(mislabelled):
        first = mislabelled[0]
        wrong = scored.named(first)
        raise BadInput(
            f"trial '{wrong.enrolment} {wrong.trial}' is labelled {wrong.label},"
            f" but its speakers are '{speakers[enrolment[first]]}' and '{speakers[trial[first]]}'"
        )
    order = np.argsort(scored.scores, kind="stable")
    return SpeakerTrials(
        speakers, scored.scores[order], target[order], enrolment[order], trial[order]
    )


def trials_of_unknown(path: FilePath, scored: ScoredTrials) -> SpeakerTrials | None:
    """The trials of a score file without a map of speakers: target trials say who speaks.

    None, with a warning in the log, where labels contradict each other.
    """
    try:
        return arrange(scored, inferred_speakers(scored))
    except BadInput as error:
        say(
            f"warning: {path}: no curves of singling out and linkability without --speakers:"
            f" {error}",
            file=sys.stderr,
        )
        return None


def inferred_speakers(scored: ScoredTrials) -> dict[str, str]:
    """Who speaks, as far as target trials say: {id: speaker}.

    Ids that target trials join are one speaker, called by the first of them. It serves score files
    without a map of speakers. A speaker whose ids no target trial joins counts as two.
    """
    parent: dict[str, str] = {}

    def first_of(name: str) -> str:
        while parent.setdefault(name, name) != name:
            parent[name] = parent[parent[name]]  # halves the way of the next search
            name = parent[name]
        return name

    enrolled = scored.enrolment[: scored.n_targets].tolist()
    tried = scored.trial[: scored.n_targets].tolist()
    for enrolment, trial in sorted({*zip(enrolled, tried, strict=True)}):
        names = scored.enrolments[enrolment], scored.trials[trial]
        one, other = sorted(map(first_of, names))
        parent[other] = one
    for name in itertools.chain(scored.enrolments, scored.trials):
        first_of(name)
    return {name: first_of(name) for name in list(parent)}


class Ids(NamedTuple):
    """Which enrolment and which utterance each of M trials is of, as numbers from 0 on."""

    enrolment: Counts
    trial: Counts


def ids_of(scored: ScoredTrials, *, alike: bool = False) -> Ids:
    """The Ids of scored trials in the order of ``arrange``.

    ``alike``: an id has the same number on either side, as in pairs of utterances.
    """
    order = np.argsort(scored.scores, kind="stable")
    if not alike:
        return Ids(_numbered(scored.enrolment)[order], _numbered(scored.trial)[order])
    _, positions = np.unique([*scored.enrolments, *scored.trials], return_inverse=True)
    enrolled, tried = np.split(positions, [len(scored.enrolments)])
    both = _numbered(np.concatenate([enrolled[scored.enrolment], tried[scored.trial]]))
    return Ids(*(side[order] for side in np.split(both, 2)))


def _numbered(positions):
    """Positions (M,) as numbers from 0 on, in the order in which they occur."""
    _, first, inverse = np.unique(positions, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[inverse]


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


def _speaker(name, speaker_of):
    if name not in speaker_of:
        raise BadInput(f"'{name}' has no speaker: add it to the map of speakers")
    return speaker_of[name]
