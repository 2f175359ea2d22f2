"""What each speaker gives away: parts add up, only animals beyond chance are named, the table."""

import itertools
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom
from support import runs
from support.calls import flags, here
from support.speakers import square

from voiceprivacy.errors import BadInput
from voiceprivacy.inout.json_files import read_json
from voiceprivacy.inout.manifests import Utterance, write_manifest
from voiceprivacy.inout.tables import write_table
from voiceprivacy.inout.trial_lists import SCORES
from voiceprivacy.privacy.matrices.matrix_files import write_matrix
from voiceprivacy.privacy.matrices.similarity import Comparisons, Similarities, diagonal_metrics
from voiceprivacy.privacy.matrices.speaker_files import write_speakers
from voiceprivacy.privacy.matrices.speakers import (
    CORNERS,
    corner_p_values,
    deid_percents,
    exposures,
    gaps,
    zoo,
)
from voiceprivacy.privacy.scores.zebra import dece_bit, worst_case_log10


@given(seed=st.integers(0, 1000))
def test_equally_tried_speakers_average_to_the_lists_disclosure(seed):
    rng = np.random.default_rng(seed)
    names = np.array([f"s{index}" for index in range(6)])
    scores = {"target": rng.normal(1, 1, 30).round(1), "nontarget": rng.normal(0, 1, 90).round(1)}
    speakers = {"target": np.resize(names, 30), "nontarget": np.resize(names, 90)}
    exposed = exposures(scores, speakers)
    mean = np.mean([speaker.dece_bit for speaker in exposed])
    highest = max(speaker.worst_case_log10 for speaker in exposed)
    assert mean == pytest.approx(dece_bit(**scores), abs=1e-12)
    assert highest == pytest.approx(worst_case_log10(**scores), abs=1e-12)


def test_the_calibration_is_that_of_the_whole_list():
    """Alone, c would be found at once; among the others his nontargets are like their targets."""
    scores = {"target": np.array([9.0, 5.0, 1.0]), "nontarget": np.array([6.0, 2.0, 0.0])}
    speakers = {"target": np.array(["c", "b", "a"]), "nontarget": np.array(["c", "b", "a"])}
    a, b, c = exposures(scores, speakers)
    assert (a.n_target, a.n_nontarget) == (1, 1)
    assert c.dece_bit > b.dece_bit
    assert c.worst_case_log10 == pytest.approx(worst_case_log10(**scores))


def test_equal_scores_put_nobody_at_risk():
    scores = {"target": np.zeros(4), "nontarget": np.zeros(4)}
    exposed = exposures(scores, {label: np.array(["a", "a", "b", "b"]) for label in scores})
    assert [(speaker.dece_bit, speaker.worst_case_log10) for speaker in exposed] == [(0, 0), (0, 0)]


def test_a_speaker_without_a_target_trial_is_undefined():
    scores = {"target": np.array([1.0]), "nontarget": np.array([0.0, 2.0])}
    exposed = exposures(scores, {"target": np.array(["a"]), "nontarget": np.array(["a", "b"])})
    assert exposed[1][:5] == ("b", 0, 1, "undefined", "undefined")


def alike(values):
    values = np.ma.masked_invalid(values)
    return Similarities(np.array([f"s{index}" for index in range(len(values))]), values)


def test_gaps_average_to_the_signed_diagonal():
    values = np.random.default_rng(0).uniform(size=(5, 5))
    signed = diagonal_metrics(np.ma.masked_array(values))["ddiag_signed"]
    assert np.mean(list(gaps(alike(values)).values())) == pytest.approx(signed, abs=1e-15)


def test_gaps_are_of_the_protected_column():
    """Originals in the rows: protected s1 is like everybody, protected s0 like himself only."""
    own_gaps = gaps(alike([[0.9, 0.5], [0.1, 0.5]]))
    assert own_gaps == {"s0": pytest.approx(0.8), "s1": 0}


def test_deid_of_a_speaker_by_hand():
    oo = {"a": 0.8, "b": 0.4, "c": 0.0, "d": "undefined"}
    percents = deid_percents(oo=oo, op={"a": 0.2, "b": -0.6, "c": 0.1, "d": 0.1})
    undefined = dict.fromkeys("cd", "undefined")
    assert percents == {"a": 75, "b": pytest.approx(-50)} | undefined


def test_an_undefined_diagonal_leaves_the_gap_undefined():
    assert gaps(alike([[np.nan, 0.4], [0.5, 0.9]])) == {"s0": "undefined", "s1": 0.5}


def comparisons(target, impostor):
    """A target and an impostor pair for every tried speaker, against his left neighbour."""
    own, left = np.arange(len(target)), np.roll(np.arange(len(target)), 1)
    speakers = np.array([f"s{index:02}" for index in own])
    llrs = np.append(target, impostor).astype(float)
    return Comparisons(speakers, np.append(own, left), np.append(own, own), llrs)


def test_means_are_those_of_the_speaker_who_is_tried():
    """Two pairs of a with himself, b is tried against a twice, a against b once."""
    row, column = np.array([0, 0, 1, 0, 0, 1]), np.array([0, 0, 1, 1, 1, 0])
    llrs = np.array([1.0, 2.0, 3.0, -1.0, -2.0, -4.0])
    a, b = zoo(Comparisons(np.array(["a", "b"]), row, column, llrs))
    assert (a.n_target, a.mean_target_llr, a.n_impostor, a.mean_impostor_llr) == (2, 1.5, 1, -4.0)
    assert (b.n_target, b.mean_target_llr, b.n_impostor, b.mean_impostor_llr) == (1, 3.0, 2, -1.5)


