"""Scoring of lists, matrices and sampled galleries by hand, and SpeechBrain's PLDA by its own."""

import functools
import itertools

import numpy as np
import pytest
from scipy.spatial.distance import jensenshannon
from speechbrain.processing.PLDA_LDA import Ndx, StatObject_SB, fast_PLDA_scoring

from voiceprivacy.attack.backends import backends, recipes
from voiceprivacy.attack.backends.backends import SAMPLES, read_samples, sample_matrix
from voiceprivacy.errors import BadInput
from voiceprivacy.inout.arrays import Embeddings
from voiceprivacy.inout.tables import write_table
from voiceprivacy.inout.trial_lists import Trial


def gallery(**embeddings):
    rows = np.array(list(embeddings.values()), dtype=np.float32)
    return backends.Gallery(Embeddings(np.array(list(embeddings)), rows), "e.npz")


def lookup(values, path="table.tsv", kind="utterance"):
    return backends.Lookup(values, path=path, kind=kind)


def trials_of(*pairs):
    return [Trial(*pair.split(), "target") for pair in pairs]  # no score depends on a label


def test_cosine_by_hand():
    enrolment, trial = np.array([[3.0, 4], [0, 0]]), np.array([[1.0, 0], [6, 8]])
    scores = backends.cosine(enrolment=enrolment, counts=[1, 1], trial=trial)
    np.testing.assert_allclose(scores, [[0.6, 1.0], [0, 0]], atol=1e-15)


def test_jensen_shannon_is_one_minus_scipys_distance_in_bits():
    """Of histograms that are equal, disjoint, or neither."""
    generator = np.random.default_rng(0)
    enrolment, trial = (generator.integers(0, 5, (size, 6)) + 0.0 for size in (4, 3))
    enrolment[0] = [7, 5, 4, 2, 2, 0]
    trial[0] = 0.3 * enrolment[0]  # rounded, the divergence is below zero
    trial[1] = [0, 0, 0, 0, 0, 1]
    scores = backends.jensen_shannon(enrolment=enrolment, counts=None, trial=trial)
    expected = [[1 - jensenshannon(row, column, base=2) for column in trial] for row in enrolment]
    np.testing.assert_allclose(scores, expected, atol=1e-7)
    assert scores[0, :2] == pytest.approx([1, 0], abs=1e-15)


def test_jensen_shannon_refuses_what_is_no_histogram():
    with pytest.raises(BadInput, match="negative"):
        backends.jensen_shannon(enrolment=-np.eye(1), counts=None, trial=np.eye(1))


def test_a_model_is_the_mean_of_its_raw_embeddings_with_their_number():
    models = gallery(a=[4, 0], b=[0, 2], c=[1, 1]).models([["a", "b"], ["c"]])
    np.testing.assert_array_equal(models.means, [[2, 1], [1, 1]])
    np.testing.assert_array_equal(models.counts, [2, 1])


def test_trials_are_scored_in_the_order_of_the_list():
    scores = backends.score_trials(
        backends.cosine,
        trials_of("B t2", "A t1", "B t1"),
        enrolment=gallery(a=[1, 0], b=[0, 1], c=[0, 3]),
        trial=gallery(t1=[1, 0], t2=[1, 1]),
        enrolments=lookup({"A": ["a"], "B": ["b", "c"]}),
    )
    np.testing.assert_allclose(scores, [np.sqrt(0.5), 1, 0], atol=1e-15)


def test_without_enrolments_an_enrolment_is_an_utterance():
    sides = {"enrolment": gallery(a=[2, 0]), "trial": gallery(t=[5, 0])}
    assert backends.score_trials(backends.cosine, trials_of("a t"), **sides) == pytest.approx([1])


@pytest.mark.parametrize("block", [1, 7, 1000])
def test_the_size_of_a_block_changes_nothing(monkeypatch, block):
    generator = np.random.default_rng(0)
    vectors = {f"u{index}": generator.normal(size=4) for index in range(12)}
    recipe = recipes.vpc_recipe(generator.normal(size=(60, 4)), np.arange(60) % 10)
    score = functools.partial(recipes.score_recipe, recipe)
    pairs = itertools.product(range(12), repeat=2)
    trials = trials_of(*(f"u{e} u{t}" for e, t in pairs if (e * t) % 5))
    sides = dict.fromkeys(("enrolment", "trial"), gallery(**vectors))
    whole = backends.score_trials(score, trials, **sides)
    monkeypatch.setattr(backends, "BLOCK_SCORES", block)
    np.testing.assert_allclose(backends.score_trials(score, trials, **sides), whole, atol=1e-12)


def test_pairs_have_original_rows_and_protected_columns():
    matrix = backends.pair_matrix(
        backends.cosine,
        trials_of("A t1", "A t2", "B t1"),
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
        trials_of(*(f"A {name}" for name in pieces)),
        enrolment=gallery(**pieces),
        trial=gallery(**pieces),
        speakers=lookup(dict.fromkeys(pieces, "A")),
    )
    assert matrix.row_sources.tolist() == matrix.column_sources.tolist() == ["t1", "t1", "t2"]
    assert matrix.rows.tolist() == list(pieces)


