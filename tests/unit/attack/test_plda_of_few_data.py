"""PLDA and LDA of few data: what is refused, shrinkage, and how many dimensions can be kept."""

import numpy as np
import pytest

from voiceprivacy.attack.backends import plda, recipes
from voiceprivacy.errors import BadInput


def noise(*shape):
    return np.random.default_rng(0).normal(size=shape)


@pytest.mark.parametrize(
    ("embeddings", "speakers", "options", "reason"),
    [
        (noise(10, 3), np.arange(10), {}, "one utterance a speaker"),
        (noise(10, 3), np.arange(10), {"shrinkage": 0.5}, "one utterance a speaker"),
        (noise(10, 3), np.zeros(10), {}, "two training speakers"),
        (noise(10, 11), np.arange(10) % 3, {}, "as many training utterances as dimensions"),
        (np.repeat(np.eye(3), 4, axis=0), np.arange(12) // 4, {}, "nothing varies within"),
        *((noise(20, 9), np.arange(20) % 4, {"lda_dim": n}, "allow 1 to 3") for n in (0, 4, 9)),
        *(
            (noise(20, 9), np.arange(20) % 4, {"shrinkage": share}, "expected 0")
            for share in (-0.1, 1.0, float("nan"))
        ),
    ],
)
def test_what_cannot_be_learnt_is_refused(embeddings, speakers, options, reason):
    with pytest.raises(BadInput, match=reason):
        recipes.vpc_recipe(embeddings, speakers, **options)


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
    np.testing.assert_array_equal(plda.shrunk(covariance, 0.5), [[2.5, 0.5], [0.5, 1.5]])
    assert plda.shrunk(covariance, 0.0) is covariance


def test_too_few_utterances_are_refused_unless_shrinkage_is_asked_for():
    embeddings, speakers = few()
    with pytest.raises(BadInput, match=r"dimensions \(30\), there are 18: use more .*, shrinkage"):
        recipes.vpc_recipe(embeddings, speakers)
    recipe = recipes.vpc_recipe(embeddings, speakers, shrinkage=0.2)
    assert np.linalg.cond(recipe.plda.within) < 1e4
    means = np.stack([embeddings[speakers == speaker].mean(axis=0) for speaker in range(6)])
    llrs = recipes.score_recipe(recipe, enrolment=means, counts=np.full(6, 3), trial=embeddings)
    assert llrs[speakers, np.arange(18)].min() > 0
    assert (llrs.argmax(axis=0) == speakers).all()


def test_shrinkage_reaches_lda_and_every_iteration_of_plda():
    embeddings, speakers = few(dimensions=4)
    directions = recipes.vpc_recipe(embeddings, speakers, shrinkage=0.3, scale=False).lda
    expected = plda.lda(embeddings, speakers, dimensions=4, shrinkage=0.3)
    np.testing.assert_array_equal(directions, expected)
    assert not np.allclose(directions, plda.lda(embeddings, speakers, dimensions=4))
    projected = (embeddings - embeddings.mean(axis=0)) @ directions.T
    trained = plda.train(projected, speakers, shrinkage=0.3, iterations=2)
    recipe = recipes.vpc_recipe(embeddings, speakers, shrinkage=0.3, scale=False, iterations=2)
    np.testing.assert_array_equal(recipe.plda.within, trained.within)
    assert not np.allclose(trained.within, plda.train(projected, speakers, iterations=2).within)
    assert not np.allclose(trained.within, plda.train(projected, speakers, shrinkage=0.3).within)


@pytest.mark.parametrize(("lda_dim", "kept"), [(1, 1), (3, 3), (None, 3)])
def test_every_dimension_that_the_data_allow_can_be_kept(lda_dim, kept):
    recipe = recipes.vpc_recipe(noise(20, 9), np.arange(20) % 4, lda_dim=lda_dim)
    assert recipe.lda.shape == (kept, 9)


def test_two_speakers_and_as_many_utterances_as_dimensions_are_enough():
    recipe = recipes.vpc_recipe(*few(speakers=2, utterances=3, dimensions=6))
    assert recipe.lda.shape == (1, 6)


def test_a_direction_in_which_nothing_varies_within_speakers_gets_a_floor():
    """Its variance counts as a millionth of the largest one, so that the directions stay finite."""
    generator = np.random.default_rng(0)
    speakers = np.repeat(np.arange(5), 4)
    embeddings = np.column_stack([generator.normal(size=20) * 3, np.arange(5)[speakers]])
    directions = plda.lda(embeddings, speakers, dimensions=2)
    within = plda.speaker_statistics(embeddings, speakers).scatter[0, 0] / 20
    assert np.abs(directions[0, 1]) == pytest.approx(1 / np.sqrt(plda.EIGENVALUE_FLOOR * within))
