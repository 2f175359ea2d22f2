"""ZEBRA: reference numbers, the closed form against quadrature and 1000 digits, invariances."""

import functools
from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given
from scipy.special import expit
from support.score_cases import DATA, FEW, SCORES, assert_close, cases, has_ties, scores, tolerance
from support.speakers import drawn

from voiceprivacy.inout.scored_trials import read_scored_trials
from voiceprivacy.privacy.scores import calibration, verification, zebra
from voiceprivacy.privacy.scores.calibration import oracle_llrs
from voiceprivacy.privacy.scores.zebra import tag_of

NO_PRIVACY_BIT = 0.7213475204444817
CASES = cases("zebra")
UNTIED = [case for case in CASES if "tk_dece" in case.values[1] and not has_ties(case.values[0])]
SIZES = [(1, 1), (9, 9), (10, 20), (20, 10), (5, 995)]


@pytest.mark.parametrize(("arrays", "expected"), CASES)
def test_zebra_meets_the_reference(arrays, expected):
    metrics, profile = zebra.assess(**scores(arrays))
    limit = tolerance(arrays)
    assert_close(metrics["dece_bit"], expected["ref_dece"], limit)
    assert_close(metrics["worst_case_log10"], expected["ref_max_abs_llr10_laplace"], limit)
    assert_close(profile["prior_log_odds"], arrays["plo"])
    assert_close(profile["ece_bit"], arrays["ref_ece_min"], limit)


@pytest.mark.parametrize(("arrays", "expected"), UNTIED)
def test_zebra_meets_the_toolkit_where_no_scores_are_tied(arrays, expected):
    classes = scores(arrays)
    metrics, profile = zebra.assess(**classes)
    worst_case = expected["tk_max_abs_llr10_laplace"]
    assert metrics["dece_bit"] == pytest.approx(expected["tk_dece"], abs=2e-7)
    assert metrics["worst_case_log10"] == pytest.approx(worst_case, abs=4.4e-7)
    np.testing.assert_allclose(profile["ece_bit"], arrays["ece_min"], rtol=0, atol=2e-7)
    np.testing.assert_allclose(profile["ece_default_bit"], arrays["ece_default"], rtol=0, atol=2e-7)
    actual = zebra.ece_bit(arrays["plo"], **classes)
    np.testing.assert_allclose(actual, arrays["ece_act"], rtol=2e-7)


def test_kaldi_scores_give_what_the_toolkit_prints():
    folder = DATA / "zebra_cli"
    scored = read_scored_trials(folder / "scores.txt", key=folder / "key.txt")
    metrics, _ = zebra.assess(**scored.classes)
    printed = (folder / "toolkit_stdout.txt").read_text()
    assert f"Population: {metrics['dece_bit']:.3f} bit" in printed
    assert f"Individual: {metrics['worst_case_log10']:.3f} ({metrics['tag']})" in printed


def test_equal_scores_disclose_nothing():
    metrics, profile = zebra.assess(target=np.ones(500), nontarget=np.ones(500))
    assert (metrics["dece_bit"], metrics["worst_case_log10"], metrics["tag"]) == (0, 0, "0")
    assert_close(profile["ece_bit"], profile["ece_default_bit"])


def test_one_target_above_one_nontarget_discloses_everything():
    metrics, _ = zebra.assess(target=[1], nontarget=[0])
    assert metrics["dece_bit"] == pytest.approx(NO_PRIVACY_BIT)
    assert metrics["worst_case_log10"] == pytest.approx(np.log10(2))


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize(
    "size",
    ["1e-12", "1e-9", "1e-3", "0.5", "0.9999", "1", "1.0001", "2", "6.5", "40", "300", "800"],
)
def test_the_closed_form_is_exact_for_every_llr(size, sign):
    """Z(l) from its definition, with 1000 digits."""
    with localcontext() as context:
        context.prec = 1000
        llr = sign * Decimal(float(size))
        odds = llr.exp() - 1
        exact = float(Decimal("0.5") + (llr - odds) / odds**2)
    value = zebra.cece_bit(target=[sign * float(size)], nontarget=[0])
    assert value / NO_PRIVACY_BIT == pytest.approx(exact, rel=2e-14)
    assert zebra.cece_bit(target=[0], nontarget=[-sign * float(size)]) == value


