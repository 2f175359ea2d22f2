"""Charts: numbers that are drawn are those of the tables, and names from data are text."""

import json
import math

import numpy as np
import pytest
from support import made_up

from voiceprivacy.catalogue import COLUMNS
from voiceprivacy.report.charts import evidence, ranks, speakers, systems
from voiceprivacy.report.charts.chart import errors, label, rounded
from voiceprivacy.report.comparison import compare
from voiceprivacy.report.curves import Curve, LengthPoint, SpeakerBits, span_of_means
from voiceprivacy.report.figures import palette
from voiceprivacy.report.leaderboard import boards, leaderboard
from voiceprivacy.report.metrics import Number
from voiceprivacy.report.uncertainty import Shown
from voiceprivacy.vocabulary import DASH, MINUS

EVIL = "<b>x</b>"
COLUMN = {column.name: column for column in COLUMNS}
AVERAGES = made_up.PROVENANCE["config"]["report"]["averages"]


@pytest.fixture(scope="module")
def run():
    return compare(made_up.metrics())


def traces(chart):
    json.dumps(chart, allow_nan=False)  # plain JSON, without NaN or infinity
    return {trace["name"]: trace for trace in chart["data"]}


def test_numbers_have_four_digits_and_what_is_not_finite_is_not_drawn():
    assert [rounded(value) for value in (1.23456, 0.0, math.inf, math.nan, None, "undefined")] == [
        1.235, 0.0, None, None, None, None,
    ]  # fmt: skip


def test_error_bars_go_from_the_value_to_the_limits():
    bars = errors([Shown(10.0, (8.0, 13.0)), Shown(10.0), Shown(None, (1.0, 2.0))])
    assert bars["arrayminus"] == [2.0, None, None] and bars["array"] == [3.0, None, None]
    assert errors([Shown(1.0, (-math.inf, 2.0))])["arrayminus"] == [None]


def test_a_name_from_data_is_text():
    assert label(EVIL) == "&lt;b&gt;x&lt;/b&gt;"
    matrix = np.ma.masked_array([[0.9, 0.1], [0.1, 0.9]])
    heat = speakers.matrices(oo=matrix, op=matrix, pp=matrix, speakers=[EVIL, "s"])
    drawn = speakers.strips(alphas={"b2": {0.8: [EVIL]}}, colours={"b2": "#000000"})
    exposed = {"op": {EVIL: {"dece_bit": 0.1, "worst_case_log10": 1.0, "deid_percent": None}}}
    bars = speakers.exposures(measured=exposed, colour="#000000")
    assert all(
        EVIL not in json.dumps(chart) and "&lt;b&gt;" in json.dumps(chart)
        for chart in (heat, drawn, bars)
    )


def test_the_matrix_has_po_as_the_transpose_of_op_and_gaps_where_undefined():
    oo, pp = np.ma.masked_array(np.eye(2)), np.ma.masked_array(np.zeros((2, 2)))
    op = np.ma.masked_array([[0.1, 0.2], [0.3, 0.4]], mask=[[False, True], [False, False]])
    [heat] = speakers.matrices(oo=oo, op=op, pp=pp, speakers=["a", "b"])["data"]
    assert heat["z"][0] == [1.0, 0.0, 0.1, None] and heat["z"][3] == [None, 0.4, 0.0, 0.0]
    assert heat["x"][1] == "b original" and heat["y"][2] == "a protected"


def test_profiles_are_drawn_in_the_system_s_colour_beside_perfect_privacy():
    curve = {
        name: np.array([0.0, 1.0]) for name in ("prior_log_odds", "ece_bit", "ece_default_bit")
    }
    numbers = {
        "dece_bit": Shown(0.25, (0.2, 0.3), definition=0.4),
        "worst_case_log10": "inf",
        "tag": "F",
        "zero_evidence": True,
    }
    drawn = traces(
        evidence.profiles(
            curves={("b2", "op"): curve}, metrics={("b2", "op"): numbers}, colours={"b2": "#123456"}
        )
    )
    name = "b2 OP: 0.250 bit *, F"  # a phone and a print have no hover
    assert set(drawn) == {"perfect privacy", name}
    assert drawn[name]["line"] == {"color": "#123456", "dash": "dash", "width": 2}
    assert drawn[name]["marker"]["symbol"] == "circle"
    disclosed = "D_ECE 0.250 [0.200, 0.300] (by definition 0.400) bit, no more than zero evidence"
    assert f"{disclosed}<br>worst case inf (F)<br>" in drawn[name]["hovertemplate"]


