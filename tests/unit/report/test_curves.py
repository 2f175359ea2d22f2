"""What pictures draw: read back whole and in a fixed order, or refused with the reason."""

import itertools

import numpy as np
import pytest

from voiceprivacy.errors import BadInput
from voiceprivacy.inout.json_files import write_json
from voiceprivacy.inout.tables import write_table
from voiceprivacy.report import curves
from voiceprivacy.report.curves import COLUMNS as TRAINING
from voiceprivacy.report.metrics import Number
from voiceprivacy.report.uncertainty import Shown
from voiceprivacy.vocabulary import Attack

COLUMNS = ["rank", "p"]
GENDERS = {"anna": "f", "carl": "m", "dora": "f"}


@pytest.fixture
def system(tmp_path):
    curve, metrics = tmp_path / "b2.tsv", tmp_path / "b2.json"
    write_table(curve, ["label", *COLUMNS], [("op", 1, 0.75), ("op", 2, 0.25), ("pp", 1, 1.0)])
    write_json(metrics, {"op": {"tag": "A"}, "pp": {"tag": "B"}})
    return {"anonymisers": ["b2"], "curves": [curve], "metrics": [metrics], "columns": COLUMNS}


def test_systems_have_names_and_the_intervals_beside_their_metrics_if_they_are_of_the_same(
    system, tmp_path
):
    drawn, metrics = curves.read_systems(**system)
    assert list(drawn) == ["b2/op", "b2/pp"]
    assert drawn["b2/op"]["p"].tolist() == [0.75, 0.25]
    assert metrics == {"b2/op": {"tag": "A", "shown": {}}, "b2/pp": {"tag": "B", "shown": {}}}
    of_op = {"eer_percent": 7.0, "min_dcf": 0.5, "cllr_bit": "undefined"}
    write_json(tmp_path / "b2.json", {"op": of_op, "pp": {"eer_percent": 8.0}})
    of_op = {
        "eer_percent": {"value": 7.0, "ci_low": 5.0, "ci_high": 9.0},
        "min_dcf": {"value": 0.6, "ci_low": 0.5, "ci_high": 0.9},  # of an earlier run
        "cllr_bit": {"value": "undefined", "ci_low": None, "ci_high": None},
    }
    write_json(tmp_path / "b2.intervals.json", {"op": of_op})
    _, metrics = curves.read_systems(**system)
    assert metrics["b2/op"]["shown"] == {"eer_percent": Shown(7.0, (5.0, 9.0))}
    assert metrics["b2/pp"]["shown"] == {}
    for broken in ([], {"op": {"eer_percent": 7.0}}, {"op": {"eer_percent": {"ci_low": 5.0}}}):
        write_json(tmp_path / "b2.intervals.json", broken)
        with pytest.raises(BadInput, match=r"b2.intervals.json: holds what no run writes"):
            curves.read_systems(**system)


def test_curves_that_are_empty_or_of_other_commands_and_versions_are_refused(system, tmp_path):
    with pytest.raises(BadInput, match=r"b2\.json: 'op' has no dece_bit"):
        curves.read_systems(**system, needs=["tag", "dece_bit"])
    write_json(system["metrics"][0], {"op": {"tag": "A"}})
    with pytest.raises(BadInput, match=r"b2.json: has no metrics of 'pp'"):
        curves.read_systems(**system)
    write_table(tmp_path / "empty.tsv", ["label", *COLUMNS], [])
    with pytest.raises(BadInput, match="holds no curve"):
        curves.read_curves(tmp_path / "empty.tsv", COLUMNS)
    older = [number for number in of_gallery("ecapa", 1.0) if not number.metric.endswith("_s")]
    with pytest.raises(BadInput, match="f_t1_d1 have no mean_test_s and no mean_template_s"):
        curves.by_length(older, Attack("demo", "f", "ecapa", "cosine"))


def similarity_rows(speakers=GENDERS):
    cells = itertools.product(("oo", "op", "pp"), speakers, speakers)
    rows = [(matrix, row, column, f"0.{len(row + column)}") for matrix, row, column in cells]
    return [(*rows[0][:3], "undefined"), *rows[1:]]


def similarities(folder, rows):
    write_table(folder / "s.tsv", curves.SIMILARITIES, rows)
    return curves.read_similarities(folder / "s.tsv", genders=GENDERS)


def test_speakers_are_ordered_by_gender_and_undefined_cells_are_masked(tmp_path):
    speakers, matrices = similarities(tmp_path, similarity_rows()[::-1])
    assert speakers == ["anna", "dora", "carl"]
    assert np.ma.allequal(matrices["op"], np.full((3, 3), 0.8))
    assert matrices["oo"].mask.sum() == 1 and matrices["oo"].mask[0, 0]
    last, whole = ("pp", "carl", "anna"), similarity_rows()
    for rows, message in (
        ([row for row in whole if row[:3] != last], "has no similarity of pp carl anna"),
        ([*whole, (*last, "0.5")], "s.tsv:29: pp carl anna occurs tw"),
        ([("po", "carl", "anna", "0.5")], "s.tsv:2: matrix 'po' is not one of oo, op, pp"),
        (similarity_rows(["anna", "eve"]), "speaker 'eve' is not in the manifest"),
    ):
        with pytest.raises(BadInput, match=message):
            similarities(tmp_path, rows)


