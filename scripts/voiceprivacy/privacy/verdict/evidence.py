"""What one attack finds in one list: a vector of numbers, each read in four directions.

Conventions
-----------
* Readings are part of an attack (see ``readings``). Every number is of one reading: its equal error
  rate can be above 50 %, and that of the opposite reading is 100 minus it.
* Error rates are read from the polyline of the ROC: equal scores are decided by lot. So constant
  scores have an equal error rate of 50 %, whatever their labels.
* A rate at a false alarm rate of F counts targets above the highest threshold that at most a share
  F of the nontargets pass. Scores equal to the threshold do not pass.
* A speaker is exposed if at least half of his target trials are found at 1 % false alarms.
* Arrays over numbers (5,) are in the order of RATES, arrays over readings (4,) in that of READINGS.

Linkage within a release
------------------------
There the trials are unordered pairs of released utterances. A permuted speaker i takes pairs of i
and another speaker, of which there are about twice as many as pairs of i alone. Twice as many
trials have half the noise, and D_ECE of noise would be too low. So no more of them are taken, by
lot, than i has of his own. The pairs of one speaker are left out.

References
----------
Nautsch et al., The Privacy ZEBRA, Interspeech 2020 (D_ECE).
Article 29 working party, Opinion 05/2014 on anonymisation techniques (what an attacker may try).
Phipson and Smyth, Permutation p-values should never be zero, 2010 (p-values of exposed speakers).
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy.optimize import isotonic_regression
from scipy.special import ndtri

from voiceprivacy.inout import seeds
from voiceprivacy.privacy import Counts, Flags, Floats
from voiceprivacy.privacy.scores.calibration import cece_bits
from voiceprivacy.privacy.scores.trials import SpeakerTrials, everyone, speaker_weights
from voiceprivacy.privacy.uncertainty.bootstrap import at_least_of_trials, multiplicities
from voiceprivacy.privacy.uncertainty.null import derangements
from voiceprivacy.privacy.uncertainty.paired import holm
from voiceprivacy.privacy.verdict.readings import READINGS, Ordered, Reader, owners, read_in

DECE, EER, EXPOSED = "dece_bit", "eer_percent", "exposed_speakers_percent"
FALSE_ALARM_RATES = {"tpr_at_fpr_0.001_percent": 0.001, "tpr_at_fpr_0.01_percent": 0.01}
RATES = (DECE, EER, *FALSE_ALARM_RATES, EXPOSED)
EXPOSED_AT = 0.01  # false alarms at which a speaker counts as found
FOUND_IN = 0.5  # of a speaker's target trials, from which on the speaker is exposed
FEWEST_UTTERANCES = 4  # of a speaker who can be exposed
FEWEST_FALSE_ALARMS = 10  # nontargets above a threshold, else its rates are noise
FEWEST_PAIRS = 5  # of speakers that these nontargets come from
ROUNDS_OF_MEANS = 20  # until rows and columns have a mean of 0: three are enough for full lists
ROUNDING = 1e-9  # a share of exactly the rate passes, in spite of rounding


class Evidence(NamedTuple):
    """The numbers of one list of trials under one condition.

    ``values`` (4, 5), ``replicates`` (4, 5, B) and ``null`` (4, 5, P), which are the same numbers
    of permuted speakers; NaN where a number is undefined. ``reasons`` say why one is undefined in
    all readings: {rate: text}.
    """

    values: Floats
    replicates: Floats
    null: Floats
    reasons: dict[str, str]


class Exposed(NamedTuple):
    """A speaker who is found in a share of his target trials at 1 % false alarms.

    ``p_holm`` is the p-value of "no more often than other pairs of speakers", corrected after Holm
    for all speakers of the list.
    """

    speaker: str
    share: float
    p_holm: float


def assess(
    trials: SpeakerTrials,
    *,
    n_replicates: int,
    n_permutations: int,
    seed: int,
    within_release: bool = False,
) -> Evidence:
    """All RATES in all READINGS, their replicates over speakers, and what permuted speakers give.

    Speakers are drawn as in ``bootstrap`` and permuted as in ``null``: with one seed, draw b and
    permutation p are the same for all attacks on the same speakers.

    Parameters
    ----------
    trials : SpeakerTrials
    n_replicates, n_permutations, seed : int
    within_release : bool
        Whether the trials are unordered pairs of the utterances of one release.
    """
    reader = Reader(trials)
    once, owner = everyone(trials), owners(trials)
    values = _rates(reader.orders(once, owner))
    replicates = []
    for drawn in multiplicities(trials.speakers, n_replicates=n_replicates, seed=seed):
        orders = reader.orders(speaker_weights(trials, drawn), owner)
        replicates.append(_rates(orders, drawn))
    kept = once * ~trials.target if within_release else once
    null = [
        _rates(reader.orders(kept, permuted))
        for permuted in permuted_owners(
            trials, n_permutations=n_permutations, seed=seed, within_release=within_release
        )
    ]
    undefined, reasons = short_lists(trials)
    evidence = Evidence(values, _stacked(replicates), _stacked(null), reasons)
    _spread_error_rates(values, evidence.replicates, trials.target)
    for numbers in evidence[:3]:
        numbers[undefined] = np.nan
    return evidence


def permuted_owners(
    trials: SpeakerTrials, *, n_permutations: int, seed: int, within_release: bool = False
) -> Iterator[Counts]:
    """Yield ``readings.owners`` (M,) if speakers are permuted so that nobody keeps his own."""
    if within_release:
        yield from _owners_of_pairs(trials, n_permutations, seed)
        return
    enrolled = np.unique(trials.enrolment)
    label = np.arange(len(trials.speakers))
    for deranged in derangements(len(enrolled), n_permutations, _permuting(trials, seed)):
        label[enrolled] = enrolled[deranged]
        yield np.where(label[trials.enrolment] == trials.trial, trials.trial, -1)


def _permuting(trials, seed):
    return seeds.generator(seed, "derangements", *map(str, trials.speakers))


def _owners_of_pairs(trials, n_permutations, seed):
    """permuted_owners of unordered pairs; no speaker has more of them than of his own."""
    one, other = trials.enrolment, trials.trial
    n_own = np.bincount(one[trials.target], minlength=len(trials.speakers))
    linked = np.flatnonzero(n_own)
    label = np.full(len(trials.speakers), -1)
    lot = seeds.generator(seed, "pairs of permuted speakers", *map(str, trials.speakers))
    for deranged in derangements(len(linked), n_permutations, _permuting(trials, seed)):
        label[linked] = linked[deranged]
        candidates = lot.permutation(np.flatnonzero((label[one] == other) | (label[other] == one)))
        takes_other = label[one[candidates]] == other[candidates]
        takes_one = label[other[candidates]] == one[candidates]
        # Speakers who take each other share their pairs.
        takes_other &= ~takes_one | (lot.random(len(candidates)) < 0.5)
        taker = np.where(takes_other, one[candidates], other[candidates])
        is_taken = _rank_within(taker) < n_own[taker]
        owner = np.full(len(one), -1)
        owner[candidates[is_taken]] = taker[is_taken]
        yield owner


def _rank_within(speakers: Counts) -> Counts:
    """How many earlier entries (n,) are of the same speaker."""
    order = np.argsort(speakers, kind="stable")
    in_order = speakers[order]
    rank = np.empty(len(speakers), dtype=np.int64)
    rank[order] = np.arange(len(speakers)) - np.searchsorted(in_order, in_order)
    return rank


def short_lists(trials: SpeakerTrials) -> tuple[Flags, dict[str, str]]:
    """Which rates a list is too short for in which readings (4, 5), and why.

    Returns
    -------
    array (4, 5) of bool, {rate: reason} of rates that are undefined in all readings
    """
    undefined = np.zeros((len(READINGS), len(RATES)), dtype=bool)
    reasons = {}
    smallest = np.array([smallest_rate(trials, reading) for reading in READINGS])
    for name, rate in FALSE_ALARM_RATES.items():
        too_short = smallest > rate + ROUNDING
        undefined[:, RATES.index(name)] = too_short
        if rate == EXPOSED_AT:
            undefined[:, RATES.index(EXPOSED)] = too_short
    n_nontarget = np.count_nonzero(~trials.target)
    for position in np.flatnonzero(undefined.all(axis=0)):
        shown = f"false alarm rates from {100 * smallest.min():.2g} % on"
        shown = shown if smallest.min() < 1 else "no rate"
        reasons[RATES[position]] = f"list too short: {n_nontarget} nontarget trials show {shown}"
    n_utterances = np.bincount(trials.trial[trials.target])
    if n_utterances.max(initial=0) < FEWEST_UTTERANCES:
        undefined[:, RATES.index(EXPOSED)] = True
        reasons[EXPOSED] = f"no speaker has {FEWEST_UTTERANCES} target trials"
    return undefined, reasons


def smallest_rate(trials: SpeakerTrials, reading: str) -> float:
    """The smallest share of false alarms at which a rate is more than noise; inf for none.

    It lets pass ten nontargets, which come from at least five pairs of speakers.
    """
    nontarget = ~trials.target
    n_nontarget = np.count_nonzero(nontarget)
    read = read_in(trials.scores, reading, nontarget=nontarget)[nontarget]
    order = np.argsort(-read, kind="stable")
    pairs = np.sort([trials.enrolment[nontarget], trials.trial[nontarget]], axis=0)
    _, first = np.unique((pairs[0] * len(trials.speakers) + pairs[1])[order], return_index=True)
    if len(first) < FEWEST_PAIRS:
        return np.inf
    # A pair passes with all nontargets above it; equal ones are in no order.
    above = np.searchsorted(-read[order], -read[order][np.sort(first)])
    return max(FEWEST_FALSE_ALARMS, int(above[FEWEST_PAIRS - 1]) + 1) / n_nontarget


def exposed_speakers(
    trials: SpeakerTrials, reading: str, *, within_release: bool = False
) -> list[Exposed]:
    """Speakers who are found in at least half of their target trials, in the order of p-values.

    A speaker is compared with all pairs of other speakers, twice: by the share of trials that are
    found, and by how much higher the mean score is than the two speakers of a pair have with
    others. A voice that is like everybody's is often found, as others are in his place: that is not
    him. The larger p-value counts.

    Of every pair at least FEWEST_UTTERANCES trials are needed. S speakers have S (S - 1) pairs and
    are corrected for S. So nobody's p-value is below 5 % with less than 21 speakers, nor below
    2.5 % with less than 41 (of unordered pairs: 41 and 81).

    Parameters
    ----------
    trials : SpeakerTrials
    reading : one of READINGS
    within_release : bool
        Whether the trials are unordered pairs.
    """
    read = read_in(trials.scores, reading, nontarget=~trials.target)
    n_trials = _sums(trials, np.ones(len(read)), within_release)
    is_known = n_trials >= FEWEST_UTTERANCES
    n_trials = np.maximum(n_trials, 1)
    shares = _sums(trials, _is_found(read, trials.target), within_release) / n_trials
    means = _sums(trials, _normal_scores(read), within_release) / n_trials
    is_other = (
        np.triu(is_known, 1) if within_release else is_known & ~np.eye(len(means), dtype=bool)
    )
    p_values = np.maximum(
        _p_values(shares, is_other), _p_values(_beyond_either(means, is_known), is_other)
    )
    own = np.flatnonzero(is_known.diagonal())
    exposed = [
        Exposed(str(trials.speakers[speaker]), float(shares[speaker, speaker]), p_holm)
        for speaker, p_holm in zip(own, holm(list(p_values[own])), strict=True)
        if shares[speaker, speaker] >= FOUND_IN
    ]
    return sorted(exposed, key=lambda each: (each.p_holm, -each.share, each.speaker))


def _sums(trials, numbers, within_release):
    """Sums of numbers (M,) over the trials of each pair of speakers (S, S)."""
    n_speakers = len(trials.speakers)
    pair = trials.enrolment * n_speakers + trials.trial
    sums = np.bincount(pair, weights=numbers, minlength=n_speakers**2)
    sums = sums.reshape(n_speakers, n_speakers)
    if within_release:
        sums = sums + sums.T - np.diag(sums.diagonal())
    return sums


def _normal_scores(read):
    """Quantiles of the normal distribution with the ranks of numbers (M,): finite for all."""
    in_order = np.sort(read)
    rank = np.searchsorted(in_order, read) + np.searchsorted(in_order, read, "right") + 1
    return ndtri(rank / (2 * len(read) + 2))


def _beyond_either(means, is_known):
    """What the mean of each pair (S, S) has more than its two speakers have with others."""
    is_other = is_known & ~np.eye(len(means), dtype=bool)
    beyond = means.copy()
    for _ in range(ROUNDS_OF_MEANS):
        for axis in (0, 1):
            n_others = np.maximum(is_other.sum(axis=axis, keepdims=True), 1)
            beyond -= (beyond * is_other).sum(axis=axis, keepdims=True) / n_others
    return beyond


def _p_values(numbers, is_other):
    """p-value of each speaker's own pair (S,) among the pairs (S, S) of others."""
    others = np.sort(numbers[is_other])
    n_as_high = len(others) - np.searchsorted(others, numbers.diagonal())
    return (1 + n_as_high) / (1 + len(others))


