"""Privacy against utility on the page, in pictures, on the first screen and in the terminal."""

import itertools

import numpy as np
import pytest
from support import verdicts

from voiceprivacy.inout.files import BadInput
from voiceprivacy.inout.json_files import write_json
from voiceprivacy.report import plane as planes
from voiceprivacy.report.charts import plane as charts
from voiceprivacy.report.charts.chart import Run
from voiceprivacy.report.figures import MARKS, Subject, figure, palette
from voiceprivacy.report.plots import plane as plots
from voiceprivacy.report.terminal import verdict_lines
from voiceprivacy.report.verdict import read_verdict
from voiceprivacy.vocabulary import NO_BREAK

COLOURS = palette(["b2", "b2r", "noise"])


@pytest.fixture
def path(tmp_path):
    write_json(tmp_path / "verdict.json", verdicts.usual())
    return tmp_path / "verdict.json"


@pytest.fixture
def plane(path):
    [only] = planes.read_planes(path, "demo")
    return only


def with_sweep(utility):
    utility["sweeps"] = {"b2": ["b2r", "b2", "missing"]}
    return utility


def test_who_competes_has_its_name_and_mark_and_others_are_marked_otherwise(plane):
    drawn = charts.plane_chart(plane, COLOURS)
    named = {trace["name"]: trace for trace in drawn["data"] if "marker" in trace}
    # Of broken nothing can be said.
    assert list(named) == ["original", "b2", "b2r", "noise"]
    symbols = {name: trace["marker"]["symbol"] for name, trace in named.items()}
    assert (symbols["b2"], symbols["b2r"]) == MARKS[:2]
    assert len(set(symbols.values())) == 4
    [name] = [trace for trace in drawn["data"] if trace["name"] == "name of b2"]
    assert name["text"] == ["b2"] and "text" in name["mode"]
    assert f"on the front in 91{NO_BREAK}% of the draws" in named["b2"]["hovertext"][0]
    assert named["noise"]["hovertext"][0].endswith("control")
    assert named["b2"]["meta"] == {"system": "b2"}


def test_good_is_upwards_and_to_the_right(plane):
    layout = charts.plane_chart(plane, COLOURS)["layout"]
    left, right = layout["xaxis"]["range"]
    below, above = layout["yaxis"]["range"]
    assert left > 100 and right < 34  # errors: fewer are to the right
    assert below > 100 and above < 0
    assert plane._replace(better="higher").utility_range[0] < 34


def test_the_front_is_a_staircase_below_its_systems(plane):
    """From b2r (52 % left, 67.6) down to the evidence of b2 (90 %), then to its utility."""
    assert plane.staircase() == ([67.6, 67.6, 62.4], [52.0, 90.0, 90.0])


def test_points_of_a_sweep_are_joined_by_a_line(tmp_path):
    content = verdicts.usual()
    with_sweep(content["sets"]["demo"]["utility"])
    write_json(tmp_path / "verdict.json", content)
    [plane] = planes.read_planes(tmp_path / "verdict.json", "demo")
    [line] = [
        trace
        for trace in charts.plane_chart(plane, COLOURS)["data"]
        if trace["name"] == "b2 (sweep)"
    ]
    assert (line["x"], line["y"]) == ([67.6, 62.4], [52.0, 90.0])


def covering(middles):
    """Pairs of names that cover each other, sizes being parts of the axes."""
    return [
        (one, other)
        for one, other in itertools.combinations(middles, 2)
        if abs(middles[one][0] - middles[other][0])
        < planes.CHARACTER * (len(one) + len(other)) / 2 - 1e-9
        and abs(middles[one][1] - middles[other][1]) < planes.LINE - 1e-9
    ]


@pytest.mark.parametrize("spread", [0.0, 0.05, 0.3])
def test_twenty_names_do_not_cover_each_other_nor_leave_the_drawing(spread):
    draw = np.random.default_rng(7)
    names = [f"system_{n}" for n in range(20)]
    marks = {name: tuple(0.6 + draw.uniform(-spread, spread, 2)) for name in names}
    middles = planes.separate_names(marks)
    assert list(middles) == names and not covering(middles)
    for x, y in middles.values():
        assert 0.1 < x < 0.9 and 0 < y < 1
    assert covering(marks), "the names need moving"


def test_a_name_that_nothing_is_near_stands_beside_its_mark():
    middles = planes.separate_names({"a": (0.2, 0.2), "b": (0.8, 0.8)})
    for name, mark in (("a", 0.2), ("b", 0.8)):
        assert np.abs(np.array(middles[name]) - mark).max() < 0.06


def test_names_stand_in_the_units_of_the_axes(plane):
    (left, right), (below, above) = plane.utility_range, plane.evidence_range
    names = plane.names_at()
    assert list(names) == list(plane.points)
    for system, ((x, y), (_, edge_y)) in names.items():
        assert right < x < left and above < y < below
        mark_y = plane.points[system].drawn.value
        assert min(y, mark_y) <= edge_y <= max(y, mark_y), "the line ends between mark and name"


def test_a_line_ends_at_the_box_of_its_name():
    width, height = planes.CHARACTER * 4, planes.LINE
    assert planes.edge_of_name("name", (0.5, 0.5), (0.9, 0.5)) == (0.5 + width / 2, 0.5)
    assert planes.edge_of_name("name", (0.5, 0.5), (0.5, 0.1)) == (0.5, 0.5 - height / 2)
    assert planes.edge_of_name("name", (0.5, 0.5), (0.51, 0.5)) == (0.51, 0.5), "inside"


