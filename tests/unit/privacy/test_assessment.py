"""Resampled matrices: galleries that stay, calibration anew without each speaker."""

import numpy as np
import pytest
from support.memory import peak_of
from support.resampled import resample_similarities
from support.speakers import cut

from voiceprivacy.privacy.matrices import ranks, similarity
from voiceprivacy.privacy.matrices.assessment import (
    assess_ranks,
    assess_similarity,
    resample_rank_models,
    resample_ranks,
)
from voiceprivacy.privacy.matrices.matrix_files import write_matrix
from voiceprivacy.privacy.rows import ScoreMatrix
from voiceprivacy.privacy.uncertainty import bootstrap
from voiceprivacy.privacy.uncertainty.interval_files import Draws

DRAWS = {"n_replicates": 400, "seed": 0}


def matrix(seed=0, *, n_speakers=5, n_utterances=3, separation=2.0):
    draw = np.random.default_rng(seed)
    speakers = np.repeat([f"s{index}" for index in range(n_speakers)], n_utterances)
    voices = np.repeat(draw.normal(size=(n_speakers, 4)) * separation, n_utterances, axis=0)
    embeddings = voices + draw.normal(size=(len(speakers), 4))
    ids = np.arange(len(speakers)).astype(str)
    return ScoreMatrix(ids, ids, speakers, speakers, embeddings @ embeddings.T, ids, ids)


def without(matrix, speaker):
    others = matrix.row_speakers != speaker
    return cut(matrix, others, others)


def three(**options):
    return {name: matrix(seed, **options) for seed, name in enumerate(("oo", "op", "pp"))}


@pytest.mark.parametrize("n_replicates", [0, 2])
def test_similarity_takes_a_bounded_memory_for_each_pair_of_utterances(tmp_path, n_replicates):
    """Three matrices of 160,000 pairs: 3000 utterances take less than 1 GB then."""
    paths = {name: tmp_path / f"{name}.npz" for name in ("oo", "op", "pp")}
    for n_utterances in (2, 50):  # a first call imports what it needs
        for name, scores in three(n_speakers=8, n_utterances=n_utterances).items():
            write_matrix(paths[name], scores)
        _, peak = peak_of(lambda: assess_similarity(paths, Draws(n_replicates, 0)))
    assert peak / 400**2 < 70


def numbers(matrices, *, pairs="all", definition="geometric"):
    """What is resampled, one calibration after the other."""
    similarities = {}
    for name, scores in matrices.items():
        comparisons = similarity.compare(scores, pairs=pairs)
        similarities[name] = similarity.similarities(comparisons, definition=definition)
    metrics = similarity.assess(**similarities).metrics
    metrics["op"]["deid_percent"] = metrics["deid_percent"]
    metrics["pp"]["gvd_db"] = metrics["gvd_db"]
    return {name: metrics[name] for name in matrices}


def uneven(n_ties, **options):
    """Matrices whose upper triangle is not the lower one, with ties and sources of several cuts."""
    matrices = {}
    for name, scores in three(**options).items():
        n_rows = len(scores.rows)
        steps = np.arange(n_rows**2).reshape(n_rows, n_rows) % 7
        cuts = np.repeat(np.arange(n_rows), 2)[:n_rows].astype(str)
        tied = np.round((scores.scores + steps) * n_ties) / n_ties
        matrices[name] = scores._replace(scores=tied, row_sources=cuts, column_sources=cuts)
    return matrices


