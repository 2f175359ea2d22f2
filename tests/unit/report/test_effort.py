"""Disclosure against effort: one reference, curves of the best so far, and what still falls."""

import pytest

from voiceprivacy.inout.tables import write_table
from voiceprivacy.report import effort
from voiceprivacy.report.charts import effort as charts
from voiceprivacy.report.charts.chart import run_of
from voiceprivacy.report.figures import Look, Subject, figure
from voiceprivacy.report.metrics import Number
from voiceprivacy.report.plots import effort as plots
from voiceprivacy.vocabulary import EffortPoint, TrialList

RUN = run_of([], {"config": {"anonymisers": {"b2": {}}}})
POINTS = [
    EffortPoint("b2", "op", "e", "cosine", 20.0, 10.0, 30.0, 0.14, 5.0, 0.0, 12.0),
    EffortPoint("b2", "rr", "e", "cosine", 35.0, "-", "-", 0.25, 4.0, 0.0, 0.0),
    EffortPoint("b2", "pp", "tuned_on_b2", "cosine", 70.0, 60.0, 80.0, 0.5, 90.0, 2.0, 12.0),
]


@pytest.fixture
def drawn(tmp_path):
    shown = figure("ladder", Subject("demo", "f"), look=Look(["b2"]), folder=tmp_path)
    (tmp_path / "curves" / "effort" / "demo").mkdir(parents=True)
    write_table(shown.arguments["curves"], EffortPoint._fields, POINTS)
    return shown


def dece(anonymiser, extractor, condition, value, *limits):
    names = ("demo", "f", anonymiser, extractor, "cosine", condition, "dece_bit")
    return Number(*names, str(value), *map(str, limits))


def test_evidence_is_held_against_the_most_on_unprotected_speech_of_all_attackers():
    numbers = [
        dece("original", "weak", "oo", 0.2),
        dece("original", "strong", "oo", 0.5),
        dece("original", "strong", "rr", 0.4),
        dece("b2", "weak", "op", 0.1, 0.05, 0.2),
        dece("b2", "strong", "rr", 0.1),
        dece("b2", "strong", "pp", "undefined"),
    ]
    findings = effort.findings_of(numbers, TrialList("demo", "f"))
    assert findings == {
        ("b2", "weak", "cosine", "op"): (20.0, 10.0, 40.0, 0.1),
        ("b2", "strong", "cosine", "rr"): (25.0, "-", "-", 0.1),
    }
    assert effort.findings_of(numbers, TrialList("demo", "m")) == {}


def test_a_curve_is_the_most_that_so_much_effort_finds():
    curve = effort.best_so_far(POINTS, "cpu_s")
    assert [(point.condition, most) for point, most in curve] == [
        ("rr", 35.0),
        ("op", 35.0),
        ("pp", 70.0),
    ]


def test_attacks_of_the_same_effort_are_one_step_of_a_curve():
    curve = effort.best_so_far(POINTS, "training_h")
    assert [most for _, most in curve] == [35.0, 35.0, 70.0]
    assert {most for _, most in effort.best_so_far(POINTS[::-1], "enrolment_s")} == {35.0, 70.0}


def test_what_takes_nothing_stands_at_the_left_end_of_a_logarithmic_axis():
    assert list(effort.drawn_at(POINTS, "training_h").values()) == [0.2, 0.2, 2.0]


def test_protection_still_falls_where_the_costliest_attack_surely_finds_more():
    weaker = POINTS[2]._replace(ci_low=30.0)
    dear = POINTS[0]._replace(cpu_s=500.0)
    assert effort.falls(POINTS) == effort.STILL
    assert effort.falls([*POINTS[:2], weaker]) == effort.PERHAPS
    assert effort.falls([*POINTS, dear]) == effort.NO_MORE
    assert effort.falls(POINTS[:1]) == effort.PERHAPS


def test_the_page_has_a_chart_for_each_kind_of_effort_and_says_what_falls(drawn):
    shown = charts.ladder(drawn, RUN)
    assert [title for title, _ in shown.charts] == [
        f"Evidence left against {axis}" for axis in effort.EFFORTS.values()
    ]
    line, marks = shown.charts[0][1]["data"]
    assert line["y"] == [35.0, 35.0, 70.0] and line["x"] == [4.0, 5.0, 90.0]
    assert marks["error_y"]["arrayminus"] == [10.0, None, 10.0]
    titles, (row,) = shown.table
    assert len(titles) == len(row)
    assert row == ("b2", "70 % (0.50 bit)", "tuned (b2) + cosine, PP", "90 s", "still falls")
    assert drawn.heading == "demo, list f, all attackers"


def test_the_picture_has_a_panel_for_each_kind_of_effort(drawn):
    axes = plots.ladder(**drawn.arguments).axes
    assert [ax.get_xscale() for ax in axes] == ["log"] * 3
    assert axes[0].get_legend_handles_labels()[1] == ["b2"]


def test_draws_of_an_anonymiser_are_one_release_with_limits_of_a_further_draw(tmp_path):
    drawn = [
        POINTS[0],
        POINTS[0]._replace(anonymiser="b2_draw2", evidence_percent=30.0, ci_low=20.0, ci_high=40.0),
        POINTS[1],
    ]
    write_table(tmp_path / "f.tsv", EffortPoint._fields, drawn)
    efforts = effort.read_efforts(tmp_path / "f.tsv")
    assert list(efforts) == ["b2"]
    op, rr = efforts["b2"]
    # Two draws of 20 and 30 %: Student's t with one degree of freedom is wide.
    assert (op.evidence_percent, op.cpu_s) == (25.0, 5.0)
    assert op.ci_high - 25 == pytest.approx((10**2 + 12.7062**2 * 50 * 1.5) ** 0.5, rel=1e-4)
    assert rr == POINTS[1]


def test_a_value_outside_of_its_limits_is_shown_at_the_nearest():
    numbers = [dece("original", "e", "oo", 0.5), dece("b2", "e", "op", 0.25, 0.1, 0.2)]
    findings = effort.findings_of(numbers, TrialList("demo", "f"))
    assert findings["b2", "e", "cosine", "op"] == (40.0, 20.0, 40.0, 0.2)