def _is_found(read, target):
    """Which trials (M,) pass at EXPOSED_AT, by their scores as they are read."""
    nontarget = np.sort(read[~target])[::-1]
    return read > nontarget[int(EXPOSED_AT * len(nontarget) + ROUNDING)]


def _rates(orders: list[Ordered], drawn: Counts | None = None) -> Floats:
    """RATES in all READINGS (4, 5); NaN where a class has no trials.

    ``drawn`` (S,) is how often each speaker counts (default: once).
    """
    if not orders:
        return np.full((len(READINGS), len(RATES)), np.nan)
    bits = cece_bits([_oracle_llrs(order) for order in orders])
    return np.stack(
        [_rates_in_order(order, dece, drawn) for order, dece in zip(orders, bits, strict=True)]
    )


def _rates_in_order(order, dece_bit, drawn):
    """RATES (5,) of one reading."""
    above_targets = np.concatenate([[0], np.cumsum(order.targets[::-1])])
    above_nontargets = np.concatenate([[0], np.cumsum(order.nontargets[::-1])])
    n_target, n_nontarget = above_targets[-1], above_nontargets[-1]
    rates = [
        dece_bit,
        _eer_percent(above_targets / n_target, above_nontargets / n_nontarget),
    ]
    for rate in FALSE_ALARM_RATES.values():
        rates.append(100 * above_targets[_n_passed(above_nontargets, rate)] / n_target)
    threshold = len(order.targets) - _n_passed(above_nontargets, EXPOSED_AT)
    rates.append(_exposed_percent(order.groups >= threshold, order.speakers, drawn))
    return np.array(rates)


