"""Calibration: reference numbers, values worked out by hand, and what must not change an LLR."""

import logging
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit
from support.score_cases import FEW, assert_close, cases, scores, tolerance

from voiceprivacy.privacy.scores.calibration import (
    counted_llrs,
    interpolated_llrs,
    linear_llrs,
    oracle_blocks,
    oracle_llrs,
    step_llrs,
    train_linear,
)

INTEGERS = st.lists(st.integers(-5, 5), min_size=1, max_size=12)
REAL = st.lists(st.floats(-50, 50).map(lambda score: round(score, 9)), min_size=1, max_size=40)
QUARTERS = {"target": [0, 1, 1, 1], "nontarget": [0, 0, 0, 1]}  # posterior 1/4 at 0, 3/4 at 1


@pytest.mark.parametrize("laplace", [False, True])
@pytest.mark.parametrize(("arrays", "expected"), cases("zebra"))
def test_oracle_llrs_meet_the_reference(arrays, expected, laplace):
    target, nontarget = oracle_llrs(**scores(arrays), laplace=laplace)
    name = "llr_laplace" if laplace else "llr"
    if f"ref_tar_{name}" not in arrays:
        pytest.skip("the case has no LLRs")
    assert_close(target, arrays[f"ref_tar_{name}"], tolerance(arrays))
    assert_close(nontarget, arrays[f"ref_non_{name}"], tolerance(arrays))


@pytest.mark.parametrize(("arrays", "expected"), cases("cece", "pipelines"))
def test_trained_calibrations_meet_the_reference(arrays, expected):
    train, test = scores(arrays, run="_f0"), scores(arrays, run="_f1")
    linear = train_linear(**train)
    assert_close(linear, (expected["linear_a"], expected["linear_b"]))
    blocks = {"laplace": oracle_blocks(**train, laplace=True), "plain": oracle_blocks(**train)}
    for label, values in zip(("tar", "non"), test.values(), strict=True):
        assert_close(linear_llrs(values, linear), arrays[f"{label}_linear"])
        for kind, own in blocks.items():
            assert_close(step_llrs(values, own), arrays[f"{label}_iso_step_{kind}"])
            interpolated = arrays[f"{label}_iso_interp_posterior_{kind}"]
            assert_close(interpolated_llrs(values, own), interpolated)


@pytest.mark.parametrize("laplace", [False, True])
@pytest.mark.parametrize("values", [INTEGERS, REAL])
@given(data=st.data())
@FEW
def test_nontargets_that_are_counted_together_have_the_llrs_of_single_scores(data, values, laplace):
    classes = {name: np.array(data.draw(values), float) for name in ("target", "nontarget")}
    blocks = oracle_blocks(**classes, laplace=laplace)
    together = oracle_llrs(**classes, laplace=laplace)
    for scores_of_class, llrs in zip(classes.values(), together, strict=True):
        np.testing.assert_array_equal(llrs, step_llrs(scores_of_class, blocks))


def test_a_violation_is_pooled_and_a_pure_block_is_infinite():
    target, nontarget = oracle_llrs(target=[3, 1], nontarget=[0, 2])
    assert target.tolist() == [np.inf, 0]
    assert nontarget.tolist() == [-np.inf, 0]


def test_laplace_pairs_count_in_the_llrs_but_not_in_the_prior():
    target, nontarget = oracle_llrs(target=[1], nontarget=[0], laplace=True)
    assert_close([*target, *nontarget], np.log([2, 1 / 2]))
    target, nontarget = oracle_llrs(target=[1, 1], nontarget=[0], laplace=True)
    assert_close([target[0], *nontarget], np.log([3 / 2, 1 / 4]))


@pytest.mark.parametrize("laplace", [False, True])
def test_equal_scores_are_exactly_no_evidence(laplace):
    for llrs in oracle_llrs(target=np.ones(500), nontarget=np.ones(500), laplace=laplace):
        assert set(llrs) == {0}


