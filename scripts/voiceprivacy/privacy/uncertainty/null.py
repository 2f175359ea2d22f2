"""What scores without any evidence would give, and what a single speaker does to a maximum.

Even where nothing is left to find, D_ECE is above zero: the oracle calibration fits the noise of
few speakers. How far above is measured with the attack's own scores. The speaker labels of the
enrolments are permuted so that none stays (a derangement), and what were trials of two speakers
become targets. The 95th percentile of D_ECE over such derangements is the zero-evidence band: below
it, D_ECE is no more than zero evidence gives.

A derangement is as far from the true labels as can be. Where these happen to fit well, all
derangements fit badly together (the mean over permutations is fixed), and their percentile is too
low. For a sum over S speakers it is so by the factor (S - 1) / S, and little evidence is quadratic
in such sums: the band is widened by (S / (S - 1))^2. Without that, false alarms were 8.7 % for 8
speakers and 6.3 % for 12; with it, they are 3.3 and 3.4 % (1000 runs each).

The worst case is a maximum, for which a bootstrap is not valid: its replicates never see a stronger
score than the strongest. Instead: its range when any one speaker is left out, and how many speakers
and trials it rests on.

References
----------
Efron and Tibshirani, An introduction to the bootstrap, 1993, chapters 7.4 (maximum) and 15
(permutation tests).
"""

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from voiceprivacy import seeds
from voiceprivacy.privacy import Counts, Floats, Metrics, Number
from voiceprivacy.privacy.scores import zebra
from voiceprivacy.privacy.scores.calibration import (
    Ties,
    cece_bits,
    counted_llrs,
    oracle_blocks,
    pav_blocks,
)
from voiceprivacy.privacy.scores.samples import SpeakerTrials, by_class, n_speakers, without_each
from voiceprivacy.vocabulary import FEWEST_SPEAKERS, UNDEFINED

FALSE_ALARMS = 0.05
ENUMERATED_UP_TO = 6  # speakers, who have 265 derangements
ENOUGH_TARGETS = 0.75  # of those of the list


def assess(trials: SpeakerTrials, *, n_replicates: int, seed: int) -> Metrics:
    """What stands beside D_ECE and the worst case where speakers are known: {metric: value}."""
    low, high = leave_one_out_log10(trials)
    block_speakers, block_trials = extreme_block(trials)
    null = null_dece_bits(trials, n_replicates=n_replicates, seed=seed)
    band: Number = UNDEFINED
    # A single tried speaker of S can be someone else's in S - 1 ways: many derangements, one
    # speaker.
    if n_speakers(trials) >= FEWEST_SPEAKERS:
        band = dece_null95_bit(null, n_speakers=len(np.unique(trials.enrolment)))
    return {
        "dece_null95_bit": band,
        "worst_case_leave_one_out_low_log10": low,
        "worst_case_leave_one_out_high_log10": high,
        "worst_case_n_speakers": block_speakers,
        "worst_case_n_trials": block_trials,
    }


def null_dece_bits(trials: SpeakerTrials, *, n_replicates: int, seed: int) -> Floats:
    """D_ECE of derangements of the enrolments' speaker labels, in bits: array (at most B,).

    Few speakers have fewer derangements than ``n_replicates``: up to six, every one is taken once.
    Of more targets than the list has, so many are drawn; fewer find more in noise. Derangements
    that leave less than ENOUGH_TARGETS (the list lacks those pairs) are left out.
    """
    enrolled = np.unique(trials.enrolment)
    label = np.arange(len(trials.speakers))
    draw = seeds.generator(seed, "derangements", *map(str, trials.speakers))
    # Where each score, and each trial's score, begins among all of them.
    begins = np.concatenate([[True], trials.scores[1:] != trials.scores[:-1]])
    starts, score = np.flatnonzero(begins), np.cumsum(begins) - 1
    edges = np.append(starts, len(score))
    n_targets = np.count_nonzero(trials.target)
    null = []
    for deranged in derangements(len(enrolled), n_replicates, draw):
        # A speaker who is only tried, and not enrolled, keeps the label.
        label[enrolled] = enrolled[deranged]
        targets = np.flatnonzero(label[trials.enrolment] == trials.trial)
        if len(targets) > n_targets:
            targets = np.sort(draw.choice(targets, n_targets, replace=False))
        if len(targets) >= ENOUGH_TARGETS * n_targets:
            ties = _ties_of(score[targets], edges)
            null.append(counted_llrs(pav_blocks(ties)))
    return np.array(cece_bits(null))