def test_infinite_llrs():
    assert zebra.cece_bit(target=[np.inf], nontarget=[-np.inf]) == pytest.approx(NO_PRIVACY_BIT)
    assert zebra.cece_bit(target=[-np.inf, np.inf], nontarget=[0]) == -np.inf
    assert zebra.cece_bit(target=[0], nontarget=[np.inf]) == -np.inf
    assert zebra.ece_bit([0.0], target=[-np.inf], nontarget=[0]) == np.inf


def test_the_closed_form_is_the_area_between_the_profiles():
    generator = np.random.default_rng(0)
    llrs = {"target": generator.normal(1, 3, 20), "nontarget": generator.normal(-2, 3, 30)}
    log_odds = np.linspace(-60, 60, 1201)  # the trapezoidal rule is exact: poles are far away
    gap = zebra.ece_default_bit(log_odds) - zebra.ece_bit(log_odds, **llrs)
    area = np.trapezoid(gap * expit(log_odds) * expit(-log_odds), log_odds)
    assert zebra.cece_bit(**llrs) == pytest.approx(area, abs=1e-10)


def test_ece_at_equal_odds_is_the_cllr():
    llrs = {"target": [1.0, -2.0], "nontarget": [0.5]}
    assert zebra.ece_bit([0.0], **llrs) == pytest.approx(verification.cllr_bit(**llrs))


def test_llrs_in_single_precision_are_weighed_in_double():
    target, nontarget = np.random.default_rng(0).normal(size=(2, 50)).astype("f4")
    single = {"target": target, "nontarget": nontarget}
    double = {label: llrs.astype(float) for label, llrs in single.items()}
    assert verification.cllr_bit(**single) == verification.cllr_bit(**double)
    assert zebra.cece_bit(**single) == zebra.cece_bit(**double)
    assert zebra.ece_bit([0.5], **single).tolist() == zebra.ece_bit([0.5], **double).tolist()


def test_ddcf_is_what_calibration_saves_of_a_coin_toss():
    classes = {"target": [3, 1], "nontarget": [0, 2]}
    cllr_min = verification.cllr_min_bit(**classes)
    assert zebra.ddcf(**classes) == pytest.approx(1 - cllr_min) == 0.5
    assert zebra.ddcf(target=[1.0], nontarget=[0.0]) == 1
    assert zebra.ddcf(target=[0.0], nontarget=[0.0]) == 0


NAMES = [name for name in verification.assess(target=[1], nontarget=[0]) if name[:2] != "n_"]
METRICS = [
    *(getattr(verification, name) for name in NAMES),
    *(zebra.dece_bit, zebra.cece_bit, zebra.worst_case_log10, zebra.tag, zebra.ddcf),
    *(calibration.train_linear, calibration.oracle_llrs, functools.partial(zebra.ece_bit, [0.0])),
]


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize(
    ("wrong", "message"),
    [([1, np.nan], "a {} score is not a number"), ([], "no {} scores"), ([[1], [2]], r"\(2, 1\)")],
)
def test_what_are_no_scores_has_no_metric(metric, wrong, message):
    for name in ("target", "nontarget"):
        classes = {"target": [0.0, 1.0], "nontarget": [0.0, 1.0]} | {name: wrong}
        with pytest.raises(ValueError, match=message.format(name)):
            metric(**classes)


def test_a_sample_has_the_metrics_of_its_repeated_scores():
    sample, repeated = drawn(0, shift=1)
    metrics, _ = zebra.assess(**repeated)
    expected = {name: metrics[name] for name in ("dece_bit", "ddcf")}
    assert zebra.sample_metrics(sample) == pytest.approx(expected, abs=1e-12)


def test_counts_stand_for_repeated_llrs():
    counted = {"target": [1, 2], "nontarget": [0], "target_counts": [3, 1], "nontarget_counts": [5]}
    repeated = {"target": [1, 1, 1, 2], "nontarget": [0]}
    assert zebra.cece_bit(**counted) == pytest.approx(zebra.cece_bit(**repeated))
    assert_close(zebra.ece_bit([-1.0, 2.0], **counted), zebra.ece_bit([-1.0, 2.0], **repeated))


