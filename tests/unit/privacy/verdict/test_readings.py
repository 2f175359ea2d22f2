"""Four readings of scores: groups by hand, ties, infinities, and that pooling changes nothing."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import plain_rates

from voiceprivacy.privacy.scores.trials import Ids, SpeakerTrials
from voiceprivacy.privacy.verdict.readings import (
    READINGS,
    Reader,
    distances,
    either_way,
    owners,
    read_in,
    searched_in,
)

INF = np.inf


def small(scores, target):
    """Trials of two speakers: target trials of speaker 0, nontargets of 0 and 1."""
    trial = np.where(target, 0, 1)
    return plain_rates.trials_of(scores, np.zeros(len(scores), dtype=int), trial, n_speakers=2)


def orders(trials, weights=None):
    weights = np.ones(len(trials.scores), dtype=int) if weights is None else weights
    made = Reader(trials).orders(weights, owners(trials))
    return dict(zip(READINGS, made, strict=True))


def counts(order):
    return list(zip(order.targets.tolist(), order.nontargets.tolist(), strict=True))


def test_groups_of_five_trials_by_hand():
    """Nontargets at 1, 2, 2 and 9, targets at 2 and 5: the median of the nontargets is 2."""
    trials = small([1, 2, 2, 2, 5, 9], np.array([False, False, True, False, True, False]))
    made = orders(trials)
    assert counts(made["ascending"]) == [(0, 1), (1, 2), (1, 0), (0, 1)]
    assert counts(made["descending"]) == [(0, 1), (1, 0), (1, 2), (0, 1)]
    assert counts(made["far"]) == [(1, 2), (0, 1), (1, 0), (0, 1)]  # distances 0, 1, 3, 7
    assert counts(made["near"]) == [(0, 1), (1, 0), (0, 1), (1, 2)]
    assert made["ascending"].groups.tolist() == [1, 2]
    assert made["near"].groups.tolist() == [3, 1]


def test_targets_in_both_tails_are_on_top_when_read_as_far():
    trials = small([-9, -1, 0, 1, 8], np.array([True, False, False, False, True]))
    assert counts(orders(trials)["far"]) == [(0, 3), (2, 0)]


def test_the_median_is_that_of_the_drawn_nontargets():
    """Three nontargets at 0, 10 and 20 have the median 10; with the last drawn 9 times it is 20."""
    trials = small([0, 10, 11, 20], np.array([False, False, True, False]))
    assert counts(orders(trials)["far"]) == [(0, 1), (1, 0), (0, 2)]
    drawn = orders(trials, np.array([1, 1, 1, 9]))
    assert counts(drawn["far"]) == [(0, 9), (1, 0), (0, 2)]


def test_the_median_between_two_nontargets_is_their_mean():
    assert read_in(
        np.array([0.0, 4.0, 5.0]), "far", nontarget=np.array([True, True, False])
    ).tolist() == [2, 2, 3]


def test_what_is_drawn_never_is_no_group():
    trials = small([0, 1, 2, 3], np.array([True, False, True, False]))
    assert counts(orders(trials, np.array([0, 1, 2, 0]))["ascending"]) == [(0, 1), (2, 0)]


@pytest.mark.parametrize("weights", [[0, 1, 0, 1], [1, 0, 1, 0], [0, 0, 0, 0]])
def test_a_class_that_is_never_drawn_has_no_order(weights):
    trials = small([0, 1, 2, 3], np.array([True, False, True, False]))
    assert Reader(trials).orders(np.array(weights), owners(trials)) == []


def test_an_infinite_score_is_not_far_from_an_infinite_one():
    assert distances(np.array([-INF, 0, INF]), INF).tolist() == [INF, INF, 0]
    assert distances(np.array([-INF, 0, INF]), 0.0).tolist() == [INF, 0, INF]


@pytest.mark.parametrize(
    ("nontargets", "target", "expected"),
    [
        ([0, 0, 1], INF, [(0, 3), (1, 0)]),
        ([INF, INF, 0], INF, [(1, 2), (0, 1)]),  # the median is infinite, and so is the target
        ([-INF, INF], 3, [(1, 0), (0, 2)]),  # no number is the mean of these
    ],
)
def test_infinite_scores_have_an_order(nontargets, target, expected):
    trials = small([*nontargets, target], np.array([False] * len(nontargets) + [True]))
    assert counts(orders(trials)["far"]) == expected


SCORES = st.lists(
    st.tuples(
        st.one_of(st.integers(-4, 4).map(float), st.sampled_from([-INF, INF])),
        st.booleans(),
        st.integers(0, 3),
    ),
    min_size=1,
    max_size=40,
)


@given(SCORES)
def test_pooled_groups_have_the_roc_of_single_trials(drawn):
    """At every threshold of any trial as many targets and nontargets lie above as in a loop."""
    scores, target, weights = map(np.array, zip(*sorted(drawn), strict=True))
    trials = small(scores, target)
    made = Reader(trials).orders(weights, owners(trials))
    if not weights[trials.target].any() or not weights[~trials.target].any():
        assert made == []
        return
    for reading, order in zip(READINGS, made, strict=True):
        read = plain_rates.read(trials, reading, weights)
        corners = set(zip(above(order.nontargets), above(order.targets), strict=True))
        passed = [read > threshold for threshold in read] + [read >= -INF]
        expected = {
            (weights[some & ~trials.target].sum(), weights[some & trials.target].sum())
            for some in passed
        }
        assert corners - {(0, 0)} <= expected
        assert corners_of(corners) == corners_of(expected | {(0, 0)})


def above(counts):
    return [0, *np.cumsum(counts[::-1]).tolist()]


def corners_of(points):
    """Points at which a polyline through sorted points turns."""
    ordered = sorted((int(x), int(y)) for x, y in points)
    kept = []
    for point in ordered:
        while len(kept) > 1 and cross(kept[-2], kept[-1], point) == 0:
            kept.pop()
        kept.append(point)
    return kept


def cross(one, two, three):
    return (two[0] - one[0]) * (three[1] - one[1]) - (two[1] - one[1]) * (three[0] - one[0])


@given(SCORES)
def test_negated_scores_have_the_same_groups_in_the_opposite_reading(drawn):
    scores, target, weights = map(np.array, zip(*sorted(drawn), strict=True))
    trials, mirrored = small(scores, target), small(-scores, target)
    negated = Reader(mirrored).orders(weights[np.argsort(-scores, kind="stable")], owners(mirrored))
    plain = Reader(trials).orders(weights, owners(trials))
    for position, opposite in ((0, 1), (1, 0), (2, 2), (3, 3)) if plain else ():
        assert counts(plain[position]) == counts(negated[opposite])


@pytest.mark.parametrize("reading", READINGS)
def test_pairs_in_both_directions_are_read_as_once(reading):
    """The median that near and far measure from is that of the pairs."""
    draw = np.random.default_rng(0)
    scores, speakers = np.sort(draw.normal(size=9) ** 3), np.array(["a", "b", "c"])
    target = np.arange(9) % 3 == 0
    one, other = np.arange(9) % 3, np.where(target, np.arange(9), np.arange(9) + 1) % 3
    ids = Ids(np.arange(9), np.arange(9) + 10)
    trials = SpeakerTrials(speakers, scores, target, one, other)
    expected = searched_in(trials, ids, reading)["trials"].scores
    both, both_ids = either_way(trials, ids)
    searched = searched_in(both, both_ids, reading)
    assert searched["trials"].scores.tolist() == np.repeat(expected, 2).tolist()
    pairs = set(zip(searched["enrolment_id"], searched["trial_id"], strict=True))
    assert pairs == {(k, k + 10) for k in range(9)} | {(k + 10, k) for k in range(9)}
