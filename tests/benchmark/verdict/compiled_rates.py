"""Numbers of privacy/verdict/evidence.py, compiled: simulations need a million samples.

Error rates only depend on how many nontargets lie between targets. So of every sample nontargets
are counted in T + 1 bins, from below the lowest of T targets to above the highest. Pairs with a
speaker who was not drawn are never looked at, which are three in five.

``check`` compares them with evidence.assess on one list. Scores must all differ.
"""

import functools

import numpy as np
from numba import njit

from voiceprivacy.privacy.scores.calibration import _Z_SERIES
from voiceprivacy.privacy.scores.trials import everyone
from voiceprivacy.privacy.uncertainty.bootstrap import multiplicities
from voiceprivacy.privacy.verdict import evidence
from voiceprivacy.privacy.verdict.readings import READINGS, owners

NUMBERS = (evidence.DECE, evidence.EER, "tpr_at_fpr_0.01_percent", evidence.EXPOSED)
SERIES = _Z_SERIES[:12]
SERIES_BELOW = 0.3


def assess(trials, *, n_replicates, n_permutations=0, seed, within_release=False, n_readings=4):
    """evidence.Evidence of NUMBERS, in the first n_readings readings (one or four)."""
    once, owner = everyone(trials), owners(trials)
    every_speaker = np.ones(len(trials.speakers), dtype=np.int64)
    drawn = _drawn(tuple(map(str, trials.speakers)), n_replicates, seed)
    rates = _of_draws(
        trials.scores, owner, trials.enrolment, trials.trial, np.vstack([every_speaker, drawn])
    )
    if n_readings > 1:
        rates = np.concatenate([rates, np.empty((3, *rates.shape[1:]))])
        for position, weights in enumerate([every_speaker, *drawn]):
            of_trials = weights[trials.enrolment] * np.where(owner < 0, weights[trials.trial], 1)
            rates[..., position] = _of_labels(trials.scores, of_trials, owner, weights, 4)
    kept = once * ~trials.target if within_release else once
    permuted = evidence.permuted_owners(
        trials, n_permutations=n_permutations, seed=seed, within_release=within_release
    )
    null = [_of_labels(trials.scores, kept, own, every_speaker, n_readings) for own in permuted]
    null = np.stack(null, axis=-1) if null else np.empty((n_readings, len(NUMBERS), 0))
    values = np.full((len(READINGS), len(evidence.RATES)), np.nan)
    replicates = np.full((*values.shape, n_replicates), np.nan)
    columns = [evidence.RATES.index(name) for name in NUMBERS]
    values[:n_readings, columns] = rates[..., 0]
    replicates[:n_readings, columns] = rates[..., 1:]
    if n_replicates:
        _spread_error_rates(values, replicates, trials.target, n_readings)
    return evidence.Evidence(rates[..., 0], replicates[:n_readings][:, columns], null, {})


@functools.lru_cache(maxsize=4)
def _drawn(speakers, n_replicates, seed):
    """bootstrap.multiplicities, which all attacks on the same speakers have in common."""
    return multiplicities(speakers, n_replicates=n_replicates, seed=seed)


def _spread_error_rates(values, replicates, target, n_readings):
    """As evidence.assess does it; a single reading is spread with the opposite of its own."""
    rate = evidence.RATES.index(evidence.EER)
    if n_readings == 1:
        values[1:, rate] = 100 - values[0, rate]
        replicates[1:, rate] = 100 - replicates[0, rate]
    evidence._spread_error_rates(values, replicates, target)


def check(trials, **options):
    """Raise an error unless the compiled numbers are those of the package."""
    one, other = assess(trials, **options), evidence.assess(trials, **options)
    columns = [evidence.RATES.index(name) for name in NUMBERS]
    for kind in ("values", "replicates", "null"):
        np.testing.assert_allclose(
            getattr(one, kind), getattr(other, kind)[:, columns], atol=1e-8, equal_nan=True
        )


@njit(cache=True)
def _gain(llr):
    if abs(llr) < SERIES_BELOW:
        gain = 0.0
        for position in range(len(SERIES) - 1, -1, -1):
            gain = gain * llr + SERIES[position]
        return gain
    if llr < 0:
        odds = np.expm1(llr)
        return 0.5 + (llr - odds) / odds**2
    inverse = np.exp(-llr)
    return 0.5 + inverse * (llr * inverse - 1 + inverse) / np.expm1(-llr) ** 2


@njit(cache=True)
def _of_draws(scores, owner, enrolment, trial, draws):
    """The four numbers in ascending reading of every draw of speakers: (1, 4, draws)."""
    n_speakers = draws.shape[1]
    n_target = 0
    speakers = np.empty(len(scores), dtype=np.int64)
    bins, first = np.empty(len(scores), dtype=np.int64), np.zeros(n_speakers**2 + 1, dtype=np.int64)
    for position in range(len(scores)):  # scores ascend
        if owner[position] >= 0:
            speakers[n_target] = owner[position]
            n_target += 1
        else:
            first[enrolment[position] * n_speakers + trial[position] + 1] += 1
    first = np.cumsum(first)
    filled, below = first.copy(), 0
    for position in range(len(scores)):
        if owner[position] >= 0:
            below += 1
        else:
            pair = enrolment[position] * n_speakers + trial[position]
            bins[filled[pair]] = below
            filled[pair] += 1
    speakers = speakers[:n_target]
    rates = np.empty((1, 4, len(draws)))
    for draw in range(len(draws)):
        drawn = draws[draw]
        nontargets = np.zeros(n_target + 1, dtype=np.int64)
        for one in range(n_speakers):
            if drawn[one] == 0:
                continue
            for other in range(n_speakers):
                weight = drawn[one] * drawn[other]
                if weight == 0:
                    continue
                pair = one * n_speakers + other
                for position in range(first[pair], first[pair + 1]):
                    nontargets[bins[position]] += weight
        _numbers(nontargets, drawn[speakers], speakers, drawn, rates[0, :, draw])
    return rates


