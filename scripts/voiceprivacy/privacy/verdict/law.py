"""The criteria of data-protection law: singling out, linkability, inference.

Opinion 05/2014 asks three things of anonymised data. Can one person be isolated? Can records of
one person be linked? Can something be inferred about a person?

Conventions
-----------
* Scores are higher for more likely the same speaker: a reading is applied before.
* All rates are shares from 0 to 1. ``n_speakers`` N is the number of people among whom one is
  searched, himself included; ``length`` L is the number of utterances in a conversation.
* A list that is too small has no rate: NaN, and a reason in words.
* Nothing beyond the speakers that are there is a rate. It has functions of its own.

Singling out
------------
A predicate passes the conversations whose score against its model is above a threshold. N speakers
give one conversation each, the model's own speaker among them. The rate is how often exactly one
passes, whoever it is. A predicate that passes each with a chance of 1/N reaches
(1 - 1/N)^(N - 1), about 1/e, without any knowledge.

Speakers are divided into two halves. One half sets the threshold, the other is attacked, and then
they change places. The threshold passes 1/N of the conversations of N speakers, of whom one is the
model's own. Before that, each model's mean score is taken off its scores, so that every model has a
threshold of its own. The mean is that over other speakers of the half that sets the threshold,
drawn towards that of all models as far as it is uncertain.

Replicates
----------
Speakers are drawn anew as tested persons, as others, and where a threshold is set. The number of
others stays what it is: only their shares change. A rate over random sets is unbiased, and its
replicates are not, because it is curved in those shares. So they are moved until their median is
the value. The means of models and the chosen pass rate of a predicate are not drawn anew.

References
----------
Article 29 data protection working party, Opinion 05/2014 on anonymisation techniques, WP216.
Vauquier, Srivastava, Hosseini and Vincent, Legally validated evaluation framework for voice
anonymization, Interspeech 2025, https://doi.org/10.21437/Interspeech.2025-1699
Cohen and Nissim, Towards formalizing the GDPR's notion of singling out, PNAS 117, 2020.
"""

import numpy as np

from voiceprivacy.privacy import Counts, Floats, Names
from voiceprivacy.privacy.scores.trials import SpeakerTrials
from voiceprivacy.privacy.verdict import conversations, links, predicates, rates
from voiceprivacy.privacy.verdict.rates import Rate

FEWEST_OF_A_VALUE = 2  # speakers


def linkability(
    *,
    trials: SpeakerTrials,
    enrolment_id: Counts,
    trial_id: Counts,
    n_speakers: int,
    length: int | None = 1,
    weights: Counts | None = None,
    seed: int = 0,
) -> Rate:
    """How often a conversation is linked to its speaker among N: rank 1, ties shared.

    Vauquier et al.; the mean over all target trials and over all sets of N - 1
    other models. Guessing reaches 1/N.

    Parameters
    ----------
    trials : SpeakerTrials
        M trials. Speakers with several models count once for each; a set can hold two of them.
    enrolment_id, trial_id : array (M,) of int
        Which model and which utterance each trial is of.
    n_speakers : int
        N, at least 2.
    length : int or None
        Utterances L that are known to belong together; None: all of a speaker.
    weights : array (B, S) of int, optional
        How often each speaker is drawn in each replicate (bootstrap.multiplicities).
    seed : int
        Of the choice of utterances for a conversation.

    Returns
    -------
    Rate : undefined where fewer than half of the conversations were tried against N - 1 others
    """
    drawn = rates.with_everybody(len(trials.speakers), weights)
    rows, reason = conversations.joined(trials, enrolment_id, trial_id, length, seed)
    if reason:
        return rates.undefined(reason, drawn)
    contests = links.contests_of(rows, len(trials.speakers))
    largest = links.largest_gallery(contests)
    if n_speakers > largest:
        reason = f"conversations were tried against {largest} speakers, fewer than {n_speakers}"
        return rates.undefined(reason, drawn)
    return rates.settled(links.linked(contests, n_speakers, drawn))


