"""Similarity ranks: reference numbers, values by hand, ties, galleries of every size."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.speakers import cut, gallery

from voiceprivacy.errors import BadInput
from voiceprivacy.privacy.matrices.ranks import (
    assess,
    assess_histogram,
    disclosure,
    histogram,
    true_ranks,
)

GOLDEN = Path(__file__).parents[2] / "data" / "rank"
EXPECTED = json.loads((GOLDEN / "summary.json").read_text())


def random_gallery(seed, n_utterances=30, n_templates=7):
    rng = np.random.default_rng(seed)
    scores = rng.integers(-3, 4, (n_utterances, n_templates))
    return gallery(scores, rng.integers(0, n_templates, n_utterances))


@pytest.mark.parametrize("case", EXPECTED)
def test_statistics_of_histograms_meet_the_reference(case):
    hist, expected = np.load(GOLDEN / f"{case}.npz")["hist"], EXPECTED[case]["stats_hist"]
    metrics = disclosure(hist / hist.sum())
    for name, short in (("mean", "MeanD"), ("max", "MaxD"), ("std", "StDD")):
        assert metrics[f"{name}_disclosure_bit"] == pytest.approx(expected[short], abs=1e-12)
    for name, short in (("identification_rate", "IdR"), ("rank_spread", "Spread")):
        assert metrics[f"{name}_percent"] == pytest.approx(100 * expected[short], abs=1e-12)


@pytest.mark.parametrize("case", EXPECTED)
def test_goodness_of_fit_meets_the_reference(case):
    hist = np.load(GOLDEN / f"{case}.npz")["hist"]
    for loss, expected in EXPECTED[case]["fits"].items():
        metrics = assess_histogram(hist / hist.sum(), n_utterances=hist.sum(), fit=loss).metrics
        assert metrics["kl_bit"] == pytest.approx(expected["KL_bits"], rel=1e-5)
        match = pytest.approx(expected["rank1_match_bits"], rel=1e-3, abs=1e-7)
        assert metrics["rank1_match_bit"] == match


def test_ranks_without_ties_meet_the_reference():
    golden = np.load(GOLDEN / "r01_N20.npz")
    ranks = true_ranks(gallery(golden["scores"], golden["true"]))
    np.testing.assert_array_equal(ranks.best, golden["ranks"])
    np.testing.assert_array_equal(ranks.worst, golden["ranks"])
    np.testing.assert_allclose(histogram(ranks), golden["hist"] / golden["hist"].sum(), rtol=1e-14)


def test_tied_ranks_meet_the_reference():
    golden = np.load(GOLDEN / "r04_N20_ties_optimistic.npz")
    ranks = true_ranks(gallery(golden["scores"], golden["true"]))
    np.testing.assert_array_equal(ranks.best, golden["ranks_optimistic"])
    np.testing.assert_array_equal(ranks.worst, golden["ranks_pessimistic"])
    for ties, name in (("optimistic", "hist"), ("pessimistic", "hist_pessimistic")):
        expected = golden[name] / golden[name].sum()
        np.testing.assert_allclose(histogram(ranks, ties=ties), expected, rtol=1e-14)


def test_a_tie_spreads_its_weight_equally():
    """True scores 5 (alone on top), 3 (tied with one other, below one), 1 (tied with all)."""
    ranks = true_ranks(gallery([[5, 4, 3, 1], [3, 9, 3, 0], [1, 1, 1, 1]], [0, 0, 3]))
    assert (ranks.best.tolist(), ranks.worst.tolist()) == ([1, 2, 1], [1, 3, 4])
    np.testing.assert_allclose(histogram(ranks) * 3, [1.25, 0.75, 0.75, 0.25])
    np.testing.assert_allclose(histogram(ranks, ties="optimistic") * 3, [2, 1, 0, 0])
    np.testing.assert_allclose(histogram(ranks, ties="pessimistic") * 3, [1, 0, 1, 1])


def test_statistics_by_hand():
    """p = (1/2, 1/4, 1/4, 0) of 4 templates: 1 bit at rank 1, 0 bit at ranks 2 and 3."""
    metrics = disclosure(np.array([0.5, 0.25, 0.25, 0.0]))
    assert metrics["mean_disclosure_bit"] == 0.5
    assert metrics["max_disclosure_bit"] == 1
    assert metrics["std_disclosure_bit"] == 0.5
    assert metrics["identification_rate_percent"] == 50
    assert metrics["rank_spread_percent"] == 25


@pytest.mark.parametrize("n_templates", [2, 3, 7, 10, 49, 300])
@pytest.mark.parametrize("n_utterances", [1, 3, 1000])
def test_constant_scores_disclose_nothing(n_templates, n_utterances):
    true = np.arange(n_utterances) % n_templates
    metrics, p, gamma, _ = assess(gallery(np.zeros((n_utterances, n_templates)), true))
    np.testing.assert_allclose(p, 1 / n_templates, rtol=1e-14)
    np.testing.assert_allclose(gamma, 1 / n_templates, rtol=1e-14)
    assert metrics["mean_disclosure_bit"] == pytest.approx(0, abs=1e-14)
    assert metrics["rank_spread_percent"] == metrics["model_rank_spread_percent"] == 0


def test_perfect_identification_discloses_the_whole_identity():
    metrics, _, gamma, notes = assess(gallery(np.eye(16), np.arange(16)))
    for model in ("", "model_"):
        assert metrics[f"{model}mean_disclosure_bit"] == 4
        assert metrics[f"{model}identification_rate_percent"] == 100
    assert metrics["std_disclosure_bit"] == metrics["kl_bit"] == metrics["rank1_match_bit"] == 0
    assert (metrics["model_alpha"], metrics["model_beta"]) == (0, "undefined")
    assert gamma[0] == 1
    assert "perfect identification" in notes[0]


def test_a_single_template_discloses_nothing():
    metrics, p, gamma, notes = assess(gallery(np.zeros((5, 1)), [0] * 5))
    assert (p.tolist(), gamma.tolist()) == ([1], [1])
    assert metrics["mean_disclosure_bit"] == metrics["model_mean_disclosure_bit"] == 0
    assert (metrics["model_alpha"], metrics["model_beta"]) == ("undefined", "undefined")
    assert any("nothing to disclose" in note for note in notes)


def test_never_first_in_histogram_and_model_is_an_undefined_match():
    metrics = assess(gallery([[0, 1, 2]], [0])).metrics
    assert metrics["rank1_match_bit"] == "undefined"
    assert metrics["max_disclosure_bit"] == pytest.approx(np.log2(3))
    # The model is not empty there: an infinite mismatch.
    metrics = assess_histogram(np.array([0, 0.5, 0.5, 0, 0]), n_utterances=2).metrics
    assert metrics["rank1_match_bit"] == np.inf


def test_infinite_scores_have_ranks():
    ranks = true_ranks(gallery([[np.inf, 0, -np.inf], [-np.inf, 0, -np.inf]], [0, 0]))
    assert (ranks.best.tolist(), ranks.worst.tolist()) == ([1, 2], [1, 3])


@given(seed=st.integers(0, 10**6), ties=st.sampled_from(["shared", "optimistic", "pessimistic"]))
def test_a_monotone_map_and_any_order_of_rows_and_columns_change_nothing(seed, ties):
    matrix = random_gallery(seed)
    rng = np.random.default_rng(seed)
    shuffled = cut(matrix, rng.permutation(30), rng.permutation(7))
    other = shuffled._replace(scores=np.exp(shuffled.scores))
    expected = histogram(true_ranks(matrix), ties=ties)
    np.testing.assert_array_equal(histogram(true_ranks(other), ties=ties), expected)


@given(seed=st.integers(0, 10**6))
def test_histograms_sum_to_one_and_shared_ties_lie_between_the_others(seed):
    ranks = true_ranks(random_gallery(seed))
    optimistic, shared, pessimistic = (
        histogram(ranks, ties=ties).cumsum() for ties in ("optimistic", "shared", "pessimistic")
    )
    assert optimistic[-1] == pytest.approx(1)
    assert (optimistic >= shared - 1e-12).all() and (shared >= pessimistic - 1e-12).all()


@given(seed=st.integers(0, 10**6))
def test_reversed_scores_reverse_the_histogram(seed):
    matrix = random_gallery(seed)
    turned = histogram(true_ranks(matrix._replace(scores=-matrix.scores)))
    np.testing.assert_allclose(turned, histogram(true_ranks(matrix))[::-1], atol=1e-12)


@given(counts=st.lists(st.integers(0, 50), min_size=1, max_size=30).filter(any))
def test_mean_disclosure_is_between_nothing_and_the_whole_identity(counts):
    p = np.array(counts) / np.sum(counts)
    metrics = disclosure(p)
    assert -1e-12 <= metrics["mean_disclosure_bit"] <= metrics["max_disclosure_bit"] + 1e-12
    assert metrics["max_disclosure_bit"] <= np.log2(len(counts)) + 1e-12


def test_more_rows_than_a_block_are_ranked_alike():
    matrix = random_gallery(5, n_utterances=1000)
    ranks = true_ranks(matrix)
    one_by_one = [
        true_ranks(gallery(matrix.scores[[row]], [int(matrix.row_speakers[row][1:])]))
        for row in range(1000)
    ]
    assert ranks.best.tolist() == [int(alone.best[0]) for alone in one_by_one]
    assert ranks.worst.tolist() == [int(alone.worst[0]) for alone in one_by_one]


def test_ties_and_loss_of_a_gallery_are_those_asked_for():
    matrix = random_gallery(2, n_utterances=60)
    for ties in ("optimistic", "pessimistic"):
        np.testing.assert_array_equal(
            assess(matrix, ties=ties).p, histogram(true_ranks(matrix), ties=ties)
        )
    by_moments = assess_histogram(histogram(true_ranks(matrix)), n_utterances=60, fit="ms")
    assert assess(matrix, fit="ms").metrics == by_moments.metrics != assess(matrix).metrics
    assert assess(matrix).metrics == assess(matrix, fit="ll").metrics


def test_an_utterance_that_is_its_own_template_or_has_none_is_refused():
    matrix = gallery(np.zeros((2, 2)), [0, 1])
    for shape in ((0, 2), (2, 0)):
        none = gallery(np.zeros(shape), np.zeros(0, int))._replace(row_speakers=np.array(["s"]))
        with pytest.raises(BadInput, match="there are no test utterances or no templates"):
            true_ranks(none)
    with pytest.raises(BadInput, match="utterance 'u1' is compared with itself"):
        true_ranks(matrix._replace(column_sources=np.array(["s000", "u1"])))