def _n_passed(above_nontargets, rate):
    """How many groups, from the top, pass at a false alarm rate."""
    allowed = rate * above_nontargets[-1] + ROUNDING
    return int(np.searchsorted(above_nontargets, allowed, "right")) - 1


def _oracle_llrs(order):
    """LLRs whose C_ECE is the D_ECE of groups in ascending order; see zebra.dece_bit."""
    counts = order.targets + order.nontargets
    edges = isotonic_regression(order.targets / counts, weights=counts).blocks[:-1]
    targets = np.add.reduceat(order.targets, edges)
    nontargets = np.add.reduceat(order.nontargets, edges)
    with np.errstate(divide="ignore"):  # a block of one class only: -inf or inf
        llrs = np.log((targets * nontargets.sum()) / (nontargets * targets.sum()))
    return {
        "target": llrs[targets > 0],
        "target_counts": targets[targets > 0],
        "nontarget": llrs[nontargets > 0],
        "nontarget_counts": nontargets[nontargets > 0],
    }


def _eer_percent(hits, false_alarms):
    """Where misses equal false alarms on the polyline of the ROC, from its upper end (0, 0) on."""
    balance = 1 - hits - false_alarms  # misses minus false alarms: falls from 1 to -1
    after = int(np.argmax(balance <= 0))
    fall = balance[after - 1] - balance[after]
    way = balance[after - 1] / fall
    return 100 * (false_alarms[after - 1] + way * (false_alarms[after] - false_alarms[after - 1]))


