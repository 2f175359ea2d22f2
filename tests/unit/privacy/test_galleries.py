"""Closed forms over sets of speakers, against all sets one by one and against integrals."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import least_squares
from scipy.stats import norm

from voiceprivacy.privacy.verdict import galleries

COUNTS = st.integers(1, 7).flatmap(
    lambda others: st.tuples(
        st.just(others), st.integers(0, others), st.integers(0, others), st.integers(1, others + 1)
    )
)

# Linkability among 20, 220 and 2220 people of Common Voice: figure 1 of Vauquier et al., from the
# package voice-anonymization-legal-eval 2.1.0 (MIT licence).
PUBLISHED = [
    (0.8216, 0.6533, 0.4668),  # original, 1 utterance
    (0.1522, 0.0369, 0.0088),  # ignorant, 1 utterance
    (0.2358, 0.0732, 0.0206),  # semi-informed, 1 utterance
    (0.7711, 0.5425, 0.3275),  # informed, 1 utterance
    (0.9502, 0.9175, 0.8577),  # original, 3 utterances
    (0.2375, 0.0945, 0.0317),  # ignorant, 3 utterances
    (0.3572, 0.2017, 0.0948),  # semi-informed, 3 utterances
    (0.9451, 0.8733, 0.7455),  # informed, 3 utterances
    (0.9438, 0.9189, 0.8927),  # original, 30 utterances
    (0.2865, 0.1463, 0.0708),  # ignorant, 30 utterances
    (0.4886, 0.3553, 0.2377),  # semi-informed, 30 utterances
    (0.9588, 0.9357, 0.8993),  # informed, 30 utterances
]


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
    chance = galleries.comes_first(1_000_000, 1, 0, size=400_001)
    assert chance == pytest.approx(0.6, rel=1e-6)
    assert galleries.comes_first(5000, 0, 5000, size=3000) == pytest.approx(1 / 3000)


@pytest.mark.parametrize(("n", "chance"), [(2, 1 / 2), (3, 4 / 9), (10**6, 1 / math.e)])
def test_chance_of_isolation_falls_to_one_in_e(n, chance):
    assert galleries.chance_of_isolation(n) == pytest.approx(chance, rel=1e-6)


@pytest.mark.parametrize(("mean", "spread"), [(0, 1), (2, 0.5), (1, 2), (5, 2.5)])
def test_a_law_is_known_from_two_rates(mean, spread):
    """Rates of larger sets are then integrals over the law."""

    def expected(rate):
        return norm(mean, spread).expect(rate, lb=mean - 9 * spread, ub=mean + 9 * spread)

    two, twenty = expected(norm.cdf), expected(lambda x: norm.cdf(x) ** 19)
    law = galleries.fit_law(np.array([two]), np.array([twenty]), size=20)
    assert [law.mean[0], law.spread[0]] == pytest.approx([mean, spread], abs=1e-4)
    nobody = expected(lambda x: norm.cdf(x) ** 99)
    one = expected(lambda x: 99 * norm.sf(x) * norm.cdf(x) ** 98)
    assert galleries.nobody_expected(law, size=100)[0] == pytest.approx(nobody, abs=1e-6)
    assert galleries.one_expected(law, size=100)[0] == pytest.approx(one, abs=1e-6)


@pytest.mark.parametrize("share", [0, 0.04, 1])
@pytest.mark.parametrize("less", [0, 0.1])
def test_others_who_are_alike_pass_independently(share, less):
    """Rates that are lower than of independent others count as independent."""
    two, ten = np.array([1 - share]), np.array([(1 - share) ** 9 - less])
    law = galleries.fit_law(two, ten, size=10)
    nobody, one = (1 - share) ** 49, 49 * share * (1 - share) ** 48
    assert galleries.nobody_expected(law, size=50) == pytest.approx([nobody], abs=1e-4)
    assert galleries.one_expected(law, size=50) == pytest.approx([one], abs=1e-4)


def test_others_who_pass_always_or_never():
    law = galleries.fit_law(np.array([0.7]), np.array([0.7]), size=10)
    assert galleries.nobody_expected(law, size=1000)[0] == pytest.approx(0.7, abs=0.01)
    assert galleries.one_expected(law, size=1000)[0] == pytest.approx(0, abs=0.01)


@pytest.mark.parametrize("rates", PUBLISHED)
def test_the_law_on_published_curves(rates):
    """From 20 and 220 people it is 0 to 4 points too high among ten times as many."""
    twenty, more, most = np.array(rates[:3])[:, None]

    def misfit(parameters):
        law = galleries.Law(parameters[:1], np.exp(parameters[1:]))
        known = [(20, twenty), (220, more)]
        return [(galleries.nobody_expected(law, size=n) - rate)[0] for n, rate in known]

    solved = least_squares(misfit, [3.0, 0.5])
    assert solved.cost < 1e-12
    law = galleries.Law(solved.x[:1], np.exp(solved.x[1:]))
    error = (galleries.nobody_expected(law, size=2220) - most)[0]
    assert -0.005 < error < 0.045
