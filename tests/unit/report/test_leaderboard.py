"""The leaderboard: averages over corpora, their intervals and charts, the strongest attacks."""

import pytest
from support import made_up

from voiceprivacy.catalogue import METRICS
from voiceprivacy.report.comparison import compare
from voiceprivacy.report.figures import palette
from voiceprivacy.report.leaderboard import boards, leaderboard
from voiceprivacy.report.uncertainty import TOO_FEW, Comparisons
from voiceprivacy.vocabulary import EVERYTHING, GIVEN, MINUS

COLOURS = palette(["b2", "b2r"])


@pytest.fixture(scope="module")
def run():
    return compare(made_up.metrics())


def test_an_average_over_corpora_has_the_weights_of_the_config(run):
    names = [board.name for board in boards(run, made_up.AVERAGES)]
    assert names == ["challenge", EVERYTHING, "libri: mean of f, m", "libri f", "libri m", "vctk f"]
    eer = {}
    for one in boards(run, made_up.AVERAGES):
        for system in one.systems:
            if (system.anonymiser, system.condition) == ("b2", "pp"):
                eer[one.name] = system.shown(one.label, "eer_percent").value
    assert eer["challenge"] == pytest.approx(0.25 * 8 + 0.25 * 10 + 0.5 * 8)
    assert eer[EVERYTHING] == pytest.approx((8 + 10 + 8) / 3)


def eer_cells(run, limits):
    """{(set, anonymiser, condition): cell} of EERs, with intervals of means."""
    keys = {
        (f"over-corpora/{name}", "mean", "b2", *made_up.ATTACKER, "pp", "eer_percent"): interval
        for name, interval in limits.items()
    }
    comparisons = Comparisons(keys)
    table = leaderboard(run, colours=COLOURS, averages=made_up.AVERAGES, comparisons=comparisons)
    column = [column.name for column in table.columns].index("eer_percent")
    return {(row.set, row.anonymiser, row.condition): row.cells[column] for row in table.rows}


def test_an_average_over_corpora_shows_the_interval_of_its_comparison(run):
    cells = eer_cells(run, {"challenge": (7.0, 12.5), "all-lists": (6.0, 13.5)})
    assert cells["challenge", "b2", "pp"].interval == "[7.0, 12.5]"
    assert cells[EVERYTHING, "b2", "pp"].interval == "[6.0, 13.5]"
    assert cells["challenge", "b2r", "pp"].interval == ""
    assert cells["challenge", "b2", "op"].interval == ""


def test_what_holds_conditions_against_each_other_is_of_an_attacker_and_of_no_attack(run):
    table = leaderboard(run, colours=COLOURS, averages=made_up.AVERAGES)
    assert [column.name for column in table.of_voices] == ["deid_percent", "gvd_db"]
    assert not {"deid_percent", "gvd_db"} & {column.name for column in table.columns}
    shown = {(row.set, row.anonymiser): [cell.order for cell in row.cells] for row in table.voices}
    assert len(shown) == len(table.voices) == len(table.sets) * 2, "unprotected speech has neither"
    assert shown["libri m", "b2"] == ["61.0", "-Infinity"], "DeID of OP beside G_VD of PP"
    assert shown["libri f", "b2"] == ["60.0", "-0.5"], "and infinity is sorted"


def test_an_interval_as_wide_as_the_scale_is_called_too_few_speakers(run):
    for limits, is_told in (((1.0, 49.0), True), ((10.0, 30.0), False)):
        cells = eer_cells(run, {"challenge": limits})
        assert (cells["challenge", "b2", "pp"].note == TOO_FEW) == is_told
    assert eer_cells(run, {})["challenge", "b2", "pp"].note != TOO_FEW


def test_nothing_is_minus_zero():
    for metric in METRICS.values():
        assert metric.text(-1e-9) == metric.text(0.0)
    assert METRICS["gvd_db"].text(-0.5) == f"{MINUS}0.50"


@pytest.mark.parametrize("on_both", [(), ("original",)])
def test_scores_of_others_on_one_list_hide_no_other(on_both):
    given = []
    for one in made_up.metrics():
        if one.trials == "f" or one.anonymiser in on_both:
            given.append(one._replace(extractor="a", backend=GIVEN))
    tables = {one.name: one for one in boards(compare([*made_up.metrics(), *given]))}
    assert {"libri: mean of f, m", "libri f", "libri m"} <= tables.keys()
    assert ("b2", GIVEN) in {(one.anonymiser, one.backend) for one in tables["libri f"].systems}
    assert "b2r" in {one.anonymiser for one in tables["libri m"].systems}
