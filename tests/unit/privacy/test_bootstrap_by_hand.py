"""Draws that no version may change, and every field of what is made of replicates."""

import numpy as np
import pytest
from scipy import stats
from scipy.special import ndtri, stdtr
from support.speakers import arranged

from voiceprivacy.privacy.uncertainty import bootstrap
from voiceprivacy.privacy.uncertainty.bootstrap import Correction, moved
from voiceprivacy.privacy.uncertainty.corrections import CORRECTIONS

PINNED = [[2, 1, 0, 1, 0, 1, 0, 0], [0, 0, 1, 2, 1, 0, 2, 0]]
NAME = "eer_rocch_percent"
MANY_SPEAKERS = 10**12  # Student's t is the normal distribution


def test_a_speakers_draws_are_those_of_earlier_versions():
    draws = bootstrap.multiplicities(["1089", "121"], n_replicates=8, seed=3)
    np.testing.assert_array_equal(draws.T, PINNED)


def test_rates_are_spread_as_so_many_targets_and_nontargets_say():
    four = arranged(2.0, n_speakers=4)  # 12 targets, 36 nontargets
    draws = {"n_replicates": 99, "seed": 0, "corrections": CORRECTIONS}
    drawn = bootstrap.resample_scores(four, lambda sample: {NAME: 30.0}, **draws)[NAME]
    n_trials = 4 / (1 / 12 + 1 / 36)
    of_trials = stats.beta(n_trials * 0.3 + 1, n_trials * 0.7 + 1)
    n_defined = np.count_nonzero(~np.isnan(drawn))
    highest = 30 + 100 * (of_trials.ppf(n_defined / (n_defined + 1)) - of_trials.median())
    assert np.nanmax(drawn) == pytest.approx(min(highest, 50))


VALUES = np.array([1.0, 2.0, 4.0, 9.0])
LEFT_OUT = (VALUES.sum() - VALUES) / 3


def test_replicates_of_a_mean_are_the_mean_of_drawn_speakers():
    """A mean is linear: its influences are the speakers' deviations, its variance is s^2 / S."""
    drawn = bootstrap.multiplicities(list("abcd"), n_replicates=50_000, seed=0)
    replicates = bootstrap.linear_replicates(4.0, LEFT_OUT, drawn)
    assert replicates.mean() == pytest.approx(4, abs=0.05)
    assert replicates.var() == pytest.approx(VALUES.var(ddof=1) / 4, rel=0.03)
    assert bootstrap.linear_replicates(4.0, LEFT_OUT, np.ones((1, 4))) == pytest.approx([4])


def test_a_speaker_who_is_drawn_twice_pulls_a_mean_towards_himself():
    """By (1 - 4) / sqrt(4 * 3) for the first of 1, 2, 4, 9, by (9 - 4) / sqrt(12) for the last."""
    drawn = np.array([[2, 1, 1, 1], [1, 1, 1, 2], [0, 0, 0, 0]])
    replicates = bootstrap.linear_replicates(4.0, LEFT_OUT, drawn)
    assert replicates == pytest.approx([4 - 3 / np.sqrt(12), 4 + 5 / np.sqrt(12), 4])
    of_two = bootstrap.linear_replicates(2.0, np.array([3.0, 1.0]), np.array([[2, 1]]))
    assert of_two == pytest.approx([2 - 1 / np.sqrt(2)])


def test_an_interval_says_of_what_it_is():
    replicates = np.random.default_rng(0).permutation(np.append(np.arange(999.0), np.nan))
    limits = bootstrap.interval(499.0, replicates, n_speakers=MANY_SPEAKERS)
    # Of 1000 quantiles the 25th and the 975th.
    assert limits == (499.0, 24, 974, 24, 974, 24, 974, MANY_SPEAKERS, 999, 499)
    for value, replicates, n_defined in (("undefined", 1.0, 5), (0.5, np.nan, 0)):
        limits = bootstrap.interval(value, np.full(5, replicates), n_speakers=7)
        assert limits == (value, *[None] * 6, 7, n_defined, None)


