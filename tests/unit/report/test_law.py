"""Curves of data-protection law: which are drawn, and what an empty file gives."""

import numpy as np
import pytest

from voiceprivacy.inout.tables import write_table
from voiceprivacy.report import curves
from voiceprivacy.report.charts import law as charts
from voiceprivacy.report.charts.chart import run_of
from voiceprivacy.report.figures import Look, Subject, figure
from voiceprivacy.report.plots import law as plots

POINTS = [
    ("oo", "ascending", "linkability", 2, 1, 0.9, 0.8, 0.95, 0.5),
    ("oo", "ascending", "linkability", 5, 1, 0.8, "-", "-", 0.2),
    ("oo", "ascending", "linkability", 50, 1, 0.5, 0.3, 0.6, 0.02),
    ("oo", "ascending", "linkability", 2, "all", 1.0, "-", "-", 0.5),
    ("oo", "ascending", "linkability", 5, "all", 0.9, "-", "-", 0.2),
    ("oo", "ascending", "singling_out", 2, 1, 0.7, 0.6, 0.75, 0.5),
]
TURNED = [("oo", "descending", *point[2:5], 1 - point[5], "-", "-", *point[8:]) for point in POINTS]


@pytest.fixture
def drawn(tmp_path):
    """The figure of one system, original speech, from rows of its file."""

    def drawn(rows):
        shown = figure(
            "law",
            Subject("demo", "f", "", "ecapa", "cosine"),
            systems=["original"],
            look=Look(["b2"]),
            folder=tmp_path,
        )
        path = shown.arguments["curves"][0]
        (tmp_path / "curves/law/demo/f/original/ecapa").mkdir(parents=True, exist_ok=True)
        write_table(path, curves.LAW, rows)
        return shown

    return drawn


def test_each_criterion_is_drawn_over_speakers_and_over_utterances(drawn):
    titles = [title for title, _ in charts.law(drawn(POINTS), run_of([], {})).charts]
    assert titles == [
        "Linkability, single utterances",
        "Linkability among 5, utterances that belong together",
        "Singling out, single utterances",
        "Singling out among 2, utterances that belong together",
    ]


def test_points_say_what_they_are_and_limits_stand_where_they_are_known(drawn):
    (_, chart), *_ = charts.law(drawn(POINTS), run_of([], {})).charts
    guessing, trace = chart["data"]
    assert guessing["y"] == [0.5, 0.2, 0.02] and trace["name"] == "original OO"
    assert trace["marker"]["symbol"] == "x"
    assert trace["error_y"]["arrayminus"] == [pytest.approx(0.1), None, pytest.approx(0.2)]
    assert trace["text"][0] == "among 2, 1 utterance: 90.0% [80.0%, 95.0%]"
    assert trace["text"][1] == "among 5, 1 utterance: 80.0%"
    assert trace["text"][2] == "among 50, 1 utterance: 50.0% [30.0%, 60.0%]"


def test_the_strongest_reading_is_drawn_and_named(drawn):
    (_, chart), *_ = charts.law(drawn([*POINTS, *TURNED]), run_of([], {})).charts
    assert chart["data"][1]["name"] == "original OO, read descending"
    assert chart["data"][1]["y"] == pytest.approx([0.1, 0.2, 0.5])


def test_a_list_too_short_for_any_point_has_no_chart_and_an_empty_picture(drawn):
    shown = drawn([])
    assert charts.law(shown, run_of([], {})).charts == []
    picture = plots.law(**shown.arguments)
    assert not any(ax.get_legend_handles_labels()[1][1:] for ax in picture.axes)


def test_the_picture_has_every_curve_and_guessing(drawn):
    axes = plots.law(**drawn(POINTS).arguments).axes
    assert [ax.get_legend_handles_labels()[1] for ax in axes] == [["original/oo", "guessing"]] * 4
    lines = {line.get_label(): line for line in axes[0].lines}
    assert np.allclose(lines["original/oo"].get_ydata(), [90, 80, 50])


def test_systems_stand_beside_each_other_and_never_further_than_to_their_neighbour():
    assert curves.beside_each_other(1) == [0]
    assert max(curves.beside_each_other(500)) < 0.5
    assert np.diff(curves.beside_each_other(3)) == pytest.approx(0.025)
