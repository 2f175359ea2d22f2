"""Predicates that single out: thresholds set on one half of the speakers, tried on the other.

Conventions
-----------
* A predicate is a model and a threshold; it passes the conversations that score above.
* ``drawn`` (B, S) says how often each speaker is drawn in each replicate. A target trial of speaker
  i weighs w_i, a nontarget trial of i and j weighs w_i w_j.
* A threshold lies halfway between the last score that passes and the first that does not.
* Everything is attacked in rounds: a round has at most one conversation of each speaker, so that a
  set of N speakers is a choice among those of a round.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from voiceprivacy import seeds
from voiceprivacy.privacy import Counts, Flags, Floats, Names
from voiceprivacy.privacy.law import galleries
from voiceprivacy.privacy.law.galleries import Conversations

BLOCK = 2_000_000  # numbers in one array
FIRST_TRIALS = 500  # that are looked at for a threshold, at least
ROUNDING = 1e-9  # of sums of weights
CALIBRATION_TRIALS = 10  # of two speakers, for each of N


class Calibration(NamedTuple):
    """C trials that set a threshold, best first, of both classes.

    ``score``, ``target``, ``enrolment`` and ``trial`` are (C,), the last two positions of speakers.
    """

    score: Floats
    target: Flags
    enrolment: Counts
    trial: Counts


class Attacked(NamedTuple):
    """K cells, each a model and a round, and the n trials in them of other speakers, best first.

    ``own_score`` and ``own_speaker`` (K,) are of the conversation of the model's own speaker.
    ``there`` (K, S) says whose conversations are in a cell besides. ``score``, ``cell`` and
    ``speaker`` are (n,).
    """

    own_score: Floats
    own_speaker: Counts
    there: Floats
    score: Floats
    cell: Counts
    speaker: Counts


class Fold(NamedTuple):
    """One half of the speakers sets thresholds; cells of the ``other`` half are attacked."""

    calibration: Calibration
    other: Attacked


class Passing(NamedTuple):
    """Of K cells in B replicates (K, B): whether the own speaker passes, and how many others do.

    ``others`` (K, 1) are there, ``weight`` (K, B) is how often the cell's speaker is drawn; 0 where
    nobody else is.
    """

    own: Flags
    passing: Floats
    others: Floats
    weight: Floats


def halves(speakers: Names, tried: Flags, *, seed: int) -> Counts:
    """Which half (0 or 1) each speaker (S,) is in; those with target trials are divided equally.

    It depends on the seed and on the names of the speakers that are there.
    """
    keys = [seeds.derive(seed, "halves", str(speaker)) for speaker in speakers]
    side = np.empty(len(speakers), dtype=np.int64)
    side[np.lexsort((np.array(keys), ~tried))] = np.arange(len(speakers)) % 2
    return side


def folds(rows: Conversations, speakers: Names, *, seed: int) -> list[Fold]:
    """The two folds of a list of conversations."""
    tried = np.zeros(len(speakers), dtype=bool)
    tried[rows.trial[rows.target]] = True
    side = halves(speakers, tried, seed=seed)
    round_of = galleries.rounds(rows, speakers, seed=seed)
    return [_fold(rows, round_of, side, len(speakers), attacked=half) for half in (0, 1)]


def thresholds(calibration: Calibration, *, n_speakers: int, drawn: Counts) -> Floats:
    """Highest pass rate up to 1/N in sets of N speakers: thresholds (B,).

    The pass rate is that of a conversation of the own speaker with weight 1/N and of one of another
    speaker with the rest. NaN where a replicate lacks a class.
    """
    limits = np.empty(len(drawn))
    rows = max(1, BLOCK // max(1, len(calibration.score)))
    n_first = FIRST_TRIALS + int(2 * len(calibration.score) / n_speakers)
    for block in _blocks(len(drawn), max(rows, 20)):
        part = slice(0, n_first)
        low, reached = _limits(calibration, part, n_speakers, drawn[block])
        if not reached.all():
            whole = slice(0, len(calibration.score))
            rest = drawn[block][~reached]
            low[~reached], _ = _limits(calibration, whole, n_speakers, rest)
        limits[block] = low
    return limits


def passing(attacked: Attacked, limits: Floats, drawn: Counts) -> Iterator[Passing]:
    """Who passes in each cell, at the thresholds (B,) of the replicates; in blocks of cells (K, .).

    The number of others in a cell is the one without weights; those who pass have their weighted
    share of it.
    """
    n_cells = len(attacked.own_score)
    weights = drawn.astype(float)
    n_pass = np.searchsorted(-attacked.score, -limits, side="left")  # NaN: all, and weight 0
    weighted = np.empty((len(drawn), n_cells))
    for replicate, count in enumerate(n_pass):
        chosen = weights[replicate, attacked.speaker[:count]]
        weighted[replicate] = np.bincount(attacked.cell[:count], weights=chosen, minlength=n_cells)
    for block in _blocks(n_cells, max(1, BLOCK // len(drawn))):
        there = attacked.there[block]
        others, total = there.sum(axis=1, keepdims=True), there @ weights.T
        weight = weights.T[attacked.own_speaker[block]] * (total > 0) * ~np.isnan(limits)
        share = weighted.T[block] / np.maximum(total, 1)
        own = attacked.own_score[block, None] > limits
        yield Passing(own, share * others, others, weight)


def in_sets(attacked: Attacked, n_speakers: int) -> Attacked:
    """The cells with at least N - 1 others."""
    kept = attacked.there.sum(axis=1) >= n_speakers - 1
    cell = np.cumsum(kept) - 1
    trials = kept[attacked.cell]
    return Attacked._make(
        [
            *(field[kept] for field in attacked[:3]),
            attacked.score[trials],
            cell[attacked.cell[trials]],
            attacked.speaker[trials],
        ]
    )


def isolated(attacked: Attacked, limits: Floats, n_speakers: int, drawn: Counts) -> Floats:
    """Weighted sums (2, B) over cells: chance that exactly one passes, and 1."""
    sums = np.zeros((2, len(drawn)))
    cells = in_sets(attacked, n_speakers)
    for part in passing(cells, limits, drawn):
        nobody = galleries.nobody_passes(part.others, part.passing, size=n_speakers)
        one = galleries.one_passes(part.others, part.passing, size=n_speakers)
        sums[0] += (part.weight * np.where(part.own, nobody, one)).sum(axis=0)
        sums[1] += part.weight.sum(axis=0)
    return sums


def why_not_calibrated(two: list[Fold], n_speakers: int) -> str:
    """Why trials are too few for a threshold for N speakers; empty where they suffice."""
    needed = CALIBRATION_TRIALS * n_speakers
    fewest = min(np.count_nonzero(~fold.calibration.target) for fold in two)
    if fewest < needed:
        return f"{fewest} trials of two speakers set a threshold, {needed} are needed"
    if not all(fold.calibration.target.any() for fold in two):
        return "no speaker of one half has a target trial"
    return ""


def largest_half(two: list[Fold]) -> int:
    """The largest N such that each half has a round with N speakers."""
    return int(min(fold.other.there.sum(axis=1).max(initial=-1) for fold in two)) + 1


def _fold(rows, round_of, side, n_speakers, *, attacked):
    heard = side[rows.trial] != attacked
    known = side[rows.enrolment] != attacked
    scores = _centred(rows, heard & ~rows.target, known)
    best_first = np.argsort(-scores, kind="stable")
    calibrates = (heard & known)[best_first]
    is_attacked = (~heard & ~known)[best_first]
    ordered = Conversations(*(field[best_first] for field in rows))
    scores, round_of = scores[best_first], round_of[best_first]
    return Fold(
        Calibration(scores[calibrates], *(field[calibrates] for field in ordered[1:4])),
        _cells(ordered, scores, round_of, is_attacked, n_speakers),
    )


def _centred(rows, heard, known):
    """Scores minus the mean of each model's ``heard`` trials; ranks where some are infinite.

    Means are drawn together as far as those of ``known`` trials differ by chance (James and Stein).
    A spread of each model's own would cost more than it gains: of 25 speakers it is too uncertain.
    """
    if not np.isfinite(rows.scores).all():
        return np.unique(rows.scores, return_inverse=True)[1].astype(float)
    n_models = rows.model.max() + 1
    counts = np.bincount(rows.model[heard], minlength=n_models)
    sums = np.bincount(rows.model[heard], weights=rows.scores[heard], minlength=n_models)
    mean = sums / np.maximum(counts, 1)
    models = np.unique(rows.model[heard & known])
    if len(models) < 2:
        return rows.scores
    noise = np.var(rows.scores[heard & known] - mean[rows.model[heard & known]])
    between = mean[models].var(ddof=1)
    kept = max(0.0, 1 - noise * (1 / counts[models]).mean() / between) if between else 0.0
    centre = np.where(counts > 0, kept * (mean - mean[models].mean()), 0.0)
    return rows.scores - centre[rows.model]


def _cells(rows, scores, round_of, chosen, n_speakers):
    """Cells of the chosen trials (best first) in which the model's own speaker has one."""
    position = np.flatnonzero(chosen)
    n_rounds = round_of.max(initial=0) + 1
    keys = rows.model[position] * n_rounds + round_of[position]
    target = rows.target[position]
    cells, own = np.unique(keys[target], return_index=True)
    own = position[target][own]
    cell = np.searchsorted(cells, keys)
    known = ~target & (cell < len(cells))
    known[known] = cells[cell[known]] == keys[known]
    others, cell = position[known], cell[known]
    there = np.zeros((len(cells), n_speakers))
    there[cell, rows.trial[others]] = 1
    return Attacked(scores[own], rows.trial[own], there, scores[others], cell, rows.trial[others])


