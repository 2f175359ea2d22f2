"""Predicates: thresholds by hand and drawn anew, halves of speakers that never meet."""

import numpy as np
import pytest
from support.speakers import conversation_list, gaussian

from voiceprivacy.privacy.law import galleries, predicates


def test_a_threshold_by_hand():
    """Sets of N = 2: (T/4 + F/4) / 2 may be 1/2; three targets and one nontarget pass."""
    target = np.array([1, 1, 0, 1, 1, 0, 0, 0], dtype=bool)
    other = np.where(target, 0, 1)
    calibration = predicates.Calibration(
        np.arange(8.0, 0, -1), target, np.zeros(8, dtype=np.int64), other
    )
    once = np.ones((1, 2), dtype=np.int64)
    assert predicates.thresholds(calibration, n_speakers=2, drawn=once) == [4.5]  # four pass
    nobody = np.zeros((1, 2), dtype=np.int64)
    assert np.isnan(predicates.thresholds(calibration, n_speakers=2, drawn=nobody)[0])


def folds(scores, seed=0):
    listed = conversation_list(scores)
    trials = listed["trials"]
    rows, _ = galleries.joined(trials, listed["enrolment_id"], listed["trial_id"], 1, seed)
    return predicates.folds(rows, trials.speakers, seed=seed)


def test_thresholds_of_replicates_are_those_of_repeated_trials():
    fold = folds(gaussian(4, 20, 5, 1.0))[0]
    weights = np.random.default_rng(0).poisson(1, (30, 20))
    drawn = predicates.thresholds(fold.calibration, n_speakers=5, drawn=weights)
    for replicate, limit in zip(weights, drawn, strict=True):
        once = np.ones((1, 20), dtype=np.int64)
        repeated = fold.calibration
        counts = replicate[repeated.enrolment] * np.where(
            repeated.target, 1, replicate[repeated.trial]
        )
        repeated = predicates.Calibration(*(np.repeat(field, counts) for field in repeated))
        expected = predicates.thresholds(repeated, n_speakers=5, drawn=once)
        assert limit == expected[0]


def test_who_is_attacked_does_not_set_the_threshold():
    scores = gaussian(6, 20, 5, 1.0)
    plain = folds(scores)[0]
    attacked = np.unique(plain.other.own_speaker)
    scores[attacked] += 7
    scores[:, :, attacked] -= 3
    changed = folds(scores)[0]
    assert set(plain.calibration.enrolment).isdisjoint(attacked)
    assert set(plain.calibration.trial).isdisjoint(attacked)
    for before, after in zip(plain.calibration, changed.calibration, strict=True):
        assert (before == after).all()
    assert set(folds(scores)[1].other.own_speaker).isdisjoint(attacked)


def test_halves_depend_on_names_only_and_are_equal():
    names = np.array([f"s{number}" for number in range(21)])
    tried = np.arange(21) < 16
    side = predicates.halves(names, tried, seed=1)
    order = np.random.default_rng(0).permutation(21)
    assert (predicates.halves(names[order], tried[order], seed=1) == side[order]).all()
    assert side[tried].sum() == 8 and side.sum() == 10
    assert (predicates.halves(names, tried, seed=2) != side).any()


def test_everybody_drawn_twice_is_everybody():
    weights = np.array([[1], [2]]) * np.ones((2, 20), dtype=np.int64)
    fold = folds(gaussian(4, 20, 5, 1.0))[0]
    limits = predicates.thresholds(fold.calibration, n_speakers=7, drawn=weights)
    isolated, total = predicates.isolated(fold.other, limits, 7, weights)
    assert isolated[0] / total[0] == pytest.approx(isolated[1] / total[1])
