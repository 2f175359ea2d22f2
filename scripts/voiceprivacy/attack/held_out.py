"""What an attacker finds in training speakers who were held out.

An attacker of protected speech is made for protected speech. Whether it works is seen on speakers
who were held out of the training and speak under the same protection.

Conventions
-----------
* An extractor holds speakers out. A back-end is trained again without a fold of speakers, and tried
  on them; the back-end that is used is trained on all.
* The first half of a speaker's utterances enrols, each of the others is a trial. Of whom there
  is one utterance, its pieces take their part: they share a room and a draw, so less is asked.
* A back-end that learns from original and protected speech is tried on the protected.
* Nontargets are of one fold and one gender. Scores of several folds are of several back-ends.
* Under the null hypothesis an enrolment is as much like anybody's trials as like its own speaker's.
  Speakers are permuted within fold and gender, and the test is exact.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from voiceprivacy import seeds
from voiceprivacy.attack import Counts, Flags, Floats, Scorer
from voiceprivacy.errors import BadInput
from voiceprivacy.inout.ids import source_of
from voiceprivacy.inout.manifests import Utterance
from voiceprivacy.vocabulary import UNDEFINED

N_PERMUTATIONS = 1999  # p-values down to 0.0005
N_FOLDS = 5
IN_FOLD = 8  # speakers: of fewer there are too few permutations, so there are fewer folds
FEWEST_IN_FOLD = 4  # speakers, two of each gender
MOST_SPEAKERS = 200  # that are tried, in all folds together
MOST_TRIALS = 10  # of a speaker


class HeldOut(NamedTuple):
    """What an attacker finds in training speakers who were held out.

    They speak as the speech that was learnt from does. ``eer_percent`` is of their trials, and
    ``p_value`` is how often permuted speakers give as small a one. Both are "undefined" for a
    ``reason``, which is empty otherwise. ``n_training_speakers`` is how many the attacker learnt
    from.
    """

    n_training_speakers: int
    n_speakers: int
    n_trials: int
    eer_percent: float | str
    p_value: float | str
    reason: str


class Spoken(NamedTuple):
    """Embeddings (N, D), and of each row its utterance or piece, its speaker and gender."""

    embeddings: Floats
    utterances: Sequence[str]
    speakers: Sequence[str]
    genders: Sequence[str]

    @classmethod
    def heard(cls, embeddings: Floats, utterances: Sequence[Utterance]) -> "Spoken":
        """Embeddings (N, D) of utterances, or of pieces of them (N,)."""
        return cls(
            embeddings,
            [utterance.utterance for utterance in utterances],
            [utterance.speaker for utterance in utterances],
            [utterance.gender for utterance in utterances],
        )

    def rows(self, chosen: Any) -> "Spoken":
        """Some rows of it."""
        named = [[names[row] for row in chosen] for names in self[1:]]
        return Spoken(self.embeddings[chosen], *named)


class Trials(NamedTuple):
    """Scores (E, T) of one fold, the row of each trial's speaker (T,), the gender of each row (E,).

    Row by row they are the enrolled speakers.
    """

    scores: Floats
    speaker: Counts
    gender: Counts


def crossfitted(
    tried: Spoken, heard: Spoken, train: Callable[[Floats, Sequence[str]], Scorer]
) -> HeldOut:
    """What back-ends find in the speakers that each of them was trained without.

    Parameters
    ----------
    tried : Spoken
        The speech that the back-end is made for.
    heard : Spoken
        All that the back-end that is used learns from, of the same speakers.
    train : function
        (embeddings (N, D), speakers (N,)) -> scorer, as in ``backends``.
    """
    n_speakers = len(set(heard.speakers))
    n_folds = min(N_FOLDS, max(2, n_speakers // IN_FOLD))
    if n_speakers < n_folds * FEWEST_IN_FOLD:
        return unknown(n_speakers, f"{n_speakers} training speakers are too few to hold some out")
    fold_of = _folds(tried, n_folds)
    folds = []
    for fold in range(n_folds):
        is_heard = [fold_of[speaker] != fold for speaker in heard.speakers]
        training = heard.rows(np.flatnonzero(is_heard))
        is_tried = [fold_of[speaker] == fold for speaker in tried.speakers]
        held_out = _some_speakers(tried.rows(np.flatnonzero(is_tried)), n_folds)
        try:
            folds.append(trials_of(held_out, train(training.embeddings, training.speakers)))
        except BadInput as error:
            return unknown(n_speakers, f"without some of its speakers: {error}")
    return judged(folds, n_training_speakers=n_speakers)


def unknown(n_training_speakers: int, reason: str) -> HeldOut:
    """The result where nobody can be held out."""
    return HeldOut(n_training_speakers, 0, 0, UNDEFINED, UNDEFINED, reason)


def trials_of(spoken: Spoken, score: Scorer) -> Trials:
    """Enrol every speaker who has two utterances or pieces, and try the rest of them.

    Parameters
    ----------
    spoken : Spoken, of speakers that were held out
    score : scorer
    """
    enrolments: list[Counts] = []
    trials: list[int] = []
    speaker: list[int] = []
    genders: list[str] = []
    names = np.array(spoken.speakers)
    for name in sorted(set(spoken.speakers)):
        rows = np.flatnonzero(names == name)
        enrolling, tried = _halves([spoken.utterances[row] for row in rows.tolist()])
        if not len(tried):
            continue
        speaker += [len(enrolments)] * len(tried)
        enrolments.append(rows[enrolling])
        trials += rows[tried].tolist()
        genders.append(spoken.genders[int(rows[0])])
    if not enrolments:
        raise BadInput("no speaker has two utterances, or two pieces of one")
    embeddings = spoken.embeddings.astype(np.float64)
    scores = score(
        enrolment=np.stack([embeddings[rows].mean(axis=0) for rows in enrolments]),
        counts=np.array([len(rows) for rows in enrolments]),
        trial=embeddings[trials],
    )
    _, gender = np.unique(genders, return_inverse=True)
    return Trials(scores, np.array(speaker), gender)


def judged(folds: Sequence[Trials], *, n_training_speakers: int) -> HeldOut:
    """The equal error rate of all folds, and how easily chance gives as small a one."""
    compared = [trials.gender[:, None] == trials.gender[trials.speaker] for trials in folds]
    scores = [trials.scores[own] for trials, own in zip(folds, compared, strict=True)]
    order = np.argsort(np.concatenate(scores), kind="stable")

    def rate(permute):
        same = []
        for trials, own in zip(folds, compared, strict=True):
            same.append((permute(trials.gender)[:, None] == trials.speaker)[own])
        return sorted_eer_percent(np.concatenate(same)[order])

    n_speakers = sum(len(trials.gender) for trials in folds)
    if not any((own.sum(axis=0) > 1).any() for own in compared):
        return unknown(n_training_speakers, "no two speakers of one gender are held out together")
    value = rate(lambda gender: np.arange(len(gender)))
    draw = seeds.generator(0, "speakers held out")
    null = np.array([rate(lambda gender: _permuted(gender, draw)) for _ in range(N_PERMUTATIONS)])
    # Equal rates can differ by a rounding error.
    p_value = (1 + np.count_nonzero(null <= value + 1e-9)) / (1 + N_PERMUTATIONS)
    return HeldOut(n_training_speakers, n_speakers, len(order), value, float(p_value), "")


def eer_percent(scores: Floats, same: Flags) -> float:
    """Equal error rate in %: where misses and false alarms differ least.

    Parameters
    ----------
    scores : array (N,)
    same : array (N,)
        Which are of the same speaker.
    """
    return sorted_eer_percent(same[np.argsort(scores, kind="stable")])


def sorted_eer_percent(same: Flags) -> float:
    """The same of trials that are sorted by their scores, the lowest first."""
    misses = np.cumsum(same) / same.sum()
    false_alarms = 1 - np.cumsum(~same) / (~same).sum()
    threshold = np.argmin(np.abs(misses - false_alarms))
    return float(50 * (misses[threshold] + false_alarms[threshold]))


def _folds(spoken, n_folds):
    """{speaker: number of the fold}; genders are spread over all folds."""
    gender_of = dict(zip(spoken.speakers, spoken.genders, strict=True))
    shuffled = seeds.generator(0, "folds of speakers").permutation(sorted(gender_of)).tolist()
    ordered = sorted(shuffled, key=lambda speaker: gender_of[speaker])
    return {speaker: number % n_folds for number, speaker in enumerate(ordered)}


def _some_speakers(spoken, n_folds):
    """Some speakers of a fold, drawn by a fixed seed: more would only take time."""
    names = seeds.generator(0, "tried of a fold").permutation(sorted(set(spoken.speakers)))
    chosen = set(names[: max(FEWEST_IN_FOLD, MOST_SPEAKERS // n_folds)].tolist())
    return spoken.rows([row for row, name in enumerate(spoken.speakers) if name in chosen])


def _halves(utterances):
    """Positions that enrol and that are tried, of one speaker's utterances or pieces.

    Pieces of one utterance stay together where there are several utterances.
    """
    sources = [source_of(name) for name in utterances]
    names = sorted(set(sources))
    positions = np.arange(len(utterances))
    if len(names) < 2:
        middle = (len(utterances) + 1) // 2
        return positions[:middle], positions[middle : middle + MOST_TRIALS]
    enrolling = set(names[: (len(names) + 1) // 2])
    is_enrolling = np.array([source in enrolling for source in sources])
    return positions[is_enrolling], positions[~is_enrolling][:MOST_TRIALS]


def _permuted(gender, draw):
    """Whose trials each row is taken for, within one gender (E,)."""
    permuted = np.arange(len(gender))
    for one in np.unique(gender):
        rows = np.flatnonzero(gender == one)
        permuted[rows] = draw.permutation(rows)
    return permuted