def _exposed_percent(is_found, speakers, drawn):
    """Share of speakers found in at least half of their target trials, in percent.

    Of those with enough trials; a speaker who was drawn w times counts w times.
    """
    n_trials = np.bincount(speakers)
    can_be = n_trials >= FEWEST_UTTERANCES
    n_found = np.bincount(speakers, weights=is_found)
    times = np.ones(len(n_trials)) if drawn is None else drawn[: len(n_trials)]
    times = np.where(can_be, times, 0)
    if not times.sum():
        return np.nan
    return 100 * np.average(n_found >= FOUND_IN * n_trials, weights=times)


def _spread_error_rates(values, replicates, target):
    """Spread replicates of equal error rates at least as far as those of independent trials.

    It is done with the lower one of two opposite readings; the other stays 100 minus it. Of two
    that are exactly 50 none is lower: constant scores do not spread.
    """
    rate = RATES.index(EER)
    n_targets = int(np.count_nonzero(target))
    for one, opposite in ((0, 1), (2, 3)):
        if values[one, rate] == 50:
            continue
        low, high = (one, opposite) if values[one, rate] < 50 else (opposite, one)
        replicates[low, rate] = at_least_of_trials(
            replicates[low, rate],
            values[low, rate],
            n_targets=n_targets,
            n_nontargets=len(target) - n_targets,
        )
        replicates[high, rate] = 100 - replicates[low, rate]


def _stacked(rates):
    """Rates of many samples, (4, 5) each, as one array (4, 5, samples)."""
    if not rates:
        return np.empty((len(READINGS), len(RATES), 0))
    return np.stack(rates, axis=-1)
