"""The leaderboard: averages over corpora, their intervals and charts, the strongest attacks."""

import pytest
from support import made_up

from voiceprivacy.catalogue import METRICS
from voiceprivacy.report.comparison import compare
from voiceprivacy.report.figures import palette
from voiceprivacy.report.leaderboard import boards, leaderboard
from voiceprivacy.report.plots import board, style
from voiceprivacy.report.uncertainty import TOO_FEW, Comparisons
from voiceprivacy.vocabulary import EVERYTHING, MINUS

AVERAGES = made_up.PROVENANCE["config"]["report"]["averages"]
COLOURS = palette(["b2", "b2r"])


@pytest.fixture(scope="module")
def run():
    return compare(made_up.metrics())


def test_an_average_over_corpora_has_the_weights_of_the_config(run):
    names = [board.name for board in boards(run, AVERAGES)]
    assert names == ["challenge", EVERYTHING, "libri: mean of f, m", "libri f", "libri m", "vctk f"]
    eer = {}
    for one in boards(run, AVERAGES):
        for standing in one.standings:
            if (standing.system.anonymiser, standing.system.condition) == ("b2", "pp"):
                eer[one.name] = standing.values["eer_percent"]
    assert eer["challenge"] == pytest.approx(0.25 * 8 + 0.25 * 10 + 0.5 * 8)
    assert eer[EVERYTHING] == pytest.approx((8 + 10 + 8) / 3)


def test_an_average_over_corpora_shows_the_interval_of_its_comparison(run):
    limits = {
        (f"over-corpora/{name}", *made_up.ATTACKER, "pp", "eer_percent", "b2"): interval
        for name, interval in (("challenge", (7.0, 12.5)), ("all-lists", (6.0, 13.5)))
    }
    comparisons = Comparisons(limits)
    table = leaderboard(run, colours=COLOURS, averages=AVERAGES, comparisons=comparisons)
    column = [column.name for column in table.columns].index("eer_percent")
    shown = {
        (row.set, row.anonymiser, row.condition): row.cells[column].interval for row in table.rows
    }
    assert shown["challenge", "b2", "pp"] == "[7.0, 12.5]"
    assert shown[EVERYTHING, "b2", "pp"] == "[6.0, 13.5]"
    assert shown["challenge", "b2r", "pp"] == shown["challenge", "b2", "op"] == ""
    charts = board.charts(table.boards, columns=table.columns, colours=COLOURS)
    for name, words in (("challenge", "7.0 to 12.5"), (EVERYTHING, "6.0 to 13.5")):
        [(_, chart), *_] = charts[name]
        assert f"95 % interval {words}" in chart
    assert not any("no interval" in explanation for _, explanation in table.sets)


def test_dots_have_the_numbers_and_intervals_of_the_table_and_the_band_of_zero_evidence(run):
    [of_list] = [one for one in boards(run) if one.name == "libri f"]
    shown = [standing for standing in of_list.standings if standing.system.anonymiser == "b2"]
    drawn = {}
    for name in ("eer_percent", "dece_bit"):
        _, drawn[name] = style.figure(4, 3)
        board.plot_dots(drawn[name], shown, column=METRICS[name], colours={"b2": "#123456"})
    marks = [line for line in drawn["eer_percent"].lines if line.get_marker() == "o"]
    assert [line.get_xdata()[0] for line in marks] == [30.0, 8.0]
    texts = [text.get_text() for text in drawn["eer_percent"].texts]
    assert texts == ["30.0", "8.0"]  # on the chart, not only where one points
    assert "95 % interval 29.0 to 31.0" in marks[0].get_gid()
    assert "lazy-informed (PP)" in marks[1].get_gid()
    assert [bar.get_width() for bar in drawn["dece_bit"].patches] == [0.3, 0.3]


def test_the_leaderboard_says_one_strongest_attack_an_anonymiser_and_set(run):
    table = leaderboard(run, colours=COLOURS, averages=AVERAGES)
    strongest = [(row.set, row.anonymiser) for row in table.rows if row.strongest]
    assert len(strongest) == len(set(strongest)) == len(table.sets) * 3


def test_what_holds_conditions_against_each_other_is_of_an_attacker_and_of_no_attack(run):
    table = leaderboard(run, colours=COLOURS, averages=AVERAGES)
    assert [column.name for column in table.of_voices] == ["deid_percent", "gvd_db"]
    assert not {"deid_percent", "gvd_db"} & {column.name for column in table.columns}
    shown = {(row.set, row.anonymiser): [cell.order for cell in row.cells] for row in table.voices}
    assert len(shown) == len(table.voices) == len(table.sets) * 2, "unprotected speech has neither"
    assert shown["libri m", "b2"] == ["61.0", "-Infinity"], "DeID of OP beside G_VD of PP"
    assert shown["libri f", "b2"] == ["60.0", "-0.5"], "and infinity is sorted"


@pytest.mark.parametrize(
    ("limits", "is_told"), [((1.0, 49.0), True), ((10.0, 30.0), False), (None, False)]
)
def test_an_interval_as_wide_as_the_scale_is_called_too_few_speakers(run, limits, is_told):
    key = ("over-corpora/challenge", *made_up.ATTACKER, "pp", "eer_percent", "b2")
    comparisons = Comparisons({key: limits} if limits else {})
    table = leaderboard(run, colours=COLOURS, averages=AVERAGES, comparisons=comparisons)
    column = [column.name for column in table.columns].index("eer_percent")
    [row] = [
        row
        for row in table.rows
        if (row.set, row.anonymiser, row.condition) == ("challenge", "b2", "pp")
    ]
    assert (row.cells[column].note == TOO_FEW) == is_told


def test_nothing_is_minus_zero():
    for metric in METRICS.values():
        assert metric.text(-1e-9) == metric.text(0.0)
    assert METRICS["gvd_db"].text(-0.5) == f"{MINUS}0.50"
