"""Curves over the amount of speech: what is drawn over which side, and what an empty file gives."""

import pytest

from voiceprivacy.inout.files import BadInput
from voiceprivacy.inout.tables import write_table
from voiceprivacy.report import amounts
from voiceprivacy.report.charts import amounts as charts
from voiceprivacy.report.charts.chart import run_of
from voiceprivacy.report.figures import Look, Subject, figure
from voiceprivacy.report.plots import amounts as plots
from voiceprivacy.report.plots import style
from voiceprivacy.report.verdict_words import COLUMNS
from voiceprivacy.vocabulary import AMOUNT_NUMBERS, AmountPoint

EER = "eer_folded_percent"
RUN = run_of([], {"config": {"anonymisers": {"b2": {}}}})
ROWS = [
    AmountPoint("b2", "pp", 1, 1, 6.25, 5.5, EER, 30.0, 20.0, 41.0, 9, 90),
    AmountPoint("b2", "pp", "all", 1, 24.75, 5.5, EER, 20.0, "-", "-", 9, 90),
    AmountPoint("b2", "pp", 3, 1, 18.5, 5.5, EER, 25.0, 15.0, 36.0, 9, 90),
    AmountPoint("b2", "pp", "all", 3, 24.75, 16.5, EER, 10.0, 5.0, 18.0, 9, 30),
    AmountPoint("b2", "pp", 1, 3, 6.25, 16.5, EER, 15.0, 5.0, 28.0, 9, 30),
    AmountPoint("original", "oo", "all", 1, 24.75, 5.5, EER, 2.0, 1.0, 4.0, 9, 90),
]


@pytest.fixture
def drawn(tmp_path):
    """The figure of a file with these rows."""

    def drawn(rows):
        subject = Subject("demo", "f", "", "ecapa", "cosine")
        shown = figure("speech_per_attack", subject, look=Look(["b2"]), folder=tmp_path)
        (tmp_path / "curves/speech_per_attack/demo/f/ecapa").mkdir(parents=True)
        write_table(shown.arguments["curves"], AmountPoint._fields, rows)
        return shown

    return drawn


def test_a_curve_over_one_side_has_what_the_run_has_on_the_other(drawn):
    points = amounts.read_amounts(drawn(ROWS).arguments["curves"])
    assert points == ROWS
    over_enrolment = amounts.over("enrolment", points, EER)
    assert [point.value for point in over_enrolment["b2", "pp"]] == [30.0, 25.0, 20.0]
    assert [point.value for point in over_enrolment["original", "oo"]] == [2.0]
    over_trial = amounts.over("trial", points, EER)
    assert [point.value for point in over_trial["b2", "pp"]] == [20.0, 10.0]


def test_charts_have_both_sides_guessing_and_limits(drawn):
    shown = charts.speech_per_attack(drawn(ROWS), RUN)
    titles = [title for title, _ in shown.charts]
    assert titles == [
        "Errors (EER): utterances that enrol",
        "Errors (EER): utterances tried together",
    ]
    chart = shown.charts[0][1]
    guessing, trace, unprotected = chart["data"]
    assert guessing["y"] == [50.0] * 3
    assert chart["layout"]["xaxis"]["ticktext"] == ["1<br>6.2 s", "3<br>18 s", "all<br>25 s"]
    assert shown.charts[1][1]["layout"]["xaxis"]["ticktext"] == ["1<br>5.5 s", "3<br>16 s"]
    assert trace["name"] == "b2 PP" and trace["y"] == [30.0, 25.0, 20.0]
    assert trace["error_y"]["arrayminus"] == [10.0, 10.0, None]
    assert trace["text"][0].startswith(
        "30 [20, 41] %, 1 enrol (6.2 s), 1 tried (5.5 s): 90 target trials of 9"
    )
    assert [round(x) for x in unprotected["x"]] == [2]  # below "all"


def test_the_picture_has_a_panel_for_each_number_and_side(drawn):
    more = [*ROWS, ROWS[0]._replace(metric="dece_bit", value=0.2, ci_low="-", ci_high="-")]
    axes = plots.speech_per_attack(**drawn(more).arguments).axes
    assert len(axes) == 2 * 2  # lists without the other numbers are too short for them
    assert axes[0].get_legend_handles_labels()[1] == ["b2/pp", "original/oo", "guessing"]
    assert [label.get_text() for label in axes[0].get_xticklabels()] == [
        "1\n6.2 s",
        "3\n18 s",
        "all\n25 s",
    ]


def test_both_lines_of_a_tick_stay_two_lines_in_latex(drawn, tmp_path):
    style.save(plots.speech_per_attack(**drawn(ROWS).arguments), tmp_path / "p.tex")
    text = (tmp_path / "p.tex").read_text()
    assert r"xticklabels={{1 \\{} 6.2 s},{3 \\{} 18 s},{all \\{} 25 s}}" in text
    assert "xticklabel style={align=center}" in text and "yticklabel style" not in text


def test_a_table_of_an_older_version_is_refused(drawn):
    table = drawn(ROWS).arguments["curves"]
    older = [name for name in AmountPoint._fields if not name.endswith("_s")]
    write_table(table, older, [["1"] * len(older)])
    with pytest.raises(BadInput, match=r"expected the columns .* enrolment_s trial_s metric"):
        amounts.read_amounts(table)


def test_lists_without_any_point_have_no_chart_and_an_empty_picture(drawn):
    shown = drawn([])
    assert charts.speech_per_attack(shown, RUN).charts == []
    assert plots.speech_per_attack(**shown.arguments).axes


def test_the_page_has_a_title_for_every_number():
    assert set(AMOUNT_NUMBERS) <= {column.name for column in COLUMNS}
