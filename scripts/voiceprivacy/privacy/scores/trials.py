"""Scored trials and who speaks in them: speakers can be weighted, left out, or given other labels.

Conventions
-----------
* A speaker is the same on the enrolment and on the trial side; a target trial has one speaker on
  both.
* Scores are sorted once; every sample of them is a weight for each trial.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from voiceprivacy.inout.files import BadInput, FilePath, naming
from voiceprivacy.inout.tables import Trial, read_scored_trials, read_speakers
from voiceprivacy.privacy import Classes, Counts, Flags, Names, Scores
from voiceprivacy.privacy.scores.calibration import Ties

LARGEST, SMALLEST = 1e150, 1e-150  # of scores, and of their spread

ScoredTrials = Mapping[str, Sequence[tuple[Trial, float]]]  # {"target", "nontarget": [...]}


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


class Sample(NamedTuple):
    """Weighted trials: their Ties, and the scores of either class with how often each occurs.

    Scores are in ascending order and occur at least once.
    """

    ties: Ties
    target: Scores
    target_counts: Counts
    nontarget: Scores
    nontarget_counts: Counts

    def counted(self) -> dict[str, Any]:
        """The scores and their counts as the arguments of a cost such as cllr_bit."""
        return {
            "target": self.target,
            "target_counts": self.target_counts,
            "nontarget": self.nontarget,
            "nontarget_counts": self.nontarget_counts,
        }


def read_score_file(
    path: FilePath, *, key: FilePath | None = None, speaker_map: FilePath | None = None
) -> ScoreFile:
    """Read a score file once, as scores and as trials of speakers.

    Parameters
    ----------
    path : path
        Our TSV; with ``key`` a score file of Kaldi's (see tables.read_scores).
    key : path, optional
    speaker_map : path, optional
        TSV: id speaker.

    Raises
    ------
    BadInput : the file is none, or the speakers do not go with its labels
    """
    with naming(path):
        scored = read_scored_trials(path, key=key)
    scores = scores_of(scored)
    _refuse_beyond_precision(path, scores)
    trials = arranged(path, scored, speaker_map) if speaker_map else None
    return ScoreFile(scores, trials)


def _refuse_beyond_precision(path, scores):
    """Refuse scores whose sums or differences double precision cannot hold."""
    values = np.concatenate([scores["target"], scores["nontarget"]])
    finite = values[np.isfinite(values)]
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
    with naming(path):
        return arrange(scored, read_speakers(speaker_map))


def scores_of(scored: ScoredTrials) -> dict[str, Scores]:
    """The scores of {target, nontarget: [(Trial, score), ...]} without their trials."""
    return {label: np.array([score for _, score in pairs]) for label, pairs in scored.items()}


def arrange(scored: ScoredTrials, speaker_of: Mapping[str, str]) -> SpeakerTrials:
    """Sort scored trials and look up their speakers.

    Parameters
    ----------
    scored : {target, nontarget: [(Trial, score), ...]}
    speaker_of : {id: speaker} of enrolments and trials

    Raises
    ------
    BadInput : an id without speaker, a target of two speakers, a nontarget of one
    """
    pairs = [*scored["target"], *scored["nontarget"]]
    enrolled = [_speaker(trial.enrolment, speaker_of) for trial, _ in pairs]
    tried = [_speaker(trial.trial, speaker_of) for trial, _ in pairs]
    # Both sides at once: a speaker has one position, whichever side he is on.
    speakers, positions = np.unique(np.array([enrolled, tried]), return_inverse=True)
    enrolment, trial = positions.reshape(2, -1)
    target = np.arange(len(pairs)) < len(scored["target"])  # they come first in ``pairs``
    mislabelled = np.flatnonzero((enrolment == trial) != target)
    if len(mislabelled):
        wrong, _ = pairs[mislabelled[0]]
        who = f"'{enrolled[mislabelled[0]]}' and '{tried[mislabelled[0]]}'"
        raise BadInput(
            f"trial '{wrong.enrolment} {wrong.trial}' is labelled {wrong.label},"
            f" but its speakers are {who}"
        )
    scores = np.array([score for _, score in pairs], dtype=float)
    order = np.argsort(scores, kind="stable")
    return SpeakerTrials(speakers, scores[order], target[order], enrolment[order], trial[order])


class Ids(NamedTuple):
    """Which enrolment and which utterance each of M trials is of, as numbers from 0 on."""

    enrolment: Counts
    trial: Counts


def ids_of(scored: ScoredTrials, *, alike: bool = False) -> Ids:
    """The Ids of scored trials in the order of ``arrange``.

    ``alike``: an id has the same number on either side, as in pairs of utterances.
    """
    pairs = [*scored["target"], *scored["nontarget"]]
    scores = np.array([score for _, score in pairs], dtype=float)
    order = np.argsort(scores, kind="stable")
    enrolled: dict[str, int] = {}
    numbers = {"enrolment": enrolled, "trial": enrolled if alike else {}}
    columns = []
    for side, known in numbers.items():
        column = [known.setdefault(getattr(trial, side), len(known)) for trial, _ in pairs]
        columns.append(np.array(column, dtype=np.int64)[order])
    return Ids(*columns)


def n_speakers(trials: SpeakerTrials) -> int:
    """Number of speakers with target trials, who are on both sides; others make nontargets."""
    return len(np.unique(trials.enrolment[trials.target]))


def speaker_weights(trials: SpeakerTrials, weights: Counts) -> Counts:
    """Weight of each trial (M,) from one weight for each speaker (S,).

    A target trial of speaker i weighs w_i, a nontarget trial of i and j weighs w_i w_j: two copies
    of a speaker never form a nontarget trial.
    """
    return weights[trials.enrolment] * np.where(trials.target, 1, weights[trials.trial])


def everyone(trials: SpeakerTrials) -> Counts:
    """The weights (M,) with which every trial occurs once."""
    return np.ones(len(trials.scores), dtype=np.int64)


def whole_sample(trials: SpeakerTrials) -> Sample:
    """Sample in which every trial occurs once.

    Raises
    ------
    ValueError : a class has no trials
    """
    sample = weigh(trials, everyone(trials))
    if sample is None:
        raise ValueError("all trials are targets, or all are nontargets")
    return sample


def without_speaker(trials: SpeakerTrials, position: int) -> Sample | None:
    """Sample without the speaker at a position; None where a class is left without trials."""
    weights = np.ones(len(trials.speakers), dtype=np.int64)
    weights[position] = 0
    return weigh(trials, speaker_weights(trials, weights))


def weigh(trials: SpeakerTrials, weights: Counts, *, target: Flags | None = None) -> Sample | None:
    """Sample of trials with integer weights (M,).

    Parameters
    ----------
    trials : SpeakerTrials
    weights : array (M,)
    target : array (M,) of bool, optional
        Other labels for the trials.

    Returns
    -------
    Sample, or None where a class is left without trials
    """
    # Scores are sorted already, so that a sample needs no sort of its own: it is made a thousand
    # times.
    kept = np.flatnonzero(weights)
    scores, weights = trials.scores[kept], weights[kept]
    is_target = (trials.target if target is None else target)[kept]
    if is_target.all() or not is_target.any():
        return None
    # Where a new score begins.
    first = np.flatnonzero(np.concatenate([[True], scores[1:] != scores[:-1]]))
    ties = Ties(
        scores[first],
        np.add.reduceat(weights * is_target, first),
        np.add.reduceat(weights * ~is_target, first),
    )
    return Sample(
        ties, scores[is_target], weights[is_target], scores[~is_target], weights[~is_target]
    )


def _speaker(name, speaker_of):
    if name not in speaker_of:
        raise BadInput(f"'{name}' has no speaker: add it to the map of speakers")
    return speaker_of[name]
