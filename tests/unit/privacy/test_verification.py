"""Verification metrics: reference numbers, values by hand, closed forms, invariances, ties."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm
from support.score_cases import FEW, SCORES, assert_close, cases, scores, tolerance
from support.speakers import sample_of

from voiceprivacy.errors import BadInput
from voiceprivacy.privacy.scores import verification
from voiceprivacy.privacy.scores.verification import (
    Bins,
    cllr_bit,
    cllr_cal_bit,
    cllr_min_bit,
    eer_percent,
    eer_rocch_percent,
    eer_speechbrain_percent,
    linkability,
    linkability_vpc,
    min_dcf,
)

EQUAL = {"target": np.ones(500), "nontarget": np.ones(500)}
EERS = [eer_percent, eer_rocch_percent, eer_speechbrain_percent]
OF_ORDER = [*EERS, cllr_min_bit, linkability, min_dcf]


@pytest.mark.parametrize(("arrays", "expected"), cases("zebra"))
def test_cllr_and_eer_meet_the_reference(arrays, expected):
    classes, limit = scores(arrays), tolerance(arrays)
    assert_close(cllr_bit(**classes), expected["ref_cllr"], limit)
    assert_close(cllr_min_bit(**classes), expected["ref_mincllr"], limit)
    assert_close(cllr_cal_bit(**classes), expected["ref_cllr"] - expected["ref_mincllr"], limit)
    assert_close(eer_rocch_percent(**classes) / 100, expected["ref_rocch_eer"], limit)


@pytest.mark.parametrize(("arrays", "expected"), cases("cece", "cases"))
def test_cllr_of_llrs_meets_the_reference(arrays, expected):
    assert_close(cllr_bit(**scores(arrays)), expected["cllr"])


@pytest.mark.parametrize("omega", [1, 0.1, 10])
@pytest.mark.parametrize(("arrays", "expected"), cases("linkability"))
def test_linkability_with_the_published_bins_meets_the_reference(arrays, expected, omega):
    value = linkability_vpc(target=arrays["mated"], nontarget=arrays["nonmated"], omega=omega)
    assert_close(value, expected[f"Dsys_omega{omega}"])


@pytest.mark.parametrize(
    ("target", "nontarget", "kaldi", "rocch", "speechbrain"),
    [
        ([1], [0], 0, 0, 0),
        ([0], [1], 0, 50, 100),  # Kaldi's rule stops at its only k
        ([0], [0], 0, 50, 50),
        ([1, 3], [0, 2], 50, 25, 50),
        ([0, 1], [2, 3], 50, 50, 100),
        ([1, 2, 3, 4], [0], 0, 0, 0),
        ([0, 4], [1, 2], 50, 100 / 3, 50),
    ],
)
def test_equal_error_rates_by_hand(target, nontarget, kaldi, rocch, speechbrain):
    classes = {"target": target, "nontarget": nontarget}
    assert eer_percent(**classes) == kaldi
    assert eer_rocch_percent(**classes) == pytest.approx(rocch)
    assert eer_speechbrain_percent(**classes) == pytest.approx(speechbrain)


def test_equal_scores():
    assert eer_percent(**EQUAL) == pytest.approx(99.8)
    assert eer_rocch_percent(**EQUAL) == 50
    assert eer_speechbrain_percent(**EQUAL) == 50
    assert cllr_min_bit(**EQUAL) == 1
    assert linkability(**EQUAL) == 0
    assert linkability_vpc(**EQUAL) == 0
    assert min_dcf(**EQUAL) == 1
    assert verification.warning_of_ties(**EQUAL).startswith("100 % of the trials")


def test_scores_that_differ_by_rounding_link_nobody_by_bins():
    """A voice for all: enrolments of other lengths have cosines that differ in the last digit."""
    classes = {"target": np.ones(1000), "nontarget": np.nextafter(np.ones(9000), 2)}
    assert linkability_vpc(**classes) == 0


def test_only_ties_between_the_classes_are_counted_and_many_are_a_warning():
    classes = {"target": [1, 1, 2], "nontarget": [0, 0, 0, 2, 3]}
    assert verification.warning_of_ties(**classes).startswith("25 % of the trials have a score")
    assert not verification.warning_of_ties(**classes | {"nontarget": [0, 0, 0, 3, 3]})


@given(target=SCORES, nontarget=SCORES)
def test_eer_percent_follows_kaldis_rule(target, nontarget):
    targets, nontargets = sorted(target), sorted(nontarget)
    for k in range(len(targets)):
        above = math.floor(len(nontargets) * k / len(targets))
        if nontargets[len(nontargets) - 1 - above] < targets[k]:
            break
    assert eer_percent(target=target, nontarget=nontarget) == pytest.approx(100 * k / len(targets))


@given(target=SCORES, nontarget=SCORES)
def test_eer_speechbrain_percent_follows_the_loop_over_thresholds(target, nontarget):
    """In single precision, which decides between thresholds that are equally close."""
    closest, rates = None, None
    target, nontarget = np.array(target), np.array(nontarget)
    for threshold in sorted({*target, *nontarget}):
        miss = np.float32((target <= threshold).sum()) / np.float32(len(target))
        false_alarm = np.float32((nontarget > threshold).sum()) / np.float32(len(nontarget))
        if rates is None or abs(false_alarm - miss) < closest:
            rates = (float(miss), float(false_alarm))
            closest = abs(rates[0] - rates[1])
    eer = eer_speechbrain_percent(target=target, nontarget=nontarget)
    assert eer == pytest.approx(50 * sum(rates), abs=1e-4)


@given(target=SCORES, nontarget=SCORES, p_target=st.sampled_from([0.01, 0.3, 0.5, 0.9]))
def test_min_dcf_is_the_lowest_cost_of_any_threshold(target, nontarget, p_target):
    costs = []
    for threshold in [-np.inf, *target, *nontarget]:
        miss, rejected = (np.mean(np.array(own) <= threshold) for own in (target, nontarget))
        costs.append(p_target * miss + (1 - p_target) * (1 - rejected))
    lowest = min(costs) / min(p_target, 1 - p_target)
    assert min_dcf(target=target, nontarget=nontarget, p_target=p_target) == pytest.approx(lowest)


@given(target=SCORES, nontarget=SCORES)
@FEW
def test_a_monotone_map_changes_nothing(target, nontarget):
    mapped = {"target": np.cbrt(target) + 7, "nontarget": np.cbrt(nontarget) + 7}
    for metric in [*OF_ORDER, verification.warning_of_ties]:
        assert metric(**mapped) == metric(target=target, nontarget=nontarget)


@given(target=SCORES, nontarget=SCORES)
def test_calibration_never_costs_and_no_metric_leaves_its_range(target, nontarget):
    metrics = verification.assess(target=target, nontarget=nontarget)
    assert 0 <= metrics["eer_rocch_percent"] <= 50
    assert metrics["cllr_cal_bit"] >= -1e-12
    for name in ("cllr_min_bit", "min_dcf", "linkability", "linkability_vpc"):
        assert -1e-12 <= metrics[name] <= 1 + 1e-12


@given(target=SCORES, nontarget=SCORES)
@FEW
def test_assess_gives_what_each_function_gives(target, nontarget):
    metrics = verification.assess(target=target, nontarget=nontarget, p_target=0.2)
    assert metrics["min_dcf"] == min_dcf(target=target, nontarget=nontarget, p_target=0.2)
    for metric in (*EERS, cllr_bit, cllr_min_bit, cllr_cal_bit, linkability, linkability_vpc):
        assert metrics[metric.__name__] == metric(target=target, nontarget=nontarget)
    assert (metrics["n_target"], metrics["n_nontarget"]) == (len(target), len(nontarget))


@pytest.mark.parametrize("distance", [0.5, 1, 2, 3])
def test_two_gaussians_have_the_eer_of_the_closed_form(distance):
    quantiles = norm.ppf((np.arange(20_001) + 0.5) / 20_001)
    classes = {"target": quantiles + distance, "nontarget": quantiles}
    for metric in EERS:
        assert metric(**classes) == pytest.approx(100 * norm.cdf(-distance / 2), abs=0.01)


def test_calibrated_gaussian_llrs_lose_nothing_to_calibration():
    """LLRs of Gaussians of equal variance are Gaussian, of a mean that is half their variance."""
    quantiles = norm.ppf((np.arange(20_001) + 0.5) / 20_001)
    classes = {"target": 2 * quantiles + 2, "nontarget": 2 * quantiles - 2}
    assert cllr_cal_bit(**classes) == pytest.approx(0, abs=1e-3)


def test_cllr_is_exact_for_any_llr():
    assert cllr_bit(target=np.zeros(3), nontarget=np.zeros(5)) == 1
    assert cllr_bit(target=[-800], nontarget=[800]) == pytest.approx(800 / np.log(2), rel=1e-15)
    assert cllr_bit(target=[800], nontarget=[-800]) == 0
    assert cllr_bit(target=[np.inf], nontarget=[-np.inf]) == 0
    assert cllr_bit(target=[-np.inf, 0], nontarget=[0]) == np.inf
    gain = 1 - cllr_bit(target=[1e-9], nontarget=[-1e-9])
    assert gain == pytest.approx(1e-9 / (2 * np.log(2)), rel=1e-6)


def test_linkability_by_hand():
    """PAV: the scores in the middle are a block with LLR ln(1/2), above is inf, below -inf."""
    assert linkability(target=[3, 1], nontarget=[0, 2, 1]) == pytest.approx(1 / 2)
    value = linkability(target=[0, 1, 1, 1], nontarget=[0, 0, 0, 1])
    assert value == pytest.approx(3 / 4 * (2 * 3 / 4 - 1))


@pytest.mark.parametrize(
    ("n_target", "bins"), [(9, 0), (10, 1), (29, 2), (990, 99), (1000, 100), (3000, 100)]
)
def test_the_published_bins_are_a_tenth_of_the_targets_and_100_at_most(n_target, bins):
    generator = np.random.default_rng(0)
    target, nontarget = generator.normal(1, 1, n_target), generator.normal(0, 1, 200)
    scores = np.append(target, nontarget)
    edges = np.linspace(scores.min(), scores.max(), bins + 1)
    heights = []
    for low, high in pairwise(edges):
        share, other = (
            np.mean((own >= low) & ((own < high) | (high == edges[-1])))
            for own in (target, nontarget)
        )
        heights.append(max(0, (share - other) / (share + other)) * share if share else 0)
    area = sum((left + right) / 2 for left, right in pairwise(heights))
    assert linkability_vpc(target=target, nontarget=nontarget) == pytest.approx(area)


@pytest.mark.parametrize("every_score", [True, False])
@given(target=SCORES, nontarget=SCORES)
def test_a_sample_has_the_metrics_of_its_repeated_scores(every_score, target, nontarget):
    """Every score is drawn as often as its place says, so that all counts differ."""
    of_targets, of_nontargets = np.arange(len(target)) + 1, np.arange(len(nontarget), 0, -1)
    counts = {"target_counts": of_targets, "nontarget_counts": of_nontargets}
    sample = sample_of(target, nontarget, **counts, every_score=every_score)
    expected = verification.assess(
        target=np.repeat(target, of_targets), nontarget=np.repeat(nontarget, of_nontargets)
    )
    metrics = verification.sample_metrics(sample)
    assert metrics == pytest.approx({name: expected[name] for name in metrics}, abs=1e-12)
    assert list(metrics) == [*list(expected)[:6], "linkability"]
    assert "min_dcf" not in metrics  # its intervals hold the truth too seldom


def test_a_sample_has_the_challenges_linkability_where_its_list_has_two_bins():
    rng = np.random.default_rng(3)
    classes = {"target": rng.normal(1, 1, 30), "nontarget": rng.normal(0, 1, 90)}
    once = {f"{name}_counts": np.ones(len(values), dtype=int) for name, values in classes.items()}
    sample = sample_of(**classes, **once)
    bins = verification.histogram_bins(**classes)
    assert bins.number == 3
    two, three = (linkability_vpc(**classes, bins=Bins(n, bins.limits)) for n in (2, 3))
    assert two != three == linkability_vpc(**classes)
    for n_bins, expected in ((2, two), (3, three)):
        metrics = verification.sample_metrics(sample, bins=Bins(n_bins, bins.limits))
        assert metrics["linkability_vpc"] == expected > 0
    without = [
        verification.sample_metrics(sample, bins=few)
        for few in (None, Bins(1, bins.limits), Bins(1, (-5.0, 5.0)))
    ]
    assert not any("linkability_vpc" in metrics for metrics in without)


def test_the_prior_of_min_dcf_is_that_of_nist():
    classes = {"target": [0, 1, 2, 3], "nontarget": [-1, 0.5, 2.5, -2]}
    assert min_dcf(**classes) == verification.assess(**classes)["min_dcf"] == 0.75
    assert min_dcf(**classes, p_target=0.01) == 0.75
    assert min_dcf(**classes, p_target=0.5) == 0.5
    for wrong in (0, 1):
        with pytest.raises(BadInput, match=rf"p_target: {wrong} is not between 0 and 1"):
            verification.assess(**classes, p_target=wrong)


def test_infinite_scores_have_no_histogram():
    assert linkability_vpc(target=[np.inf] * 10, nontarget=[0]) == "undefined"
    assert verification.assess(target=[np.inf], nontarget=[-np.inf])["eer_percent"] == 0