def test_counted_llrs_name_each_llr_of_a_class_once():
    counted = counted_llrs(oracle_blocks(target=[3, 1], nontarget=[0, 2]))
    llrs = {"target": [0, np.inf], "nontarget": [-np.inf, 0]}
    counts = {"target_counts": [1, 1], "nontarget_counts": [1, 1]}
    assert {name: values.tolist() for name, values in counted.items()} == llrs | counts


@pytest.mark.parametrize("laplace", [False, True])
def test_blocks_reach_from_the_lowest_to_the_highest_score(laplace):
    blocks = oracle_blocks(target=[1, 2, 3], nontarget=[0, 2.5], laplace=laplace)
    assert (blocks.lowest[0], blocks.highest[-1]) == (0, 3)
    assert (blocks.lowest[1:] > blocks.highest[:-1]).all()


def test_scores_in_single_precision_are_calibrated_in_double():
    scores = np.array([0.1, 0.7], dtype=np.float32)
    assert linear_llrs(scores, (3.0, 1.0)).tolist() == (3.0 * scores.astype(float) + 1.0).tolist()


def test_infinite_scores_are_the_lowest_and_the_highest():
    target, nontarget = oracle_llrs(target=[np.inf, 0], nontarget=[-np.inf, 0], laplace=True)
    finite, other = oracle_llrs(target=[1, 0], nontarget=[-1, 0], laplace=True)
    assert target.tolist() == finite.tolist()
    assert nontarget.tolist() == other.tolist()


@given(target=INTEGERS, nontarget=INTEGERS, laplace=st.booleans())
def test_pav_is_the_isotonic_regression_of_the_labels(target, nontarget, laplace):
    """Against its closed form, max over starts of min over ends of the mean, in exact fractions."""
    order = sorted({*target, *nontarget})
    groups = [(target.count(score), nontarget.count(score)) for score in order]
    posteriors = _isotonic([(1, 1), *groups, (1, 1)])[1:-1] if laplace else _isotonic(groups)
    expected = {}
    for score, posterior in zip(order, posteriors, strict=True):
        with np.errstate(divide="ignore"):
            odds = np.divide(float(posterior), float(1 - posterior))
            expected[score] = np.log(odds * len(nontarget) / len(target))
    both = oracle_llrs(target=target, nontarget=nontarget, laplace=laplace)
    for values, llrs in zip((target, nontarget), both, strict=True):
        assert_close(llrs, [expected[score] for score in values])


@given(target=INTEGERS, nontarget=INTEGERS, laplace=st.booleans())
def test_a_monotone_map_changes_no_llr(target, nontarget, laplace):
    plain = oracle_llrs(target=target, nontarget=nontarget, laplace=laplace)
    classes = {"target": np.sinh(target) - 7, "nontarget": np.sinh(nontarget) - 7}
    mapped = oracle_llrs(**classes, laplace=laplace)
    for before, after in zip(plain, mapped, strict=True):
        assert before.tolist() == after.tolist()


@given(target=INTEGERS, nontarget=INTEGERS, laplace=st.booleans())
def test_swapped_roles_and_signs_change_the_sign_of_the_llrs(target, nontarget, laplace):
    plain = oracle_llrs(target=target, nontarget=nontarget, laplace=laplace)
    swapped = oracle_llrs(target=-np.array(nontarget), nontarget=-np.array(target), laplace=laplace)
    assert_close(plain[0], -swapped[1])
    assert_close(plain[1], -swapped[0])


def test_steps_are_at_the_trained_scores():
    blocks = oracle_blocks(**QUARTERS)
    assert_close(step_llrs([-9, 0, 0.99, 1, 9], blocks), np.log([1 / 3, 1 / 3, 1 / 3, 3, 3]))


def test_the_posterior_is_interpolated_between_trained_scores_only():
    llrs = interpolated_llrs([-9, 0, 0.25, 0.5, 1, 9], oracle_blocks(**QUARTERS))
    assert_close(llrs, np.log([1 / 3, 1 / 3, 3 / 5, 1, 3, 3]))


def test_interpolation_reaches_the_infinite_llrs_of_its_blocks():
    llrs = interpolated_llrs([-1, 0, 0.5, 1, 2], oracle_blocks(target=[1], nontarget=[0]))
    assert llrs.tolist() == [-np.inf, -np.inf, 0, np.inf, np.inf]


