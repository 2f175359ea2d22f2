"""PLDA: an oracle, Kaldi's own numbers, values by hand, invariances, and data that are too few."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from voiceprivacy.attack import lda, plda
from voiceprivacy.files import BadInput

DATA = Path("tests/data/plda")
NORMS = {"nonorm": None, "norm": "kaldi", "simplenorm": "simple"}


@pytest.fixture(scope="module")
def golden():
    """Everything of tests/data/plda, with the enrolments as means and as single utterances."""
    cases = {}
    for name in ("data", "oracle", "kaldi"):
        with np.load(DATA / f"{name}.npz") as file:
            cases |= {key: file[key] for key in file.files}
    speakers = range(len(cases["n_enrol"]))
    enrolled = [cases["X_enrol"][cases["spk_enrol"] == speaker].astype(float) for speaker in speakers]
    cases["multi"] = {"enrolment": np.stack([rows.mean(axis=0) for rows in enrolled]), "counts": cases["n_enrol"]}
    cases["n1"] = {"enrolment": np.stack([rows[0] for rows in enrolled]), "counts": np.ones(len(enrolled))}
    return cases


@pytest.mark.parametrize("enrolment", ["n1", "multi"])
def test_scores_from_the_true_parameters_meet_the_oracle(golden, enrolment):
    model = plda.Plda(golden["mu"], golden["B"], golden["W"])
    llrs = plda.score(model, **golden[enrolment], trial=golden["X_test"], length_norm=None)
    np.testing.assert_allclose(llrs, golden[f"llr_{enrolment}"], atol=1e-8, rtol=0)


@pytest.mark.parametrize("iterations", [1, 2, 10])
def test_training_meets_kaldi_after_every_iteration(golden, iterations):
    model = plda.train(golden["X_train"], golden["spk_train"], iterations=iterations)
    for value, name in zip(model, ("mean", "B", "W"), strict=True):
        np.testing.assert_allclose(value, golden[f"raw_it{iterations}_{name}"], atol=1e-8, rtol=0)


@pytest.mark.parametrize("enrolment", ["n1", "multi"])
@pytest.mark.parametrize("norm", NORMS)
def test_scores_of_raw_embeddings_meet_kaldi(golden, enrolment, norm):
    model = plda.train(golden["X_train"], golden["spk_train"])
    llrs = plda.score(model, **golden[enrolment], trial=golden["X_test"], length_norm=NORMS[norm])
    np.testing.assert_allclose(llrs, golden[f"raw_score_{enrolment}_{norm}"], atol=1e-8, rtol=0)


@pytest.mark.parametrize("norm", NORMS)
def test_scores_after_mean_and_length_normalisation_meet_kaldi(golden, norm):
    def prepared(embeddings):
        return lda.scale_to_length(embeddings - golden["X_train"].astype(float).mean(axis=0))

    model = plda.train(prepared(golden["X_train"]), golden["spk_train"])
    llrs = plda.score(
        model,
        enrolment=prepared(golden["multi"]["enrolment"]),
        counts=golden["n_enrol"],
        trial=prepared(golden["X_test"]),
        length_norm=NORMS[norm],
    )
    np.testing.assert_allclose(llrs, golden[f"ln_score_multi_{norm}"], atol=1e-8, rtol=0)


@pytest.mark.parametrize("norm", NORMS)
def test_the_whole_recipe_meets_kaldi(tmp_path, golden, norm):
    recipe = plda.vpc_recipe(
        golden["X_train"], golden["spk_train"], lda_dim=int(golden["lda_dim"]), length_norm=NORMS[norm]
    )
    plda.write_recipe(tmp_path / "plda.npz", recipe)
    for of in (recipe, plda.read_recipe(tmp_path / "plda.npz")):
        llrs = plda.score_recipe(of, **golden["multi"], trial=golden["X_test"])
        np.testing.assert_allclose(llrs, golden[f"vpc_score_multi_{norm}"], atol=1e-8, rtol=0)


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("prepared", ["raw", "ln"])
def test_a_file_with_kaldis_parameters_scores_as_kaldi(tmp_path, golden, prepared, norm):
    """What our file says in its own words; without ``scale`` embeddings are scaled where there is a length_norm."""
    names = zip(plda.Plda._fields, ("mean", "B", "W"), strict=True)
    arrays = {ours: golden[f"{prepared}_it10_{kaldis}"] for ours, kaldis in names}
    arrays |= {"centre": golden["X_train"].astype(float).mean(axis=0)} if prepared == "ln" else {}
    arrays |= {"length_norm": NORMS[norm]} if NORMS[norm] else {}
    arrays |= {"scale": prepared == "ln"} if (prepared == "ln") != bool(NORMS[norm]) else {}
    np.savez(tmp_path / "plda.npz", **arrays)
    recipe = plda.read_recipe(tmp_path / "plda.npz")
    llrs = plda.score_recipe(recipe, **golden["multi"], trial=golden["X_test"])
    np.testing.assert_allclose(llrs, golden[f"{prepared}_score_multi_{norm}"], atol=1e-8, rtol=0)


def test_lda_directions_meet_kaldi_up_to_their_sign(golden):
    directions = lda.lda(golden["X_train"], golden["spk_train"], dimensions=int(golden["lda_dim"]))
    np.testing.assert_allclose(np.abs(directions), np.abs(golden["vpc_lda"][:, :-1]), atol=1e-8, rtol=0)


@pytest.mark.parametrize("case", json.loads((DATA / "scalar.json").read_text(encoding="utf-8")))
def test_one_dimension_by_hand(case):
    model = plda.Plda(np.zeros(1), np.array([[float(case["B"])]]), np.array([[float(case["W"])]]))
    llr = plda.score(
        model, enrolment=[[case["enrol_mean"]]], counts=[case["n"]], trial=[[case["test"]]], length_norm=None
    )
    assert llr[0, 0] == pytest.approx(float(case["llr"]), rel=1e-6, abs=1e-14)


def test_training_finds_the_parameters_of_much_data():
    generator = np.random.default_rng(0)
    of_speaker = generator.normal(3, 2, (20000, 1))
    embeddings = (of_speaker + generator.normal(0, 1, (20000, 4))).reshape(-1, 1)
    model = plda.train(embeddings, np.repeat(np.arange(20000), 4))
    assert [float(value.squeeze()) for value in model] == pytest.approx([3, 4, 1], rel=0.03)


@given(seed=st.integers(0, 2**32 - 1))
def test_an_affine_map_of_all_embeddings_changes_no_score(seed):
    generator = np.random.default_rng(seed)
    train, enrolment, trial = (generator.normal(size=(n, 3)) for n in (40, 5, 6))
    speakers = np.arange(40) % 10
    rotation = np.linalg.qr(generator.normal(size=(3, 3)))[0]

    def scores(mapped):
        recipe = plda.vpc_recipe(mapped(train), speakers, lda_dim=2)
        return plda.score_recipe(recipe, enrolment=mapped(enrolment), counts=np.full(5, 2), trial=mapped(trial))

    np.testing.assert_allclose(scores(lambda x: 3 * x @ rotation + 7), scores(lambda x: x), atol=1e-6)


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


@pytest.mark.parametrize(
    ("shape", "speakers", "reason"),
    [
        ((10, 3), np.arange(10), "one utterance a speaker"),
        ((10, 3), np.zeros(10), "two training speakers"),
        ((10, 11), np.arange(10) % 3, "as many training utterances as dimensions"),
    ],
)
@pytest.mark.parametrize("trained", [plda.train, plda.vpc_recipe])
def test_too_few_data_are_refused(shape, speakers, reason, trained):
    with pytest.raises(BadInput, match=reason):
        trained(np.random.default_rng(0).normal(size=shape), speakers)


def test_speakers_within_whom_nothing_varies_are_refused():
    with pytest.raises(BadInput, match="nothing varies within speakers"):
        plda.vpc_recipe(np.repeat(np.eye(3), 4, axis=0), np.repeat(np.arange(3), 4))


@pytest.mark.parametrize("lda_dim", [0, 4, 9])
def test_more_lda_dimensions_than_the_data_allow_are_refused(lda_dim):
    with pytest.raises(BadInput, match="allow 1 to 3"):
        plda.vpc_recipe(np.random.default_rng(0).normal(size=(20, 9)), np.arange(20) % 4, lda_dim=lda_dim)


@pytest.mark.parametrize(
    "options",
    [{}, {"length_norm": None}, {"length_norm": None, "scale": False}, {"scale": False}, {"centre": False}],
)
def test_a_saved_recipe_scores_as_before(tmp_path, golden, options):
    recipe = plda.vpc_recipe(golden["X_train"], golden["spk_train"], **options)
    plda.write_recipe(tmp_path / "plda.npz", recipe)
    read = plda.read_recipe(tmp_path / "plda.npz")
    before = plda.score_recipe(recipe, **golden["multi"], trial=golden["X_test"])
    after = plda.score_recipe(read, **golden["multi"], trial=golden["X_test"])
    np.testing.assert_array_equal(before, after)


def test_what_a_recipe_does_not_use_is_absent_from_the_file(tmp_path, golden):
    recipe = plda.vpc_recipe(golden["X_train"], golden["spk_train"], length_norm=None, scale=False, centre=False)
    plda.write_recipe(tmp_path / "plda.npz", recipe)
    with np.load(tmp_path / "plda.npz") as file:
        assert sorted(file.files) == ["between", "lda", "mean", "within"]


def test_a_file_whose_shapes_disagree_is_refused(tmp_path):
    np.savez(tmp_path / "plda.npz", mean=np.zeros(3), between=np.eye(2), within=np.eye(3))
    with pytest.raises(BadInput, match=r"plda\.npz: between is not a finite array of shape \(3, 3\)"):
        plda.read_recipe(tmp_path / "plda.npz")


def test_within_covariance_of_no_rank_is_refused():
    model = plda.Plda(np.zeros(2), np.eye(2), np.zeros((2, 2)))
    with pytest.raises(BadInput, match="singular"):
        plda.score(model, enrolment=np.ones((1, 2)), counts=[1], trial=np.ones((1, 2)))


def few(seed=5, *, speakers=6, utterances=3, dimensions=30):
    generator = np.random.default_rng(seed)
    voices = generator.normal(size=(speakers, 1, dimensions)) * 2
    embeddings = voices + generator.normal(size=(speakers, utterances, dimensions))
    return embeddings.reshape(-1, dimensions), np.repeat(np.arange(speakers), utterances)


def test_shrinkage_moves_towards_the_mean_variance_and_keeps_the_trace():
    covariance = np.array([[3.0, 1], [1, 1]])
    np.testing.assert_array_equal(lda.shrunk(covariance, 0.5), [[2.5, 0.5], [0.5, 1.5]])
    assert lda.shrunk(covariance, 0.0) is covariance


def test_too_few_utterances_are_refused_unless_shrinkage_is_asked_for():
    embeddings, speakers = few()
    with pytest.raises(BadInput, match=r"dimensions \(30\), there are 18: use more training speech, shrinkage: 0.1"):
        plda.vpc_recipe(embeddings, speakers)
    recipe = plda.vpc_recipe(embeddings, speakers, shrinkage=0.2)
    assert np.linalg.cond(recipe.plda.within) < 1e4
    means = np.stack([embeddings[speakers == speaker].mean(axis=0) for speaker in range(6)])
    llrs = plda.score_recipe(recipe, enrolment=means, counts=np.full(6, 3), trial=embeddings)
    assert llrs[speakers, np.arange(18)].min() > 0
    assert (llrs.argmax(axis=0) == speakers).all()


@pytest.mark.parametrize("shrinkage", [-0.1, 1.0, float("nan")])
def test_a_shrinkage_that_is_none_is_refused(shrinkage):
    with pytest.raises(BadInput, match="expected 0"):
        plda.train(*few(), shrinkage=shrinkage)


def test_shrinkage_does_not_excuse_one_utterance_a_speaker():
    embeddings, _ = few()
    with pytest.raises(BadInput, match="one utterance a speaker"):
        plda.train(embeddings, np.arange(18), shrinkage=0.5)


def test_shrinkage_reaches_lda_and_every_iteration_of_plda():
    embeddings, speakers = few(dimensions=4)
    directions = plda.vpc_recipe(embeddings, speakers, shrinkage=0.3, scale=False).lda
    np.testing.assert_array_equal(directions, lda.lda(embeddings, speakers, dimensions=4, shrinkage=0.3))
    assert not np.allclose(directions, lda.lda(embeddings, speakers, dimensions=4))
    projected = (embeddings - embeddings.mean(axis=0)) @ directions.T
    trained = plda.train(projected, speakers, shrinkage=0.3, iterations=2)
    recipe = plda.vpc_recipe(embeddings, speakers, shrinkage=0.3, scale=False, iterations=2)
    np.testing.assert_array_equal(recipe.plda.within, trained.within)
    assert not np.allclose(trained.within, plda.train(projected, speakers, iterations=2).within)
    assert not np.allclose(trained.within, plda.train(projected, speakers, shrinkage=0.3).within)


@pytest.mark.parametrize(("lda_dim", "kept"), [(1, 1), (3, 3), (None, 3)])
def test_every_dimension_that_the_data_allow_can_be_kept(lda_dim, kept):
    recipe = plda.vpc_recipe(np.random.default_rng(0).normal(size=(20, 9)), np.arange(20) % 4, lda_dim=lda_dim)
    assert recipe.lda.shape == (kept, 9)


def test_lda_keeps_200_dimensions_unless_told_otherwise():
    generator = np.random.default_rng(0)
    embeddings, speakers = generator.normal(size=(450, 210)), np.arange(450) % 220
    assert plda.vpc_recipe(embeddings, speakers, iterations=1).lda.shape == (200, 210)


def test_two_speakers_and_as_many_utterances_as_dimensions_are_enough():
    embeddings, speakers = few(speakers=2, utterances=3, dimensions=6)
    assert plda.train(embeddings, speakers).within.shape == (6, 6)


def test_embeddings_in_single_precision_are_scored_in_double(golden):
    recipe = plda.Recipe(plda.train(golden["X_train"], golden["spk_train"]), None, None, None, False)
    single = golden["X_test"].astype(np.float32)
    assert plda.preprocess(recipe, single).dtype == lda.scale_to_length(single).dtype == np.float64
    np.testing.assert_array_equal(plda.preprocess(recipe, single), single.astype(float))


def test_zero_embeddings_stay_zero():
    np.testing.assert_array_equal(lda.scale_to_length(np.zeros((1, 3))), np.zeros((1, 3)))
    model = plda.Plda(np.zeros(2), np.eye(2), np.eye(2))
    zeros = {"enrolment": np.zeros((1, 2)), "trial": np.zeros((1, 2)), "counts": [1]}
    np.testing.assert_array_equal(
        plda.score(model, **zeros, length_norm="kaldi"), plda.score(model, **zeros, length_norm=None)
    )


def test_a_direction_in_which_nothing_varies_within_speakers_gets_a_floor():
    """Its variance counts as a millionth of the largest one, so that the directions stay finite."""
    generator = np.random.default_rng(0)
    speakers = np.repeat(np.arange(5), 4)
    embeddings = np.column_stack([generator.normal(size=20) * 3, np.arange(5)[speakers]])
    directions = lda.lda(embeddings, speakers, dimensions=2)
    within = lda.speaker_statistics(embeddings, speakers).scatter[0, 0] / 20
    assert np.abs(directions[0, 1]) == pytest.approx(1 / np.sqrt(lda.EIGENVALUE_FLOOR * within))


def test_single_scoring_takes_every_enrolment_for_one_utterance_and_is_kept_in_the_file(tmp_path, golden):
    recipe = plda.vpc_recipe(golden["X_train"], golden["spk_train"])
    enrolment, trial = golden["multi"]["enrolment"], golden["X_test"]
    of_one = plda.score_recipe(recipe, enrolment=enrolment, counts=np.ones(len(enrolment)), trial=trial)
    single = recipe._replace(single=True)
    np.testing.assert_array_equal(plda.score_recipe(single, **golden["multi"], trial=trial), of_one)
    assert not np.allclose(plda.score_recipe(recipe, **golden["multi"], trial=trial), of_one)
    plda.write_recipe(tmp_path / "plda.npz", single)
    assert plda.read_recipe(tmp_path / "plda.npz").single
    plda.write_recipe(tmp_path / "plda.npz", recipe)
    assert not plda.read_recipe(tmp_path / "plda.npz").single


@pytest.mark.parametrize("name", ["mean", "between", "within", "lda", "centre"])
def test_an_array_that_is_not_finite_is_named(tmp_path, name):
    arrays = {"mean": np.zeros(2), "between": np.eye(2), "within": np.eye(2), "lda": np.eye(2), "centre": np.zeros(2)}
    arrays[name] = arrays[name] + np.inf
    np.savez(tmp_path / "plda.npz", **arrays)
    with pytest.raises(BadInput, match=rf"plda\.npz: {name} is not a finite array of shape \(2"):
        plda.read_recipe(tmp_path / "plda.npz")


def test_a_length_normalisation_that_is_none_is_named(tmp_path):
    np.savez(tmp_path / "plda.npz", mean=np.zeros(1), between=np.eye(1), within=np.eye(1), length_norm="long")
    with pytest.raises(BadInput, match=r"plda\.npz: length_norm 'long' is neither kaldi nor simple"):
        plda.read_recipe(tmp_path / "plda.npz")
    ones = np.ones((1, 1))
    with pytest.raises(BadInput, match=r"^length_norm 'long' is neither kaldi nor simple"):
        plda.score(plda.Plda(ones[0], ones, ones), enrolment=ones, counts=[1], trial=ones, length_norm="long")
