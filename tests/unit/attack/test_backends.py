"""Scoring of lists and matrices: values by hand, sides of a trial, blocks, and what is missing."""

import functools
import itertools

import numpy as np
import pytest
from scipy.spatial.distance import jensenshannon

from voiceprivacy.attack.backends import backends, recipes
from voiceprivacy.inout.arrays import Embeddings
from voiceprivacy.inout.files import BadInput
from voiceprivacy.inout.tables import Trial


def gallery(path="e.npz", **embeddings):
    rows = np.array(list(embeddings.values()), dtype=np.float32)
    return backends.Gallery(Embeddings(np.array(list(embeddings)), rows), path)


def lookup(values, path="table.tsv", kind="utterance"):
    return backends.Lookup(values, path=path, kind=kind)


def test_cosine_by_hand():
    scores = backends.cosine(
        enrolment=np.array([[3.0, 4], [0, 0]]), counts=[1, 1], trial=np.array([[1.0, 0], [6, 8]])
    )
    np.testing.assert_allclose(scores, [[0.6, 1.0], [0, 0]], atol=1e-15)


def test_jensen_shannon_is_one_minus_scipys_distance_in_bits():
    generator = np.random.default_rng(0)
    enrolment, trial = (
        generator.integers(0, 5, (4, 6)) + 0.0,
        generator.integers(0, 5, (3, 6)) + 0.0,
    )
    scores = backends.jensen_shannon(enrolment=enrolment, counts=None, trial=trial)
    expected = [[1 - jensenshannon(row, column, base=2) for column in trial] for row in enrolment]
    np.testing.assert_allclose(scores, expected, atol=1e-7)


def test_jensen_shannon_of_equal_and_of_disjoint_histograms():
    scores = backends.jensen_shannon(
        enrolment=np.array([[2.0, 0]]), counts=None, trial=np.array([[5.0, 0], [0, 1]])
    )
    np.testing.assert_array_equal(scores, [[1.0, 0.0]])


def test_jensen_shannon_refuses_what_is_no_histogram():
    with pytest.raises(BadInput, match="negative"):
        backends.jensen_shannon(
            enrolment=np.array([[1.0, -1]]), counts=None, trial=np.array([[1.0, 1]])
        )


def test_a_model_is_the_mean_of_its_raw_embeddings_with_their_number():
    models = gallery(a=[4, 0], b=[0, 2], c=[1, 1]).models([["a", "b"], ["c"]])
    np.testing.assert_array_equal(models.means, [[2, 1], [1, 1]])
    np.testing.assert_array_equal(models.counts, [2, 1])


def test_trials_are_scored_in_the_order_of_the_list():
    trials = [Trial("B", "t2", "target"), Trial("A", "t1", "target"), Trial("B", "t1", "nontarget")]
    scores = backends.score_trials(
        backends.cosine,
        trials,
        enrolment=gallery(a=[1, 0], b=[0, 1], c=[0, 3]),
        trial=gallery(t1=[1, 0], t2=[1, 1]),
        enrolments=lookup({"A": ["a"], "B": ["b", "c"]}),
    )
    np.testing.assert_allclose(scores, [np.sqrt(0.5), 1, 0], atol=1e-15)


def test_without_enrolments_an_enrolment_is_an_utterance():
    scores = backends.score_trials(
        backends.cosine,
        [Trial("a", "t", "target")],
        enrolment=gallery(a=[2, 0]),
        trial=gallery(t=[5, 0]),
    )
    assert scores == pytest.approx([1.0])


@pytest.mark.parametrize("block", [1, 7, 1000])
def test_the_size_of_a_block_changes_nothing(monkeypatch, block):
    generator = np.random.default_rng(0)
    vectors = {f"u{index}": generator.normal(size=4) for index in range(12)}
    recipe = recipes.vpc_recipe(generator.normal(size=(60, 4)), np.arange(60) % 10)
    trials = [
        Trial(f"u{e}", f"u{t}", "nontarget")
        for e, t in itertools.product(range(12), range(12))
        if (e * t) % 5
    ]

    def scores():
        return backends.score_trials(
            functools.partial(recipes.score_recipe, recipe),
            trials,
            enrolment=gallery(**vectors),
            trial=gallery(**vectors),
        )

    whole = scores()
    monkeypatch.setattr(backends, "BLOCK_SCORES", block)
    np.testing.assert_allclose(scores(), whole, atol=1e-12)