def test_dots_have_the_numbers_and_intervals_of_the_leaderboard_and_the_band_of_zero_evidence(run):
    [board] = [board for board in boards(run) if board.name == "libri f"]
    shown = [standing for standing in board.standings if standing.system.anonymiser == "b2"]
    colours = {"b2": "#123456"}
    drawn = traces(systems.dots(shown, column=COLUMN["eer_percent"], colours=colours))["b2"]
    assert drawn["x"] == [30.0, 8.0] and drawn["error_x"]["array"] == [1.0, 1.0]
    assert drawn["text"] == ["30.0", "8.0"]  # on the chart, not on hover only
    assert "95 % interval 29.0 to 31.0" in drawn["hovertext"][0]
    assert "lazy-informed (PP)" in drawn["hovertext"][1]
    drawn = traces(systems.dots(shown, column=COLUMN["dece_bit"], colours=colours))
    assert drawn["zero evidence"]["x"] == [0, 0.3, None] * 2


def test_disclosure_by_length_has_its_intervals_and_both_bounds_up_to_log2_n():
    disclosures = {
        1: {
            1: LengthPoint(Shown(0.5, (0.4, 0.7), definition=0.8), 6.25, 6.25),
            4: LengthPoint(Shown(1.2), 25.0, 6.25),
        },
        2: {
            1: LengthPoint(Shown(0.9), 6.25, 12.5),
            4: LengthPoint(Shown(1.5, (1.0, 2.0)), 25.0, 12.5),
        },
    }
    chart = ranks.lengths(disclosures, most_bit=1.6)
    drawn = traces(chart)
    first = drawn["template 1 (6.2 s)"]
    assert first["x"] == [6.25, 25.0] and first["y"] == [0.5, 1.2]
    assert first["error_y"]["array"] == [0.2, None]
    assert first["text"] == [
        "1 (6.2 s): 0.50 [0.40, 0.70] (by definition 0.80)",
        "4 (25 s): 1.20",
    ]
    axis = chart["layout"]["xaxis"]
    assert axis["tickvals"] == [6.25, 25.0] and axis["ticktext"] == ["6.2 s<br>1", "25 s<br>4"]
    assert "template 2 (12 s)" in drawn
    assert drawn["bound T"]["y"][-1] == 1.6 and drawn["bound √T"]["y"][-1] == 1.0


def test_a_training_shows_the_first_epoch_of_the_lowest_error_rate():
    epochs = np.arange(1.0, 5.0)
    curve = Curve(epochs, 3 / epochs, np.array([9.0, 4.0, 4.0, 6.0]))
    assert traces(evidence.losses(curve))["training loss"]["y"] == [3.0, 1.5, 1.0, 0.75]
    drawn = traces(evidence.held_out(curve))
    assert drawn["lowest: epoch 2"]["x"] == [2.0] and drawn["lowest: epoch 2"]["y"] == [4.0]


def test_lost_distinctiveness_is_an_arrow_below_all_others():
    women = {"deid_percent": Shown(50.0, (40.0, 60.0)), "gvd_db": Shown(-2.0)}
    men = {"deid_percent": Shown(60.0), "gvd_db": Shown(-math.inf)}
    measured = {"b2": {"f": women, "m": men}}
    charts = dict(systems.costs(measured=measured, colours={"b2": "#123456"}))
    of_women, of_men = (traces(charts[name])["b2"] for name in "fm")
    assert of_women["marker"]["symbol"] == ["circle"] and of_women["y"] == [-2.0]
    assert of_men["marker"]["symbol"] == ["arrow-down"] and of_men["y"][0] < -2.0
    for axis in ("xaxis", "yaxis"):  # lists can be compared
        assert charts["f"]["layout"][axis]["range"] == charts["m"]["layout"][axis]["range"]
    low, high = charts["m"]["layout"]["yaxis"]["range"]
    assert low < of_men["y"][0] < high


