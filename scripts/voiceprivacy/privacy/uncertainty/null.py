"""What scores without any evidence would give, and what a single speaker does to a maximum.

Even where nothing is left to find, D_ECE is above zero: the oracle calibration fits the noise of few speakers. How far
above is measured with the attack's own scores: the speaker labels of the enrolments are permuted so that none stays (a
derangement), and what were trials of two speakers become targets. The 95th percentile of D_ECE over such derangements
is the zero-evidence band: below it, D_ECE is no more than zero evidence gives.

A derangement is as far from the true labels as can be: where these happen to fit well, all derangements fit badly
together (the mean over permutations is fixed), and their percentile is too low. For a sum over S speakers it is so by
the factor (S - 1) / S, and little evidence is quadratic in such sums: the band is widened by (S / (S - 1))^2. Without
that, false alarms were 8.7 % for 8 speakers and 6.3 % for 12; with it, they are 3.3 and 3.4 % (1000 runs each).

The worst case is a maximum, for which a bootstrap is not valid (its replicates never see a stronger score than the
strongest). Instead: its range when any one speaker is left out, and how many speakers and trials it rests on.

References
----------
Efron and Tibshirani, An introduction to the bootstrap, 1993, chapters 7.4 (maximum) and 15 (permutation tests).
"""

import itertools

import numpy as np

from voiceprivacy.inout import seeds
from voiceprivacy.privacy.scores import zebra
from voiceprivacy.privacy.scores.calibration import pav_blocks
from voiceprivacy.privacy.scores.trials import n_speakers, speaker_weights, weigh
from voiceprivacy.privacy.uncertainty.bootstrap import FEWEST_SPEAKERS

FALSE_ALARMS = 0.05
ENUMERATED_UP_TO = 6


def null_dece_bits(trials, *, n_replicates, seed):
    """D_ECE of derangements of the enrolments' speaker labels, array (at most B,).

    Few speakers have fewer derangements than ``n_replicates``: up to six, every one is taken once. Derangements that
    leave no targets (the list lacks those pairs) are left out.
    """
    enrolled = np.unique(trials.enrolment)
    label = np.arange(len(trials.speakers))
    everyone = np.ones(len(trials.scores), dtype=np.int64)
    found = []
    draw = seeds.generator(seed, "derangements", *map(str, trials.speakers))
    for deranged in derangements(len(enrolled), n_replicates, draw):
        label[enrolled] = enrolled[deranged]
        sample = weigh(trials, everyone, target=label[trials.enrolment] == trials.trial)
        if sample:
            blocks = pav_blocks(sample.ties)
            found.append(
                zebra.dece_bit(target=sample.target, nontarget=sample.nontarget, blocks=blocks)
            )
    return np.array(found)


def dece_null95_bit(null, *, n_speakers):
    """Upper end of the zero-evidence band from D_ECE of derangements (B,) of the labels of S enrolled speakers.

    (S / (S - 1))^2 times the ceil(0.95 (B + 1))th smallest, so that at most 5 % of attacks without evidence lie above;
    "undefined" for less than 19 derangements, which cannot say so (four speakers have nine).
    """
    place = int(np.ceil((1 - FALSE_ALARMS) * (len(null) + 1))) - 1
    return (
        float(np.sort(null)[place] * (n_speakers / (n_speakers - 1)) ** 2)
        if place < len(null)
        else "undefined"
    )


def describe(metrics):
    """In words whether a D_ECE is above the zero-evidence band (metrics of zebra.assess and of ``assess``)."""
    value, limit = metrics["dece_bit"], metrics["dece_null95_bit"]
    if limit == "undefined":
        return "too few speakers to say whether D_ECE is more than zero evidence"
    verdict = "no more than zero evidence" if value <= limit else "more than zero evidence"
    return f"D_ECE {value:.4f} bit: {verdict} (permuted speakers give up to {limit:.4f} bit)"


def derangements(n, count, draw):
    """Yield permutations (n,) of 0 ... n - 1 that leave nothing in its place: all of them where they are few."""
    places = np.arange(n)
    if n <= ENUMERATED_UP_TO:
        yield from (
            of for of in map(np.array, itertools.permutations(places)) if n and (of != places).all()
        )
        return
    while count:
        of = draw.permutation(n)
        if (of != places).all():
            count -= 1
            yield of


def leave_one_out_log10(trials):
    """Lowest and highest worst case (base-10 LLR) when any one speaker is left out; "undefined" if none can be."""
    found = []
    for speaker in range(len(trials.speakers)):
        weights = np.ones(len(trials.speakers), dtype=np.int64)
        weights[speaker] = 0
        sample = weigh(trials, speaker_weights(trials, weights))
        if sample:
            found.append(_worst_log10(sample))
    return (min(found), max(found)) if found else ("undefined", "undefined")


def extreme_block(trials):
    """How many speakers (of either side) and trials the worst case rests on: those of the strongest PAV block."""
    blocks = pav_blocks(
        weigh(trials, np.ones(len(trials.scores), dtype=np.int64)).ties, laplace=True
    )
    strongest = np.abs(blocks.llrs).argmax()
    within = (trials.scores >= blocks.lowest[strongest]) & (
        trials.scores <= blocks.highest[strongest]
    )
    speakers = np.union1d(trials.enrolment[within], trials.trial[within])
    return len(speakers), int(within.sum())


def assess(trials, *, n_replicates, seed):
    """What stands beside D_ECE and the worst case where speakers are known: {metric: value}."""
    low, high = leave_one_out_log10(trials)
    of_block, n_trials = extreme_block(trials)
    null = null_dece_bits(trials, n_replicates=n_replicates, seed=seed)
    enough = (
        n_speakers(trials) >= FEWEST_SPEAKERS
    )  # a single tried speaker of S can be someone else's in S - 1 ways
    band = (
        dece_null95_bit(null, n_speakers=len(np.unique(trials.enrolment)))
        if enough
        else "undefined"
    )
    return {
        "dece_null95_bit": band,
        "worst_case_leave_one_out_low_log10": low,
        "worst_case_leave_one_out_high_log10": high,
        "worst_case_n_speakers": of_block,
        "worst_case_n_trials": n_trials,
    }


def _worst_log10(sample):
    blocks = pav_blocks(sample.ties, laplace=True)
    return zebra.worst_case_log10(target=sample.target, nontarget=sample.nontarget, blocks=blocks)
