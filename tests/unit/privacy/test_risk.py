"""Speakers at risk: the parts add up to the whole, values by hand, and what is undefined."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from voiceprivacy.inout.files import BadInput
from voiceprivacy.privacy.matrices.similarity import diagonal_metrics
from voiceprivacy.privacy.matrices.speakers import deid_percents, exposures, gaps
from voiceprivacy.privacy.scores.zebra import dece_bit, worst_case_log10


def trials(seed, n_speakers=6):
    rng = np.random.default_rng(seed)
    names = np.array([f"s{index}" for index in range(n_speakers)])
    scores = {"target": rng.normal(1, 1, 30).round(1), "nontarget": rng.normal(0, 1, 90).round(1)}
    return scores, {"target": np.resize(names, 30), "nontarget": np.resize(names, 90)}


@given(seed=st.integers(0, 1000))
def test_equally_tried_speakers_average_to_the_lists_disclosure(seed):
    scores, speakers = trials(seed)
    found = exposures(scores, speakers)
    assert np.mean([of.dece_bit for of in found]) == pytest.approx(dece_bit(**scores), abs=1e-12)
    assert max(of.worst_case_log10 for of in found) == pytest.approx(
        worst_case_log10(**scores), abs=1e-12
    )


def test_the_calibration_is_that_of_the_whole_list():
    """Alone, c would be found at once; among the others his high nontarget scores are as good as
    their targets.
    """
    scores = {"target": np.array([9.0, 5.0, 1.0]), "nontarget": np.array([6.0, 2.0, 0.0])}
    speakers = {"target": np.array(["c", "b", "a"]), "nontarget": np.array(["c", "b", "a"])}
    a, b, c = exposures(scores, speakers)
    assert (a.n_target, a.n_nontarget) == (1, 1)
    assert c.dece_bit > b.dece_bit
    assert c.worst_case_log10 == pytest.approx(worst_case_log10(**scores))


def test_equal_scores_put_nobody_at_risk():
    scores = {"target": np.zeros(4), "nontarget": np.zeros(4)}
    found = exposures(scores, {label: np.array(["a", "a", "b", "b"]) for label in scores})
    assert [(of.dece_bit, of.worst_case_log10) for of in found] == [(0, 0), (0, 0)]


def test_a_speaker_without_a_target_trial_is_undefined():
    scores = {"target": np.array([1.0]), "nontarget": np.array([0.0, 2.0])}
    found = exposures(scores, {"target": np.array(["a"]), "nontarget": np.array(["a", "b"])})
    assert found[1][:5] == ("b", 0, 1, "undefined", "undefined")


def cells(values):
    return {
        (f"s{row}", f"s{column}"): value
        for (row, column), value in np.ndenumerate(np.asarray(values))
    }


def test_gaps_average_to_the_signed_diagonal():
    values = np.random.default_rng(0).uniform(size=(5, 5))
    signed = diagonal_metrics(np.ma.masked_array(values))["ddiag_signed"]
    assert np.mean(list(gaps(cells(values)).values())) == pytest.approx(signed, abs=1e-15)


def test_gaps_are_of_the_protected_column():
    """Originals in the rows: protected s1 is like everybody, protected s0 like himself only."""
    found = gaps(cells([[0.9, 0.5], [0.1, 0.5]]))
    assert found == {"s0": pytest.approx(0.8), "s1": 0}


def test_deid_of_a_speaker_by_hand():
    oo, op = (
        {"a": 0.8, "b": 0.4, "c": 0.0, "d": "undefined"},
        {"a": 0.2, "b": -0.6, "c": 0.1, "d": 0.1},
    )
    assert deid_percents(oo=oo, op=op) == {
        "a": 75,
        "b": pytest.approx(-50),
        "c": "undefined",
        "d": "undefined",
    }


def test_an_undefined_diagonal_leaves_the_gap_undefined():
    assert gaps({("a", "a"): "undefined", ("b", "a"): 0.5})["a"] == "undefined"


def test_other_speakers_are_refused():
    with pytest.raises(BadInput, match="'b' is in one of them only"):
        deid_percents(oo={"a": 0.1}, op={"a": 0.1, "b": 0.2})