def test_pairs_have_original_rows_and_protected_columns():
    trials = [
        Trial("A", "t1", "target"),
        Trial("A", "t2", "nontarget"),
        Trial("B", "t1", "nontarget"),
    ]
    matrix = backends.pair_matrix(
        backends.cosine,
        trials,
        enrolment=gallery(t2=[0, 1], t1=[1, 0]),
        trial=gallery(t1=[1, 1], t2=[0, -1]),
        speakers=lookup({"t1": "A", "t2": "C"}),
    )
    assert matrix.rows.tolist() == matrix.columns.tolist() == ["t1", "t2"]
    assert matrix.row_speakers.tolist() == matrix.column_speakers.tolist() == ["A", "C"]
    np.testing.assert_allclose(matrix.scores, [[np.sqrt(0.5), 0], [np.sqrt(0.5), -1]], atol=1e-15)


def test_pieces_of_one_utterance_have_one_source():
    pieces = {"t1_seg000": [1, 0], "t1_seg001": [0, 1], "t2": [1, 1]}
    matrix = backends.pair_matrix(
        backends.cosine,
        [Trial("A", name, "target") for name in pieces],
        enrolment=gallery(**pieces),
        trial=gallery(**pieces),
        speakers=lookup(dict.fromkeys(pieces, "A")),
    )
    assert matrix.row_sources.tolist() == matrix.column_sources.tolist() == ["t1", "t1", "t2"]
    assert matrix.rows.tolist() == list(pieces)


def test_templates_have_trial_rows_and_enrolled_columns():
    trials = [
        Trial("B", "t1", "nontarget"),
        Trial("A", "t1", "target"),
        Trial("A", "t2", "nontarget"),
        Trial("A", "t3", "target"),
    ]
    matrix = backends.template_matrix(
        backends.cosine,
        trials,
        enrolment=gallery(a=[1, 0], b=[0, 1], unused=[5, 5]),
        trial=gallery(t1=[1, 0], t2=[0, 1], t3=[4, 3]),
        enrolments=lookup({"A": ["a"], "B": ["b"], "C": ["unused"]}),
        enrolment_speakers=lookup({"a": "anna", "b": "bea", "unused": "carl"}),
        trial_speakers=lookup({"t1": "anna", "t2": "bea", "t3": "anna"}),
    )
    assert matrix.rows.tolist() == ["t1", "t2", "t3"]
    assert matrix.columns.tolist() == ["B", "A"]
    assert matrix.row_speakers.tolist() == ["anna", "bea", "anna"]
    assert matrix.column_speakers.tolist() == ["bea", "anna"]
    np.testing.assert_allclose(matrix.scores, [[0, 1], [1, 0], [0.6, 0.8]], atol=1e-15)


def test_a_template_of_two_speakers_is_refused():
    with pytest.raises(BadInput, match="'A' mixes the speakers anna bea"):
        backends.template_matrix(
            backends.cosine,
            [Trial("A", "t", "target")],
            enrolment=gallery(a=[1, 0], b=[0, 1]),
            trial=gallery(t=[1, 0]),
            enrolments=lookup({"A": ["a", "b"]}),
            enrolment_speakers=lookup({"a": "anna", "b": "bea"}),
            trial_speakers=lookup({"t": "anna"}),
        )


def test_a_missing_embedding_is_named():
    with pytest.raises(BadInput, match=r"trial\.npz: has no embedding of 't9'"):
        backends.score_trials(
            backends.cosine,
            [Trial("a", "t9", "target")],
            enrolment=gallery(a=[2, 0]),
            trial=gallery("trial.npz", t=[5, 0]),
        )


def test_plda_of_other_dimensions_is_refused(tmp_path):
    generator = np.random.default_rng(0)
    recipes.write_recipe(
        tmp_path / "b.npz", recipes.vpc_recipe(generator.normal(size=(60, 4)), np.arange(60) % 10)
    )
    with pytest.raises(BadInput, match=r"b\.npz: is for 4 dimensions, the embeddings have 2"):
        backends.scorer(str(tmp_path / "b.npz"))(
            enrolment=np.ones((1, 2)), counts=[1], trial=np.ones((1, 2))
        )
