"""Utility as metrics.tsv and the page show it."""

from voiceprivacy.inout.tables import write_table
from voiceprivacy.report.sections import Utility, read_utility, utility_section
from voiceprivacy.vocabulary import MINUS


def of(anonymiser, metric, value, trials="-", better="lower", low="-", high="-", undefined="0"):
    return Utility(
        "demo", trials, anonymiser, "asr", metric, value, low, high, "9", undefined, "3", better
    )


PITCH = of("b2", "pitch_correlation", "0.5", better="higher", low="0.4", high="0.6")


def test_a_measure_is_a_line_of_metrics_without_attacker(tmp_path):
    write_table(tmp_path / "demo.tsv", Utility._fields, [PITCH])
    (found,) = read_utility([tmp_path / "demo.tsv"])
    assert found == PITCH
    assert found.metric_line == (
        "demo",
        "-",
        "b2",
        "-",
        "-",
        "-",
        "pitch_correlation",
        "0.5",
        "0.4",
        "0.6",
    )


def test_the_page_says_that_words_were_not_measured_until_they_are():
    assert "only the pitch was measured" in utility_section([PITCH]).note
    assert "no utility was measured" in utility_section([]).note
    assert utility_section([PITCH, of("b2", "wer", "0.2")]).note == ""


def test_a_table_has_the_original_first_and_a_dash_where_nothing_was_measured():
    (table,) = utility_section(
        [PITCH, of("b2", "wer", "12.5"), of("original", "wer", "undefined")]
    ).tables
    assert table.columns == [("pitch correlation", "↑"), ("wer", "↓")]
    assert [(name, [cell and cell.text for cell in cells]) for name, cells in table.rows] == [
        ("original", [None, "undefined"]),
        ("b2", ["0.50", "12.50"]),
    ]
    assert table.rows[1][1][0].interval == "[0.40, 0.60]"


def test_lists_stand_below_the_mean_where_there_are_several():
    lists = [
        of("b2", "wer", "0.01", trials="f", undefined="2"),
        of("b2", "wer", "-3.5", trials="m"),
    ]
    (table,) = utility_section([of("b2", "wer", "0.2", undefined="2"), *lists]).tables
    ((_, (cell,)),) = table.rows
    assert cell.lists == [("f", "0.010", ""), ("m", f"{MINUS}3.50", "")]
    assert cell.n_undefined == 2