def _ties_of(scores_of_targets: Counts, edges: Counts) -> Ties:
    """Ties of trials that occur once: scores of targets, and all nontargets between two of them.

    Parameters
    ----------
    scores_of_targets : array (T,)
        Which of the G different scores targets have, in ascending order.
    edges : array (G + 1,)
        How many trials have lower scores.
    """
    scores, targets = np.unique(scores_of_targets, return_counts=True)
    below, up_to = edges[scores], edges[scores + 1]
    gaps = np.append(below, edges[-1]) - np.append(0, up_to)
    counts = np.zeros((2, 2 * len(scores) + 1), dtype=np.int64)
    counts[0, 1::2] = targets
    counts[1, 1::2] = up_to - below - targets
    counts[1, ::2] = gaps
    occur = counts.sum(axis=0) > 0
    return Ties(np.flatnonzero(occur).astype(float), *counts[:, occur])


def dece_null95_bit(null: Floats, *, n_speakers: int) -> Number:
    """Upper end of the zero-evidence band, in bits.

    It is (S / (S - 1))^2 times the ceil(0.95 (B + 1))th smallest D_ECE, so that at most 5 % of
    attacks without evidence lie above.

    Parameters
    ----------
    null : array (B,)
        D_ECE of derangements.
    n_speakers : int
        Number S of enrolled speakers.

    Returns
    -------
    float, or "undefined" for less than 19 derangements, which cannot say so (four speakers have
    nine)
    """
    # With the attack itself there are B + 1 numbers, of which at most 5 % may lie above.
    position = int(np.ceil((1 - FALSE_ALARMS) * (len(null) + 1))) - 1
    if position >= len(null):
        return UNDEFINED
    return float(np.sort(null)[position] * (n_speakers / (n_speakers - 1)) ** 2)


def describe(metrics: dict[str, Any]) -> str:
    """Whether a D_ECE is above the zero-evidence band (metrics of zebra.assess and of
    ``assess``)."""
    value, limit = metrics["dece_bit"], metrics["dece_null95_bit"]
    if limit == UNDEFINED:
        lacks = "too few speakers, or too few trials between them"
        return f"{lacks}, to say whether D_ECE is more than zero evidence"
    verdict = "no more than zero evidence" if value <= limit else "more than zero evidence"
    return f"D_ECE {value:.4f} bit: {verdict} (permuted speakers give up to {limit:.4f} bit)"


def derangements(n: int, count: int, draw: np.random.Generator) -> Iterator[Counts]:
    """Yield permutations (n,) of 0 ... n - 1 that leave nothing in its place: all where they are
    few."""
    identity = np.arange(n)
    if n <= ENUMERATED_UP_TO:
        for permutation in map(np.array, itertools.permutations(identity)):
            if n and (permutation != identity).all():
                yield permutation
        return
    while count:
        drawn = draw.permutation(n)
        if (drawn != identity).all():
            count -= 1
            yield drawn


def leave_one_out_log10(trials: SpeakerTrials) -> tuple[Number, Number]:
    """Lowest and highest worst case (base-10 LLR) when any one speaker is left out.

    "undefined" if no speaker can be left out.
    """
    samples = without_each(by_class(trials), len(trials.speakers))
    worst = [zebra.strongest_of_ties_log10(sample.ties) for sample in samples if sample]
    return (min(worst), max(worst)) if worst else (UNDEFINED, UNDEFINED)


def extreme_block(trials: SpeakerTrials) -> tuple[int, int]:
    """How many speakers (of either side) and trials are in the strongest PAV block.

    The worst case rests on them.
    """
    scores = {
        "target": trials.scores[trials.target],
        "nontarget": trials.scores[~trials.target],
    }
    blocks = oracle_blocks(**scores, laplace=True)
    strongest = np.abs(blocks.llrs).argmax()
    low, high = blocks.lowest[strongest], blocks.highest[strongest]
    within = (trials.scores >= low) & (trials.scores <= high)
    speakers = np.union1d(trials.enrolment[within], trials.trial[within])
    return len(speakers), int(within.sum())
