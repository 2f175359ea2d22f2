"""The beta-binomial model of ranks: reference fits, scipy, published numbers, limits."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import approx_fprime
from scipy.stats import betabinom

from voiceprivacy.errors import BadInput
from voiceprivacy.privacy.matrices.betabinomial import LOSSES, _derivatives, fit, log_pmf
from voiceprivacy.privacy.matrices.ranks import disclosure

GOLDEN = Path(__file__).parents[2] / "data" / "rank"
EXPECTED = json.loads((GOLDEN / "summary.json").read_text())
FITS = [(name, loss) for name, published in EXPECTED.items() for loss in published["fits"]]
SHARES = dict.fromkeys(("identification_rate_percent", "rank_spread_percent"), 100)
NAMES = {
    "MeanD": "mean_disclosure_bit",
    "MaxD": "max_disclosure_bit",
    "StDD": "std_disclosure_bit",
    "IdR": "identification_rate_percent",
    "Spread": "rank_spread_percent",
}


def histogram(counts):
    return np.array(counts, dtype=float) / np.sum(counts)


@pytest.mark.parametrize(("case", "loss"), FITS)
def test_fits_meet_an_independent_search(case, loss):
    p = histogram(np.load(GOLDEN / f"{case}.npz")["hist"])
    expected = EXPECTED[case]["fits"][loss]
    model = fit(p, loss=loss)
    value, *_ = LOSSES[loss](p, model.log_gamma)
    assert model.limit == ""
    assert value == pytest.approx(expected["loss"], rel=1e-9)
    assert model.alpha == pytest.approx(expected["alpha"], rel=2e-5)
    assert model.beta == pytest.approx(expected["beta"], rel=2e-5)
    statistics = disclosure(np.exp(model.log_gamma))
    for short, name in NAMES.items():
        value = SHARES.get(name, 1) * expected["stats_model"][short]
        assert statistics[name] == pytest.approx(value, rel=1e-5, abs=1e-8), name


@pytest.mark.parametrize(
    ("n_templates", "alpha", "beta", "published"),
    [
        # F0, phone, identity, linguistic
        (11696, 0.6252111684, 1.7389876590, {"IdR": 0.38, "StDD": 1.31}),
        (11696, 0.2231841845, 0.8515861015, {"Spread": 14.0, "StDD": 3.79, "IdR": 10.67}),
        (1251, 0.0062222568, 6.6985830163, {"MaxD": 10.24, "StDD": 1.99, "Spread": 0.64}),
        (11696, 0.5478333423, 1.1480507826, {"IdR": 0.57, "StDD": 1.29, "Spread": 28.77}),
    ],
)
def test_this_reading_of_equation_3_agrees_with_table_2(n_templates, alpha, beta, published):
    """Alpha and beta solve for two rounded numbers of a column; the others must follow."""
    statistics = disclosure(np.exp(log_pmf(alpha, beta, n_templates)))
    for short, value in published.items():
        assert statistics[NAMES[short]] == pytest.approx(value, rel=0.01)


@given(alpha=st.floats(1e-4, 1e4), beta=st.floats(1e-4, 1e4), n_templates=st.integers(1, 300))
def test_log_pmf_meets_scipy_and_sums_to_one(alpha, beta, n_templates):
    log_gamma = log_pmf(alpha, beta, n_templates)
    expected = betabinom.logpmf(np.arange(n_templates), n_templates - 1, alpha, beta)
    np.testing.assert_allclose(log_gamma, expected, rtol=1e-7, atol=1e-7)
    assert np.exp(log_gamma).sum() == pytest.approx(1, rel=1e-9)
    assert np.ptp(log_pmf(1.0, 1.0, n_templates)) == 0  # exactly uniform


@pytest.mark.parametrize("loss", LOSSES)
def test_derivatives_meet_finite_differences(loss):
    p = histogram([20, 9, 5, 3, 2, 2, 1, 0, 1, 1])

    def at(log_parameters):
        return _derivatives(p, LOSSES[loss], np.array([log_parameters]))

    point = np.log([0.4, 1.7])
    value, gradient, curvature = at(point)
    assert value == LOSSES[loss](p, log_pmf(0.4, 1.7, len(p)))[0]
    expected = approx_fprime(point, lambda other: at(other)[0][0], 1e-7)
    np.testing.assert_allclose(gradient[0], expected, rtol=1e-4, atol=1e-7)
    expected = approx_fprime(point, lambda other: at(other)[1][0], 1e-7)
    np.testing.assert_allclose(curvature[0], expected, rtol=1e-4, atol=1e-7)


@pytest.mark.parametrize("loss", LOSSES)
def test_a_histogram_that_is_the_model_gives_its_parameters_back(loss):
    for alpha, beta in [(0.1, 3.0), (0.6, 1.7), (2.0, 1.1), (5.0, 60.0), (0.2, 0.3)]:
        model = fit(np.exp(log_pmf(alpha, beta, 50)), loss=loss)
        assert (model.alpha, model.beta) == pytest.approx((alpha, beta), rel=1e-3)


@pytest.mark.parametrize("loss", LOSSES)
def test_uniform_histograms_and_perfect_identification(loss):
    model = fit(np.full(20, 1 / 20), loss=loss)
    assert (model.alpha, model.beta, model.limit) == (1, 1, "") and np.ptp(model.log_gamma) == 0
    assert np.exp(model.log_gamma) == pytest.approx(1 / 20)
    model = fit(np.eye(20)[0], loss=loss)
    assert (model.limit, model.alpha) == ("perfect identification", 0)
    assert np.isnan(model.beta)
    assert disclosure(np.exp(model.log_gamma))["mean_disclosure_bit"] == pytest.approx(np.log2(20))


@pytest.mark.parametrize(
    ("counts", "limit", "alpha", "beta"),
    [
        ([0, 0, 0, 0, 1], "always last", np.nan, 0),
        ([2, 0, 0, 0, 1], "first or last", 0, 0),
        ([0, 0, 1, 0, 0], "binomial", np.inf, np.inf),
        ([0, 5, 5, 0, 0, 0, 0, 0], "binomial", np.inf, np.inf),
        ([7], "single template", np.nan, np.nan),
    ],
)
def test_histograms_without_a_finite_optimum_name_their_limit(counts, limit, alpha, beta):
    model = fit(histogram(counts))
    assert model.limit == limit
    np.testing.assert_array_equal([model.alpha, model.beta], [alpha, beta])
    assert np.exp(model.log_gamma).sum() == pytest.approx(1)


def test_a_constraint_on_rank_1_needs_an_identification():
    with pytest.raises(BadInput, match="cll needs an identification"):
        fit(histogram([0, 1, 2]), loss="cll")


def test_the_binomial_limit_has_the_mean_of_the_histogram():
    gamma = np.exp(fit(histogram([0, 0, 0, 1, 0, 0, 0, 0, 0])).log_gamma)
    assert gamma @ np.arange(9) == pytest.approx(3)