@njit(cache=True)
def _in_order(order, weights, owner, drawn, rates):
    """The four numbers of trials in ascending order of a reading."""
    n_target = 0
    for trial in order:
        n_target += owner[trial] >= 0
    nontargets = np.zeros(n_target + 1, dtype=np.int64)
    targets, speakers = np.empty(n_target, dtype=np.int64), np.empty(n_target, dtype=np.int64)
    below = 0
    for trial in order:
        if owner[trial] >= 0:
            targets[below], speakers[below] = weights[trial], owner[trial]
            below += 1
        else:
            nontargets[below] += weights[trial]
    _numbers(nontargets, targets, speakers, drawn, rates)


@njit(cache=True)
def _numbers(nontargets, targets, speakers, drawn, rates):
    """The four numbers of bins of nontargets (T + 1,) around weighted targets (T,)."""
    n_target, n_nontarget = targets.sum(), nontargets.sum()
    rates[:] = np.nan
    if n_target == 0 or n_nontarget == 0:
        return
    rates[0] = _dece(nontargets, targets, n_target, n_nontarget)
    n_trials, n_found = np.zeros(len(drawn)), np.zeros(len(drawn))
    hits, alarms = 0, nontargets[-1]
    balance = 1 - alarms / n_nontarget  # misses minus false alarms
    if balance <= 0:  # all nontargets lie above all targets
        rates[1] = 100.0
    rates[2] = 0.0
    for position in range(len(targets) - 1, -1, -1):
        is_passed = alarms <= 0.01 * n_nontarget + 1e-9
        speaker = speakers[position]
        hits += targets[position]
        if targets[position] > 0:
            n_trials[speaker] += 1
            n_found[speaker] += is_passed
            if is_passed:
                rates[2] = 100 * hits / n_target
        before = 1 - hits / n_target - alarms / n_nontarget
        if before <= 0 and np.isnan(rates[1]):
            rates[1] = 100 * alarms / n_nontarget
        alarms += nontargets[position]
        balance = 1 - hits / n_target - alarms / n_nontarget
        if balance <= 0 and np.isnan(rates[1]):
            way = before / (before - balance)
            rates[1] = 100 * (alarms - (1 - way) * nontargets[position]) / n_nontarget
    exposed, counted = 0, 0
    for speaker in range(len(drawn)):
        if n_trials[speaker] >= 4:
            counted += drawn[speaker]
            exposed += drawn[speaker] * (n_found[speaker] >= 0.5 * n_trials[speaker])
    if counted:
        rates[3] = 100 * exposed / counted


@njit(cache=True)
def _dece(nontargets, targets, n_target, n_nontarget):
    """D_ECE of the bins, whose blocks are pooled as long as neighbours are out of order."""
    above, below = np.zeros(2 * len(targets) + 1), np.zeros(2 * len(targets) + 1)
    top = -1
    for group in range(2 * len(targets) + 1):
        n_one = targets[group // 2] if group % 2 else 0
        n_other = 0 if group % 2 else nontargets[group // 2]
        if n_one + n_other == 0:
            continue
        top += 1
        above[top], below[top] = n_one, n_other
        while top > 0 and above[top - 1] * below[top] >= above[top] * below[top - 1]:
            top -= 1
            above[top] += above[top + 1]
            below[top] += below[top + 1]
    gain = 0.0
    for block in range(top + 1):
        if above[block] == 0 or below[block] == 0:
            gain += 0.5 * (above[block] / n_target + below[block] / n_nontarget)
            continue
        llr = np.log(above[block] * n_nontarget / (below[block] * n_target))
        gain += above[block] / n_target * _gain(llr)
        gain += below[block] / n_nontarget * _gain(-llr)
    return gain / (2 * np.log(2))


@njit(cache=True)
def _median(scores, weights, owner):
    total = 0
    for trial in range(len(scores)):
        total += weights[trial] if owner[trial] < 0 else 0
    below, low = 0, np.nan
    for trial in range(len(scores)):
        below += weights[trial] if owner[trial] < 0 else 0
        if np.isnan(low) and below * 2 >= total and below > 0:
            low = scores[trial]
        if below * 2 > total:
            return low / 2 + scores[trial] / 2
    return low


@njit(cache=True)
def _by_distance(scores, weights, owner):
    """Order of the trials by their distance from the median."""
    centre = _median(scores, weights, owner)
    right = np.searchsorted(scores, centre)
    left = right - 1
    order = np.empty(len(scores), dtype=np.int64)
    for position in range(len(scores)):
        if right == len(scores) or (left >= 0 and centre - scores[left] < scores[right] - centre):
            order[position] = left
            left -= 1
        else:
            order[position] = right
            right += 1
    return order


@njit(cache=True)
def _of_labels(scores, weights, owner, drawn, n_readings):
    """The four numbers (n_readings, 4) of any weights and labels of trials."""
    rates = np.empty((n_readings, 4))
    order = np.arange(len(scores))
    _in_order(order, weights, owner, drawn, rates[0])
    if n_readings > 1:
        far = _by_distance(scores, weights, owner)
        _in_order(order[::-1].copy(), weights, owner, drawn, rates[1])
        _in_order(far[::-1].copy(), weights, owner, drawn, rates[2])
        _in_order(far, weights, owner, drawn, rates[3])
    return rates


assert READINGS == ("ascending", "descending", "near", "far")