def test_p_values_are_binomial_with_a_sixteenth_for_exact_quarters():
    target = np.repeat([-1, 0, 0, 1], 4)
    impostor = np.repeat([1, 0, 0, -1], 4)
    p_values = corner_p_values(target, impostor)
    assert p_values["worm"] == p_values["dove"] == pytest.approx(binom.sf(3, 16, 1 / 16))
    assert p_values["chameleon"] == p_values["phantom"] == 1.0


def test_a_menagerie_is_named():
    """Who is easy to recognise is easy to tell from others: only doves and worms."""
    animals = zoo(comparisons(np.arange(40), -np.arange(40)))
    assert [animal.animal for animal in animals] == ["worm"] * 10 + ["-"] * 20 + ["dove"] * 10
    assert [animal.speaker for animal in animals] == [f"s{index:02}" for index in range(40)]
    ends = [pytest.approx(binom.sf(9, 40, 1 / 16))] * 10
    assert [animal.p_value for animal in animals] == [*ends, *["undefined"] * 20, *ends]
    # A lamb's right neighbour is easily taken for him; that of s39 is s00.
    named = [*["goat+wolf+lamb"] * 9, "goat+wolf", *["sheep"] * 29, "lamb"]
    assert [animal.doddington for animal in animals] == named


def test_noise_has_corners_but_is_named_at_most_in_one_of_twenty_cases():
    rng = np.random.default_rng(0)
    named = dict.fromkeys(CORNERS, 0)
    for _ in range(400):
        animals = zoo(comparisons(rng.normal(size=32), rng.normal(size=32)))
        assert any(animal.corner != "-" for animal in animals)
        for name in {animal.animal for animal in animals} - {"-"}:
            named[name] += 1
    assert all(count <= 0.05 * 400 for count in named.values())


def test_equal_llrs_are_no_animals():
    for one in zoo(comparisons(np.full(9, 0.1), np.full(9, -0.3))):
        assert (one.corner, one.animal, one.doddington, one.p_value) == (*"---", "undefined")


def test_a_speaker_without_a_target_pair_is_undefined_and_no_animal():
    speakers, *pairs = comparisons(np.arange(8), np.arange(8))
    last = zoo(Comparisons(speakers, *(np.delete(column, 7) for column in pairs)))[7]
    assert (last.n_target, last.mean_target_llr, last.corner) == (0, "undefined", "-")


@pytest.fixture
def folder(tmp_path):
    utterances = [
        Utterance(f"{speaker}{index}", speaker, "f", tmp_path / "x.wav", 1.0)
        for speaker, index in itertools.product("ab", (1, 2))
    ]
    write_manifest(tmp_path / "m.tsv", utterances)
    rows = []
    for enrolment in "ab":
        for utterance, score in zip(utterances, (3.0, 1.0, 2.0, 0.0), strict=True):
            label = "target" if enrolment == utterance.speaker else "nontarget"
            rows.append((enrolment, utterance.utterance, label, score))
    write_table(tmp_path / "op.tsv", SCORES, rows)
    return tmp_path


def write(folder, scores="op.tsv", manifest="m.tsv"):
    matrices = {"oo": alike(0.5 + 0.4 * np.eye(2)), "op": alike(np.full((2, 2), 0.5))}
    named = {name: own._replace(speakers=np.array(["a", "b"])) for name, own in matrices.items()}
    files = {"manifest": folder / manifest, "matrices": named}
    write_speakers(folder / "t.tsv", {"op": folder / scores}, **files)


def test_every_speaker_gets_a_line_with_his_trials(folder, capsys):
    write(folder)
    rows = runs.rows(folder / "t.tsv")
    named = [(row["label"], row["speaker"], row["n_target"], row["n_nontarget"]) for row in rows]
    assert named == [("op", "a", "2", "2"), ("op", "b", "2", "2")]
    assert {float(row["deid_percent"]) for row in rows} == {100.0}
    assert re.search(r"op: most at risk: [ab] \(0\.\d+ bit\), [ab] \(0", capsys.readouterr().out)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"scores": "none.tsv"}, "none.tsv: not found"),
        ({"manifest": "short.tsv"}, "op.tsv: trial 'b1' is not in the manifest"),
    ],
)
def test_bad_input_is_one_line(folder, change, message):
    lines = (folder / "m.tsv").read_text().splitlines()
    (folder / "short.tsv").write_text("\n".join(lines[:3]) + "\n")
    with pytest.raises(BadInput) as error:
        write(folder, **change)
    assert message in str(error.value) and str(error.value).count("\n") == 0
    assert not (folder / "t.tsv").exists()


def test_of_an_attacker_who_finds_nobody_a_run_says_that_numbers_are_undefined(folder):
    """By hand, assess_similarity refuses the same matrices."""
    flat = square(np.ones((4, 4)), ["a", "a", "b", "b"])
    write_matrix(folder / "flat.npz", flat)
    files = {name: folder / f"{name}.out" for name in ("similarity", "cells", "zoo", "speakers")}
    flat_paths, scores = [folder / "flat.npz"] * 3, [folder / "op.tsv"] * 3
    words = ["--pairs", *flat_paths, "--scores", *scores, "--bootstrap", "40"]
    done = here("assess_matrices", *flags(manifest=folder / "m.tsv", **files), *words)
    assert done.returncode == 0, done.stderr
    assert "deid_percent and gvd_db are undefined: D_diag(OO) = 0" in done.stderr
    metrics = read_json(folder / "similarity.out")
    assert metrics["deid_percent"] == metrics["gvd_db"] == "undefined"
    assert metrics["op"]["ddiag"] == 0
    rows = runs.rows(folder / "speakers.out")
    assert {row["deid_percent"] for row in rows if row["label"] == "op"} == {"undefined"}
