"""Rank disclosure of every speaker, of matches and of others, and of the six shapes of Figure 1."""

import csv
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import betabinom
from support.speakers import gallery

from voiceprivacy.privacy.matrices import ranks
from voiceprivacy.privacy.matrices.betabinomial import LOSSES

SHAPES = Path(__file__).parents[2] / "data" / "rank_shapes" / "shapes.tsv"


def shapes():
    fields = {}
    with open(SHAPES, newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            fields.setdefault(row["shape"], []).append(float(row["p"]))
    return {shape: np.array(p) for shape, p in fields.items()}


def test_a_speaker_who_is_always_first_discloses_everything():
    scores = np.zeros((8, 4))
    scores[:4, 0] = 1  # s000 is always found; s001's ranks are 1, 2, 3, 4
    scores[np.arange(4, 8), 1] = [9, 0.5, -0.5, -1]
    scores[4:, 2:] = [1, -0.7]
    disclosures, curves = ranks.by_speaker(gallery(scores, [0] * 4 + [1] * 4))
    assert [disclosed.speaker for disclosed in disclosures] == ["s000", "s001"]
    first, second = disclosures
    assert first.model_mean_disclosure_bit == pytest.approx(2)
    assert (first.identification_rate_percent, first.mean_rank, first.n_utterances) == (100, 1, 4)
    assert first.model_alpha == 0 and first.model_beta == "undefined"
    assert second.identification_rate_percent == 25
    assert curves["s000"].p.tolist() == [1, 0, 0, 0]


def test_speakers_histograms_average_to_that_of_the_gallery():
    rng = np.random.default_rng(0)
    matrix = gallery(rng.integers(-3, 4, (40, 5)), np.tile(np.arange(5), 8))
    _, curves = ranks.by_speaker(matrix)
    mean = np.mean([curve.p for curve in curves.values()], axis=0)
    np.testing.assert_allclose(mean, ranks.assess(matrix).p, atol=1e-12)


def test_summary_and_examples_by_hand():
    true = np.tile(np.arange(3), 10)
    matrix = gallery(np.random.default_rng(1).normal(size=(30, 3)) + 2 * np.eye(3)[true], true)
    disclosures, _ = ranks.by_speaker(matrix)
    bits_of = {disclosed.speaker: disclosed.model_mean_disclosure_bit for disclosed in disclosures}
    bits = sorted(bits_of.values())
    assert ranks.summary(disclosures)["speaker_max_disclosure_bit"] == bits[-1]
    assert ranks.summary(disclosures)["speaker_mean_disclosure_bit"] == pytest.approx(sum(bits) / 3)
    assert [bits_of[name] for name in ranks.examples(disclosures)] == bits
    five = [disclosures[0]._replace(speaker=f"s{n}", model_mean_disclosure_bit=n) for n in range(5)]
    assert ranks.examples(five) == ["s0", "s2", "s4"]
    for one in disclosures:
        assert one.shrunken_low_bit < one.shrunken_disclosure_bit < one.shrunken_high_bit
    assert ranks.by_rank(np.array([0.75, 0.25]), np.array([0.5, 0.5])) == [
        (1, 0.75, 0.5),
        (2, 0.25, 0.5),
    ]


def test_matches_and_others_by_hand():
    """N = 4, p = 1/2, 1/3, 1/6, 0: of ranks 1 and 2, 5/6 are the match."""
    metrics = ranks.disclosure(np.array([3, 2, 1, 0]) / 6)
    assert metrics["match_positive_percent"] == pytest.approx(100 * 5 / 6)
    assert metrics["other_positive_percent"] == pytest.approx(100 * (2 - 5 / 6) / 3)


def test_positives_of_matches_and_others_average_to_the_spread():
    metrics = ranks.disclosure(betabinom.pmf(np.arange(50), 49, 0.5, 2.0))
    together = (metrics["match_positive_percent"] + 49 * metrics["other_positive_percent"]) / 50
    assert together == pytest.approx(metrics["rank_spread_percent"])


def test_the_headline_is_the_models_value_where_the_histogram_is_sparse():
    p = np.array([3, 2, 1, 0]) / 6
    sparse, dense = (ranks.assess_histogram(p, n_utterances=count).metrics for count in (19, 20))
    assert sparse["disclosure_bit"] == sparse["model_mean_disclosure_bit"]
    assert "mean_disclosure_bias_bit" not in sparse
    assert dense["disclosure_bit"] == dense["mean_disclosure_bit"]
    assert dense["disclosure_bit"] != dense["model_mean_disclosure_bit"]
    assert dense["mean_disclosure_bias_bit"] == pytest.approx(3 / (2 * 20 * np.log(2)))
    assert dense["log2_n_templates_bit"] == 2
    for fit in ("auto", "cll"):
        assert "too sparse" in ranks.assess_histogram(p, n_utterances=19, fit=fit).notes[-1]


def test_log_likelihood_has_the_smallest_divergence_and_cll_needs_a_match():
    p = np.array([0.4, 0.1, 0.2, 0.1, 0.1, 0.1])
    goodness = ranks.goodness_of_fits(p)
    of_losses = {loss: goodness[f"kl_{loss}_bit"] for loss in LOSSES}
    assert min(of_losses, key=of_losses.get) == "ll"
    assert goodness["rank1_match_cll_bit"] < goodness["rank1_match_ll_bit"]
    assert ranks.goodness_of_fits(p[::-1] * (np.arange(6) > 0))["kl_cll_bit"] == "undefined"


def test_the_gallerys_equal_error_rate_by_hand():
    assert ranks.gallery_eer_percent(gallery([[9, 1, 1], [1, 9, 1]], [0, 1])) == 0
    assert ranks.gallery_eer_percent(gallery([[0]], [0])) == "undefined"


def test_the_six_shapes_of_figure_1_disclose_what_their_captions_say():
    metrics = {shape: ranks.disclosure(p) for shape, p in shapes().items()}
    assert len(metrics) == 6
    mean = {shape: values["mean_disclosure_bit"] for shape, values in metrics.items()}
    spread = {shape: values["rank_spread_percent"] for shape, values in metrics.items()}
    assert mean["wide"] < mean["typical"] < mean["narrow"]
    assert spread["narrow"] < spread["typical"] < spread["wide"]
    assert spread["equal others"] == pytest.approx(100 / 20)
    assert mean["equal first"] == pytest.approx(np.log2(20 / 5))  # five of twenty: 5-anonymity
    assert metrics["equal first"]["std_disclosure_bit"] == pytest.approx(0, abs=1e-9)
    assert shapes()["anomalous"].argmax() == 19


def test_the_model_fits_the_shapes_that_are_beta_binomial():
    for shape, p in shapes().items():
        metrics = ranks.assess_histogram(p, n_utterances=1000).metrics
        if shape.startswith("equal"):
            assert metrics["kl_bit"] > 0.01, shape
            continue
        assert metrics["kl_bit"] < 1e-9, shape
        of_model = metrics["model_mean_disclosure_bit"]
        assert of_model == pytest.approx(metrics["mean_disclosure_bit"], abs=1e-5), shape