def test_templates_have_trial_rows_and_enrolled_columns():
    matrix = backends.template_matrix(
        backends.cosine,
        trials_of("B t1", "A t1", "A t2", "A t3"),
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
            trials_of("A t"),
            enrolment=gallery(a=[1, 0], b=[0, 1]),
            trial=gallery(t=[1, 0]),
            enrolments=lookup({"A": ["a", "b"]}),
            enrolment_speakers=lookup({"a": "anna", "b": "bea"}),
            trial_speakers=lookup({"t": "anna"}),
        )


def test_plda_of_other_dimensions_is_refused(tmp_path):
    embeddings = np.random.default_rng(0).normal(size=(60, 4))
    recipes.write_recipe(tmp_path / "b.npz", recipes.vpc_recipe(embeddings, np.arange(60) % 10))
    score, two = backends.scorer(str(tmp_path / "b.npz")), np.ones((1, 2))
    with pytest.raises(BadInput, match=r"b\.npz: is for 4 dimensions, the embeddings have 2"):
        score(enrolment=two, counts=[1], trial=two)


OBSERVED = [  # shift, role, number of the observation
    *((0, "test", 0), (0, "template", 1), (0, "template", 2)),
    *((1, "test", 1), (1, "template", 2), (1, "template", 0)),
]
ROWS = [
    (shift, speaker, role, f"{speaker}{number}")
    for (shift, role, number), speaker in itertools.product(OBSERVED, "ab")
]


def drawn_gallery(seed):
    ids = np.array([f"{speaker}{number}" for speaker, number in itertools.product("ab", range(3))])
    values = np.random.default_rng(seed).normal(size=(6, 4)).astype(np.float32)
    return backends.Gallery(Embeddings(ids, values), "x.npz")


def test_every_test_meets_the_templates_of_its_own_shift(tmp_path):
    write_table(tmp_path / "s.tsv", SAMPLES, ROWS)
    sides = {"enrolment": drawn_gallery(0), "trial": drawn_gallery(1)}
    matrix = sample_matrix(backends.cosine, read_samples(tmp_path / "s.tsv"), **sides)
    assert matrix.rows.tolist() == ["a@0", "b@0", "a@1", "b@1"]
    assert matrix.row_speakers.tolist() == ["a", "b", "a", "b"]
    assert matrix.columns.tolist() == matrix.column_speakers.tolist() == ["a", "b"]
    [test] = sides["trial"].embeddings_of(["b1"])
    template = sides["enrolment"].embeddings_of(["a2", "a0"]).mean(axis=0)
    expected = test @ template / np.linalg.norm(test) / np.linalg.norm(template)
    assert matrix.scores[3, 0] == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "lists no observation"),
        ([(0, "a", "tset", "a0")], "s.tsv:2: role 'tset' is neither"),
        ([*ROWS, (0, "c", "test", "c0")], "speaker 'c' has no test or no template in shift 0"),
    ],
)
def test_odd_samples_are_refused(tmp_path, rows, message):
    write_table(tmp_path / "s.tsv", SAMPLES, rows)
    with pytest.raises(BadInput, match=message):
        read_samples(tmp_path / "s.tsv")


@pytest.fixture(scope="module")
def of_speakers():
    """Embeddings (240, 6) of 40 speakers."""
    generator = np.random.default_rng(0)
    voices = generator.normal(size=(40, 1, 6)) * 1.5 + 3
    embeddings = (voices + generator.normal(size=(40, 6, 6))).reshape(-1, 6)
    return embeddings, np.repeat(np.arange(40), 6)


def statistics(embeddings):
    names = np.array([f"u{row}" for row in range(len(embeddings))], dtype=object)
    no_times, ones = np.full(len(embeddings), None), np.ones((len(embeddings), 1))
    return StatObject_SB(names, names, no_times, no_times, ones, embeddings.copy())


@pytest.mark.parametrize("rank", [2, 6])
def test_scores_are_those_of_speechbrain(of_speakers, rank, tmp_path):
    embeddings, speakers = of_speakers
    before = embeddings.copy()
    recipe = recipes.speechbrain_recipe(embeddings, speakers, rank=rank)
    assert (embeddings == before).all()
    recipes.write_recipe(tmp_path / "plda.npz", recipe)
    enrolment, trial = embeddings[:20], embeddings[100:130]
    score = backends.scorer(tmp_path / "plda.npz")
    ours = score(enrolment=enrolment, counts=np.full(20, 4), trial=trial)
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


def test_speechbrains_plda_of_a_rank_or_speech_that_it_cannot_learn_from_is_refused(of_speakers):
    with pytest.raises(BadInput, match="rank 100: embeddings of 6 dimensions allow 1 to 6"):
        recipes.speechbrain_recipe(*of_speakers)
    embeddings, speakers = np.random.default_rng(0).normal(size=(8, 16)), np.arange(8) // 2
    message = r"as many training utterances as dimensions \(16\), there are 8: .*type: plda with"
    with pytest.raises(BadInput, match=message):
        recipes.speechbrain_recipe(embeddings, speakers, rank=2)
