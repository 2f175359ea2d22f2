"""What speech tells of people: lines of metrics.tsv, and the table on the page."""

import pytest

from voiceprivacy.inout.files import BadInput
from voiceprivacy.inout.tables import write_table
from voiceprivacy.report.inference import inference_tables, metric_lines, read_inferred
from voiceprivacy.vocabulary import Inferred

UNKNOWN = ["undefined", "undefined", "-", "-", "undefined", *("undefined", "-", "-") * 2]


def line(anonymiser, condition, recall, *, band=70.0, extractor="net", reason="-"):
    gain = 2 * recall - 100
    named = ["few", anonymiser, extractor, condition, "sex", "f 10, m 10", 20, 140, 50.0]
    recalls = [recall, recall - 10, min(recall + 4, 100.0), band]
    gains = [gain, gain - 20, gain + 8, gain, 1.0, 2.0]
    return Inferred._make([*named, *recalls, *gains, reason])


def undefined(anonymiser, condition):
    named = ["few", anonymiser, "net", condition, "sex", "f 10, m 2", 12, 80]
    return Inferred._make([*named, *UNKNOWN, "fewer than two classes have 5 speakers"])


@pytest.fixture
def written(tmp_path):
    """Read lines as they are written."""

    def written(*lines):
        write_table(tmp_path / "net.tsv", Inferred._fields, lines)
        return read_inferred([tmp_path / "net.tsv"])

    return written


def test_numbers_are_lines_of_metrics_with_their_limits(written):
    lines = metric_lines(written(line("b2", "pp", 90.0)))
    assert [tuple(number)[:7] for number in lines] == [
        ("few", "-", "b2", "net", "-", "pp", f"inferred_sex_{ending}")
        for ending in ("percent", "null95_percent", "gain_percent", "left_percent")
    ]
    assert [tuple(number)[7:10] for number in lines] == [
        ("90.0", "80.0", "94.0"),
        ("70.0", "-", "-"),
        ("80.0", "60.0", "88.0"),
        ("80.0", "1.0", "2.0"),
    ]


def test_undefined_numbers_are_one_line_and_no_row_with_their_reason(written):
    lines = metric_lines(written(line("original", "oo", 96.0), undefined("b2", "op")))
    [of_b2] = [number for number in lines if number.anonymiser == "b2"]
    assert (of_b2.metric, of_b2.value) == ("inferred_sex_percent", "undefined")
    assert len(lines) == 4
    (table,) = inference_tables(written(undefined("original", "oo"), undefined("b2", "op")))
    assert table.rows == []
    assert table.note == "12 speakers (f 10, m 2); fewer than two classes have 5 speakers"


def test_rows_begin_with_unprotected_speech_and_name_the_attack(written):
    semi = line("b2", "pp", 91.0, extractor="net_on_b2")
    lines = written(semi, line("b2", "op", 60.0), line("original", "oo", 96.0))
    (table,) = inference_tables(lines)
    assert [(row.anonymiser, row.attack) for row in table.rows] == [
        ("original", "no protection (OO), net"),
        ("b2", "semi-informed (PP), net_on_b2"),
        ("b2", "ignorant (OP), net"),
    ]
    first, second, _ = table.rows
    assert first.left == ("\N{EN DASH}", "")
    assert second.recall == ("91.0", "[81.0, 95.0]")
    assert second.gain == ("82.0", "[62.0, 90.0]")
    assert second.band == "70.0"


def test_a_number_that_is_none_is_refused(written):
    with pytest.raises(BadInput, match=r"net.tsv:2: 'high' is not a number"):
        written(line("b2", "pp", 90.0)._replace(gain_percent="high"))


def test_draws_of_an_anonymiser_are_one_row(written):
    lines = [line("original", "oo", 96.0), line("b2", "pp", 80.0)]
    lines += [line(name, "pp", value) for name, value in (("b2r", 60.0), ("b2r_draw2", 70.0))]
    (table,) = inference_tables(written(*lines))
    recalls = {row.anonymiser: row.recall[0] for row in table.rows}
    assert recalls == {"original": "96.0", "b2": "80.0", "b2r": "65.0"}


def test_a_value_outside_of_its_limits_is_held_in_them(written):
    (table,) = inference_tables(written(line("b2", "pp", 91.0)._replace(recall_high=90.0)))
    assert table.rows[0].recall == ("90.0", "[81.0, 90.0] (by definition 91.0)")
