"""What pictures draw: read back whole and in a fixed order, or refused with the reason."""

import numpy as np
import pytest

from voiceprivacy.inout.files import BadInput, write_json
from voiceprivacy.inout.tables import write_table
from voiceprivacy.report.curves import read_curves, read_similarities, read_systems

COLUMNS = ["rank", "p"]
GENDERS = {"anna": "f", "carl": "m", "dora": "f"}


@pytest.fixture
def system(tmp_path):
    curve, metrics = tmp_path / "b2.tsv", tmp_path / "b2.json"
    write_table(curve, ["label", *COLUMNS], [("op", 1, 0.75), ("op", 2, 0.25), ("pp", 1, 1.0)])
    write_json(metrics, {"op": {"tag": "A"}, "pp": {"tag": "B"}})
    return {"anonymisers": ["b2"], "curves": [curve], "metrics": [metrics], "columns": COLUMNS}


def test_a_system_is_named_by_anonymiser_and_condition(system):
    curves, metrics = read_systems(**system)
    assert list(curves) == ["b2/op", "b2/pp"]
    assert curves["b2/op"]["p"].tolist() == [0.75, 0.25]
    assert metrics == {"b2/op": {"tag": "A", "limits": {}}, "b2/pp": {"tag": "B", "limits": {}}}


def test_intervals_beside_the_metrics_are_read_if_they_are_of_the_same_numbers(system, tmp_path):
    metrics = {
        "op": {"eer_percent": 7.0, "min_dcf": 0.5, "cllr_bit": "undefined"},
        "pp": {"eer_percent": 8.0},
    }
    write_json(tmp_path / "b2.json", metrics)
    of_op = {
        "eer_percent": {"value": 7.0, "ci_low": 5.0, "ci_high": 9.0},
        "min_dcf": {"value": 0.6, "ci_low": 0.5, "ci_high": 0.9},  # of an earlier run
        "cllr_bit": {"value": "undefined", "ci_low": "undefined", "ci_high": "undefined"},
    }
    write_json(tmp_path / "b2.intervals.json", {"op": of_op})
    _, metrics = read_systems(**system)
    assert (
        metrics["b2/op"]["limits"] == {"eer_percent": (5.0, 9.0)}
        and metrics["b2/pp"]["limits"] == {}
    )


def test_one_file_of_each_kind_per_anonymiser(system):
    with pytest.raises(BadInput, match="2 anonymisers, 1 curves and 1 metrics"):
        read_systems(**system | {"anonymisers": ["b2", "b2r"]})


def test_a_curve_without_metrics_is_named(system):
    write_json(system["metrics"][0], {"op": {"tag": "A"}})
    with pytest.raises(BadInput, match=r"b2.json: has no metrics of 'pp'"):
        read_systems(**system)


def test_an_empty_curve_file_is_refused(tmp_path):
    write_table(tmp_path / "empty.tsv", ["label", *COLUMNS], [])
    with pytest.raises(BadInput, match="holds no curve"):
        read_curves(tmp_path / "empty.tsv", COLUMNS)


def similarity_rows(speakers=GENDERS, left_out=()):
    rows = [
        (matrix, row, column, f"0.{len(row + column)}")
        for matrix in ("oo", "op", "pp")
        for row in speakers
        for column in speakers
    ]
    rows[0] = (*rows[0][:3], "undefined")
    return [row for row in rows if row[:3] not in left_out]


@pytest.fixture
def table(tmp_path):
    def write(rows):
        write_table(
            tmp_path / "s.tsv", ["matrix", "row_speaker", "column_speaker", "similarity"], rows
        )
        return tmp_path / "s.tsv"

    return write


def test_speakers_are_ordered_by_gender_whatever_the_order_of_the_file(table):
    speakers, matrices = read_similarities(table(similarity_rows()[::-1]), genders=GENDERS)
    assert speakers == ["anna", "dora", "carl"]
    assert np.ma.allequal(matrices["op"], np.full((3, 3), 0.8))


def test_an_undefined_cell_is_masked(table):
    _, matrices = read_similarities(table(similarity_rows()), genders=GENDERS)
    assert matrices["oo"].mask.sum() == 1 and matrices["oo"].mask[0, 0]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (similarity_rows(left_out=[("pp", "carl", "anna")]), "has no similarity of pp carl anna"),
        (
            [*similarity_rows(), ("pp", "carl", "anna", "0.5")],
            "s.tsv:29: pp carl anna occurs twice",
        ),
        ([("po", "carl", "anna", "0.5")], "s.tsv:2: matrix 'po' is not one of oo, op, pp"),
        (similarity_rows(["anna", "eve"]), "speaker 'eve' is not in the manifest"),
    ],
)
def test_a_broken_similarity_table_is_refused(table, rows, message):
    with pytest.raises(BadInput, match=message):
        read_similarities(table(rows), genders=GENDERS)
