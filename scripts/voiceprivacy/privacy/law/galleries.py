"""Galleries: conversations that are searched among N speakers, and chances over all such sets.

Conventions
-----------
* A conversation is L utterances of one speaker that are known to belong together. They are attacked
  together: its score against a model is their mean score.
* Which utterances form a conversation depends on the seed, on the speaker's name and on the order
  of the utterances' numbers. No utterance is in two conversations; what is left over is left out.
* A set holds ``size`` N speakers: the one in question and N - 1 others, drawn from those that are
  there without drawing anybody twice.
* Numbers of others can be weighted and need not be whole. Arguments of chances broadcast; results
  are probabilities.

References
----------
Vauquier et al., Legally validated evaluation framework for voice anonymization, Interspeech 2025.
"""

from typing import NamedTuple

import numpy as np

from voiceprivacy import seeds
from voiceprivacy.errors import counted
from voiceprivacy.privacy import Counts, Flags, Floats, Names, Scores
from voiceprivacy.privacy.scores.samples import SpeakerTrials


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


def joined(
    trials: SpeakerTrials, enrolment_id: Counts, trial_id: Counts, length: int | None, seed: int
) -> tuple[Conversations, str]:
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
    str : why the list is too small, as half of the speakers need a conversation; else empty
    """
    if length != 1 and not np.isfinite(trials.scores).all():
        rows = _joined(trials, enrolment_id, trial_id, 1, seed)
        return rows, "infinite scores have no mean over utterances"
    rows = _joined(trials, enrolment_id, trial_id, length, seed)
    n_there = len(np.unique(rows.trial[rows.target]))
    n_all = len(np.unique(trials.trial[trials.target]))
    if 2 * n_there < n_all or not n_there:
        return rows, f"{n_there} of {n_all} speakers have {counted(length or 1, 'utterance')}"
    return rows, ""


def rounds(rows: Conversations, speakers: Names, *, seed: int) -> Counts:
    """Round of each trial (R,): in every round each speaker has at most one conversation.

    The order of a speaker's conversations depends on the seed and the name.
    """
    names, first, position = np.unique(rows.conversation, return_index=True, return_inverse=True)
    speaker_of = rows.trial[first]
    round_of = np.empty(len(names), dtype=np.int64)
    for speaker in np.unique(speaker_of):
        own = np.flatnonzero(speaker_of == speaker)
        draw = seeds.generator(seed, "rounds", str(speakers[speaker]))
        round_of[own] = draw.permutation(len(own))
    return round_of[position]


def _joined(trials, enrolment_id, trial_id, length, seed):
    _, model = np.unique(enrolment_id, return_inverse=True)
    names, utterance = np.unique(trial_id, return_inverse=True)
    if length == 1:
        return Conversations(*trials[1:], model, utterance)
    speaker_of = np.empty(len(names), dtype=np.int64)
    speaker_of[utterance] = trials.trial
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
        *(field[first] for field in trials[2:]),
        model[first],
        conversation[utterance[first]],
    )


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


# Chances over all sets of N speakers.


def comes_first(others: Floats, above: Floats, tied: Floats, *, size: int) -> Floats:
    """Probability that the one in question ranks first among N, ties being shared.

    C(M - k, N - 1) / C(M, N - 1) without ties. With t of them it is the mean over the t + 1 orders
    in which the one in question can stand among the tied, which sums to
    (C(M - k + 1, N) - C(M - k - t, N)) / ((t + 1) C(M, N - 1)).

    Parameters
    ----------
    others, above, tied : array
        Numbers M of others, k of those above the one in question, t of those equal to it.
    size : int
        N, at most M + 1.
    """
    below = np.asarray(others - above - tied)
    chance = _share_of_sets(below, others, size - 1)
    tied = np.broadcast_to(tied, chance.shape)
    shared = tied > 0
    if shared.any():
        all_others = np.broadcast_to(others, chance.shape)[shared]
        tied, below = tied[shared], below[shared]
        # C(n + 1, N) is (n + 1) / N times C(n, N - 1).
        high = (below + tied + 1) * _share_of_sets(below + tied, all_others, size - 1)
        low = below * _share_of_sets(below - 1, all_others, size - 1)
        chance[shared] = (high - low) / (size * (tied + 1))
    return np.clip(chance, 0.0, 1.0)


def nobody_passes(others: Floats, passing: Floats, *, size: int) -> Floats:
    """Probability that none of the N - 1 others is one of the k of M that pass."""
    return np.clip(_share_of_sets(others - passing, others, size - 1), 0.0, 1.0)


def one_passes(others: Floats, passing: Floats, *, size: int) -> Floats:
    """Probability that exactly one of the N - 1 others is one of the k of M that pass."""
    rest = _share_of_sets(others - passing, others, size - 2) / (others - size + 2)
    return np.clip(passing * (size - 1) * rest, 0.0, 1.0)


def chance_of_isolation(n_speakers: int) -> float:
    """Rate at which a predicate that knows nothing isolates one of N: (1 - 1/N)^(N - 1).

    It falls to 1/e = 36.8 %. Cohen and Nissim, Towards formalizing the GDPR's notion of singling
    out, PNAS 117, 2020.
    """
    return float((1 - 1 / n_speakers) ** (n_speakers - 1))


def _share_of_sets(part: Floats, whole: Floats, size: int) -> Floats:
    """C(part, size) / C(whole, size) for real numbers; 0 where the part is smaller than a set."""
    share = np.ones(np.broadcast(part, whole).shape)
    for taken in range(size):
        share *= np.maximum(part - taken, 0) / (whole - taken)
    return share
