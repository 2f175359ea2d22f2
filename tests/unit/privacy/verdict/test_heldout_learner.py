"""The learner against a closed form, its invariances, and the kinds of its candidates."""

import numpy as np
import pytest
from scipy.special import expit

from voiceprivacy.privacy.verdict.learner import (
    ALL,
    BENT,
    FUSION,
    IN_BINS,
    MOST_PRODUCTS,
    ONE_SCORE,
    PRODUCTS,
    Candidate,
    design,
    fit,
)


def two_columns(seed=0, size=400):
    draw = np.random.default_rng(seed)
    target = np.arange(size) % 4 == 0
    columns = draw.normal(size=(size, 2)) + 0.7 * target[:, None]
    weights = np.where(target, 1 / target.sum(), 1 / (~target).sum()) * 20
    return np.insert(columns, 0, 1, axis=1), target, weights


def test_the_gradient_of_the_posterior_is_zero():
    columns, target, weights = two_columns()
    learnt = fit(columns, target, weights, [Candidate([1, 2], 0.5, ALL)])[:, 0]
    residual = weights * (target - expit(columns @ learnt))
    centred = columns[:, 1:] - np.average(columns[:, 1:], axis=0, weights=weights)
    covariance = np.cov(columns[:, 1:], rowvar=False, ddof=0, aweights=weights)
    assert residual @ centred == pytest.approx(0.5 * covariance @ learnt[1:], abs=1e-6)
    constant = np.average(columns, axis=0, weights=weights) @ learnt  # at the mean
    assert residual.sum() == pytest.approx(1e-3 * constant, abs=1e-9)


def test_a_linear_map_of_the_columns_changes_no_llr():
    columns, target, weights = two_columns()
    mapped = columns.copy()
    mapped[:, 1:] = columns[:, 1:] @ [[3.0, 1.0], [-2.0, 0.5]] + [5, -7]
    candidate = [Candidate([1, 2], 0.5, ALL)]
    llrs = columns @ fit(columns, target, weights, candidate)
    assert mapped @ fit(mapped, target, weights, candidate) == pytest.approx(llrs, abs=1e-8)


def test_columns_that_depend_on_each_other_are_no_problem():
    columns, target, weights = two_columns()
    double = np.column_stack([columns, columns[:, 1], np.zeros(len(columns))])
    learnt = fit(double, target, weights, [Candidate([1, 2, 3, 4], 0.5, ALL)])
    expected = columns @ fit(columns, target, weights, [Candidate([1, 2], 0.5, ALL)])
    assert double @ learnt == pytest.approx(expected, abs=1e-8)


def test_of_many_products_those_are_learnt_from_that_are_apart():
    """Whether two scores have one sign says who speaks; each score by itself says nothing."""
    draw = np.random.default_rng(0)
    target = np.arange(600) % 2 == 0
    scores = draw.normal(size=(600, 12))
    scores[:, 5] = np.abs(scores[:, 5]) * np.sign(scores[:, 3]) * np.where(target, 1, -1)
    columns, candidates = design({"raw": scores}, 1)
    [products] = [one for one in candidates if one.kind == PRODUCTS]
    slopes = fit(columns, target, np.ones(600), [products])[:, 0]
    used = [column for column in products.perhaps if slopes[column]]
    assert len(products.perhaps) == 66 and len(used) == MOST_PRODUCTS
    assert np.abs(slopes).argmax() in used
    assert ((columns @ slopes > 0) == target).mean() > 0.9


def test_perfect_separation_has_finite_llrs():
    target = np.arange(40) < 20
    columns = np.column_stack([np.ones(40), np.where(target, 1.0, -1.0)])
    learnt = fit(columns, target, np.ones(40), [Candidate([1], 0.1, ONE_SCORE)])
    assert np.isfinite(learnt).all()
    assert ((columns @ learnt)[:, 0] > 2).tolist() == target.tolist()


def test_columns_and_candidates_by_hand():
    """A form has the score and its damped square, s^2 / (1 + |s| / 5).

    Raw and doubly centred scores have bins too, and how far they lie beyond each of four quantiles.
    """
    raw = np.array([[-5.0, 0.0], [5.0, 10.0]])
    columns, candidates = design({"raw": raw, "enrolment": raw / 5, "both": raw[:, :1]}, 2)
    beyond = [[0.5, 0], [2.5, 0], [0, 2.5], [0, 0.5]]  # of 5, 25, 75 and 95 % of a range of 10
    of_raw = [[-5, 5], [12.5, 12.5], [0, 1], *beyond, [0, 10], [0, 100 / 3], [0, 1], *beyond]
    of_enrolment = [[-1, 1], [5 / 6, 5 / 6], [0, 2], [0, 20 / 7]]
    assert pytest.approx(np.array([[1, 1], *of_raw, *of_enrolment, *of_raw[:7]])) == columns.T
    smooth = [1, 2, 8, 9, 15, 16, 17, 18, 19, 20]
    expected = [
        *[([1, 2], 0.2, ONE_SCORE), ([3], 1, IN_BINS), ([1, 4, 5, 6, 7], 1, BENT)],
        *[([8, 9], 0.2, ONE_SCORE), ([10], 1, IN_BINS), ([8, 11, 12, 13, 14], 1, BENT)],
        ([1, 8], 1, FUSION),
        *[([15, 16], 0.2, ONE_SCORE), ([17, 18], 0.2, ONE_SCORE), ([15, 17], 1, FUSION)],
        # one score has no fusion
        *[([19, 20], 0.2, ONE_SCORE), ([21], 1, IN_BINS), ([19, 22, 23, 24, 25], 1, BENT)],
        *[(smooth, ridge, ALL) for ridge in (0.1, 1, 8)],
    ]
    assert candidates == [Candidate(*each) for each in expected]


def test_where_half_of_the_targets_are_hidden_a_line_that_bends_says_most():
    """LLRs of log(1/2 + 1/2 e^(5 s - 12.5)): flat, then rising."""
    draw = np.random.default_rng(0)
    target = np.arange(4000) < 2000
    scores = draw.normal(size=4000) + np.where(np.arange(4000) < 1000, 5, 0)
    columns, candidates = design({"raw": scores[:, None]}, 10)
    slopes = fit(columns, target, np.ones(4000), candidates)
    truth = np.log(0.5 + 0.5 * np.exp(5 * scores - 12.5))
    errors = np.abs(columns @ slopes - truth[:, None]).mean(axis=0)
    assert candidates[errors.argmin()].kind == BENT


def test_without_bins_no_candidate_has_them():
    _, candidates = design({"raw": np.random.default_rng(1).normal(size=(200, 2))}, 1)
    assert not {IN_BINS, BENT} & {kind for _, _, kind, _ in candidates}


def test_bins_hold_equally_many_trials_and_ties_share_one():
    score = np.repeat([0.0, 1.0, 2.0, 3.0], [50, 25, 15, 10])
    columns, candidates = design({"raw": score[:, None]}, 4)
    (bins,) = (one.columns for one in candidates if one.kind == IN_BINS)
    inside = columns[:, bins]
    for value in range(4):
        assert np.ptp(inside[score == value], axis=0).max() == 0
    assert sorted(inside.sum(axis=0)) == [25, 25]
