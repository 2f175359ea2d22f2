"""Left-out speakers of similarity matrices: variances by hand, calibration anew, and what cannot be
left out.
"""

import numpy as np
import pytest

from voiceprivacy.inout.arrays import ScoreMatrix
from voiceprivacy.privacy.matrices import ranks, similarity
from voiceprivacy.privacy.uncertainty import bootstrap, jackknife

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


def test_replicates_of_a_mean_are_the_mean_of_drawn_speakers():
    """A mean is linear: its influences are the deviations of the speakers, and its variance s^2 /
    S.
    """
    values = np.array([1.0, 2.0, 4.0, 9.0])
    left_out = (values.sum() - values) / 3
    drawn = bootstrap.multiplicities(list("abcd"), n_replicates=50_000, seed=0)
    found = jackknife.linear_replicates(values.mean(), left_out, drawn)
    assert found.mean() == pytest.approx(4, abs=0.05)
    assert found.var() == pytest.approx(values.var(ddof=1) / 4, rel=0.03)
    once = jackknife.linear_replicates(values.mean(), left_out, np.ones((1, 4)))
    assert once == pytest.approx([4])


def test_a_speaker_who_is_drawn_twice_pulls_a_mean_towards_himself():
    """By (1 - 4) / sqrt(4 * 3) for the first of 1, 2, 4, 9, by (9 - 4) / sqrt(12) for the last."""
    values = np.array([1.0, 2.0, 4.0, 9.0])
    left_out = (values.sum() - values) / 3
    found = jackknife.linear_replicates(
        4.0, left_out, np.array([[2, 1, 1, 1], [1, 1, 1, 2], [0, 0, 0, 0]])
    )
    assert found == pytest.approx([4 - 3 / np.sqrt(12), 4 + 5 / np.sqrt(12), 4])
    of_two = jackknife.linear_replicates(2.0, np.array([3.0, 1.0]), np.array([[2, 1]]))
    assert of_two == pytest.approx([2 - 1 / np.sqrt(2)])


def test_without_a_speaker_his_rows_and_columns_are_gone():
    of = jackknife.without(matrix(), "s1")
    assert (
        of.scores.shape == (12, 12)
        and "s1" not in of.row_speakers
        and "s1" not in of.column_speakers
    )
    np.testing.assert_array_equal(
        of.scores, matrix().scores[np.ix_(of.rows.astype(int), of.columns.astype(int))]
    )


def test_every_number_is_calibrated_anew_without_each_speaker():
    matrices = three()
    found = jackknife.resample_similarities(matrices, **OPTIONS, **DRAWS)
    without = [
        similarity.assess(
            **{
                name: similarity.similarities(similarity.compare(jackknife.without(of, speaker)))
                for name, of in matrices.items()
            }
        ).metrics["deid_percent"]
        for speaker in ("s0", "s1", "s2", "s3", "s4")
    ]
    drawn = bootstrap.multiplicities([f"s{index}" for index in range(5)], **DRAWS)
    value = similarity.assess(
        **{name: similarity.similarities(similarity.compare(of)) for name, of in matrices.items()}
    ).metrics["deid_percent"]
    expected = jackknife.linear_replicates(value, np.array(without), drawn)
    np.testing.assert_allclose(found["op"]["deid_percent"], expected)
    assert (
        set(found) == {"oo", "op", "pp"} and "gvd_db" in found["pp"] and "gvd_db" not in found["op"]
    )
    assert set(found["oo"]) == {"ddiag", "ddiag_signed", "ddiag_log_bit"}


@pytest.mark.parametrize("options", [{"pairs": "upper"}, {"definition": "sigmoid_mean"}, {}])
def test_pairs_and_definition_are_those_asked_for(options):
    uneven = np.arange(15 * 15).reshape(15, 15) % 7  # the upper triangle is not the lower one
    matrices = {name: of._replace(scores=of.scores + uneven) for name, of in three().items()}
    used = OPTIONS | options
    expected = {
        name: similarity.similarities(
            similarity.compare(of, pairs=used["pairs"]), definition=used["definition"]
        )
        for name, of in matrices.items()
    }
    metrics = similarity.assess(**expected).metrics
    found = jackknife.measure(matrices, **used)
    assert (found["op"]["deid_percent"], found["pp"]["gvd_db"]) == (
        metrics["deid_percent"],
        metrics["gvd_db"],
    )
    assert (found != jackknife.measure(matrices, **OPTIONS)) == bool(options)
    drawn = jackknife.resample_similarities(matrices, **options, **DRAWS)
    np.testing.assert_equal(drawn, jackknife.resample_similarities(matrices, **used, **DRAWS))


