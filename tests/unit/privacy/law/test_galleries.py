"""Conversations, and closed forms over sets of speakers against all sets one by one."""

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.speakers import conversation_list, gaussian

from voiceprivacy.privacy.law import galleries

COUNTS = st.integers(1, 7).flatmap(
    lambda others: st.tuples(
        st.just(others), st.integers(0, others), st.integers(0, others), st.integers(1, others + 1)
    )
)


@given(counts=COUNTS)
def test_the_first_of_a_set_is_that_of_all_sets_one_by_one(counts):
    others, above, tied, size = counts
    tied = min(tied, others - above)
    ranks = [1] * above + [0] * tied + [-1] * (others - above - tied)
    chances = [
        0 if max(drawn, default=-1) == 1 else 1 / (1 + drawn.count(0))
        for drawn in itertools.combinations(ranks, size - 1)
    ]
    expected = sum(chances) / len(chances)
    assert galleries.comes_first(others, above, tied, size=size) == pytest.approx(expected)


@given(counts=COUNTS)
def test_who_passes_in_a_set_is_that_of_all_sets_one_by_one(counts):
    others, passing, _, size = counts
    size = max(size, 2)
    passes = [1] * passing + [0] * (others - passing)
    numbers = [sum(drawn) for drawn in itertools.combinations(passes, size - 1)]
    nobody, one = numbers.count(0) / len(numbers), numbers.count(1) / len(numbers)
    assert galleries.nobody_passes(others, passing, size=size) == pytest.approx(nobody)
    assert galleries.one_passes(others, passing, size=size) == pytest.approx(one)


def test_large_sets_neither_overflow_nor_lose_digits():
    """C(M - 1, N - 1) / C(M, N - 1) = 1 - (N - 1) / M."""
    chance = galleries.comes_first(100_000, 1, 0, size=40_001)
    assert chance == pytest.approx(0.6, rel=1e-6)
    assert galleries.comes_first(5000, 0, 5000, size=3000) == pytest.approx(1 / 3000)


@pytest.mark.parametrize(("n", "chance"), [(2, 1 / 2), (3, 4 / 9), (10**6, 1 / math.e)])
def test_chance_of_isolation_falls_to_one_in_e(n, chance):
    assert galleries.chance_of_isolation(n) == pytest.approx(chance, rel=1e-6)


def test_conversations_hold_each_utterance_once_and_leave_the_rest_out():
    scores = gaussian(0, 3, 7, 0.0)
    listed = conversation_list(scores)
    rows, reason = galleries.joined(**listed, length=3, seed=0)
    assert not reason and len(rows.scores) == 3 * 2 * 3
    assert (rows.target == (rows.enrolment == rows.trial)).all()
    again, _ = galleries.joined(**listed, length=3, seed=0)
    assert all((one == other).all() for one, other in zip(rows, again, strict=True))
    whole, _ = galleries.joined(**listed, length=None, seed=0)
    means = {
        (row.enrolment, row.trial): row.scores
        for row in map(galleries.Conversations._make, zip(*whole, strict=True))
    }
    for (enrolled, tried), mean in means.items():
        assert mean == pytest.approx(scores[tried, :, enrolled].mean())


def test_a_model_that_missed_an_utterance_is_not_held_against_the_conversation():
    listed = conversation_list(gaussian(0, 4, 2, 0.0))
    kept = ~((listed["enrolment_id"] == 1) & (listed["trial_id"] == 0))
    trials = listed["trials"]
    trials = trials._replace(
        **{name: getattr(trials, name)[kept] for name in ("scores", "target", "enrolment", "trial")}
    )
    rows, _ = galleries.joined(trials, listed["enrolment_id"][kept], listed["trial_id"][kept], 2, 0)
    pairs = set(zip(rows.enrolment.tolist(), rows.trial.tolist(), strict=True))
    assert len(rows.scores) == 15 and (1, 0) not in pairs
