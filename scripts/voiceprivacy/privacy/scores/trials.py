"""Scored trials and who speaks in them: speakers can be weighted, left out, or given other labels.

Conventions
-----------
* A speaker is the same on the enrolment and on the trial side; a target trial has the same speaker on both.
* Scores are sorted once; every sample of them is a weight for each trial.
"""

from typing import NamedTuple

import numpy as np

from voiceprivacy.inout.files import BadInput
from voiceprivacy.privacy.scores.calibration import Ties


class SpeakerTrials(NamedTuple):
    """M trials in ascending order of their scores.

    ``speakers`` (S,) of both sides, sorted; ``scores`` (M,); ``target`` (M,) bool; ``enrolment`` and ``trial`` (M,) are
    the speakers' positions.
    """

    speakers: np.ndarray
    scores: np.ndarray
    target: np.ndarray
    enrolment: np.ndarray
    trial: np.ndarray


class Sample(NamedTuple):
    """Weighted trials: Ties, and the scores of either class (ascending) with how often each occurs (at least once)."""

    ties: Ties
    target: np.ndarray
    target_counts: np.ndarray
    nontarget: np.ndarray
    nontarget_counts: np.ndarray


def arrange(scored, speaker_of):
    """Sort scored trials and look up their speakers.

    Parameters
    ----------
    scored : {target, nontarget: [(Trial, score), ...]}
    speaker_of : {id: speaker} of enrolments and trials

    Returns
    -------
    SpeakerTrials

    Raises
    ------
    BadInput : an id without speaker, a target of two speakers, a nontarget of one, a single speaker
    """
    pairs = [pair for label in ("target", "nontarget") for pair in scored[label]]
    sides = [
        [_speaker(getattr(trial, side), speaker_of) for trial, _ in pairs]
        for side in ("enrolment", "trial")
    ]
    speakers, positions = np.unique(np.array(sides), return_inverse=True)
    enrolment, trial = positions.reshape(2, -1)
    target = np.arange(len(pairs)) < len(scored["target"])
    for wrong in np.flatnonzero((enrolment == trial) != target)[:1]:
        of = pairs[wrong][0]
        who = f"'{speakers[enrolment[wrong]]}' and '{speakers[trial[wrong]]}'"
        raise BadInput(
            f"trial '{of.enrolment} {of.trial}' is labelled {of.label}, but its speakers are {who}"
        )
    scores = np.array([score for _, score in pairs], dtype=float)
    order = np.argsort(scores, kind="stable")
    return SpeakerTrials(speakers, scores[order], target[order], enrolment[order], trial[order])


def n_speakers(trials):
    """Number of speakers with target trials, who are on both sides; those of one side only make nontargets."""
    return len(np.unique(trials.enrolment[trials.target]))


def speaker_weights(trials, weights):
    """Weight of each trial (M,) from one weight for each speaker (S,).

    A target trial of speaker i weighs w_i, a nontarget trial of i and j w_i w_j: two copies of a speaker never form a
    nontarget trial.
    """
    return weights[trials.enrolment] * np.where(trials.target, 1, weights[trials.trial])


def weigh(trials, weights, *, target=None):
    """Sample of trials with integer weights (M,).

    ``target`` (M,) bool are other labels for the trials. None where a class is left without trials.
    """
    kept = np.flatnonzero(weights)
    scores, weights = trials.scores[kept], weights[kept]
    target = (trials.target if target is None else target)[kept]
    if target.all() or not target.any():
        return None
    first = np.flatnonzero(np.concatenate([[True], scores[1:] != scores[:-1]]))
    ties = Ties(scores[first], *(np.add.reduceat(weights * of, first) for of in (target, ~target)))
    return Sample(ties, scores[target], weights[target], scores[~target], weights[~target])


def _speaker(name, speaker_of):
    if name not in speaker_of:
        raise BadInput(f"'{name}' has no speaker: add it to the map of speakers")
    return speaker_of[name]