def test_tags_begin_at_the_edges_of_table_1():
    edges = {"0": [0], "A": [1e-14, 0.001, 0.999999], "B": [1 - 1e-15, 1, 1.999999]}
    edges |= {"C": [2, 3.999999], "D": [4], "E": [5, 5.999999], "F": [6, np.inf]}
    for expected, worst_cases_log10 in edges.items():
        assert {tag_of(value).name for value in worst_cases_log10} == {expected}


@pytest.mark.parametrize(
    ("size", "expected"), [(8, "A"), (9, "B"), (98, "B"), (99, "C"), (9999, "D")]
)
def test_an_llr_of_exactly_ten_to_the_n_gets_the_higher_tag(size, expected):
    metrics, _ = zebra.assess(target=np.ones(size), nontarget=np.zeros(size))
    assert metrics["tag"] == expected


@pytest.mark.parametrize(("n_target", "n_nontarget"), SIZES)
def test_floor_and_ceiling_are_of_equal_scores_and_of_perfect_separation(n_target, n_nontarget):
    classes = {"target": np.arange(n_target), "nontarget": np.arange(n_nontarget)}
    equal = {name: np.zeros(len(values)) for name, values in classes.items()}
    apart = equal | {"target": np.ones(n_target)}
    assert_close(zebra.worst_case_floor_log10(**classes), zebra.worst_case_log10(**equal))
    assert_close(zebra.worst_case_ceiling_log10(**classes), zebra.worst_case_log10(**apart))


@given(target=SCORES, nontarget=SCORES)
@FEW
def test_assess_gives_what_each_function_gives(target, nontarget):
    metrics, _ = zebra.assess(target=target, nontarget=nontarget)
    assert (metrics.pop("n_target"), metrics.pop("n_nontarget")) == (len(target), len(nontarget))
    metrics.pop("tag_ceiling")
    for name, value in metrics.items():
        assert getattr(zebra, name)(target=target, nontarget=nontarget) == value


@given(target=SCORES, nontarget=SCORES)
@FEW
def test_disclosure_is_between_nothing_and_everything(target, nontarget):
    metrics, profile = zebra.assess(target=target, nontarget=nontarget)
    assert -1e-12 <= metrics["dece_bit"] <= NO_PRIVACY_BIT + 1e-12
    assert metrics["worst_case_log10"] <= metrics["worst_case_ceiling_log10"] + 1e-12
    assert (profile["ece_bit"] <= profile["ece_default_bit"] + 1e-12).all()


@given(target=SCORES, nontarget=SCORES)
@FEW
def test_no_reading_of_the_scores_beats_oracle_calibration_at_any_prior(target, nontarget):
    _, profile = zebra.assess(target=target, nontarget=nontarget)
    classes = {"target": target, "nontarget": nontarget}
    actual = zebra.ece_bit(profile["prior_log_odds"], **classes)
    assert (profile["ece_bit"] <= actual + 1e-12).all()
    assert zebra.cece_bit(**classes) <= zebra.dece_bit(**classes) + 1e-12


@given(target=SCORES, nontarget=SCORES)
@FEW
def test_swapped_roles_and_signs_change_nothing(target, nontarget):
    swapped = {"target": -np.array(nontarget), "nontarget": -np.array(target)}
    metrics = [zebra.dece_bit, zebra.worst_case_log10, zebra.cece_bit, verification.cllr_bit]
    for metric in (*metrics, verification.cllr_min_bit, verification.eer_rocch_percent):
        assert_close(metric(**swapped), metric(target=target, nontarget=nontarget))


@given(target=SCORES, nontarget=SCORES)
@FEW
def test_blocks_give_what_every_single_score_gives(target, nontarget):
    of_targets, of_nontargets = oracle_llrs(target=target, nontarget=nontarget)
    llrs = {"target": of_targets, "nontarget": of_nontargets}
    metrics, profile = zebra.assess(target=target, nontarget=nontarget)
    assert_close(metrics["dece_bit"], zebra.cece_bit(**llrs))
    assert_close(profile["ece_bit"], zebra.ece_bit(profile["prior_log_odds"], **llrs))