def test_only_animals_beyond_chance_are_filled_and_undefined_speakers_left_out():
    animal = {"mean_target_llr": 1.0, "mean_impostor_llr": -1.0, "corner": "dove", "animal": "dove"}
    animals = {
        "a": animal,
        "b": {**animal, "animal": "-"},
        "c": {**animal, "mean_target_llr": None},
    }
    spans = [
        span_of_means({"op": animals}, mean) for mean in ("mean_target_llr", "mean_impostor_llr")
    ]
    drawn = speakers.zoo_plane(animals, colour="#123456", spans=spans)
    assert drawn["layout"]["xaxis"]["range"] == [-0.08, 1.08] and drawn["layout"]["yaxis"][
        "range"
    ] == [-1.08, 0.08]
    [dove] = drawn["data"]
    assert dove["marker"]["symbol"] == ["diamond", "diamond-open"] and len(dove["x"]) == 2


def test_the_zoo_as_a_table_puts_an_animal_of_chance_in_brackets():
    row = {"mean_target_llr": 1.0, "mean_impostor_llr": -1.0, "corner": "dove"}
    undefined = {**row, "mean_target_llr": None, "corner": "-", "animal": "-"}
    animals = {
        "oo": {"a": {**row, "animal": "dove"}, "b": {**row, "animal": "-"}},
        "op": {"a": undefined},
    }
    titles, rows = speakers.zoo_table(animals)
    assert titles[:4] == ["speaker", "OO target", "OO impostor", "OO animal"]
    shown = [[text.replace(MINUS, "-").replace(DASH, ".") for text in row] for row in rows]
    assert shown == [
        ["a", "1.00", "-1.00", "dove", ".", "-1.00", "."],
        ["b", "1.00", "-1.00", "(dove)", ".", ".", "."],
    ]


def test_speakers_stand_in_the_same_order_in_bars_and_table():
    row = {"worst_case_log10": 1.0, "deid_percent": None}
    measured = {"oo": {"a": {"dece_bit": 0.7, **row}, "b": {"dece_bit": 0.6, **row}},
             "pp": {"a": {"dece_bit": 0.1, **row}, "b": {"dece_bit": -0.2, **row}}}  # fmt: skip
    measured["op"] = {"a": {"dece_bit": 0.0, **row}, "b": {"dece_bit": 0.5, **row}}
    bars = speakers.exposures(measured=measured, colour="#123456")
    titles, rows = speakers.exposures_table(measured)
    assert [row[0] for row in rows] == bars["layout"]["xaxis"]["ticktext"] == ["b", "a"]
    assert bars["data"][0]["x"] == bars["layout"]["xaxis"]["tickvals"] == [0, 1]
    assert bars["data"][0]["y"] == [0.5, 0.0]
    assert not any("de-identification" in title for title in titles)
    assert rows[0][titles.index("PP D_ECE [bit]")] == "\N{MINUS SIGN}0.2"


def test_panels_of_speakers_share_their_axis_and_their_legend():
    row = {"dece_bit": 0.1, "worst_case_log10": 1.0, "deid_percent": 50.0}
    measured = {condition: {"a": row, "b": row} for condition in ("oo", "op", "pp")}
    drawn = speakers.exposures(measured=measured, colour="#123456")
    axes = [drawn["layout"][name]["domain"] for name in ("yaxis", "yaxis2", "yaxis3")]
    assert axes[0][0] > axes[1][1] > axes[1][0] > axes[2][1] and axes[2][0] >= 0
    assert {trace.get("xaxis", "x") for trace in drawn["data"]} == {"x"}
    shown = [trace["name"] for trace in drawn["data"] if trace["showlegend"]]
    assert shown == ["OP", "PP", "OO (unprotected)"] and len(drawn["data"]) == 9