def singling_out(
    *,
    trials: SpeakerTrials,
    enrolment_id: Counts,
    trial_id: Counts,
    n_speakers: int,
    length: int | None = 1,
    weights: Counts | None = None,
    seed: int = 0,
    best_weight: bool = False,
) -> Rate:
    """How often a predicate isolates exactly one of N speakers (see Singling out above).

    Vauquier et al.; galleries.chance_of_isolation is no gain.

    Parameters
    ----------
    trials, enrolment_id, trial_id, n_speakers, length, weights
        As for linkability.
    seed : int
        Of the halves of speakers and of which conversations are attacked together.
    best_weight : bool
        The predicate passes that multiple of 1/N (predicates.PASS_RATES) with which it isolates
        most often in the half that sets the threshold. A low rate at 1/N can be bad calibration.

    Returns
    -------
    Rate : undefined where a half has fewer than N speakers or 10 N calibration trials of two
    """
    drawn = rates.with_everybody(len(trials.speakers), weights)
    rows, reason = conversations.joined(trials, enrolment_id, trial_id, length, seed)
    if reason:
        return rates.undefined(reason, drawn)
    folds = predicates.folds(rows, trials.speakers, seed=seed)
    largest = predicates.largest_half(folds)
    reason = predicates.why_not_calibrated(folds, n_speakers)
    if n_speakers > largest:
        reason = f"half of the speakers are {largest}, fewer than {n_speakers}"
    if reason:
        return rates.undefined(reason, drawn)
    sums = np.zeros((2, len(drawn)))
    for fold in folds:
        factor = predicates.best_factor(fold, n_speakers) if best_weight else 1
        limits = predicates.thresholds(
            fold.calibration, n_speakers=n_speakers, factor=factor, drawn=drawn
        )
        sums += predicates.isolated(fold.other, limits, n_speakers, drawn)
    return rates.settled(rates.share(*sums))


def inference(
    *, labels: Names, guesses: Names, speaker: Counts, weights: Counts | None = None
) -> Rate:
    """Gain of guesses of an attribute over guessing blindly, in balanced accuracy.

    Balanced accuracy is the mean over the K values of the attribute of the share that is guessed
    right; guessing blindly reaches 1 / K. The gain lies between -1 / K and 1 - 1 / K.
    Brodersen et al., The balanced accuracy and its posterior distribution, ICPR 2010.

    Parameters
    ----------
    labels : array (U,)
        The attribute of who speaks in each utterance, such as f or m; never empty.
    guesses : array (U,)
        The attacker's guesses. Of scores for each value they are the highest (see best_guess).
    speaker : array (U,) of int
        Position of the speaker, a column of ``weights``.
    weights : array (B, S) of int, optional
        How often each speaker is drawn in each replicate.

    Returns
    -------
    Rate : undefined with less than two values, or with less than two speakers of one
    """
    n_speakers = int(np.max(speaker, initial=-1)) + 1 if weights is None else weights.shape[1]
    drawn = rates.with_everybody(n_speakers, weights)
    values, value = np.unique(labels, return_inverse=True)
    of_speakers = np.zeros((2, len(values), n_speakers))  # all utterances, and those guessed right
    np.add.at(of_speakers[0], (value, speaker), 1)
    np.add.at(of_speakers[1], (value, speaker), np.asarray(guesses) == np.asarray(labels))
    fewest = np.count_nonzero(of_speakers[0], axis=1).min(initial=n_speakers)
    if len(values) < 2 or fewest < FEWEST_OF_A_VALUE:
        return rates.undefined(
            "fewer than two values of the attribute with two speakers each", drawn
        )
    total, right = of_speakers @ drawn.T.astype(float)
    gain = rates.share(right, total).mean(axis=0) - 1 / len(values)
    return Rate(float(gain[0]), gain[1:])


def best_guess(values: Names, scores: Floats) -> Names:
    """The value (K,) with the highest score in each row (U, K); of equal ones the first."""
    return np.asarray(values)[np.argmax(scores, axis=1)]