def test_linear_calibration_by_hand():
    """Two scores: the regression meets both LLRs, of reversed scores and of more targets too."""
    assert_close(train_linear(**QUARTERS), (2 * np.log(3), -np.log(3)))
    turned = train_linear(target=QUARTERS["nontarget"], nontarget=QUARTERS["target"])
    assert_close(turned, (-2 * np.log(3), np.log(3)))
    more_targets = train_linear(target=7 * QUARTERS["target"], nontarget=QUARTERS["nontarget"])
    assert_close(more_targets, (2 * np.log(3), -np.log(3)))


@pytest.mark.parametrize(("unit", "origin"), [(1e6, -3), (1, 1e5)])
def test_linear_calibration_does_not_depend_on_unit_and_origin_of_the_scores(unit, origin):
    generator = np.random.default_rng(0)
    target, nontarget = generator.normal(1, 1, 50), generator.normal(0, 1, 200)
    scale, offset = train_linear(target=target, nontarget=nontarget)
    other = train_linear(target=unit * target + origin, nontarget=unit * nontarget + origin)
    assert_close(other[0] * unit, scale, 1e-9)
    assert_close(other[1] + origin * other[0], offset, 1e-9)


@pytest.mark.parametrize("seed", range(20))
def test_linear_calibration_reaches_the_minimum_with_the_wildest_outliers(seed):
    """There both classes' errors have the same mean and the same first moment."""
    generator = np.random.default_rng(seed)
    target, nontarget = generator.standard_cauchy(7), generator.standard_cauchy(5)
    calibration = train_linear(target=target, nontarget=nontarget)
    assert target.min() < nontarget.max() and target.max() > nontarget.min()
    misses = expit(-linear_llrs(target, calibration))
    false_alarms = expit(linear_llrs(nontarget, calibration))
    assert_close(misses.mean(), false_alarms.mean(), 1e-9)
    size = np.abs(np.append(target, nontarget)).max()
    assert_close((misses * target).mean() / size, (false_alarms * nontarget).mean() / size, 1e-9)


def test_equal_scores_train_zero_evidence():
    calibration = train_linear(target=[4, 4], nontarget=[4])
    assert linear_llrs([-np.inf, 4, np.inf], calibration).tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    ("target", "nontarget"), [([2, 3], [0, 1]), ([0, 1], [2, 3]), ([1, 2], [0, 1])]
)
def test_separable_scores_are_regularised_with_a_note(target, nontarget, caplog):
    with caplog.at_level(logging.WARNING):
        scale, _ = train_linear(target=target, nontarget=nontarget)
    assert "separable" in caplog.text
    assert np.isfinite(scale)
    assert np.sign(scale) == np.sign(np.mean(target) - np.mean(nontarget))


def test_separable_scores_get_a_pair_at_both_ends():
    """2 targets and a nontarget at 1, one and 2 at 0: the regression meets ln 2 and ln 1/2."""
    assert_close(train_linear(target=[1], nontarget=[0]), (2 * np.log(2), -np.log(2)))


@given(target=REAL, nontarget=REAL)
def test_linear_calibration_is_finite_and_never_worse_than_no_evidence(target, nontarget):
    scale, offset = train_linear(target=target, nontarget=nontarget)
    assert np.isfinite([scale, offset]).all()
    if min(target) < max(nontarget) and max(target) > min(nontarget):
        miss = np.logaddexp(0, -linear_llrs(target, (scale, offset))).mean()
        false_alarm = np.logaddexp(0, linear_llrs(nontarget, (scale, offset))).mean()
        assert miss + false_alarm <= 2 * np.log(2) + 1e-9


def _isotonic(groups):
    n = range(len(groups))
    return [max(min(_mean(groups[i : j + 1]) for j in n if j >= k) for i in n if i <= k) for k in n]


def _mean(groups):
    targets, nontargets = (sum(counts) for counts in zip(*groups, strict=True))
    return Fraction(targets, targets + nontargets)
