"""Resampled matrices: galleries that stay, calibration anew without each speaker, and who cannot be
left out.
"""

import tracemalloc

import numpy as np
import pytest

from voiceprivacy.inout.arrays import ScoreMatrix, write_matrix
from voiceprivacy.privacy.matrices import ranks, similarity
from voiceprivacy.privacy.matrices.assessment import (
    assess_similarity,
    measure,
    resample_rank_models,
    resample_ranks,
    resample_similarities,
    without,
)
from voiceprivacy.privacy.uncertainty import bootstrap
from voiceprivacy.privacy.uncertainty.interval_files import Draws

OPTIONS = {"pairs": "all", "definition": "geometric"}
DRAWS = {"n_replicates": 400, "seed": 0}


def matrix(seed=0, *, n_speakers=5, n_utterances=3, separation=2.0):
    """A list against itself."""
    draw = np.random.default_rng(seed)
    speakers = np.repeat([f"s{index}" for index in range(n_speakers)], n_utterances)
    voices = np.repeat(draw.normal(size=(n_speakers, 4)) * separation, n_utterances, axis=0)
    embeddings = voices + draw.normal(size=(len(speakers), 4))
    ids = np.arange(len(speakers)).astype(str)
    return ScoreMatrix(ids, ids, speakers, speakers, embeddings @ embeddings.T, ids, ids)


def three(**options):
    return {name: matrix(seed, **options) for seed, name in enumerate(("oo", "op", "pp"))}


@pytest.mark.parametrize(("n_replicates", "most_bytes"), [(0, 70), (2, 100)])
def test_similarity_takes_a_bounded_memory_for_each_pair_of_utterances(
    tmp_path, n_replicates, most_bytes
):
    """Three matrices of 160,000 pairs: 3000 utterances take less than 1 GB then."""
    paths = {}
    for name, scores in three(n_speakers=20, n_utterances=20).items():
        paths[name] = tmp_path / f"{name}.npz"
        write_matrix(paths[name], scores)
    tracemalloc.start()
    try:
        assess_similarity(paths, Draws(n_replicates, 0))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak / 400**2 < most_bytes


def test_without_a_speaker_his_rows_and_columns_are_gone():
    smaller = without(matrix(), "s1")
    assert (
        smaller.scores.shape == (12, 12)
        and "s1" not in smaller.row_speakers
        and "s1" not in smaller.column_speakers
    )
    np.testing.assert_array_equal(
        smaller.scores,
        matrix().scores[np.ix_(smaller.rows.astype(int), smaller.columns.astype(int))],
    )


def test_every_number_is_calibrated_anew_without_each_speaker():
    matrices = three()
    replicates = resample_similarities(matrices, **OPTIONS, **DRAWS)
    without_each = [
        similarity.assess(
            **{
                name: similarity.similarities(similarity.compare(without(scores, speaker)))
                for name, scores in matrices.items()
            }
        ).metrics["deid_percent"]
        for speaker in ("s0", "s1", "s2", "s3", "s4")
    ]
    drawn = bootstrap.multiplicities([f"s{index}" for index in range(5)], **DRAWS)
    value = similarity.assess(
        **{
            name: similarity.similarities(similarity.compare(scores))
            for name, scores in matrices.items()
        }
    ).metrics["deid_percent"]
    expected = bootstrap.linear_replicates(value, np.array(without_each), drawn)
    np.testing.assert_allclose(replicates["op"]["deid_percent"], expected)
    assert (
        set(replicates) == {"oo", "op", "pp"}
        and "gvd_db" in replicates["pp"]
        and "gvd_db" not in replicates["op"]
    )
    assert set(replicates["oo"]) == {"ddiag", "ddiag_signed", "ddiag_log_bit"}