@pytest.mark.parametrize("n_ties", [1, 1000])
@pytest.mark.parametrize("options", [{"pairs": "upper"}, {"definition": "sigmoid_mean"}, {}])
def test_every_number_is_calibrated_anew_without_each_speaker(options, n_ties):
    """To the last bit as if each matrix without a speaker were calibrated by itself."""
    matrices = uneven(n_ties)
    replicates = resample_similarities(matrices, **options, **DRAWS)
    diagonal = {"ddiag", "ddiag_signed", "ddiag_log_bit"}
    of_each = {"oo": diagonal, "op": diagonal | {"deid_percent"}, "pp": diagonal | {"gvd_db"}}
    assert {name: set(drawn) for name, drawn in replicates.items()} == of_each
    names = [f"s{index}" for index in range(5)]
    without_each = [
        numbers({name: without(scores, speaker) for name, scores in matrices.items()}, **options)
        for speaker in names
    ]
    drawn = bootstrap.multiplicities(names, **DRAWS)
    for condition, values in numbers(matrices, **options).items():
        for metric, value in values.items():
            left_out = np.array([own[condition][metric] for own in without_each])
            expected = bootstrap.linear_replicates(value, left_out, drawn)
            np.testing.assert_array_equal(replicates[condition][metric], expected)
    if options:
        changed = resample_similarities(matrices, **DRAWS)["oo"]["ddiag"]
        assert not np.array_equal(replicates["oo"]["ddiag"], changed)


def test_whoever_has_the_only_second_utterance_cannot_be_left_out():
    matrices = three(n_utterances=2)
    kept = np.flatnonzero(~np.isin(np.arange(10), [1, 3, 5, 7]))  # s4 alone has two utterances
    matrices["pp"] = cut(matrices["pp"], kept, kept)
    left_out = list(similarity.without_each(matrices["pp"]))
    assert [smaller is None for smaller in left_out] == [False] * 4 + [True]
    np.testing.assert_array_equal(left_out[0].values.mask.diagonal(), [True, True, True, False])
    replicates = resample_similarities(matrices, **DRAWS)
    assert np.isnan(replicates["oo"]["ddiag"]).all() and np.isnan(replicates["pp"]["gvd_db"]).all()


def test_a_speaker_that_cannot_be_left_out_leaves_no_interval():
    """Of two speakers one alone has no matrix."""
    replicates = resample_similarities(three(n_speakers=2), **DRAWS)
    assert np.isnan(replicates["op"]["deid_percent"]).all()
    assert np.isnan(replicates["oo"]["ddiag"]).all()
    limits = bootstrap.interval(50.0, replicates["op"]["deid_percent"], n_speakers=2)
    assert limits.ci_low is None


@pytest.mark.parametrize("ties", ["shared", "optimistic", "pessimistic"])
def test_ranks_of_drawn_speakers_take_ties_as_they_are_told(ties):
    true_ranks = ranks.Ranks(best=np.array([1, 1, 3]), worst=np.array([2, 4, 3]), n_templates=4)
    weights = bootstrap.multiplicities(["a", "b", "c"], n_replicates=20, seed=0)
    replicates = resample_ranks(true_ranks, ["a", "b", "c"], n_replicates=20, seed=0, ties=ties)
    for replicate, rows in enumerate(np.repeat([0, 1, 2], drawn) for drawn in weights):
        again = ranks.Ranks(true_ranks.best[rows], true_ranks.worst[rows], 4)
        expected = dict.fromkeys(replicates, np.nan)
        if len(rows):
            expected = ranks.disclosure(ranks.histogram(again, ties=ties))
        own = {name: values[replicate] for name, values in replicates.items()}
        assert own == pytest.approx(expected, nan_ok=True)


@pytest.mark.parametrize("ties", ["shared", "optimistic", "pessimistic"])
def test_all_that_is_said_of_ranks_takes_ties_in_one_way(tmp_path, ties):
    names = np.array(list("abcd"))
    scores = np.random.default_rng(0).normal(size=(8, 4)).round()
    rows = np.arange(8).astype(str)
    tied = ScoreMatrix(rows, names, np.repeat(names, 2), names, scores, rows, names)
    write_matrix(tmp_path / "m.npz", tied)
    options = {"fit": "ms", "all_fits": False, "by_speaker": True}
    draws = {"n_replicates": 9, "seed": 0}
    assessed = assess_ranks({"op": tmp_path / "m.npz"}, Draws(**draws), ties=ties, **options)
    expected = ranks.disclosure(ranks.histogram(ranks.true_ranks(tied), ties=ties))
    assert expected.items() <= assessed.metrics["op"].items()
    of_speakers, _ = ranks.by_speaker(tied, ties=ties)
    assert assessed.lines["speakers"] == [("op", *disclosed) for disclosed in of_speakers]
    rates = [disclosed.identification_rate_percent for disclosed in of_speakers]
    assert np.mean(rates) == pytest.approx(expected["identification_rate_percent"])
    drawn = assessed.resampled["op"].replicates
    again = resample_ranks(ranks.true_ranks(tied), tied.row_speakers, ties=ties, **draws)
    for name, values in again.items():
        assert drawn[name].tolist() == values.tolist()


