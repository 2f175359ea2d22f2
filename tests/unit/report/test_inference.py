"""What speech tells of people: lines of metrics.tsv, and the table on the page."""

import pytest

from voiceprivacy.errors import BadInput
from voiceprivacy.inout.tables import write_table
from voiceprivacy.privacy.rows import Inferred
from voiceprivacy.report.inference import inference_tables
from voiceprivacy.report.measured import metric_lines, read_inferred

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


def written(folder, *lines):
    write_table(folder / "net.tsv", Inferred._fields, lines)
    return read_inferred([folder / "net.tsv"])


def test_numbers_are_lines_of_metrics_with_their_limits(tmp_path):
    lines = metric_lines(written(tmp_path, line("b2", "pp", 90.0)))
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


def test_undefined_numbers_are_one_line_and_no_row_with_their_reason(tmp_path):
    lines = metric_lines(written(tmp_path, line("original", "oo", 96.0), undefined("b2", "op")))
    [of_b2] = [number for number in lines if number.anonymiser == "b2"]
    assert (of_b2.metric, of_b2.value) == ("inferred_sex_percent", "undefined")
    assert len(lines) == 4
    (table,) = inference_tables(
        written(tmp_path, undefined("original", "oo"), undefined("b2", "op"))
    )
    assert table.rows == [] and table.note.endswith(undefined("b2", "op").reason)
    assert table.note.startswith("12 speakers (f 10, m 2)")


def test_rows_begin_with_unprotected_speech_and_name_the_attack(tmp_path):
    semi = line("b2", "pp", 91.0, extractor="net_on_b2")._replace(recall_high=90.0)
    lines = written(tmp_path, semi, line("b2", "op", 60.0), line("original", "oo", 96.0))
    (table,) = inference_tables(lines)
    assert [(row.anonymiser, row.attack.split(" (")[0]) for row in table.rows] == [
        ("original", "no protection"),
        ("b2", "semi-informed"),
        ("b2", "ignorant"),
    ]
    first, second, _ = table.rows
    assert first.left == ("\N{EN DASH}", "") and second.band == "70.0"
    assert second.gain == ("82.0", "[62.0, 90.0]")
    assert second.recall == ("90.0", "[81.0, 90.0] (by definition 91.0)"), "held in its limits"


def test_a_number_that_is_none_is_refused(tmp_path):
    with pytest.raises(BadInput, match=r"net.tsv:2: 'high' is not a number"):
        written(tmp_path, line("b2", "pp", 90.0)._replace(gain_percent="high"))


def test_draws_of_an_anonymiser_are_one_row(tmp_path):
    lines = [line("original", "oo", 96.0), line("b2", "pp", 80.0)]
    lines += [line(name, "pp", value) for name, value in (("b2r", 60.0), ("b2r_draw2", 70.0))]
    (table,) = inference_tables(written(tmp_path, *lines))
    recalls = {row.anonymiser: row.recall[0] for row in table.rows}
    assert recalls == {"original": "96.0", "b2": "80.0", "b2r": "65.0"}