def test_a_value_without_its_bias_is_moved_once_less_than_its_interval_and_lies_in_it():
    """Replicates around 0.4 of a value of 0.5 show a bias of -0.1; it is taken off twice."""
    replicates = np.linspace(0.3, 0.5, 999)
    correction = Correction(3, 0.0, 1.0)
    limits = bootstrap.interval(0.5, replicates, n_speakers=MANY_SPEAKERS, correction=correction)
    assert limits.unbiased == pytest.approx(0.5 + 2 * 0.1)
    assert limits.ci_low < limits.unbiased < limits.ci_high and limits.value < limits.ci_low
    plain = bootstrap.interval(0.5, replicates - 0.15, n_speakers=MANY_SPEAKERS)
    assert plain.value > plain.ci_high == plain.unbiased, "held in its interval"


def test_intervals_are_corrected_by_what_their_metric_needs():
    names = ("cllr_min_bit", "eer_percent", "made_up")
    replicates = dict.fromkeys(names, np.linspace(0.2, 0.6, 999))
    values = dict.fromkeys([*names, "tag"], 0.3)
    limits = bootstrap.intervals(values, replicates, n_speakers=12, corrections=CORRECTIONS)
    assert limits.keys() == replicates.keys()
    for name, fields in limits.items():
        correction = CORRECTIONS.get(name, bootstrap.NONE)
        expected = bootstrap.interval(0.3, replicates[name], n_speakers=12, correction=correction)
        assert fields == expected._asdict()
    moved_low, *others = (limits[name]["ci_low"] for name in names)
    assert moved_low < others[0] == others[1]


def test_replicates_are_moved_back_on_a_plain_scale_and_undefined_ones_stay():
    replicates, correction = np.array([0.2, np.nan, 0.5, 0.9]), Correction(3, 0, 1, no_privacy=0)
    # The median is 0.1 too high: 0.3 to move.
    own = bootstrap.moved_back(0.4, replicates, correction)
    np.testing.assert_allclose(own, [0, np.nan, 0.2, 0.6])
    assert np.isnan(bootstrap.moved_back(0.4, np.full(3, np.nan), correction)).all()


@pytest.mark.parametrize(
    ("value", "replicates"), [(np.inf, [0.2, 0.4, 0.6]), (0.4, [0.2, np.inf, np.inf])]
)
def test_what_is_infinite_is_not_moved(value, replicates):
    correction = Correction(3, 0, np.inf, no_privacy=0)
    own = moved(np.array([0.1, 0.7]), value, np.array(replicates), correction)
    np.testing.assert_array_equal(own, [0.1, 0.7])


def test_a_p_value_beyond_the_replicates_is_the_smaller_of_the_two():
    # All are above zero, although the value is less than two spreads away.
    near = np.linspace(0.01, 2, 999)
    spreads = 1.0 / near.std()
    expected = 2 * stdtr(MANY_SPEAKERS - 1, ndtri(0.5 / 1000))
    assert abs(ndtri(0.5 / 1000)) > spreads
    assert bootstrap.p_value(1.0, near, n_speakers=MANY_SPEAKERS) == pytest.approx(expected)
    assert bootstrap.p_value(1.0, -near, n_speakers=MANY_SPEAKERS) == pytest.approx(expected)
    # Intervals of three speakers are so many standard deviations, not quantiles.
    assert bootstrap.p_value(1.0, near, n_speakers=3) == pytest.approx(2 * stdtr(2, -spreads))
    far = np.linspace(9, 10, 999)
    spreads = 9.5 / far.std()
    assert bootstrap.p_value(9.5, far, n_speakers=20) == pytest.approx(2 * stdtr(19, -spreads))


def test_few_speakers_with_infinite_replicates_have_the_replicates_extremes():
    replicates = np.array([3.0, 1.0, np.inf, 2.0])
    limits = bootstrap.interval(1.5, replicates, n_speakers=3)
    assert (limits.ci_low, limits.ci_high) == (1, np.inf)


def test_forty_replicates_less_one_are_enough_for_a_limit():
    """One in 40 lies beyond either limit; of fewer, 1.96 standard deviations reach beyond all."""
    for n_replicates, reaches in ((38, False), (39, True)):
        replicates = np.linspace(-1, 1, n_replicates)
        limits = bootstrap.interval(0.0, replicates, n_speakers=MANY_SPEAKERS)
        limit = 1 if reaches else 1.96 * replicates.std()
        assert (limits.ci_low, limits.ci_high) == pytest.approx((-limit, limit), rel=1e-3)
