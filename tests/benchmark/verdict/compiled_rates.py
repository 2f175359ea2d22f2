"""Numbers of privacy/verdict/evidence.py, compiled: simulations need a million samples.

``check`` compares them with evidence.assess on one list. Scores must all differ.
"""

import numpy as np
from numba import njit

from voiceprivacy.privacy.scores.calibration import _Z_SERIES
from voiceprivacy.privacy.scores.trials import everyone, speaker_weights
from voiceprivacy.privacy.uncertainty.bootstrap import multiplicities
from voiceprivacy.privacy.verdict import evidence
from voiceprivacy.privacy.verdict.readings import READINGS, owners

NUMBERS = (evidence.DECE, evidence.EER, "tpr_at_fpr_0.01_percent", evidence.EXPOSED)
SERIES = _Z_SERIES[:12]
SERIES_BELOW = 0.3


def assess(trials, *, n_replicates, n_permutations=0, seed, within_release=False, n_readings=4):
    """evidence.Evidence of NUMBERS, in the first n_readings readings."""
    once, owner = everyone(trials), owners(trials)
    every_speaker = np.ones(len(trials.speakers), dtype=np.int64)
    order = np.arange(len(once))

    def rates(weights, own, drawn):
        return _rates(trials.scores, order, weights, own, drawn, n_readings)

    values = rates(once, owner, every_speaker)
    replicates = [
        rates(speaker_weights(trials, drawn), owner, drawn)
        for drawn in multiplicities(trials.speakers, n_replicates=n_replicates, seed=seed)
    ]
    kept = once * ~trials.target if within_release else once
    permuted = evidence.permuted_owners(
        trials, n_permutations=n_permutations, seed=seed, within_release=within_release
    )
    null = [rates(kept, own, every_speaker) for own in permuted]
    empty = np.empty((n_readings, len(NUMBERS), 0))
    replicates, null = (
        np.stack(drawn, axis=-1) if drawn else empty for drawn in (replicates, null)
    )
    spread = np.full((4, len(evidence.RATES), n_replicates), np.nan)
    columns = [evidence.RATES.index(name) for name in NUMBERS]
    spread[:n_readings, columns] = replicates
    all_values = np.full((4, len(evidence.RATES)), np.nan)
    all_values[:n_readings, columns] = values
    if n_readings > 1 and n_replicates:
        evidence._spread_error_rates(all_values, spread, trials.target)
    return evidence.Evidence(values, spread[:n_readings][:, columns], null, {})


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
def _dece(order, weights, owner, n_target, n_nontarget):
    targets, nontargets = np.zeros(len(order) + 1), np.zeros(len(order) + 1)
    top = -1
    for trial in order:
        if weights[trial] == 0:
            continue
        top += 1
        is_target = owner[trial] >= 0
        targets[top] = weights[trial] if is_target else 0
        nontargets[top] = 0 if is_target else weights[trial]
        while top > 0 and targets[top - 1] * nontargets[top] >= targets[top] * nontargets[top - 1]:
            top -= 1
            targets[top] += targets[top + 1]
            nontargets[top] += nontargets[top + 1]
    gain = 0.0
    for block in range(top + 1):
        if targets[block] == 0 or nontargets[block] == 0:
            gain += 0.5 * (targets[block] / n_target + nontargets[block] / n_nontarget)
            continue
        llr = np.log(targets[block] * n_nontarget / (nontargets[block] * n_target))
        gain += targets[block] / n_target * _gain(llr)
        gain += nontargets[block] / n_nontarget * _gain(-llr)
    return gain / (2 * np.log(2))


@njit(cache=True)
def _in_order(order, weights, owner, drawn, rates):
    """The four numbers of trials in ascending order of a reading."""
    n_target, n_nontarget = 0, 0
    for trial in order:
        if owner[trial] >= 0:
            n_target += weights[trial]
        else:
            n_nontarget += weights[trial]
    rates[:] = np.nan
    if n_target == 0 or n_nontarget == 0:
        return
    rates[0] = _dece(order, weights, owner, n_target, n_nontarget)
    n_trials, n_found = np.zeros(len(drawn)), np.zeros(len(drawn))
    hits, alarms, balance = 0, 0, 1.0
    is_crossed = False
    for position in range(len(order) - 1, -1, -1):
        trial = order[position]
        if weights[trial] == 0:
            continue
        before, alarms_before = balance, alarms
        if owner[trial] >= 0:
            hits += weights[trial]
        else:
            alarms += weights[trial]
        balance = 1 - hits / n_target - alarms / n_nontarget
        if not is_crossed and balance <= 0:
            is_crossed = True
            way = before / (before - balance)
            rates[1] = 100 * (alarms_before + way * (alarms - alarms_before)) / n_nontarget
        is_passed = alarms <= 0.01 * n_nontarget + 1e-9
        if is_passed:
            rates[2] = 100 * hits / n_target
        if owner[trial] >= 0:
            n_trials[owner[trial]] += 1
            n_found[owner[trial]] += is_passed
    if np.isnan(rates[2]):
        rates[2] = 0.0
    exposed, counted = 0, 0
    for speaker in range(len(drawn)):
        if n_trials[speaker] >= 4:
            counted += drawn[speaker]
            exposed += drawn[speaker] * (n_found[speaker] >= 0.5 * n_trials[speaker])
    if counted:
        rates[3] = 100 * exposed / counted


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
def _rates(scores, order, weights, owner, drawn, n_readings):
    rates = np.empty((n_readings, 4))
    _in_order(order, weights, owner, drawn, rates[0])
    if n_readings > 1:
        far = _by_distance(scores, weights, owner)
        _in_order(order[::-1].copy(), weights, owner, drawn, rates[1])
        _in_order(far[::-1].copy(), weights, owner, drawn, rates[2])
        _in_order(far, weights, owner, drawn, rates[3])
    return rates


assert READINGS == ("ascending", "descending", "near", "far")
