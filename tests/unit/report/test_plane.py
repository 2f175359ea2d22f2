"""Privacy against utility: which planes there are, the picture, the table."""

import pytest
from support import utilities, verdicts

from voiceprivacy.inout.json_files import write_json
from voiceprivacy.layout import Layout
from voiceprivacy.report import plane as planes
from voiceprivacy.report.figures import Subject, figure, palette
from voiceprivacy.report.inline import shows_nothing
from voiceprivacy.report.plots import drawing
from voiceprivacy.report.plots import plane as plots

COLOURS = palette(["b2", "b2r", "noise"])
NAMES = ["original", "b2", "b2r", "noise"]  # broken has no evidence


METRICS = "metrics/utility/demo.tsv"


def planes_of(folder, content, rows, name="demo"):
    """The planes of a corpus, by a verdict and a table that are written first."""
    write_json(folder / "verdict.json", content)
    utilities.write(folder / METRICS, rows)
    return planes.read_planes(folder / "verdict.json", folder / METRICS, name)


def words(**changed):
    return utilities.means("demo", "own_wer_percent", utilities.WORDS_PERCENT, **changed)


@pytest.fixture
def plane(tmp_path):
    [only] = planes_of(tmp_path, verdicts.usual(), words())
    return only


def test_points_have_the_evidence_of_the_verdict_and_the_utility_of_the_table(plane):
    assert list(plane.points) == NAMES
    b2 = plane.points["b2"]
    assert (b2.evidence.value, *b2.evidence.limits) == (80.0, 69.0, 94.0)
    assert (b2.utility.value, *b2.utility.limits) == (62.4, 58.4, 66.4)
    assert plane.points["original"].evidence.value == 86.0, "it is measured like every system"
    noise = plane.points["noise"].evidence
    assert (noise.value, *noise.limits) == (0.0, 0.0, 14.0), "below chance there is none"
    roles = [plane.points[name].role for name in NAMES]
    assert roles == [planes.UNPROTECTED, planes.COMPETES, planes.COMPETES, planes.CONTROL]


def test_measures_are_those_by_which_one_chooses_in_order_of_preference(tmp_path):
    only_of_words = dict.fromkeys(utilities.WORDS_PERCENT, 8.0)
    rows = [
        *utilities.means("demo", "pitch_correlation", {"b2": 0.5}, better="higher", width=0.1),
        *words(),
        *utilities.means("demo", "closed_text_wer_percent", {"b2r": 9.0, "original": 3.0}),
        *utilities.means("demo", "closed_text_deletions_percent", only_of_words),
        *utilities.means("demo", "n_words", only_of_words, better="-"),
        *utilities.means("demo", "of_controls_alone", {"noise": 3.0}),
    ]
    drawn = planes_of(tmp_path, verdicts.usual(), rows)
    metrics = ["closed_text_wer_percent", "own_wer_percent", "pitch_correlation"]
    assert [one.metric for one in drawn] == metrics
    assert list(drawn[0].points) == ["original", "b2r"]


def test_means_of_lists_and_undefined_ones_are_left_out_and_intervals_may_be_missing(tmp_path):
    b2, b2r, *others = words()[1:]
    rows = [b2._replace(trials="f"), b2r, others[0], b2._replace(value="undefined")]
    [plane] = planes_of(tmp_path, verdicts.usual(), rows)
    assert list(plane.points) == ["b2r"]
    rows = [row._replace(ci_low="-", ci_high="-") for row in words()]
    [plane] = planes_of(tmp_path, verdicts.usual(), rows)
    assert plane.points["b2"].utility.limits is None
    drawn_on(plane)


def drawn_on(plane, palette=()):
    """The axes of a plane, and the points on it by what they say: {words: line}."""
    _, ax = drawing.figure(4, 3)
    plots.draw_plane(ax, plane, list(palette))
    points = [line for line in ax.get_lines() if line.get_marker() not in ("None", "")]
    return ax, {line.get_gid(): line for line in points}


def test_who_competes_has_a_full_mark_and_good_is_upwards_and_to_the_right(plane):
    ax, points = drawn_on(plane, COLOURS)
    words = "b2\tb2\nown_wer_percent 62.40 [58.40, 66.40]\nevidence 80 [69, 94] %"
    assert points[words].get_fillstyle() == "full" and points[words].get_marker() == "o"
    control = points[next(said for said in points if said.endswith("\ncontrol"))]
    assert control.get_fillstyle() == "none"
    marks = {(line.get_marker(), line.get_fillstyle()) for line in points.values()}
    assert len(marks) == len(points) == 4
    assert ax.get_legend_handles_labels()[1] == NAMES
    left, right = ax.get_xlim()
    assert left > 100 and right < 34  # errors: fewer are to the right
    assert ax.get_ylim() == (100, -8)
    assert plane._replace(better="higher").utility_range[0] < 34


def test_a_figure_has_a_panel_for_each_measure_where_draws_are_hidden_together(tmp_path):
    pitch = utilities.means("demo", "pitch_correlation", {"b2": 0.5}, better="higher", width=0.1)
    planes_of(tmp_path, verdicts.usual(), words() + pitch)
    shown = figure("plane", Subject("demo"), layout=Layout(tmp_path))
    assert shown.files == [str(tmp_path / "verdict.json"), str(tmp_path / METRICS)]
    panels = [ax.get_xlabel() for ax in plots.plane(**shown.arguments).axes]
    assert panels == ["own_wer_percent, → more utility", "pitch correlation, → more utility"]
    content = verdicts.usual()
    content["sets"]["demo"]["systems"]["b2r_draw2"] = verdicts.system(percent=20.0)
    further = utilities.means("demo", "own_wer_percent", {"b2r_draw2": 66.0})
    [plane] = planes_of(tmp_path, content, words() + further)
    _, points = drawn_on(plane, ["b2", "b2r", "b2r_draw2"])
    of_draw = [said for said in points if "b2r_draw2" in said]
    assert [said.partition("\t")[0] for said in of_draw] == ["b2r"]


def test_without_known_evidence_and_utility_there_is_no_plane_and_the_picture_says_so(tmp_path):
    content = verdicts.usual()
    assert planes_of(tmp_path, content, words(), "other") == []
    shown = figure("plane", Subject("demo"), layout=Layout(tmp_path))
    drawn = plots.plane(**shown.arguments | {"corpus": "other"})
    assert shows_nothing(drawing.svg_of(drawn))
    systems = content["sets"]["demo"]["systems"]
    systems |= dict.fromkeys(("b2", "b2r"), verdicts.not_measured())
    assert planes_of(tmp_path, content, words()) == []
    content["sets"]["demo"]["unprotected"] = None
    assert planes_of(tmp_path, content, words()) == []