def test_unprotected_lines_of_neighbours_do_not_meet_however_many_there_are():
    of_speakers = {f"s{k}": {"dece_bit": 0.5, "worst_case_log10": None, "deid_percent": None}
                   for k in range(37)}  # fmt: skip
    drawn = speakers.exposures(measured={"oo": of_speakers}, colour="#123456")
    [line] = drawn["data"]
    ends = [x for x in line["x"] if x is not None]
    assert len(ends) == 2 * 37 and line["x"][2::3] == [None] * 37
    gaps = [after - before for before, after in zip(ends[1::2], ends[2::2], strict=False)]
    assert min(gaps) == pytest.approx(0.2)


def test_histograms_of_a_figure_have_one_scale():
    few = ranks.histogram(p=np.array([0.5, 0.5]), gamma=np.array([0.9, 0.1]), colour="#123456")
    more = ranks.histogram(p=np.full(4, 0.25), gamma=np.full(4, 0.25), colour="#123456")
    ranks.on_one_scale([few, more])
    for drawn in (few, more):
        assert drawn["layout"]["xaxis"]["range"] == [0.5, 4.5]
        assert drawn["layout"]["yaxis"]["range"] == [0, 0.945]
    many = ranks.histogram(p=np.eye(1, 100)[0], gamma=np.full(100, 0.01), colour="#123456")
    ranks.on_one_scale([few, many])
    for axis in ("xaxis", "yaxis"):
        first, second = (drawn["layout"][axis] for drawn in (few, many))
        assert first["type"] == second["type"] == "log" and first["range"] == second["range"]


def test_a_long_histogram_is_logarithmic_and_leaves_empty_ranks_out():
    few = ranks.histogram(p=np.array([0.5, 0.0, 0.5]), gamma=np.full(3, 1 / 3), colour="#123456")
    many = ranks.histogram(p=np.eye(1, 100)[0], gamma=np.full(100, 0.01), colour="#123456")
    assert few["data"][0]["type"] == "bar" and many["layout"]["xaxis"]["type"] == "log"
    assert many["data"][0]["y"][:2] == [1.0, None]


def test_what_a_reader_hides_is_named_by_its_anonymiser_in_every_chart_of_several(run):
    colours = palette(["b2", "b2r"])
    table = leaderboard(run, colours=colours, averages=AVERAGES)
    drawn = [speakers.strips(alphas={"b2": {0.8: ["s1"]}}, colours=colours)]
    charts_of = systems.board_charts(table.boards, columns=table.columns, colours=colours)
    for charts in charts_of.values():
        drawn += [chart for _, chart in charts]
    for chart in drawn:
        named = {
            trace["name"]: trace["meta"]["system"] for trace in chart["data"] if "meta" in trace
        }
        names = {trace["name"] for trace in chart["data"]}
        assert named and named.keys() == names - {"zero evidence"}
        assert all(name == system for name, system in named.items())


def test_utility_stands_against_the_strongest_attack(run):
    numbers = [
        Number("libri", "-", "b2", "-", "-", "-", "wer", "12.5", "10.0", "15.0"),
        Number("libri", "-", "b2r", "-", "-", "-", "wer", "undefined"),
        Number("libri", "f", "b2", "-", "-", "-", "wer", "1"),
    ]
    [(title, chart)] = systems.scatters(run, numbers, palette(["b2", "b2r"]))["libri"]
    [point] = chart["data"]
    assert (title, point["x"], point["y"]) == ("wer", [12.5], [9.0])
    assert point["error_x"]["array"] == [2.5] and "lazy-informed" in point["text"][0]
    assert [shape["y0"] for shape in chart["layout"]["shapes"]] == [50], "whoever guesses"


def test_the_table_of_speakers_has_the_ten_most_exposed_of_each_system():
    bits = {f"s{k:02}": SpeakerBits(0.1, Shown(k / 4, (k / 8, 3.0))) for k in range(12)}
    colours = {"b2": "#123456"}
    titles, rows = ranks.most_exposed({("b2", "op"): bits, ("b2", "pp"): bits}, colours)
    assert len(rows) == 20 and [row[0] for row in rows[9:11]] == ["b2 OP", "b2 PP"]
    assert rows[0] == ("b2 OP", "s11", "2.75 [1.38, 3.00]")
    assert rows[9][1] == "s02" and len(titles) == 3
