"""What one attack finds in one list: a vector of numbers, each read in four directions.

An attacker is free to read scores in any direction. Scores of a system that makes voices of one
speaker *less* alike are as good as any other: turned round. So a reading is part of an attack.

Conventions
-----------
* Readings: ``ascending`` takes high scores for the same speaker, ``descending`` low ones. ``far``
  takes scores far from the median of the nontargets, ``near`` those close to it. That median is
  taken anew from every sample.
* Every number is of one reading: its equal error rate can be above 50 %, and that of the opposite
  reading is 100 minus it.
* Error rates are read from the polyline of the ROC: equal scores are decided by lot. So constant
  scores have an equal error rate of 50 %, whatever their labels.
* A rate at a false alarm rate of F counts targets above the highest threshold that at most a share
  F of the nontargets pass. Scores equal to the threshold do not pass.
* Arrays over readings (4,) are in the order of READINGS, arrays over numbers in that of RATES.

References
----------
Nautsch et al., The Privacy ZEBRA, Interspeech 2020 (D_ECE).
Article 29 working party, Opinion 05/2014 on anonymisation techniques (what an attacker may try).
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy.optimize import isotonic_regression

from voiceprivacy.inout import seeds
from voiceprivacy.privacy import Counts, Flags, Floats, Scores
from voiceprivacy.privacy.scores.calibration import cece_bit
from voiceprivacy.privacy.scores.trials import SpeakerTrials, speaker_weights
from voiceprivacy.privacy.uncertainty.bootstrap import at_least_of_trials, multiplicities
from voiceprivacy.privacy.uncertainty.null import derangements

READINGS = ("ascending", "descending", "near", "far")
DECE, EER, EXPOSED = "dece_bit", "eer_percent", "exposed_speakers_percent"
FALSE_ALARM_RATES = {"tpr_at_fpr_0.001_percent": 0.001, "tpr_at_fpr_0.01_percent": 0.01}
RATES = (DECE, EER, *FALSE_ALARM_RATES, EXPOSED)
EXPOSED_AT = 0.01  # false alarms at which a speaker counts as found
FOUND_IN = 0.5  # of a speaker's target trials, from which on the speaker is exposed
FEWEST_UTTERANCES = 4  # of a speaker who can be exposed
FEWEST_FALSE_ALARMS = 10  # nontargets above a threshold, else its rates are noise
FEWEST_PAIRS = 5  # of speakers that these nontargets come from


class Ordered(NamedTuple):
    """Counts of G groups of equal scores in ascending order of a reading.

    ``targets`` and ``nontargets`` are (G,), ``groups`` (T,) are those of the target trials.
    """

    targets: Counts
    nontargets: Counts
    groups: Counts

    def reversed(self) -> "Ordered":
        """The same groups in descending order."""
        last = len(self.targets) - 1
        return Ordered(self.targets[::-1], self.nontargets[::-1], last - self.groups)


class Evidence(NamedTuple):
    """The numbers of one list of trials under one condition.

    ``values`` (4, 5), ``replicates`` (4, 5, B) and ``null`` (4, 5, P), which are the same numbers
    of permuted speakers; NaN where a number is undefined. ``reasons`` say why: {rate: text}.
    """

    values: Floats
    replicates: Floats
    null: Floats
    reasons: dict[str, str]


def assess(trials: SpeakerTrials, *, n_replicates: int, n_permutations: int, seed: int) -> Evidence:
    """All RATES in all READINGS, their replicates over speakers, and what permuted speakers give.

    Speakers are drawn as in ``bootstrap`` and permuted as in ``null``: with one seed, draw b and
    permutation p are the same for all attacks on the same speakers.
    """
    reader = _Reader(trials)
    values = reader.rates(np.ones(len(trials.scores), dtype=np.int64), trials.target)
    draws = multiplicities(trials.speakers, n_replicates=n_replicates, seed=seed)
    replicates = _stacked(
        [
            reader.rates(speaker_weights(trials, weights), trials.target, drawn=weights)
            for weights in draws
        ]
    )
    _spread_error_rates(values, replicates, trials.target)
    once = np.ones(len(trials.scores), dtype=np.int64)
    null = _stacked(
        [
            reader.rates(once, target)
            for target in permuted_targets(trials, n_permutations=n_permutations, seed=seed)
        ]
    )
    reasons = short_lists(trials)
    undefined = [position for position, name in enumerate(RATES) if name in reasons]
    for numbers in (values, replicates, null):
        numbers[:, undefined] = np.nan
    return Evidence(values, replicates, null, reasons)


def permuted_targets(trials: SpeakerTrials, *, n_permutations: int, seed: int) -> Iterator[Flags]:
    """Yield the target trials (M,) if speakers are permuted so that nobody keeps his own."""
    enrolled = np.unique(trials.enrolment)
    label = np.arange(len(trials.speakers))
    draw = seeds.generator(seed, "derangements", *map(str, trials.speakers))
    for deranged in derangements(len(enrolled), n_permutations, draw):
        label[enrolled] = enrolled[deranged]
        yield label[trials.enrolment] == trials.trial


def short_lists(trials: SpeakerTrials) -> dict[str, str]:
    """Which rates a list is too short for, and why: {rate: reason}."""
    reasons = {}
    nontarget = np.flatnonzero(~trials.target)
    for name, rate in FALSE_ALARM_RATES.items():
        n_above = int(rate * len(nontarget))
        above = nontarget[len(nontarget) - n_above :]
        pairs = np.sort([trials.enrolment[above], trials.trial[above]], axis=0)
        n_pairs = len(np.unique(pairs, axis=1).T)
        if n_above < FEWEST_FALSE_ALARMS or n_pairs < FEWEST_PAIRS:
            smallest = 100 * FEWEST_FALSE_ALARMS / len(nontarget)
            reasons[name] = (
                f"list too short: {len(nontarget)} nontarget trials show false alarm rates"
                f" from {smallest:.2g} % on"
            )
    n_utterances = np.bincount(trials.trial[trials.target], minlength=len(trials.speakers))
    if not (n_utterances >= FEWEST_UTTERANCES).any():
        reasons[EXPOSED] = f"no speaker has {FEWEST_UTTERANCES} target trials"
    elif "tpr_at_fpr_0.01_percent" in reasons:
        reasons[EXPOSED] = reasons["tpr_at_fpr_0.01_percent"]
    return reasons


def distances(scores: Scores, centre: float) -> Scores:
    """How far scores (M,) are from a centre; an infinite score is not far from an infinite one."""
    with np.errstate(invalid="ignore"):  # inf - inf
        return np.where(scores == centre, 0.0, np.abs(scores - centre))


def read_in(scores: Scores, reading: str, *, nontarget: Scores) -> Scores:
    """Scores (M,) as an attacker reads them: higher = more likely the same speaker."""
    if reading in ("ascending", "descending"):
        return scores if reading == "ascending" else -scores
    far = distances(scores, float(np.median(nontarget)))
    return far if reading == "far" else -far


class _Reader:
    """Reads the trials of one list again and again, with other weights or other labels."""

    def __init__(self, trials: SpeakerTrials) -> None:
        self.trials = trials
        changes = np.diff(trials.scores) != 0
        self.first = np.flatnonzero(np.concatenate([[True], changes]))
        self.group = np.concatenate([[0], np.cumsum(changes)])

    def rates(self, weights: Counts, target: Flags, *, drawn: Counts | None = None) -> Floats:
        """RATES in all READINGS (4, 5) of trials with weights (M,) and labels (M,).

        ``drawn`` (S,) is how often each speaker counts (default: once).
        """
        target_weights = np.where(target, weights, 0)
        nontarget_weights = weights - target_weights
        if not target_weights.any() or not nontarget_weights.any():
            return np.full((len(READINGS), len(RATES)), np.nan)
        speakers = self.trials.trial[target]
        ascending = _pooled(target_weights, nontarget_weights, self.first, self.group, target)
        far = self._far(target_weights, nontarget_weights, target)
        orders = (ascending, ascending.reversed(), far.reversed(), far)
        own = target_weights[target]
        return np.stack([_rates(order, speakers, own, drawn) for order in orders])

    def _far(self, target_weights, nontarget_weights, target):
        """The trials in the order of their distance from the median of the nontargets."""
        scores = self.trials.scores
        distance = distances(scores, _median(scores, nontarget_weights))
        order = np.argsort(distance, kind="stable")  # merges two sorted halves: linear in time
        distance = distance[order]
        changes = distance[1:] != distance[:-1]
        first = np.flatnonzero(np.concatenate([[True], changes]))
        group = np.empty(len(order), dtype=np.int64)
        group[order] = np.concatenate([[0], np.cumsum(changes)])
        return _pooled(target_weights[order], nontarget_weights[order], first, group, target)


def _median(scores, weights):
    """Median of ascending scores (M,) with integer weights (M,)."""
    below = np.cumsum(weights)
    half = below[-1] / 2
    low, high = scores[np.searchsorted(below, half)], scores[np.searchsorted(below, half, "right")]
    return low if low == high else low / 2 + high / 2


def _pooled(target_weights, nontarget_weights, first, group, target):
    """Ordered of trials in ascending order of a reading.

    Neighbouring groups of one class only are pooled, which changes no rate: a PAV block and a
    corner of the ROC can only begin where a class begins. It leaves at most 2 T + 1 groups.
    """
    targets = np.add.reduceat(target_weights, first)
    nontargets = np.add.reduceat(nontarget_weights, first)
    kind = (targets > 0) + 2 * (nontargets > 0)
    kept = np.flatnonzero(kind)  # groups with any weight
    starts = np.concatenate([[True], (np.diff(kind[kept]) != 0) | (kind[kept][1:] == 3)])
    pooled = np.cumsum(starts) - 1
    begins = kept[starts]
    position = np.zeros(len(first), dtype=np.int64)  # of groups without weight: never counted
    position[kept] = pooled
    return Ordered(
        np.add.reduceat(targets, begins),
        np.add.reduceat(nontargets, begins),
        position[group[target]],
    )


def _rates(order, speakers, own, drawn):
    """RATES (5,) of one reading; ``own`` (T,) are the weights of the target trials."""
    above_targets = np.concatenate([[0], np.cumsum(order.targets[::-1])])
    above_nontargets = np.concatenate([[0], np.cumsum(order.nontargets[::-1])])
    n_target, n_nontarget = above_targets[-1], above_nontargets[-1]
    rates = [
        _dece_bit(order),
        _eer_percent(above_targets / n_target, above_nontargets / n_nontarget),
    ]
    for rate in FALSE_ALARM_RATES.values():
        passed = _passed(above_nontargets, rate)
        rates.append(100 * above_targets[passed] / n_target)
    threshold = len(order.targets) - _passed(above_nontargets, EXPOSED_AT)
    rates.append(_exposed_percent(order.groups >= threshold, speakers, own, drawn))
    return np.array(rates)


def _passed(above_nontargets, rate):
    """How many groups, from the top, pass at a false alarm rate."""
    # 1e-9: a share of exactly the rate passes, in spite of rounding.
    allowed = rate * above_nontargets[-1] + 1e-9
    return int(np.searchsorted(above_nontargets, allowed, "right")) - 1


def _dece_bit(order):
    """D_ECE of groups in ascending order (Eq. 13 of Noe et al.); see zebra.dece_bit."""
    counts = order.targets + order.nontargets
    edges = isotonic_regression(order.targets / counts, weights=counts).blocks[:-1]
    targets = np.add.reduceat(order.targets, edges)
    nontargets = np.add.reduceat(order.nontargets, edges)
    with np.errstate(divide="ignore"):  # a block of one class only: -inf or inf
        llrs = np.log((targets * nontargets.sum()) / (nontargets * targets.sum()))
    return cece_bit(
        target=llrs[targets > 0],
        target_counts=targets[targets > 0],
        nontarget=llrs[nontargets > 0],
        nontarget_counts=nontargets[nontargets > 0],
    )


def _eer_percent(hits, false_alarms):
    """Where misses equal false alarms on the polyline of the ROC, from its upper end (0, 0) on."""
    balance = 1 - hits - false_alarms  # misses minus false alarms: falls from 1 to -1
    after = int(np.argmax(balance <= 0))
    fall = balance[after - 1] - balance[after]
    way = balance[after - 1] / fall
    return 100 * (false_alarms[after - 1] + way * (false_alarms[after] - false_alarms[after - 1]))


def _exposed_percent(is_found, speakers, own, drawn):
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

    It is done with the lower one of two opposite readings; the other stays 100 minus it.
    """
    rate = RATES.index(EER)
    n_targets = int(np.count_nonzero(target))
    for one, opposite in ((0, 1), (2, 3)):
        low, high = (one, opposite) if values[one, rate] <= 50 else (opposite, one)
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