def _limits(calibration, part, n_speakers, drawn):
    """Thresholds (B,) from the best trials, and whether the allowed pass rate is reached there."""
    totals = _totals(calibration, drawn)
    score, target = calibration.score[part], calibration.target[part]
    weights = drawn.astype(float)
    own = weights[:, calibration.enrolment[part]]
    pairs = own * weights[:, calibration.trial[part]]
    # In whole numbers: every conversation of the own speaker and 1/N of a set of N are the same.
    cost = np.where(target, own * totals[1], pairs * totals[0] * (n_speakers - 1)).cumsum(axis=1)
    allowed = totals[0] * totals[1] * (1 + ROUNDING)
    ends = np.append(np.flatnonzero(np.diff(score)), len(score) - 1)
    n_blocks = (cost[:, ends] <= allowed).sum(axis=1)
    n_passing = np.append(0, ends + 1)[n_blocks]
    first_out = np.append(score, -np.inf)[n_passing]
    passed = np.take_along_axis(cost, np.maximum(n_passing - 1, 0)[:, None], axis=1)
    last = np.argmax(cost >= passed, axis=1)  # the last that passes and has a weight
    limits = np.where(n_passing > 0, (score[last] + first_out) / 2, first_out)
    limits[(totals == 0).any(axis=0)[:, 0]] = np.nan
    return limits, (n_passing < len(score)) | (len(score) == len(calibration.score))


def _totals(calibration, drawn):
    """Summed weights of targets and of nontargets, (2, B, 1)."""
    n_speakers = drawn.shape[1]
    weights = drawn.astype(float)
    pairs = calibration.enrolment * n_speakers + calibration.trial
    counts = np.bincount(pairs, minlength=n_speakers**2).reshape(n_speakers, n_speakers)
    target = weights @ np.diag(counts)
    np.fill_diagonal(counts, 0)
    nontarget = ((weights @ counts) * weights).sum(axis=1)
    return np.stack([target, nontarget])[..., None]


def _blocks(length, size):
    return [slice(start, start + size) for start in range(0, length, size)]