def test_limits_of_many_systems_are_thin(plane):
    many = {f"s{n}": plane.points["b2"]._replace(system=f"s{n}") for n in range(9)}
    widths = []
    for points in (plane.points, many):
        drawn = charts.plane_chart(plane._replace(points=points, front=[]), COLOURS)
        limits = [trace["error_y"] for trace in drawn["data"] if "error_y" in trace]
        widths.append({one["thickness"] for one in limits})
    assert widths == [{1.5}, {charts.THIN}]


def test_what_people_see_at_the_edges_of_a_share():
    texts = [planes.on_front_text(share) for share in (0.0, 0.004, 0.5, 0.996, 1.0)]
    shares = ["under 1", "under 1", "50", "over 99", "100"]
    assert texts == [f"on the front in {one}{NO_BREAK}% of the draws" for one in shares]
    assert planes.on_front_text(None) == ""


def test_a_figure_has_a_chart_for_each_measure_and_a_table(path):
    drawn = charts.plane(figure("plane", Subject("demo"), folder=path.parent), Run({}, COLOURS))
    assert [title for title, _ in drawn.charts] == ["own_wer_percent"]
    titles, rows = drawn.table
    assert len(titles) == len(rows[0]) and [row[0] for row in rows][:2] == ["original", "b2"]


def test_an_older_verdict_or_one_on_which_nobody_competes_has_no_plane(tmp_path):
    content = verdicts.usual()
    fields = content["sets"]["demo"]
    for system in fields["utility"]["measures"]["own_wer_percent"]["systems"].values():
        system["on_front"] = "undefined"
    assert planes.planes_of(fields) == []
    del fields["utility"]
    write_json(tmp_path / "verdict.json", content)
    assert planes.read_planes(tmp_path / "verdict.json", "demo") == []
    assert planes.read_planes(tmp_path / "verdict.json", "other") == []


def test_a_broken_plane_is_refused_in_words(tmp_path):
    content = verdicts.usual()
    content["sets"]["demo"]["utility"]["measures"]["own_wer_percent"] = 3
    write_json(tmp_path / "verdict.json", content)
    with pytest.raises(BadInput, match="not a verdict of this version"):
        planes.read_planes(tmp_path / "verdict.json", "demo")


def test_an_average_is_read_by_its_name_in_paths(tmp_path):
    write_json(tmp_path / "verdict.json", verdicts.usual("all lists"))
    assert len(planes.read_planes(tmp_path / "verdict.json", "all-lists")) == 1


def test_the_picture_for_papers_names_every_system(path):
    drawn = plots.plane(verdict=str(path), corpus="demo", palette=list(COLOURS))
    names = {text.get_text() for text in drawn.axes[0].texts}
    assert names == {"original", "b2", "b2r", "noise"}
    left, right = drawn.axes[0].get_xlim()
    assert left > right


def test_a_picture_of_nothing_says_so(tmp_path):
    content = verdicts.usual()
    del content["sets"]["demo"]["utility"]
    write_json(tmp_path / "verdict.json", content)
    drawn = plots.plane(verdict=str(tmp_path / "verdict.json"), corpus="demo")
    assert drawn.axes[0].texts[0].get_text() == "nothing can be said"


def test_the_first_screen_and_the_terminal_say_what_one_pays(path):
    verdict = read_verdict(path)
    [judged] = verdict.sets
    assert judged.utility == verdicts.utility()["says"]
    text = " ".join(verdict_lines([verdict]))
    assert "On the front of evidence and wer_percent: b2r. b2r instead of b2: 38 points" in text


def test_an_average_over_corpora_has_its_utility_from_the_verdict(path):
    [judged] = read_verdict(path).sets
    assert judged.columns[-1].name == "own_wer_percent"
    cells = {row.system: row.cells[-1] for row in judged.rows}
    assert (cells["b2"].text, cells["b2"].interval) == ("62.40", "[58.00, 66.00]")


@pytest.mark.parametrize(
    ("evidence", "goes_on"),
    [([120.0, 90.0, 4900.0], True), ([4000.0, 90.0, 4900.0], True), ([90.0, 60.0, 140.0], False)],
)
def test_the_axis_ends_and_an_arrow_says_what_goes_on(tmp_path, evidence, goes_on):
    """Limits of a ratio of few speakers reached 4,900 %, and all else was one line."""
    content = verdicts.usual()
    content["sets"]["demo"]["systems"]["b2"]["evidence_left_percent"] = evidence
    write_json(tmp_path / "verdict.json", content)
    [plane] = planes.read_planes(tmp_path / "verdict.json", "demo")
    below, above = plane.evidence_range
    assert 100 < below <= 160 and above < 0
    drawn = charts.plane_chart(plane, COLOURS)
    arrows = [trace for trace in drawn["data"] if trace["name"] == "b2 goes on"]
    assert len(arrows) == goes_on == (planes.GOES_ON in drawn["layout"]["yaxis"]["title"]["text"])
    [point] = [trace for trace in drawn["data"] if trace["name"] == "b2"]
    assert point["y"][0] <= planes.MOST_DRAWN
    reach = [point["y"][0] + further for further in point["error_y"]["array"]]
    assert max(reach) <= planes.MOST_DRAWN + 0.01
    assert f"{evidence[2]:.0f}" in point["hovertext"][0], "the number is told"
    [ax] = plots.plane(verdict=tmp_path / "verdict.json", corpus="demo").axes
    markers = [line.get_marker() for line in ax.lines]
    assert ("v" in markers) == goes_on == (planes.GOES_ON in ax.get_ylabel())
