"""Intervals where few errors are left: spread and limits by hand, on their scales."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from support.speakers import arranged

from voiceprivacy.privacy.scores import verification
from voiceprivacy.privacy.scores.calibration import NO_PRIVACY_BIT
from voiceprivacy.privacy.uncertainty import bootstrap
from voiceprivacy.privacy.uncertainty.bootstrap import moved
from voiceprivacy.privacy.uncertainty.corrections import CORRECTIONS

TRIALS = {"n_targets": 48, "n_nontargets": 528}  # as sure as 4 / (1 / 48 + 1 / 528) = 176 trials
RANGES = [("cllr_min_bit", 0, 1), ("eer_rocch_percent", 0, 50)]
RANGES += [("linkability", 1, 0), ("dece_bit", NO_PRIVACY_BIT, 0)]


def test_replicates_without_any_error_are_spread_as_independent_trials():
    replicates = np.append(np.zeros(999), np.nan)
    spread = bootstrap.at_least_of_trials(replicates, 0.0, **TRIALS)
    of_trials = stats.beta(1, 177)
    assert np.isnan(spread[-1]) and np.nanmedian(spread) == 0
    assert np.sort(spread)[974] == pytest.approx(100 * (of_trials.ppf(0.975) - of_trials.median()))
    correction = CORRECTIONS["eer_rocch_percent"]
    limits = bootstrap.interval(0.0, spread, n_speakers=10**12, correction=correction)
    assert limits.ci_low == 0 and 1 < limits.ci_high < 2  # the rule of three: 3 / 176 = 1.7 %


def test_replicates_that_are_further_apart_than_independent_trials_stay_as_they_are():
    replicates = stats.norm(20, 6).ppf(np.arange(1, 500) / 500)  # 176 trials: 3 %
    spread = bootstrap.at_least_of_trials(replicates, 20.0, **TRIALS)
    np.testing.assert_array_equal(spread, replicates)


@given(st.floats(0, 50), st.floats(0, 10), st.integers(0, 99))
def test_the_spread_of_trials_keeps_the_order_the_median_and_what_is_below(value, spread, seed):
    replicates = np.clip(np.random.default_rng(seed).normal(value, spread, 99), 0, 50)
    spread = bootstrap.at_least_of_trials(replicates, value, **TRIALS)
    assert (spread >= replicates).all() and np.median(spread) == np.median(replicates)
    one, other = (np.argsort(values, kind="stable") for values in (spread, replicates))
    np.testing.assert_array_equal(one, other)
    below = replicates < np.median(replicates)
    np.testing.assert_array_equal(spread[below], replicates[below])


def test_no_replicate_is_raised_above_what_is_possible():
    assert bootstrap.at_least_of_trials(np.full(99, 49.0), 49.0, **TRIALS, most=50).max() == 50
    assert bootstrap.at_least_of_trials(np.full(99, 100.0), 100.0, **TRIALS).max() == 100
    assert np.isnan(bootstrap.at_least_of_trials(np.full(5, np.nan), 3.0, **TRIALS)).all()


def test_perfectly_separated_speakers_may_have_errors_that_did_not_happen():
    metrics, draws = verification.sample_metrics, {"n_replicates": 99, "seed": 0}
    replicates = bootstrap.resample_scores(arranged(50), metrics, **draws, corrections=CORRECTIONS)
    names = ("eer_percent", "eer_rocch_percent", "eer_speechbrain_percent")
    kaldi, rocch, speechbrain = (np.nanmax(replicates[name]) for name in names)
    assert kaldi == 0 < rocch == speechbrain


@pytest.mark.parametrize(("metric", "no_privacy", "privacy"), RANGES)
def test_few_errors_are_moved_on_the_scale_of_the_two_thirds_power(metric, no_privacy, privacy):
    """In thousandths of the range: 8, 1 and 27 have 2/3 powers 4, 1 and 9; 9 + 3 (4 - 1) = 18."""
    value, median, limit, expected = (
        no_privacy + (privacy - no_privacy) * thousandths / 1000
        for thousandths in (8, 1, 27, 18 ** (3 / 2))
    )
    moved_limit = moved(np.array([limit]), value, np.full(9, median), CORRECTIONS[metric])
    assert moved_limit == pytest.approx([expected])
    unbiased = moved(np.array([limit]), value, np.full(9, value), CORRECTIONS[metric])
    assert unbiased == pytest.approx([limit])


def test_a_cllr_has_at_least_the_upper_limit_of_a_logarithmic_scale():
    replicates = 0.1 + 0.02 * stats.norm.ppf(np.arange(1, 1000) / 1000)
    options = {"n_speakers": 12, "correction": CORRECTIONS["cllr_bit"]}
    limits = bootstrap.interval(0.1, replicates, **options)
    t = 2.20099  # for 12 speakers
    assert limits.ci_high == pytest.approx(0.1 * np.exp(t * 0.2), rel=0.01)
    assert limits.ci_high > limits.percentile_high == pytest.approx(0.1 + t * 0.02, rel=0.01)
    assert limits.ci_low == limits.percentile_low


def test_a_cllr_without_a_logarithmic_scale_has_percentiles():
    options = {"n_speakers": 12, "correction": CORRECTIONS["cllr_bit"]}
    infinite = bootstrap.interval(1.0, np.append(np.linspace(0.5, 2, 999), np.inf), **options)
    assert infinite.ci_high == infinite.percentile_high < 2
    of_three = bootstrap.interval(1.0, np.linspace(0.5, 2, 999), **options | {"n_speakers": 3})
    assert of_three.ci_high == of_three.percentile_high  # 4.3 standard deviations already
    assert bootstrap.interval(0.0, np.zeros(99), **options).ci_high == 0
    assert bootstrap.interval(np.inf, np.full(99, np.inf), **options).ci_high == np.inf
