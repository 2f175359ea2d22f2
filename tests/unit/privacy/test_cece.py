"""C_ECE, of calibrations that one run trains and another tests: reference numbers, samples."""

import numpy as np
import pytest
from support.score_cases import assert_close, cases, scores
from support.speakers import drawn, sample_of

from voiceprivacy.privacy.scores import verification, zebra


@pytest.mark.parametrize(("arrays", "expected"), cases("cece", "cases"))
def test_cece_of_llrs_meets_the_reference(arrays, expected):
    assert_close(zebra.cece_bit(**scores(arrays)), expected["closed_eq13"])


@pytest.mark.parametrize("laplace", [True, False])
@pytest.mark.parametrize(("arrays", "expected"), cases("cece", "pipelines"))
def test_cece_of_trained_calibrations_meets_the_reference(arrays, expected, laplace):
    """Without Laplace's rule, a target may get minus infinity."""
    runs = {"train": scores(arrays, run="_f0"), "test": scores(arrays, run="_f1")}
    metrics, _ = zebra.assess_calibration(**runs, laplace=laplace)
    rule = "laplace" if laplace else "plain"
    ways = {"linear": "linear", "isotonic": f"iso_step_{rule}"}
    ways["isotonic_interpolated"] = f"iso_interp_posterior_{rule}"
    for way, name in ways.items():
        assert_close(metrics[f"cece_{way}_bit"], expected[f"C_ECE_{name}"])
        assert_close(metrics[f"cllr_{way}_bit"], expected[f"Cllr_{name}"])


@pytest.mark.parametrize(("arrays", "expected"), cases("cece", "pipelines"))
def test_the_profiles_of_figure_8_have_the_areas_and_heights_of_its_legend(arrays, expected):
    runs = {"train": scores(arrays, run="_f0"), "test": scores(arrays, run="_f1")}
    metrics, profiles = zebra.assess_calibration(**runs)
    middle = np.flatnonzero(profiles["prior_log_odds"] == 0)
    for name in ("linear", "isotonic", "isotonic_interpolated"):
        assert_close(profiles[f"ece_{name}_bit"][middle], metrics[f"cllr_{name}_bit"])
    for run in ("train", "test"):
        of_run, _ = zebra.assess(**runs[run])
        assert_close(profiles[f"ece_{run}_bit"][middle], verification.cllr_min_bit(**runs[run]))
        for kind, unit in (("dece", "_bit"), ("worst_case", "_log10"), ("tag", "")):
            assert metrics[f"{kind}_{run}{unit}"] == of_run[kind + unit]


def test_calibrations_follow_laplaces_rule_unless_told_not_to():
    runs = {"train": {"target": [1, 2], "nontarget": [0, 1]}}
    runs["test"] = {"target": [0, 2], "nontarget": [0, 1]}
    assert np.isfinite(zebra.calibrated_llrs(**runs)["isotonic"]["target"]).all()
    assert np.isneginf(zebra.calibrated_llrs(**runs, laplace=False)["isotonic"]["target"][0])
    assert np.isfinite(zebra.assess_calibration(**runs)[1]["ece_isotonic_bit"]).all()
    _, profiles = zebra.assess_calibration(**runs, laplace=False)
    assert np.isinf(profiles["ece_isotonic_bit"]).all()
    assert_close(profiles["ece_default_bit"], zebra.ece_default_bit(profiles["prior_log_odds"]))


@pytest.mark.parametrize("laplace", [True, False])
def test_two_samples_have_the_metrics_of_their_repeated_scores(laplace):
    (train, train_scores), (test, test_scores) = drawn(1, shift=1), drawn(2, shift=0.5)
    expected, _ = zebra.assess_calibration(train=train_scores, test=test_scores, laplace=laplace)
    weighted = zebra.runs_metrics(train, test, laplace=laplace)
    assert all(name.startswith(("worst_case_", "tag_")) for name in set(expected) - set(weighted))
    assert weighted == pytest.approx({name: expected[name] for name in weighted}, abs=1e-6)


def test_separable_samples_are_regularised_without_a_word(capsys):
    """A note for each of a thousand replicates would say nothing."""
    sample = sample_of([2.0, 3.0], [0.0, 1.0], target_counts=[1, 1], nontarget_counts=[1, 1])
    zebra.runs_metrics(sample, sample)
    assert capsys.readouterr() == ("", "")


def test_a_calibration_tested_on_its_own_scores_is_no_better_than_the_oracle():
    generator = np.random.default_rng(1)
    run = {"target": generator.normal(1, 1, 50), "nontarget": generator.normal(0, 1, 80)}
    metrics, _ = zebra.assess_calibration(train=run, test=run)
    assert 0 < metrics["cece_linear_bit"] < metrics["cece_isotonic_bit"] < zebra.dece_bit(**run)
    assert metrics["cece_isotonic_bit"] == metrics["cece_isotonic_interpolated_bit"]
