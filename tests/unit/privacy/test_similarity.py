"""Similarity matrices: values worked out by hand, invariances, and speakers with one utterance."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit
from support.speakers import cut, square

from voiceprivacy.errors import BadInput
from voiceprivacy.privacy.matrices.similarity import (
    NO_DIAGONAL,
    Comparisons,
    Similarities,
    assess,
    cells,
    compare,
    deid_percent,
    diagonal_metrics,
    gvd_db,
    similarities,
    without_each,
)
from voiceprivacy.privacy.scores.calibration import oracle_llrs


@pytest.mark.parametrize(
    ("definition", "own_of_a"),
    [
        ("geometric", np.sqrt(1 / 2 * 3 / 4)),  # the geometric mean of the posteriors
        ("sigmoid_mean", np.sqrt(3) / (1 + np.sqrt(3))),  # the posterior of the mean LLR
    ],
)
def test_similarities_by_hand(definition, own_of_a):
    """Speaker a: LLRs 0 and ln 3 to itself; speaker b: ln 3; a to b: 0, b to a: -ln 3."""
    pairs = np.array([0, 0, 1, 0, 1]), np.array([0, 0, 1, 1, 0])
    comparisons = Comparisons(np.array(["a", "b"]), *pairs, np.log([1, 3, 3, 1, 1 / 3]))
    values = similarities(comparisons, definition=definition).values.filled(-1)
    np.testing.assert_allclose(values, [[own_of_a, 1 / 2], [1 / 4, 3 / 4]])


def test_diagonal_metrics_by_hand():
    metrics = diagonal_metrics(np.ma.masked_array([[0.5, 0.25], [0.125, 1.0]]))
    assert metrics["ddiag"] == metrics["ddiag_signed"] == 0.75 - 0.1875
    assert metrics["ddiag_log_bit"] == pytest.approx((-1 - 0) / 2 - (-2 - 3) / 2)


def test_half_the_diagonal_is_half_de_identified_and_minus_three_decibel():
    assert deid_percent(oo=0.8, op=0.4) == pytest.approx(50)
    assert gvd_db(oo=0.8, pp=0.4) == pytest.approx(-3.0103, abs=1e-4)


def test_an_undefined_diagonal_entry_is_left_out_of_the_mean():
    values = np.ma.masked_array([[0.9, 0.1], [0.3, 0.5]], mask=[[False, False], [False, True]])
    assert diagonal_metrics(values)["ddiag"] == pytest.approx(0.9 - 0.2)


def three_speakers(seed=0, scale=3.0):
    """Six utterances; speaker c has one only."""
    rng = np.random.default_rng(seed)
    speakers = ["a", "a", "b", "b", "b", "c"]
    voice = {"a": -scale, "b": 0.0, "c": scale}
    points = np.array([voice[speaker] for speaker in speakers]) + rng.standard_normal(6)
    return square(-np.abs(points[:, None] - points), speakers)


def test_a_speaker_with_one_utterance_has_an_undefined_diagonal_and_a_note():
    matrix = similarities(compare(three_speakers()))
    assert matrix.values.mask.tolist() == np.diag([False, False, True]).tolist()
    metrics, notes = assess(oo=matrix, op=matrix, pp=matrix)
    said = [f"{name}: no pair of two utterances of c: undefined" for name in ("oo", "op", "pp")]
    assert [note[: len(said[0])] for note in notes] == said
    assert np.isfinite([*metrics["oo"].values()]).all()
    undefined = [row for row in cells(oo=matrix) if row[3] == "undefined"]
    assert undefined == [("oo", "c", "c", "undefined")]
    assert (metrics["deid_percent"], metrics["gvd_db"]) == (0, 0)  # it has done nothing


@pytest.mark.parametrize("definition", ["geometric", "sigmoid_mean"])
def test_the_constant_anonymiser_is_fully_de_identified_and_has_no_voices_left(definition):
    oo = three_speakers()
    constant = oo._replace(scores=np.full((6, 6), 0.7))
    op, pp = (similarities(compare(constant), definition=definition) for _ in range(2))
    metrics, notes = assess(oo=similarities(compare(oo), definition=definition), op=op, pp=pp)
    assert metrics["deid_percent"] == 100
    assert metrics["gvd_db"] == -np.inf
    assert metrics["pp"]["ddiag_log_bit"] == 0
    assert not any("below" in note for note in notes)


def test_protection_that_makes_it_worse_and_a_reversed_diagonal_are_remarked_on():
    speakers = np.array(["a", "b"])
    weak = Similarities(speakers, np.ma.masked_array([[0.6, 0.4], [0.4, 0.6]]))
    reversed_strong = Similarities(speakers, np.ma.masked_array([[0.1, 0.9], [0.9, 0.1]]))
    metrics, notes = assess(oo=weak, op=reversed_strong, pp=weak)
    assert metrics["deid_percent"] == pytest.approx(-300)
    assert metrics["op"]["ddiag_signed"] == pytest.approx(-0.8)
    below, worse = notes
    assert below.startswith("op: the diagonal lies below the rest")
    assert worse.startswith("deid_percent is below 0")


@given(seed=st.integers(0, 1000))
def test_upper_pairs_of_speakers_who_alternate_are_those_of_the_recipe(seed):
    """Pairs i < j; a cell takes those of its row's speaker first, in the list's order."""
    order = np.random.default_rng(seed).permutation(6)
    matrix = cut(three_speakers(seed), order, order)
    speakers = matrix.row_speakers.tolist()
    pairs = list(itertools.combinations(range(6), 2))
    same = np.array([speakers[i] == speakers[j] for i, j in pairs])
    scores = np.array([matrix.scores[pair] for pair in pairs])
    classes = {"target": scores[same], "nontarget": scores[~same]}
    llrs = np.empty(len(pairs))
    llrs[same], llrs[~same] = oracle_llrs(**classes, laplace=True)
    values = similarities(compare(matrix, pairs="upper"), definition="sigmoid_mean").values
    of_cells = {}
    for (i, j), llr in zip(pairs, llrs, strict=True):
        of_cells.setdefault((speakers[i], speakers[j]), []).append(llr)
    for one, other in itertools.combinations_with_replacement(dict.fromkeys(speakers), 2):
        by_hand = of_cells.get((one, other))
        expected = pytest.approx(expit(np.mean(by_hand))) if by_hand else np.ma.masked
        row, column = "abc".index(one), "abc".index(other)
        assert [values[row, column], values[column, row]] == [expected] * 2


def test_pairs_of_one_source_are_left_out():
    """Two segments of every utterance: the pairs within an utterance may score as they like."""
    matrix = three_speakers()
    sources = np.array(["x", "x", "y", "y", "z", "v"])
    matrix = matrix._replace(row_sources=sources, column_sources=sources)
    same = sources[:, None] == sources
    changed = matrix._replace(scores=np.where(same, -50.0, matrix.scores))
    with pytest.raises(BadInput, match="no speaker has two utterances"):
        compare(matrix._replace(row_speakers=sources, column_speakers=sources))
    np.testing.assert_array_equal(compare(matrix).llrs, compare(changed).llrs)


def test_what_compares_with_originals_without_a_diagonal_is_undefined_for_one_reason():
    """Whatever protected speech gives away; a number would be 0 / 0 or infinite."""
    assert gvd_db(oo=0.0, pp=0.4) == gvd_db(oo=0.0, pp=0.0) == "undefined"
    assert deid_percent(oo=0.0, op=0.4) == deid_percent(oo=0.0, op=0.0) == "undefined"
    speakers = ["a", "a", "b", "b"]
    flat = similarities(compare(square(np.ones((4, 4)), speakers)))
    known = similarities(compare(square(np.kron(np.eye(2), np.ones((2, 2))), speakers)))
    metrics, notes = assess(oo=flat, op=known, pp=flat)
    assert metrics["deid_percent"] == metrics["gvd_db"] == "undefined"
    assert metrics["oo"]["ddiag"] == 0 < metrics["op"]["ddiag"]
    assert [note for note in notes if note.endswith(NO_DIAGONAL)]


@pytest.mark.parametrize("definition", ["geometric", "sigmoid_mean"])
@pytest.mark.parametrize("pairs", ["all", "upper"])
def test_without_a_speaker_similarities_are_those_of_a_list_that_never_had_one(pairs, definition):
    """The last two have an utterance each: one pair, and no diagonal in the last cell."""
    points = np.array([0.0, 1, 4, 5, 6, 9, 12])
    apart = np.abs(points[:, None] - points)
    scores = np.random.default_rng(0).normal(size=(7, 7)) - apart
    matrix = square(scores, list("aabbbcd"))
    left_out = list(without_each(matrix, pairs=pairs, definition=definition))
    for speaker, own in zip("abcd", left_out, strict=True):
        kept = matrix.row_speakers != speaker
        smaller = square(scores[np.ix_(kept, kept)], matrix.row_speakers[kept])
        expected = similarities(compare(smaller, pairs=pairs), definition=definition)
        assert own.speakers.tolist() == expected.speakers.tolist()
        np.testing.assert_array_equal(own.values.filled(-1), expected.values.filled(-1))


@given(seed=st.integers(0, 1000))
def test_the_order_of_utterances_and_a_monotone_map_of_scores_change_nothing(seed):
    matrix = three_speakers(seed)
    order = np.random.default_rng(seed).permutation(6)
    shuffled = cut(matrix._replace(scores=np.cbrt(matrix.scores) * 7 - 2), order, order)
    expected, again = (similarities(compare(one)).values.filled(-1) for one in (matrix, shuffled))
    np.testing.assert_allclose(again, expected, rtol=1e-12)


@given(seed=st.integers(0, 1000))
def test_other_names_of_speakers_permute_the_matrix_and_leave_the_metrics(seed):
    matrix = three_speakers(seed, scale=1.0)
    names = np.array([{"a": "z", "b": "y", "c": "x"}[speaker] for speaker in matrix.row_speakers])
    renamed = matrix._replace(row_speakers=names, column_speakers=names)
    before, after = (similarities(compare(one)).values for one in (matrix, renamed))
    np.testing.assert_allclose(after[::-1, ::-1].filled(-1), before.filled(-1), rtol=1e-12)
    for name, value in diagonal_metrics(before).items():
        assert diagonal_metrics(after)[name] == pytest.approx(value)


@given(seed=st.integers(0, 1000))
def test_similarities_are_probabilities_and_the_geometric_one_is_never_above_the_other(seed):
    comparisons = compare(three_speakers(seed, scale=0.5))
    geometric = similarities(comparisons, definition="geometric").values
    sigmoid_mean = similarities(comparisons, definition="sigmoid_mean").values
    assert (geometric >= 0).all() and (sigmoid_mean <= 1).all()
    assert (geometric <= sigmoid_mean + 1e-12).all()


@pytest.mark.parametrize(
    ("rows", "columns", "message"),
    [
        ("abc", "abc", "no speaker has two utterances"),
        ("aaa", "aaa", "only one speaker"),
        ("aab", "aac", "'b' is in one of them only"),
    ],
)
def test_matrices_that_cannot_be_assessed_are_refused(rows, columns, message):
    matrix = square(np.zeros((3, 3)), list(rows))._replace(column_speakers=np.array(list(columns)))
    with pytest.raises(BadInput, match=message):
        compare(matrix)


def test_conditions_of_different_speakers_are_refused():
    matrix = similarities(compare(three_speakers()))
    with pytest.raises(BadInput, match="'c' is in one of them only"):
        assess(oo=matrix, op=matrix._replace(speakers=np.array(["a", "b", "d"])), pp=matrix)
