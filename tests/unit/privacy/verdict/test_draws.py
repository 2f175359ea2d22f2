"""Several draws of one anonymiser: limits are of one release."""

import numpy as np
import pytest
from scipy.stats import t as student

from voiceprivacy.privacy.verdict import draws
from voiceprivacy.privacy.verdict.strongest import AttackName, Candidate, Strongest

NAME = AttackName("ecapa", "cosine", "pp", "ascending")


def found(value, half_width=2.0):
    return Strongest(value, value - half_width, value + half_width, NAME, value)


def candidate(value, *, spread=1.0, seed=0, n_speakers=41):
    noise = np.random.default_rng(seed).normal(size=2000) * spread
    half_width = student.ppf(0.975, n_speakers - 1) * spread
    limits = (value - half_width, value + half_width)
    return Candidate(value, value, *limits, value + noise, n_speakers)


def test_between_draws_by_hand():
    """Draws 1 and 3: variance 2, times 1 + 1/2, by t with one degree of freedom."""
    assert draws._between([1.0, 3.0]) == pytest.approx(12.7062 * 3**0.5, rel=1e-4)
    assert draws._between([2.0, 2.0, 2.0]) == 0


def test_draws_that_agree_have_the_limits_of_one():
    assert draws._worst([found(30.0), found(30.0)])[:3] == (30.0, 28.0, 32.0)


def test_draws_that_differ_widen_the_limits():
    worst = draws._worst([found(20.0), found(30.0), found(40.0)])
    between = student.ppf(0.975, 2) * (100 * 4 / 3) ** 0.5
    assert worst.value == 30
    assert worst.high - 30 == pytest.approx(np.hypot(2, between))


def test_a_number_that_one_draw_lacks_is_undefined():
    assert draws._worst([found(20.0), None]) is None
    assert draws._chosen([{NAME: candidate(20.0)}, {}]) == {}


def test_the_strongest_attack_is_chosen_on_each_draw():
    other = NAME._replace(condition="rr")
    first = {NAME: candidate(60.0), other: candidate(20.0, seed=1)}
    second = {NAME: candidate(20.0), other: candidate(50.0, seed=1)}
    ((attack, one),) = draws._chosen([first, second]).items()
    assert attack == NAME and one.value == 55


def test_replicates_reach_as_far_as_the_limits():
    one = draws._one_release([candidate(50.0, seed=1), candidate(56.0, seed=2)])
    reach = student.ppf(0.975, 40) * one.replicates.std()
    assert reach == pytest.approx(one.high - one.value, rel=0.05)


def test_limits_hold_the_next_release_in_95_of_100_cases():
    lot = np.random.default_rng(4)
    held = []
    for _ in range(2000):
        releases = lot.normal(50, 5, size=6)  # five draws, and the release that is given away
        estimates = releases[:5] + lot.normal(0, 1, size=5)
        worst = draws._worst([found(value, 1.96) for value in estimates])
        held.append(worst.low <= releases[5] <= worst.high)
    assert 0.935 <= np.mean(held) <= 0.99