def test_models_of_ranks_are_fitted_anew_without_each_speaker():
    speakers = np.repeat(["a", "b", "c"], 4)
    best = np.array([1, 1, 2, 1, 3, 2, 1, 1, 4, 1, 2, 2])
    true_ranks = ranks.Ranks(best, best, 5)
    replicates = resample_rank_models(true_ranks, speakers, fit="ll", **DRAWS)
    name = "model_mean_disclosure_bit"

    def of(some):
        return ranks.model_metrics(np.bincount(some, minlength=6)[1:] / len(some))[name]

    without_each = np.array([of(best[speakers != speaker]) for speaker in "abc"])
    drawn = bootstrap.multiplicities(list("abc"), **DRAWS)
    expected = bootstrap.linear_replicates(of(best), without_each, drawn)
    np.testing.assert_allclose(replicates[name], np.clip(expected, 0, np.log2(5)))
    assert all(name.startswith("model_") for name in replicates)


@pytest.mark.parametrize(
    "options", [{"fit": "ms"}, {"ties": "optimistic"}, {"ties": "pessimistic"}]
)
def test_models_of_ranks_are_fitted_as_asked_for(options):
    true_ranks = ranks.Ranks(np.array([1, 1, 2, 1, 3, 2]), np.array([2, 1, 4, 2, 3, 4]), 5)
    speakers = np.repeat(["a", "b", "c"], 2)
    p = ranks.histogram(true_ranks, ties=options.get("ties", "shared"))
    name = "model_mean_disclosure_bit"
    value = ranks.model_metrics(p, fit=options.get("fit", "auto"))[name]
    replicates = resample_rank_models(true_ranks, speakers, **options, **DRAWS)[name]
    nobody_new = (bootstrap.multiplicities(list("abc"), **DRAWS) == 1).all(axis=1)
    assert nobody_new.any()
    assert replicates[nobody_new] == pytest.approx(value)
    plain = resample_rank_models(true_ranks, speakers, **DRAWS)[name]
    assert not np.allclose(replicates, plain)


def test_statistics_of_models_stay_in_their_range():
    true_ranks = ranks.Ranks(np.array([1, 1, 1, 1, 1, 2]), np.array([1, 1, 1, 1, 1, 2]), 3)
    replicates = resample_rank_models(true_ranks, np.repeat(["a", "b", "c"], 2), **DRAWS)
    assert replicates["model_identification_rate_percent"].max() == 100
    assert replicates["model_mean_disclosure_bit"].max() == pytest.approx(np.log2(3))


def test_a_single_template_has_replicates_of_what_is_a_number():
    """How often another template speaks for the speaker is undefined: there is no other."""
    only = ranks.Ranks(np.array([1, 1]), np.array([1, 1]), 1)
    replicates = resample_ranks(only, np.array(["a", "b"]), **DRAWS)
    assert "other_positive_percent" not in replicates
    assert np.nanmax(replicates["mean_disclosure_bit"]) == 0


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
        values.append(numbers(matrices)["op"]["deid_percent"])
        replicates = resample_similarities(matrices, n_replicates=100, seed=seed)
        spreads.append(np.median(np.abs(replicates["op"]["deid_percent"] - values[-1])))
    typical = np.median(np.abs(np.array(values) - np.median(values)))
    assert 0.5 < np.median(spreads) / typical < 2
