"""SpeechBrain's PLDA as a back-end: the scores are those of its own fast scoring."""

import numpy as np
import pytest
from speechbrain.processing.PLDA_LDA import Ndx, StatObject_SB, fast_PLDA_scoring

from voiceprivacy.attack.backends import backends, recipes
from voiceprivacy.inout.files import BadInput


@pytest.fixture(scope="module")
def speech():
    """Embeddings (240, 6) of 40 speakers."""
    generator = np.random.default_rng(0)
    voices = generator.normal(size=(40, 1, 6)) * 1.5
    return (voices + generator.normal(size=(40, 6, 6))).reshape(-1, 6) + 3, np.repeat(
        np.arange(40), 6
    )


def statistics(embeddings):
    names = np.array([f"u{row}" for row in range(len(embeddings))], dtype=object)
    no_times = np.full(len(embeddings), None)
    return StatObject_SB(
        names, names, no_times, no_times, np.ones((len(embeddings), 1)), embeddings.copy()
    )


@pytest.mark.parametrize("rank", [2, 6])
def test_scores_are_those_of_speechbrain(speech, rank, tmp_path):
    embeddings, speakers = speech
    recipe = recipes.speechbrain_recipe(embeddings, speakers, rank=rank)
    recipes.write_recipe(tmp_path / "plda.npz", recipe)
    enrolment, trial = embeddings[:20], embeddings[100:130]
    ours = backends.scorer(tmp_path / "plda.npz")(
        enrolment=enrolment, counts=np.full(20, 4), trial=trial
    )
    factor = np.linalg.cholesky(recipe.plda.between + 1e-14 * np.eye(6))
    theirs = fast_PLDA_scoring(
        statistics(enrolment),
        statistics(trial),
        Ndx(models=statistics(enrolment).modelset, testsegs=statistics(trial).modelset),
        recipe.plda.mean,
        factor,
        recipe.plda.within,
    )
    columns = [theirs.segset.tolist().index(name) for name in statistics(trial).modelset]
    rows = [theirs.modelset.tolist().index(name) for name in statistics(enrolment).modelset]
    np.testing.assert_allclose(ours, theirs.scoremat[np.ix_(rows, columns)], atol=1e-5)


def test_training_leaves_the_embeddings_alone(speech):
    embeddings, speakers = speech
    before = embeddings.copy()
    recipes.speechbrain_recipe(embeddings, speakers, rank=3)
    assert (embeddings == before).all()


def test_speakers_come_out_more_alike_than_others(speech):
    embeddings, speakers = speech
    recipe = recipes.speechbrain_recipe(embeddings, speakers, rank=4)
    llrs = recipes.score_recipe(recipe, enrolment=embeddings, counts=np.ones(240), trial=embeddings)
    same = np.equal.outer(speakers, speakers)
    assert llrs[same].mean() > 1 > 0 > llrs[~same].mean()


def test_a_rank_beyond_the_dimensions_is_refused(speech):
    with pytest.raises(BadInput, match="rank 100: embeddings of 6 dimensions allow 1 to 6"):
        recipes.speechbrain_recipe(*speech)