@pytest.mark.parametrize("options", [{"pairs": "upper"}, {"definition": "sigmoid_mean"}, {}])
def test_pairs_and_definition_are_those_asked_for(options):
    uneven = np.arange(15 * 15).reshape(15, 15) % 7  # the upper triangle is not the lower one
    matrices = {
        name: scores._replace(scores=scores.scores + uneven) for name, scores in three().items()
    }
    used = OPTIONS | options
    expected = {
        name: similarity.similarities(
            similarity.compare(scores, pairs=used["pairs"]), definition=used["definition"]
        )
        for name, scores in matrices.items()
    }
    metrics = similarity.assess(**expected).metrics
    values = measure(matrices, **used)
    assert (values["op"]["deid_percent"], values["pp"]["gvd_db"]) == (
        metrics["deid_percent"],
        metrics["gvd_db"],
    )
    assert (values != measure(matrices, **OPTIONS)) == bool(options)
    drawn = resample_similarities(matrices, **options, **DRAWS)
    np.testing.assert_equal(drawn, resample_similarities(matrices, **used, **DRAWS))


def test_a_speaker_that_cannot_be_left_out_leaves_no_interval():
    """Of two speakers one alone has no matrix."""
    replicates = resample_similarities(three(n_speakers=2), **OPTIONS, **DRAWS)
    assert (
        np.isnan(replicates["op"]["deid_percent"]).all()
        and np.isnan(replicates["oo"]["ddiag"]).all()
    )
    assert (
        bootstrap.interval(50.0, replicates["op"]["deid_percent"], n_speakers=2).ci_low
        == "undefined"
    )


def test_ranks_of_drawn_speakers_keep_the_gallery():
    names = np.array(["a", "b", "c"])
    speakers = np.repeat(names, 4)
    scores = np.random.default_rng(0).normal(size=(12, 3)).round(1)
    ids = (np.arange(12).astype(str), names, speakers, names)
    matrix = ScoreMatrix(*ids, scores, np.arange(12).astype(str), names)
    replicates = resample_ranks(ranks.true_ranks(matrix), speakers, **DRAWS)
    for index, weights in enumerate(bootstrap.multiplicities(names, **DRAWS)[:20]):
        if weights.any():
            rows = np.repeat(np.arange(12), np.repeat(weights, 4))
            fields = {
                name: getattr(matrix, name)[rows]
                for name in ("rows", "row_speakers", "scores", "row_sources")
            }
            expected = ranks.disclosure(
                ranks.histogram(ranks.true_ranks(matrix._replace(**fields)))
            )
            for name, value in expected.items():
                assert replicates[name][index] == pytest.approx(value), name


@pytest.mark.parametrize("ties", ["shared", "optimistic", "pessimistic"])
def test_ranks_of_drawn_speakers_take_ties_as_they_are_told(ties):
    true_ranks = ranks.Ranks(best=np.array([1, 1, 3]), worst=np.array([2, 4, 3]), n_templates=4)
    weights = bootstrap.multiplicities(["a", "b", "c"], n_replicates=20, seed=0)
    replicates = resample_ranks(true_ranks, ["a", "b", "c"], n_replicates=20, seed=0, ties=ties)
    for replicate, rows in enumerate(np.repeat([0, 1, 2], drawn) for drawn in weights):
        again = ranks.Ranks(true_ranks.best[rows], true_ranks.worst[rows], 4)
        expected = (
            ranks.disclosure(ranks.histogram(again, ties=ties))
            if len(rows)
            else dict.fromkeys(replicates, np.nan)
        )
        assert {name: values[replicate] for name, values in replicates.items()} == pytest.approx(
            expected, nan_ok=True
        )


def test_ties_share_their_ranks_unless_told_otherwise():
    true_ranks = ranks.Ranks(best=np.array([1, 1, 3]), worst=np.array([2, 4, 3]), n_templates=4)
    plain = resample_ranks(true_ranks, ["a", "b", "c"], n_replicates=20, seed=0)
    np.testing.assert_equal(
        plain, resample_ranks(true_ranks, ["a", "b", "c"], n_replicates=20, seed=0, ties="shared")
    )


