"""Trials of conversations: utterances that are known to belong together are attacked together.

Conventions
-----------
* A conversation is L utterances of one speaker; its score against a model is their mean score.
* Which utterances form a conversation depends on the seed, on the speaker's name and on the order
  of the utterances' numbers. No utterance is in two conversations; what is left over is left out.
"""

from typing import NamedTuple

import numpy as np

from voiceprivacy.inout import seeds
from voiceprivacy.privacy import Counts, Flags, Names, Scores
from voiceprivacy.privacy.scores.trials import SpeakerTrials


class Conversations(NamedTuple):
    """R trials, each of a model against a conversation.

    ``scores`` and ``target`` are (R,). ``enrolment`` and ``trial`` (R,) are positions of speakers
    in SpeakerTrials.speakers. ``model`` and ``conversation`` (R,) are numbers from 0 on.
    """

    scores: Scores
    target: Flags
    enrolment: Counts
    trial: Counts
    model: Counts
    conversation: Counts


def join(
    trials: SpeakerTrials,
    *,
    enrolment_id: Counts,
    trial_id: Counts,
    length: int | None,
    seed: int,
) -> Conversations:
    """Join the utterances of each speaker to conversations.

    Parameters
    ----------
    trials : SpeakerTrials
        M trials. Pairs that count in both directions are given in both.
    enrolment_id, trial_id : array (M,) of int
        Which model and which utterance each trial is of.
    length : int or None
        Utterances L in a conversation; None: all that the speaker has.
    seed : int

    Returns
    -------
    Conversations : none of a model that was not tried on the whole conversation

    Raises
    ------
    ValueError : ids of another length, an id of two speakers, scores that have no mean
    """
    _, model = np.unique(enrolment_id, return_inverse=True)
    _, utterance = np.unique(trial_id, return_inverse=True)
    _check_ids(model, trials.enrolment)
    speaker_of = _check_ids(utterance, trials.trial)
    if length == 1:
        return Conversations(*trials[1:], model, utterance)
    if not np.isfinite(trials.scores).all():
        raise ValueError("infinite scores have no mean over utterances")
    conversation, sizes = _conversations(speaker_of, trials.speakers, length, seed)
    kept = np.flatnonzero(conversation[utterance] >= 0)
    of_rows = conversation[utterance[kept]]
    keys, first, row = np.unique(
        model[kept] * (len(sizes) + 1) + of_rows, return_index=True, return_inverse=True
    )
    counts = np.bincount(row, minlength=len(keys))
    means = np.bincount(row, weights=trials.scores[kept], minlength=len(keys)) / counts
    whole = counts == sizes[of_rows[first]]
    first = kept[first[whole]]
    return Conversations(
        means[whole],
        trials.target[first],
        trials.enrolment[first],
        trials.trial[first],
        model[first],
        conversation[utterance[first]],
    )


def joined(
    trials: SpeakerTrials, enrolment_id: Counts, trial_id: Counts, length: int | None, seed: int
) -> tuple[Conversations, str]:
    """The list of ``join``, and why it is too small; empty where it suffices.

    Half of the speakers need a conversation.
    """
    if length != 1 and not np.isfinite(trials.scores).all():
        rows = join(trials, enrolment_id=enrolment_id, trial_id=trial_id, length=1, seed=seed)
        return rows, "infinite scores have no mean over utterances"
    rows = join(trials, enrolment_id=enrolment_id, trial_id=trial_id, length=length, seed=seed)
    n_there = len(np.unique(rows.trial[rows.target]))
    n_all = len(np.unique(trials.trial[trials.target]))
    if 2 * n_there < n_all or not n_there:
        return rows, f"{n_there} of {n_all} speakers have {length or 1} utterances"
    return rows, ""


def rounds(rows: Conversations, speakers: Names, *, seed: int) -> Counts:
    """Round of each trial (R,): in every round each speaker has at most one conversation.

    The order of a speaker's conversations depends on the seed and on his name.
    """
    names, first, position = np.unique(rows.conversation, return_index=True, return_inverse=True)
    speaker_of = rows.trial[first]
    round_of = np.empty(len(names), dtype=np.int64)
    for speaker in np.unique(speaker_of):
        own = np.flatnonzero(speaker_of == speaker)
        draw = seeds.generator(seed, "rounds", str(speakers[speaker]))
        round_of[own] = draw.permutation(len(own))
    return round_of[position]


def _check_ids(ids, speaker):
    """The speaker of each id (ids are 0 ... n - 1)."""
    if ids.shape != speaker.shape:
        raise ValueError(f"{len(ids)} ids for {len(speaker)} trials")
    speaker_of = np.empty(ids.max(initial=-1) + 1, dtype=np.int64)
    speaker_of[ids] = speaker
    if (speaker_of[ids] != speaker).any():
        raise ValueError("an id belongs to two speakers")
    return speaker_of


def _conversations(speaker_of, speakers, length, seed):
    """Conversation of each utterance (-1: left over), and how many utterances each holds."""
    conversation = np.full(len(speaker_of), -1)
    sizes: list[int] = []
    for speaker in np.unique(speaker_of):
        own = np.flatnonzero(speaker_of == speaker)
        size = len(own) if length is None else length
        n_whole = len(own) // size
        draw = seeds.generator(seed, "conversations", str(speakers[speaker]))
        shuffled = draw.permutation(own)[: n_whole * size]
        conversation[shuffled] = len(sizes) + np.arange(len(shuffled)) // size
        sizes += [size] * n_whole
    return conversation, np.array(sizes, dtype=np.int64)
