"""Links: whose model comes first for a conversation, among random other models.

Conventions
-----------
* A contest is a target trial: its model against all models of other speakers that were tried on the
  same conversation.
* ``drawn`` (B, S) says how often each speaker is drawn in each replicate. The number of others in a
  contest stays; those above and those tied have their weighted share of it.
"""

from typing import NamedTuple

import numpy as np

from voiceprivacy.privacy import Counts, Floats
from voiceprivacy.privacy.verdict import galleries
from voiceprivacy.privacy.verdict.conversations import Conversations
from voiceprivacy.privacy.verdict.rates import share

BLOCK = 2_000_000  # numbers in one array


class Contests(NamedTuple):
    """Of T target trials: their speakers (T,), and how many models of each speaker (T, S) score
    above, the same, or are there at all."""

    speaker: Counts
    above: Floats
    tied: Floats
    others: Floats


def contests_of(rows: Conversations, n_speakers: int) -> Contests:
    """Hold every target trial against the other models that were tried on its conversation."""
    others = np.flatnonzero(~rows.target)
    others = others[np.argsort(rows.conversation[others], kind="stable")]
    of_others = rows.conversation[others]
    own = np.flatnonzero(rows.target)
    first = np.searchsorted(of_others, rows.conversation[own])
    n_others = np.searchsorted(of_others, rows.conversation[own], side="right") - first
    counts = np.zeros((3, len(own), n_speakers))
    size = max(1, BLOCK // max(1, n_others.max(initial=1)))
    for start in range(0, len(own), size):
        block = slice(start, start + size)
        contest = np.repeat(np.arange(len(own[block])), n_others[block])
        ends = np.cumsum(n_others[block])
        within = np.arange(len(contest)) - np.repeat(ends - n_others[block], n_others[block])
        against = others[np.repeat(first[block], n_others[block]) + within]
        scores, own_scores = rows.scores[against], rows.scores[own[block]][contest]
        cells = contest * n_speakers + rows.enrolment[against]
        for count, chosen in zip(
            counts, (scores > own_scores, scores == own_scores, ...), strict=True
        ):
            n_cells = len(own[block]) * n_speakers
            count[block] = np.bincount(cells[chosen], minlength=n_cells).reshape(-1, n_speakers)
    return Contests(rows.trial[own], *counts)


def largest_gallery(contests: Contests) -> int:
    """The largest N such that half of the conversations were tried against N - 1 others."""
    n_others = np.count_nonzero(contests.others, axis=1)
    return int(np.median(n_others)) + 1 if len(n_others) else 0


def linked(contests: Contests, n_speakers: int, drawn: Counts) -> Floats:
    """Weighted mean (B,) of the chances to come first, over conversations with N - 1 others."""
    first, total = np.zeros(len(drawn)), np.zeros(len(drawn))
    weights = drawn.T.astype(float)
    kept = np.flatnonzero(contests.others.sum(axis=1) >= n_speakers - 1)
    size = max(1, BLOCK // len(drawn))
    for start in range(0, len(kept), size):
        block = kept[start : start + size]
        there = contests.others[block].sum(axis=1, keepdims=True)
        weighted = contests.others[block] @ weights
        scale = there / np.maximum(weighted, 1)
        above, tied = contests.above[block] @ weights, contests.tied[block] @ weights
        chance = galleries.comes_first(there, above * scale, tied * scale, size=n_speakers)
        weight = weights[contests.speaker[block]] * (weighted > 0)
        first += (weight * chance).sum(axis=0)
        total += weight.sum(axis=0)
    return share(first, total)