def test_models_of_ranks_are_fitted_anew_without_each_speaker():
    speakers = np.repeat(["a", "b", "c"], 4)
    best = np.array([1, 1, 2, 1, 3, 2, 1, 1, 4, 1, 2, 2])
    true_ranks = ranks.Ranks(best, best, 5)
    replicates = resample_rank_models(true_ranks, speakers, fit="ll", **DRAWS)
    without_each = [
        ranks.model_metrics(np.bincount(best[speakers != speaker], minlength=6)[1:] / 8)[
            "model_mean_disclosure_bit"
        ]
        for speaker in "abc"
    ]
    value = ranks.model_metrics(np.bincount(best, minlength=6)[1:] / 12)[
        "model_mean_disclosure_bit"
    ]
    expected = bootstrap.linear_replicates(
        value, np.array(without_each), bootstrap.multiplicities(list("abc"), **DRAWS)
    )
    np.testing.assert_allclose(
        replicates["model_mean_disclosure_bit"], np.clip(expected, 0, np.log2(5))
    )
    assert all(name.startswith("model_") for name in replicates)


@pytest.mark.parametrize(
    "options", [{"fit": "ms"}, {"ties": "optimistic"}, {"ties": "pessimistic"}]
)
def test_models_of_ranks_are_fitted_as_asked_for(options):
    true_ranks = ranks.Ranks(np.array([1, 1, 2, 1, 3, 2]), np.array([2, 1, 4, 2, 3, 4]), 5)
    speakers = np.repeat(["a", "b", "c"], 2)
    p = ranks.histogram(true_ranks, ties=options.get("ties", "shared"))
    value = ranks.model_metrics(p, fit=options.get("fit", "auto"))["model_mean_disclosure_bit"]
    replicates = resample_rank_models(true_ranks, speakers, **options, **DRAWS)[
        "model_mean_disclosure_bit"
    ]
    nobody_new = (bootstrap.multiplicities(list("abc"), **DRAWS) == 1).all(axis=1)
    assert nobody_new.any()
    assert replicates[nobody_new] == pytest.approx(value)
    plain = resample_rank_models(true_ranks, speakers, **DRAWS)["model_mean_disclosure_bit"]
    assert not np.allclose(replicates, plain)


def test_statistics_of_models_stay_in_their_range():
    true_ranks = ranks.Ranks(np.array([1, 1, 1, 1, 1, 2]), np.array([1, 1, 1, 1, 1, 2]), 3)
    replicates = resample_rank_models(true_ranks, np.repeat(["a", "b", "c"], 2), **DRAWS)
    assert replicates["model_identification_rate_percent"].max() == 100
    assert replicates["model_mean_disclosure_bit"].max() == pytest.approx(np.log2(3))


def test_a_single_speaker_has_no_interval_of_the_model():
    true_ranks = ranks.Ranks(np.array([1, 2]), np.array([1, 2]), 3)
    replicates = resample_rank_models(true_ranks, np.array(["a", "a"]), **DRAWS)
    assert np.isnan(replicates["model_mean_disclosure_bit"]).all()


def test_intervals_of_deid_are_as_wide_as_values_vary():
    """With the calibration kept fixed they were half as wide (docs/internals/uncertainty.md)."""
    values, spreads = [], []
    for seed in range(40):
        matrices = {
            name: matrix(3 * seed + number, n_speakers=8, separation=0.7)
            for number, name in enumerate(("oo", "op", "pp"))
        }
        values.append(measure(matrices, **OPTIONS)["op"]["deid_percent"])
        replicates = resample_similarities(matrices, **OPTIONS, n_replicates=100, seed=seed)
        spreads.append(np.median(np.abs(replicates["op"]["deid_percent"] - values[-1])))
    typical = np.median(np.abs(np.array(values) - np.median(values)))
    assert 0.5 < np.median(spreads) / typical < 2
