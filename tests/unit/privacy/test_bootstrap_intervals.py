"""Intervals and p-values from replicates: quantiles by hand, few speakers, infinite values."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import stdtr
from support.intervals_shown import printed_in

from voiceprivacy.catalogue import METRICS
from voiceprivacy.privacy.uncertainty import bootstrap
from voiceprivacy.privacy.uncertainty.bootstrap import Correction
from voiceprivacy.privacy.uncertainty.corrections import CORRECTIONS
from voiceprivacy.privacy.uncertainty.interval_files import Resampled, write_intervals


def test_the_percentile_interval_has_the_quantiles_of_students_t():
    limits = bootstrap.interval(499.0, np.arange(999.0), n_speakers=12)
    assert (limits.ci_low, limits.ci_high) == (12, 986)  # t = 2.201, Phi(-2.201) = 0.01387


def test_the_corrected_interval_moves_back_by_three_times_the_bias_within_its_range():
    replicates = np.linspace(0.2, 0.6, 999)  # their median is 0.1 above the value
    correction = Correction(3, 0, 1)
    limits = bootstrap.interval(0.3, replicates, n_speakers=10**12, correction=correction)
    assert (limits.percentile_low, limits.percentile_high) == pytest.approx((0.21, 0.59), abs=1e-3)
    assert (limits.ci_low, limits.ci_high) == (0, pytest.approx(0.29, abs=1e-3))
    assert (limits.corrected_low, limits.corrected_high) == (limits.ci_low, limits.ci_high)


def test_a_metric_without_bias_is_held_in_its_range_and_not_moved():
    replicates = np.linspace(80, 120, 999)  # DeID is 100 at most
    correction = CORRECTIONS["deid_percent"]
    limits = bootstrap.interval(90.0, replicates, n_speakers=10**12, correction=correction)
    assert (limits.ci_low, limits.ci_high) == (pytest.approx(81, abs=0.1), 100)


def test_infinite_replicates_give_infinite_limits():
    replicates = np.array([-np.inf] * 100 + [*range(900)])
    limits = bootstrap.interval(450.0, replicates, n_speakers=100)
    assert limits.ci_low == -np.inf and np.isfinite(limits.ci_high)
    every = bootstrap.interval(-np.inf, np.full(39, -np.inf), n_speakers=5)
    assert (every.ci_low, every.ci_high) == (-np.inf, -np.inf)


def test_the_p_value_is_the_level_at_which_the_interval_reaches_zero():
    replicates = np.random.default_rng(1).normal(2, 1, 9999)
    of_two = bootstrap.p_value(2, replicates, n_speakers=10**12)
    assert of_two == pytest.approx(2 * 0.02275, rel=0.1)
    shifted = replicates - np.sort(replicates)[249]  # the interval's lower limit is 0
    at_zero = bootstrap.p_value(2, shifted, n_speakers=10**12)
    assert at_zero == pytest.approx(1 - bootstrap.LEVEL, rel=0.02)
    assert bootstrap.p_value(0, np.zeros(99), n_speakers=5) == 1


def test_replicates_without_spread_are_worth_the_sign_flips_of_the_speakers():
    assert bootstrap.p_value(1, np.ones(99), n_speakers=10) == 2 / 2**10


def test_few_speakers_have_limits_beyond_what_replicates_reach():
    """t = 3.18 for four speakers: one in 1,400 normal replicates lies beyond, and 500 show none."""
    replicates = np.random.default_rng(1).normal(5, 1, 500)
    t, spread = 3.1824, replicates.std()
    limits = bootstrap.interval(5.0, replicates, n_speakers=4)
    assert limits.ci_low == pytest.approx(min(5 - t * spread, replicates.min()), rel=1e-4)
    assert limits.ci_high == pytest.approx(max(5 + t * spread, replicates.max()), rel=1e-4)
    of_three = bootstrap.interval(5.0, replicates, n_speakers=3)
    assert of_three.ci_high - of_three.ci_low == pytest.approx(2 * 4.303 * spread, rel=1e-3)
    p_value = bootstrap.p_value(5.0, replicates, n_speakers=3)
    assert p_value == pytest.approx(2 * stdtr(2, -5 / spread))
    correction = CORRECTIONS["eer_percent"]
    eer = bootstrap.interval(1.0, replicates, n_speakers=3, correction=correction)
    assert eer.ci_low == 0 and eer.percentile_low < -2


@pytest.mark.parametrize("n_speakers", [0, 1, 2])
def test_fewer_than_three_speakers_have_no_interval(n_speakers):
    limits = bootstrap.interval(0.5, np.linspace(0, 1, 99), n_speakers=n_speakers)
    assert set(limits[1:7]) == {None}


def test_a_single_replicate_makes_no_interval(capsys):
    replicates = np.array([0.4])
    assert set(bootstrap.interval(0.5, replicates, n_speakers=12)[1:7]) == {None}
    drawn = {"pp": Resampled({"eer_percent": replicates}, 12, {})}
    shown = write_intervals(None, {"pp": {"eer_percent": 0.5}}, drawn, None)
    assert shown == {"pp": {"eer_percent": 0.5}}
    assert "pp: no intervals with 1 replicate" in capsys.readouterr().err


@given(n_speakers=st.integers(3, 30), mean=st.floats(0, 6), seed=st.integers(0, 99))
def test_p_is_below_five_percent_where_the_interval_leaves_zero_out(n_speakers, mean, seed):
    replicates = np.random.default_rng(seed).normal(mean, 1, 1000)
    limits = bootstrap.interval(mean, replicates, n_speakers=n_speakers)
    p = bootstrap.p_value(mean, replicates, n_speakers=n_speakers)
    assert (p < 0.05) == (limits.ci_low > 0 or limits.ci_high < 0) or abs(p - 0.05) < 0.012


def test_what_a_command_prints_lies_in_its_own_interval(tmp_path):
    """Replicates show so much bias that every corrected interval leaves its number out."""
    values, replicates = {}, {}
    for name, metric in METRICS.items():
        if metric.times:
            width = min(metric.high, metric.low + 10) - metric.low
            values[name] = metric.low + width / 2
            replicates[name] = values[name] + width * np.linspace(0.09, 0.11, 200)
    values["eer_percent"], replicates["eer_percent"] = 30.0, np.linspace(20.0, 40.0, 200)
    resampled = {"op": Resampled(replicates, 12, {})}
    printed = write_intervals(tmp_path / "m.json", {"op": values}, resampled, ["op"])["op"]
    assert "cllr_cal_bit" in printed and len(printed) > 5
    for name, text in printed.items():
        [number] = printed_in(text)
        assert number.is_inside, name
        definition = f"(by definition {values[name]:.4g})"
        assert text.endswith(definition) == (name != "eer_percent"), text