def test_tables_of_speakers_disclosures_and_examples_are_read_back(tmp_path):
    row = ("op", "a", 2, 3, 1.5, "undefined", "-", "undefined", "-", "-")
    write_table(tmp_path / "z.tsv", curves.ZOO, [row])
    animal = curves.read_speakers(tmp_path / "z.tsv", curves.ZOO)["op"]["a"]
    assert (animal["mean_target_llr"], animal["mean_impostor_llr"]) == (1.5, None)
    assert animal["corner"] == "-"
    write_table(tmp_path / "e.tsv", curves.EXPOSURES, [("op", "a", 2, 3, 0.1, 1.0, "-")] * 2)
    with pytest.raises(BadInput, match=r"e\.tsv:3: op a occurs twice"):
        curves.read_speakers(tmp_path / "e.tsv", curves.EXPOSURES)
    row = ("op", "a", 2, 0, 1.5, 0.25, 0, "undefined", 0.3, 0.1, 0.5)
    write_table(tmp_path / "s.tsv", curves.DISCLOSURES, [row])
    bits = curves.read_disclosures(tmp_path / "s.tsv")["op"]["a"]
    assert (bits.own, bits.shrunken.value, bits.shrunken.limits) == (0.25, 0.3, (0.1, 0.5))
    rows = [("op", "a", 1, 0.5, 0.4), ("op", "a", 2, 0.5, 0.6), ("pp", "a", 1, 1, 1)]
    write_table(tmp_path / "x.tsv", ["label", "speaker", "rank", "p", "gamma"], rows)
    label, examples = curves.read_examples(tmp_path / "x.tsv")
    assert label == "op" and examples["a"][1].tolist() == [0.4, 0.6]


def of_gallery(extractor, bits, *, trials="f_t1_d1", anonymiser="original", condition="oo"):
    values = {"n_templates": 8, "disclosure_bit": bits, "mean_test_s": 6.5, "mean_template_s": 13.0}
    key = ("demo", trials, anonymiser, extractor, "cosine", condition)
    return [Number(*key, name, str(value)) for name, value in values.items()]


def point(bits):
    return curves.LengthPoint(bits, test_s=6.5, template_s=13.0)


def test_lengths_come_from_the_names_of_the_galleries_and_seconds_from_metrics():
    metrics = [*of_gallery("ecapa", 1.0), *of_gallery("ecapa", 1.5, trials="f_t2_d4")]
    metrics += of_gallery("f0", 9.0) + of_gallery("ecapa", 0.1, anonymiser="b2", condition="op")
    attack = Attack("demo", "f", "ecapa", "cosine")
    of_original = {1: {1: point(Shown(1.0))}, 4: {2: point(Shown(1.5))}}
    of_b2 = {1: {1: point(Shown(0.1))}}
    assert curves.by_length(metrics, attack) == ({"original/oo": of_original, "b2/op": of_b2}, 8)
    for unbiased, bits in ((None, 0.5), (0.75, 0.75)):
        limits = {"ci_low": "0.5", "ci_high": "1.25", "unbiased": unbiased}
        disclosures, _ = curves.by_length([metric._replace(**limits) for metric in metrics], attack)
        assert disclosures["b2/op"] == {1: {1: point(Shown(bits, (0.5, 1.25), definition=0.1))}}
    with pytest.raises(BadInput, match="no sampled galleries"):
        curves.by_length(metrics, Attack("demo", "m", "ecapa", "cosine"))


def test_bounds_count_observations_and_are_drawn_over_seconds():
    """Twice the bits at four times the observations is the bound of the square root."""
    tests = {
        1: curves.LengthPoint(Shown(0.5), 6.5, 13.0),
        4: curves.LengthPoint(Shown(0.9), 26.0, 13.0),
    }
    bounds = curves.composition_bounds({2: tests}, most_bit=1.75)
    seconds, bits = bounds["bound √T"]
    assert (seconds[0], seconds[-1]) == (6.5, 26.0) and (bits[0], bits[-1]) == (0.5, 1.0)
    assert bounds["bound T"][1][-1] == 1.75  # not 4 * 0.5
    assert curves.seconds_of_tests({2: tests}) == {1: 6.5, 4: 26.0}
    assert curves.template_words(2, tests) == "template 2 (13 s)"


def test_speakers_who_sound_alike_stand_beside_each_other():
    values = np.full((4, 4), 0.1)
    for one, other in ((0, 2), (1, 3)):
        values[one, other] = values[other, one] = 0.8
    matrices = {name: np.ma.masked_array(values) for name in ("oo", "op", "pp")}
    speakers, sorted_matrices = curves.arrange(list("abcd"), matrices, "similarity")
    assert {frozenset(speakers[:2]), frozenset(speakers[2:])} == {frozenset("ac"), frozenset("bd")}
    assert sorted_matrices["op"][0, 1] == sorted_matrices["op"][2, 3] == 0.8
    assert curves.arrange(list("abcd"), matrices, "gender")[0] == list("abcd")
    matrices["oo"] = np.ma.masked_array(values, mask=np.diag([False, False, True, False]))
    speakers, sorted_matrices = curves.arrange(list("abcd"), matrices, "similarity")
    assert sorted_matrices["oo"].mask.diagonal().tolist() == [name == "c" for name in speakers]


def test_a_training_may_lack_held_out_speakers_but_no_epochs(tmp_path):
    write_table(tmp_path / "training.tsv", TRAINING, [[1, 2.5, 10.0, "-", 0.001, 4]])
    curve = curves.read_curve(tmp_path / "training.tsv")
    assert curve.loss.tolist() == [2.5] and curve.held_out_eer_percent.size == 0
    write_table(tmp_path / "training.tsv", TRAINING, [])
    with pytest.raises(BadInput, match="lists no epoch"):
        curves.read_curve(tmp_path / "training.tsv")
