"""What the conventional pictures draw: values by hand, plain loops, and what they share."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.score_cases import FEW, SCORES, assert_close, cases, scores

from voiceprivacy.privacy.scores import profiles, verification

HALF = {"target": [3, 1], "nontarget": [0, 2]}


@pytest.mark.parametrize(("arrays", "expected"), cases("zebra"))
def test_ece_meets_the_toolkit_and_the_reference(arrays, expected):
    curve = profiles.ece(**scores(arrays))
    assert_close(curve["minimum"], arrays["ref_ece_min"])
    if "tk_dece" in expected:  # the toolkit cannot do one target and one nontarget
        np.testing.assert_allclose(curve["actual"], arrays["ece_act"], rtol=2e-7)
        np.testing.assert_allclose(curve["default"], arrays["ece_default"], rtol=0, atol=2e-7)


@given(target=SCORES, nontarget=SCORES)
@FEW
def test_the_minimum_is_lowest_everywhere_and_the_default_above_it(target, nontarget):
    for profile in (profiles.ece, profiles.bayes_error, profiles.normalised_bayes_error):
        curve = profile(target=target, nontarget=nontarget)
        assert (curve["minimum"] <= curve["actual"] + 1e-12).all()
        assert (curve["minimum"] <= curve["default"] + 1e-12).all()


@given(target=SCORES, nontarget=SCORES, log_odds=st.sampled_from([-2.1, -0.3, 0.1, 3.3]))
@FEW
def test_bayes_errors_are_those_of_the_decisions(target, nontarget, log_odds):
    prior = 1 / (1 + np.exp(-log_odds))
    wrong = prior * np.mean([llr < -log_odds for llr in target])
    wrong += (1 - prior) * np.mean([llr >= -log_odds for llr in nontarget])
    (rate,) = profiles.bayes_error_rate([log_odds], target=target, nontarget=nontarget)
    assert rate == pytest.approx(wrong)


@given(target=SCORES, nontarget=SCORES)
@FEW
def test_the_lowest_normalised_bayes_error_at_a_prior_is_the_min_dcf(target, nontarget):
    curve = profiles.normalised_bayes_error(target=target, nontarget=nontarget)
    for prior in range(40, 160, 17):
        log_odds, minimum = curve["prior_log_odds"][prior], curve["minimum"][prior]
        p_target = 1 / (1 + np.exp(-log_odds))
        dcf = verification.min_dcf(target=target, nontarget=nontarget, p_target=p_target)
        assert minimum == pytest.approx(dcf, abs=1e-9)


def test_the_highest_minimum_bayes_error_is_the_eer_of_the_hull():
    generator = np.random.default_rng(0)
    classes = {"target": generator.normal(1, 1, 300), "nontarget": generator.normal(0, 1, 900)}
    highest = 100 * profiles.bayes_error(**classes)["minimum"].max()
    assert highest == pytest.approx(verification.eer_rocch_percent(**classes), abs=0.5)


def test_the_roc_by_hand_and_its_vertices_only():
    curve = profiles.roc(**HALF)
    assert curve["miss"].tolist() == [0, 0, 0.5, 0.5, 1]
    assert curve["false_alarm"].tolist() == [1, 0.5, 0.5, 0, 0]
    assert curve["hull_miss"].tolist() == [0, 0, 0.5, 1]
    assert curve["hull_false_alarm"].tolist() == [1, 0.5, 0, 0]
    straight = profiles.roc(target=np.arange(100) + 200, nontarget=np.arange(100))
    assert straight["miss"].tolist() == [0, 0, 1]


def test_tippett_counts_the_trials_above():
    curve = profiles.tippett(target=[np.log(10), np.log(100), np.log(100)], nontarget=[0.0])
    llrs, shares = curve["actual"]["target"]
    assert_close(llrs, [1, 2])
    assert_close(shares, [1, 2 / 3])
    assert [list(values) for values in curve["actual"]["nontarget"]] == [[0], [1]]
    assert np.isfinite(np.concatenate([llrs for llrs, _ in curve["oracle"].values()])).all()


def test_histograms_are_densities_and_leave_infinite_scores_out():
    curve = profiles.scores(target=[0, 1, 1, np.inf], nontarget=[-2.0])
    widths = np.diff(curve["edges"])
    assert curve["edges"][[0, -1]].tolist() == [-2, 1]
    assert (curve["target"] * widths).sum() == pytest.approx(3 / 4)
    assert (curve["nontarget"] * widths).sum() == pytest.approx(1)


def test_oracle_calibration_lies_on_the_diagonal_of_the_calibration_plot():
    generator = np.random.default_rng(0)
    classes = {"target": generator.normal(1, 1, 100), "nontarget": generator.normal(0, 1, 900)}
    curve = profiles.calibration(**classes)
    assert_close(curve["oracle"]["posterior"], curve["oracle"]["share"])


def test_the_calibration_plot_by_hand():
    """As many targets as nontargets: an LLR of 0 is a posterior of 1/2."""
    classes = {"target": [0, 0, 9.0, -9.0], "nontarget": [0, -9.0, -9.0, -9.0]}
    curve = profiles.calibration(**classes)["actual"]
    odds = np.exp([-9, 0, 9])
    assert_close(curve["posterior"], odds / (1 + odds))
    assert_close(curve["share"], [1 / 4, 2 / 3, 1])
    assert curve["trials"].tolist() == [4, 3, 1]


@pytest.mark.parametrize("name", profiles.PROFILES)
@pytest.mark.parametrize(
    "classes",
    [
        HALF,
        {"target": [1], "nontarget": [1]},
        {"target": [1], "nontarget": [np.nextafter(1, 2)]},
        {"target": [np.inf], "nontarget": [-np.inf]},
    ],
)
def test_every_picture_has_numbers_for_any_scores(name, classes):
    assert profiles.PROFILES[name](**classes)
