"""The criteria of data-protection law: singling out and linkability.

Opinion 05/2014 asks three things of anonymised data. Can one person be isolated? Can records of
one person be linked? Can something be inferred about a person? Scores of voices answer the first
two.

Conventions
-----------
* Scores are higher for more likely the same speaker: a reading is applied before.
* All rates are shares from 0 to 1. ``n_speakers`` N is the number of people among whom one is
  searched, the true one included; ``length`` L is the number of utterances in a conversation.
* A list that is too small has no rate: NaN, and a reason in words.
* Nothing beyond the speakers that are there is a rate.
* ``drawn`` (B + 1, S) says how often each speaker is drawn: the first row once each, for the value,
  the others for the replicates.

Linkability
-----------
A contest is a target trial: its model against all models of other speakers that were tried on the
same conversation. The rate is how often the own model comes first among N, ties being shared.

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
the value. The means of models are not drawn anew.

References
----------
Article 29 data protection working party, Opinion 05/2014 on anonymisation techniques, WP216.
Vauquier, Srivastava, Hosseini and Vincent, Legally validated evaluation framework for voice
anonymization, Interspeech 2025, https://doi.org/10.21437/Interspeech.2025-1699
Cohen and Nissim, Towards formalizing the GDPR's notion of singling out, PNAS 117, 2020.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy import sparse

from voiceprivacy.privacy import Counts, Floats, Names
from voiceprivacy.privacy.law import galleries, predicates
from voiceprivacy.privacy.law.galleries import Conversations

BLOCK = 100_000  # numbers in one array: several of them fit a core's cache
MOST_COUNTS = 4_000_000  # of speakers beside target trials, that are counted at a time


class Rate(NamedTuple):
    """A rate from 0 to 1, its replicates (B,), and why it is NaN."""

    value: float
    replicates: Floats
    reason: str = ""


class Contests(NamedTuple):
    """Of T target trials: their speakers (T,), and how many models of each speaker (T, S) score
    above, the same, or are there at all."""

    speaker: Counts
    above: sparse.csr_array
    tied: sparse.csr_array
    others: sparse.csr_array

    def part(self, chosen: Counts) -> tuple[Floats, Floats, Floats]:
        """The counts of some positions, as arrays."""
        above, tied, others = (counts[chosen].toarray() for counts in self[1:])
        return above, tied, others


def linked_among(
    sizes: Sequence[int], rows: Conversations, speakers: Names, drawn: Counts, seed: int
) -> list[Rate]:
    """Linkability of a list of conversations among each of some numbers N of speakers.

    How often a conversation is linked to its speaker: rank 1, ties shared. Vauquier et al.; the
    mean over all target trials and over all sets of N - 1 other models. Speakers with several
    models count once for each; a set can hold two of them. Guessing reaches 1/N.

    Returns
    -------
    Rate of each : undefined where fewer than half of the conversations were tried against N - 1
        others
    """
    contests = contests_of(rows, len(speakers))
    largest = largest_gallery(contests)
    rates = []
    for size in sizes:
        if size > largest:
            reason = f"conversations were tried against {largest} speakers, fewer than {size}"
            rates.append(undefined(reason, drawn))
        else:
            rates.append(settled(linked(contests, size, drawn)))
    return rates


def isolated_among(
    sizes: Sequence[int], rows: Conversations, speakers: Names, drawn: Counts, seed: int
) -> list[Rate]:
    """Singling out in a list of conversations among each of some numbers N of speakers.

    How often a predicate isolates exactly one of them (see Singling out above). Vauquier et al.;
    galleries.chance_of_isolation is no gain. ``seed`` is of the halves of speakers and of which
    conversations are attacked together.

    Returns
    -------
    Rate of each : undefined where a half has fewer than N speakers or 10 N calibration trials of
        two
    """
    folds = predicates.folds(rows, speakers, seed=seed)
    largest = predicates.largest_half(folds)
    rates = []
    for size in sizes:
        reason = predicates.why_not_calibrated(folds, size)
        if size > largest:
            reason = f"at most {largest} of half of the speakers meet, fewer than {size}"
        rates.append(undefined(reason, drawn) if reason else _isolated(folds, size, drawn))
    return rates


def _isolated(folds, n_speakers, drawn):
    sums = np.zeros((2, len(drawn)))
    for fold in folds:
        limits = predicates.thresholds(fold.calibration, n_speakers=n_speakers, drawn=drawn)
        sums += predicates.isolated(fold.other, limits, n_speakers, drawn)
    return settled(share(*sums))


# Contests of linkability.


def contests_of(rows: Conversations, n_speakers: int) -> Contests:
    """Hold every target trial against the other models that were tried on its conversation.

    Some conversations at a time, so that memory grows with the trials, not with trials times
    speakers.
    """
    own, others = np.flatnonzero(rows.target), np.flatnonzero(~rows.target)
    by_conversation = np.argsort(rows.conversation[own], kind="stable")
    own = own[by_conversation]
    others = others[np.argsort(rows.conversation[others], kind="stable")]
    n_conversations = rows.conversation.max(initial=-1) + 1
    n_own = np.bincount(rows.conversation[own], minlength=n_conversations)
    part = np.cumsum(n_own + 1) * n_speakers // MOST_COUNTS  # of each conversation
    starts = np.flatnonzero(np.diff(part, prepend=-1))
    first_own = [*np.searchsorted(rows.conversation[own], starts), len(own)]
    first_other = [*np.searchsorted(rows.conversation[others], starts), len(others)]
    parts = [
        _contests_in(rows, own[slice(*of_own)], others[slice(*of_others)], n_speakers)
        for of_own, of_others in zip(pairwise(first_own), pairwise(first_other), strict=True)
    ]
    counts = [sparse.vstack(blocks, format="csr") for blocks in zip(*parts, strict=True)]
    as_listed = np.argsort(by_conversation)
    return Contests(rows.trial[own[as_listed]], *(matrix[as_listed] for matrix in counts))


def _contests_in(
    rows: Conversations, own: Counts, others: Counts, n_speakers: int
) -> list[sparse.csr_array]:
    """Counts of others above target trials, at their scores, and there at all: (T, S) each.

    No pair is compared by itself. The target trials of a conversation, by score, are steps, with a
    level above each and one below all. Others are counted on the levels, and summed from the top.

    Parameters
    ----------
    own, others : rows of some conversations by conversation, target trials (T,) and all others
    """
    numbers, conversation = np.unique(rows.conversation[own], return_inverse=True)
    others = others[np.isin(rows.conversation[others], numbers)]
    of_others = np.searchsorted(numbers, rows.conversation[others])
    enrolled = rows.enrolment[others]
    _, rank = np.unique(
        np.concatenate([rows.scores[own], rows.scores[others]]), return_inverse=True
    )
    own_key = conversation * len(rank) + rank[: len(own)]  # by conversation, then by score
    other_key = of_others * len(rank) + rank[len(own) :]
    order = np.argsort(own_key, kind="stable")
    steps = own_key[order]
    # Levels are numbered through all conversations: in each there is one more of them than steps.
    below = np.argsort(order) + conversation
    n_steps = np.bincount(conversation, minlength=len(numbers))
    top = np.cumsum(n_steps)[conversation] + conversation

    def above(side):
        """Others (T, S) above each target trial; those of the same score with them if "right"."""
        levels = np.searchsorted(steps, other_key, side) + of_others
        from_top = _counts(levels, enrolled, len(own) + len(numbers), n_speakers)
        np.cumsum(from_top[::-1], axis=0, out=from_top[::-1])
        return from_top[below + 1] - from_top[top + 1]

    higher = above("left")
    there = _counts(of_others, enrolled, len(numbers), n_speakers)[conversation]
    return [sparse.csr_array(counts) for counts in (higher, above("right") - higher, there)]


def _counts(row, speaker, n_rows, n_speakers):
    """How often each speaker occurs in each row, (n_rows + 1, n_speakers); the last has nobody."""
    counts = np.bincount(row * n_speakers + speaker, minlength=(n_rows + 1) * n_speakers)
    return counts.reshape(-1, n_speakers).astype(float)


def largest_gallery(contests: Contests) -> int:
    """The largest N such that half of the conversations were tried against N - 1 others."""
    n_others = np.sort(np.diff(contests.others.indptr))
    return int(n_others[len(n_others) // 2]) + 1 if len(n_others) else 0


def linked(contests: Contests, n_speakers: int, drawn: Counts) -> Floats:
    """Weighted mean (B,) of the chances to come first, over conversations with N - 1 others."""
    first, total = np.zeros(len(drawn)), np.zeros(len(drawn))
    is_kept = contests.others.sum(axis=1) >= n_speakers - 1
    for speaker in np.unique(contests.speaker[is_kept]):
        tested = np.flatnonzero(drawn[:, speaker])  # others of the draws leave this speaker out
        own, weights = drawn[tested, speaker], drawn[tested].T.astype(float)
        kept = np.flatnonzero(is_kept & (contests.speaker == speaker))
        size = max(1, BLOCK // max(1, len(tested)))
        for start in range(0, len(kept), size):
            against = contests.part(kept[start : start + size])
            drawn_others = against[-1] @ weights
            chances = _chances(*against, n_speakers, weights, drawn_others)
            first[tested] += own * chances.sum(axis=0, where=drawn_others > 0)
            total[tested] += own * np.count_nonzero(drawn_others, axis=0)
    return share(first, total)


def _chances(above, tied, others, n_speakers, weights, drawn_others):
    """Chance of each contest to come first among N, in each draw; 1 where nobody is above."""
    chances = np.ones((len(above), weights.shape[1]))
    rivals = (above + tied).any(axis=1)
    there = others[rivals].sum(axis=1, keepdims=True)
    scale = there / np.maximum(drawn_others[rivals], 1)
    above, tied = above[rivals] @ weights, tied[rivals] @ weights
    chances[rivals] = galleries.comes_first(there, above * scale, tied * scale, size=n_speakers)
    return chances


# Rates and their replicates.


def with_everybody(n_speakers: int, weights: Counts | None) -> Counts:
    """Numbers of draws (B + 1, S) from those of the replicates (B, S), None for no replicates."""
    once = np.ones((1, n_speakers), dtype=np.int64)
    return once if weights is None else np.concatenate([once, weights])


def undefined(reason: str, drawn: Counts) -> Rate:
    """A rate that a list cannot say, and why."""
    return Rate(np.nan, np.full(len(drawn) - 1, np.nan), reason)


def settled(rates: Floats) -> Rate:
    """Rate from its value and replicates (B + 1,), which are moved until their median is the value.

    The value is unbiased over random sets. Replicates, whose sets hold some speakers twice, are
    not. In simulations of linkability plain percentiles held the truth in 55 to 97 %, moved ones in
    91 to 99 %.
    """
    value, replicates = rates[0], rates[1:]
    usable = replicates[~np.isnan(replicates)]
    if len(usable):
        replicates = np.clip(replicates + value - np.median(usable), 0, 1)
    return Rate(float(value), replicates)


def share(part: Floats, total: Floats) -> Floats:
    """Part of a total; NaN where nobody is drawn."""
    with np.errstate(invalid="ignore"):
        return part / total
