"""PLDA: an oracle, Kaldi's own numbers, values by hand, invariances, and files of models."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voiceprivacy.attack.backends import plda, recipes
from voiceprivacy.errors import BadInput

DATA = Path("tests/data/plda")
NORMS = {"nonorm": None, "norm": "kaldi", "simplenorm": "simple"}


@pytest.fixture(scope="module")
def golden():
    """Everything of tests/data/plda, with the enrolments as means and as single utterances."""
    cases = {}
    for name in ("data", "oracle", "kaldi"):
        with np.load(DATA / f"{name}.npz") as file:
            cases |= {key: file[key] for key in file.files}
    means, first = [], []
    for speaker in range(len(cases["n_enrol"])):
        enrolled = cases["X_enrol"][cases["spk_enrol"] == speaker].astype(float)
        means.append(enrolled.mean(axis=0))
        first.append(enrolled[0])
    cases["multi"] = {"enrolment": np.stack(means), "counts": cases["n_enrol"]}
    cases["n1"] = {"enrolment": np.stack(first), "counts": np.ones(len(first))}
    return cases


def assert_close(values, expected):
    np.testing.assert_allclose(values, expected, atol=1e-8, rtol=0)


@pytest.mark.parametrize("enrolment", ["n1", "multi"])
def test_scores_from_the_true_parameters_meet_the_oracle(golden, enrolment):
    model = plda.Plda(golden["mu"], golden["B"], golden["W"])
    llrs = plda.score(model, **golden[enrolment], trial=golden["X_test"], length_norm=None)
    assert_close(llrs, golden[f"llr_{enrolment}"])


@pytest.mark.parametrize("iterations", [1, 2, 10])
def test_training_meets_kaldi_after_every_iteration(golden, iterations):
    model = plda.train(golden["X_train"], golden["spk_train"], iterations=iterations)
    for value, name in zip(model, ("mean", "B", "W"), strict=True):
        assert_close(value, golden[f"raw_it{iterations}_{name}"])


@pytest.mark.parametrize("enrolment", ["n1", "multi"])
@pytest.mark.parametrize("norm", NORMS)
def test_scores_of_raw_embeddings_meet_kaldi(golden, enrolment, norm):
    model = plda.train(golden["X_train"], golden["spk_train"])
    llrs = plda.score(model, **golden[enrolment], trial=golden["X_test"], length_norm=NORMS[norm])
    assert_close(llrs, golden[f"raw_score_{enrolment}_{norm}"])


@pytest.mark.parametrize("norm", NORMS)
def test_the_whole_recipe_meets_kaldi(tmp_path, golden, norm):
    options = {"lda_dim": int(golden["lda_dim"]), "length_norm": NORMS[norm]}
    recipe = recipes.vpc_recipe(golden["X_train"], golden["spk_train"], **options)
    recipes.write_recipe(tmp_path / "plda.npz", recipe)
    for kept in (recipe, recipes.read_recipe(tmp_path / "plda.npz")):
        llrs = recipes.score_recipe(kept, **golden["multi"], trial=golden["X_test"])
        assert_close(llrs, golden[f"vpc_score_multi_{norm}"])


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("prepared", ["raw", "ln"])
def test_a_file_with_kaldis_parameters_scores_as_kaldi(tmp_path, golden, prepared, norm):
    """Without ``scale`` in a file, embeddings are scaled where there is a length_norm."""
    names = zip(plda.Plda._fields, ("mean", "B", "W"), strict=True)
    arrays = {ours: golden[f"{prepared}_it10_{kaldis}"] for ours, kaldis in names}
    arrays |= {"centre": golden["X_train"].astype(float).mean(axis=0)} if prepared == "ln" else {}
    arrays |= {"length_norm": NORMS[norm]} if NORMS[norm] else {}
    arrays |= {"scale": prepared == "ln"} if (prepared == "ln") != bool(NORMS[norm]) else {}
    np.savez(tmp_path / "plda.npz", **arrays)
    recipe = recipes.read_recipe(tmp_path / "plda.npz")
    llrs = recipes.score_recipe(recipe, **golden["multi"], trial=golden["X_test"])
    assert_close(llrs, golden[f"{prepared}_score_multi_{norm}"])


def test_lda_directions_meet_kaldi_up_to_their_sign(golden):
    directions = plda.lda(golden["X_train"], golden["spk_train"], dimensions=int(golden["lda_dim"]))
    assert_close(np.abs(directions), np.abs(golden["vpc_lda"][:, :-1]))


@pytest.mark.parametrize("case", json.loads((DATA / "scalar.json").read_text(encoding="utf-8")))
def test_one_dimension_by_hand(case):
    model = plda.Plda(np.zeros(1), np.array([[float(case["B"])]]), np.array([[float(case["W"])]]))
    given = {"enrolment": [[case["enrol_mean"]]], "counts": [case["n"]], "trial": [[case["test"]]]}
    llr = plda.score(model, **given, length_norm=None)
    assert llr[0, 0] == pytest.approx(float(case["llr"]), rel=1e-6, abs=1e-14)


def test_training_finds_the_parameters_of_much_data():
    generator = np.random.default_rng(0)
    of_speaker = generator.normal(3, 2, (20000, 1))
    embeddings = (of_speaker + generator.normal(0, 1, (20000, 4))).reshape(-1, 1)
    model = plda.train(embeddings, np.repeat(np.arange(20000), 4))
    assert [float(value.squeeze()) for value in model] == pytest.approx([3, 4, 1], rel=0.03)


@settings(max_examples=15)
@given(seed=st.integers(0, 2**32 - 1))
def test_an_affine_map_of_all_embeddings_changes_no_score(seed):
    generator = np.random.default_rng(seed)
    train, enrolment, trial = (generator.normal(size=(n, 3)) for n in (40, 5, 6))
    speakers = np.arange(40) % 10
    rotation = np.linalg.qr(generator.normal(size=(3, 3)))[0]

    def scores(mapped):
        recipe = recipes.vpc_recipe(mapped(train), speakers, lda_dim=2, iterations=3)
        sides = {"enrolment": mapped(enrolment), "trial": mapped(trial)}
        return recipes.score_recipe(recipe, **sides, counts=np.full(5, 2))

    expected = scores(lambda x: x)
    np.testing.assert_allclose(scores(lambda x: 3 * x @ rotation + 7), expected, atol=1e-6)


def test_the_order_of_utterances_and_the_names_of_speakers_do_not_matter(golden):
    order = np.random.default_rng(0).permutation(len(golden["spk_train"]))
    model = plda.train(golden["X_train"], golden["spk_train"])
    names = np.array([f"speaker {1000 - number}" for number in golden["spk_train"]])
    shuffled = plda.train(golden["X_train"][order], names[order])
    for value, other in zip(model, shuffled, strict=True):
        np.testing.assert_allclose(value, other, atol=1e-11)


def test_speakers_with_one_utterance_take_part():
    generator = np.random.default_rng(0)
    embeddings = generator.normal(size=(12, 2))
    speakers = np.array([0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 4, 5])
    with_them = plda.train(embeddings, speakers)
    assert not np.allclose(with_them.between, plda.train(embeddings[:9], speakers[:9]).between)


@pytest.mark.parametrize("more", [{}, {"length_norm": None}])
@pytest.mark.parametrize("options", [{}, {"scale": False}, {"centre": False}])
def test_a_saved_recipe_scores_as_before(tmp_path, golden, options, more):
    recipe = recipes.vpc_recipe(golden["X_train"], golden["spk_train"], **options, **more)
    recipes.write_recipe(tmp_path / "plda.npz", recipe)
    read = recipes.read_recipe(tmp_path / "plda.npz")
    before = recipes.score_recipe(recipe, **golden["multi"], trial=golden["X_test"])
    after = recipes.score_recipe(read, **golden["multi"], trial=golden["X_test"])
    np.testing.assert_array_equal(before, after)


def test_embeddings_in_single_precision_are_scored_in_double(golden):
    model = plda.train(golden["X_train"], golden["spk_train"])
    single = golden["X_test"].astype(np.float32)
    prepared = recipes.preprocess(recipes.Recipe(model, None, None, None, False), single)
    assert prepared.dtype == plda.scale_to_length(single).dtype == np.float64
    np.testing.assert_array_equal(prepared, single.astype(float))


def test_zero_embeddings_stay_zero():
    np.testing.assert_array_equal(plda.scale_to_length(np.zeros((1, 3))), np.zeros((1, 3)))
    model = plda.Plda(np.zeros(2), np.eye(2), np.eye(2))
    zeros = {"enrolment": np.zeros((1, 2)), "trial": np.zeros((1, 2)), "counts": [1]}
    scores = [plda.score(model, **zeros, length_norm=norm) for norm in ("kaldi", None)]
    np.testing.assert_array_equal(*scores)


def test_single_scoring_counts_one_utterance_and_is_kept_in_the_file(tmp_path, golden):
    recipe, several = recipes.vpc_recipe(golden["X_train"], golden["spk_train"]), golden["multi"]
    single, one = recipe._replace(single=True), several | {"counts": golden["n1"]["counts"]}
    of_one = recipes.score_recipe(recipe, **one, trial=golden["X_test"])
    by_single = recipes.score_recipe(single, **several, trial=golden["X_test"])
    np.testing.assert_array_equal(by_single, of_one)
    by_all = recipes.score_recipe(recipe, **several, trial=golden["X_test"])
    assert not np.allclose(by_all, of_one)
    for kept in (single, recipe):
        recipes.write_recipe(tmp_path / "plda.npz", kept)
        assert recipes.read_recipe(tmp_path / "plda.npz").single == kept.single


def saved(path, size=3, **changed):
    """A file of a PLDA of so many dimensions, in which arrays are changed."""
    arrays = {"mean": np.zeros(size), "between": np.eye(size), "within": np.eye(size)}
    np.savez(path, **arrays | changed)
    return path


@pytest.mark.parametrize("name", ["mean", "between", "within", "lda", "centre"])
def test_an_array_that_is_not_finite_is_named(tmp_path, name):
    array = np.full(3 if name in ("mean", "centre") else (3, 3), np.inf)
    with pytest.raises(BadInput, match=rf"plda\.npz: {name} is not a finite array of shape \(3"):
        recipes.read_recipe(saved(tmp_path / "plda.npz", **{name: array}))


def test_a_length_normalisation_that_is_none_is_named(tmp_path):
    with pytest.raises(BadInput, match=r"plda\.npz: length_norm .long. is neither"):
        recipes.read_recipe(saved(tmp_path / "plda.npz", length_norm="long"))


@pytest.mark.parametrize("name", ["between", "within"])
@pytest.mark.parametrize(
    "fault",
    [
        np.eye(3) + np.triu(np.full((3, 3), 0.1), 1),
        np.diag([1.0, -0.1, 1.0]),
        np.eye(3) * 1j,
        np.full((3, 3), "1"),
    ],
    ids=["not symmetric", "negative", "complex", "text"],
)
def test_a_covariance_that_is_none_is_named(tmp_path, name, fault):
    with pytest.raises(BadInput, match=f"plda.npz: {name} is no"):
        recipes.read_recipe(saved(tmp_path / "plda.npz", **{name: fault}))
    rounded = np.eye(3, dtype=np.float32) + np.float32(1e-7)
    recipes.read_recipe(saved(tmp_path / "plda.npz", **{name: rounded}))