def test_a_speaker_that_cannot_be_left_out_leaves_no_interval():
    """Of two speakers one alone has no matrix."""
    found = jackknife.resample_similarities(three(n_speakers=2), **OPTIONS, **DRAWS)
    assert np.isnan(found["op"]["deid_percent"]).all() and np.isnan(found["oo"]["ddiag"]).all()
    assert bootstrap.interval(50.0, found["op"]["deid_percent"], n_speakers=2).ci_low == "undefined"


def test_models_of_ranks_are_fitted_anew_without_each_speaker():
    speakers = np.repeat(["a", "b", "c"], 4)
    best = np.array([1, 1, 2, 1, 3, 2, 1, 1, 4, 1, 2, 2])
    of = ranks.Ranks(best, best, 5)
    found = jackknife.resample_rank_models(of, speakers, fit="ll", **DRAWS)
    without = [
        ranks.model_metrics(np.bincount(best[speakers != speaker], minlength=6)[1:] / 8)[
            "model_mean_disclosure_bit"
        ]
        for speaker in "abc"
    ]
    value = ranks.model_metrics(np.bincount(best, minlength=6)[1:] / 12)[
        "model_mean_disclosure_bit"
    ]
    expected = jackknife.linear_replicates(
        value, np.array(without), bootstrap.multiplicities(list("abc"), **DRAWS)
    )
    np.testing.assert_allclose(found["model_mean_disclosure_bit"], np.clip(expected, 0, np.log2(5)))
    assert all(name.startswith("model_") for name in found)


@pytest.mark.parametrize(
    "options", [{"fit": "ms"}, {"ties": "optimistic"}, {"ties": "pessimistic"}]
)
def test_models_of_ranks_are_fitted_as_asked_for(options):
    of = ranks.Ranks(np.array([1, 1, 2, 1, 3, 2]), np.array([2, 1, 4, 2, 3, 4]), 5)
    speakers = np.repeat(["a", "b", "c"], 2)
    p = ranks.histogram(of, ties=options.get("ties", "shared"))
    value = ranks.model_metrics(p, fit=options.get("fit", "auto"))["model_mean_disclosure_bit"]
    found = jackknife.resample_rank_models(of, speakers, **options, **DRAWS)[
        "model_mean_disclosure_bit"
    ]
    nobody_new = (bootstrap.multiplicities(list("abc"), **DRAWS) == 1).all(axis=1)
    assert nobody_new.any()
    assert found[nobody_new] == pytest.approx(value)
    plain = jackknife.resample_rank_models(of, speakers, **DRAWS)["model_mean_disclosure_bit"]
    assert not np.allclose(found, plain)


def test_statistics_of_models_stay_in_their_range():
    of = ranks.Ranks(np.array([1, 1, 1, 1, 1, 2]), np.array([1, 1, 1, 1, 1, 2]), 3)
    found = jackknife.resample_rank_models(of, np.repeat(["a", "b", "c"], 2), **DRAWS)
    assert found["model_identification_rate_percent"].max() == 100
    assert found["model_mean_disclosure_bit"].max() == pytest.approx(np.log2(3))


def test_a_single_speaker_has_no_interval_of_the_model():
    of = ranks.Ranks(np.array([1, 2]), np.array([1, 2]), 3)
    found = jackknife.resample_rank_models(of, np.array(["a", "a"]), **DRAWS)
    assert np.isnan(found["model_mean_disclosure_bit"]).all()


def test_intervals_of_deid_are_as_wide_as_values_vary():
    """With the calibration kept fixed they were half as wide (docs/internals/uncertainty.md)."""
    values, spreads = [], []
    for seed in range(40):
        matrices = {
            name: matrix(3 * seed + place, n_speakers=8, separation=0.7)
            for place, name in enumerate(("oo", "op", "pp"))
        }
        values.append(jackknife.measure(matrices, **OPTIONS)["op"]["deid_percent"])
        found = jackknife.resample_similarities(matrices, **OPTIONS, n_replicates=100, seed=seed)
        spreads.append(np.median(np.abs(found["op"]["deid_percent"] - values[-1])))
    typical = np.median(np.abs(np.array(values) - np.median(values)))
    assert 0.5 < np.median(spreads) / typical < 2
