"""What all figures share: colours and marks; tables below them, of the files that they show."""

import itertools

from support import made_up
from support.colours import SEEN_BY, distance

from voiceprivacy.report import figures
from voiceprivacy.report.curves import DISCLOSURES, ZOO
from voiceprivacy.report.figure_tables import table_of
from voiceprivacy.report.metrics import Number
from voiceprivacy.vocabulary import DASH, MINUS


def test_colours_follow_the_config_repeat_after_six_and_are_those_of_all_draws():
    names = [f"a{index}" for index in range(8)]
    colours = figures.palette(["original", *names])
    assert colours["original"] == figures.GREY
    assert colours["a0"] == colours["a6"] == figures.COLOURS[0]
    assert len({figures.dash(condition) for condition in ("op", "pp", "rr")}) == 3
    foreign = Number("c", "f", "team7", "e", "given", "pp", "eer_percent", "1")
    colours = figures.palette_of(made_up.PROVENANCE, [foreign])
    assert list(colours) == ["original", "b2", "b2r", "team7"]
    names = ["b2r", "b2", "b2r_draw2"]
    first, second, *_ = figures.MARKS
    marks = {"original": "x", "b2r": first, "b2": second, "b2r_draw2": first}
    assert figures.marks(names) == marks


def test_twenty_systems_are_told_apart_by_everybody():
    """Two systems have different marks, or colours that differ for the colour-blind too."""
    names = [f"a{index}" for index in range(20)]
    colours, mark_of = figures.palette(names), figures.marks(names)
    for one, other in itertools.combinations(["original", *names], 2):
        if mark_of[one] == mark_of[other]:
            for sight in SEEN_BY:
                assert distance(colours[one], colours[other], sight) > 15, (one, other, sight)
    neighbours = itertools.pairwise(names)
    assert all(colours[a] != colours[b] and mark_of[a] != mark_of[b] for a, b in neighbours)


def test_distances_of_colours_are_those_of_the_colour_blind():
    """Black and white are 100 apart; deuteranopes confuse red and green of one lightness."""
    assert abs(distance("#000000", "#ffffff") - 100) < 0.1
    red, green = "#b06050", "#6e8050"
    assert distance(red, green, "deuteranopia") < 15 < distance(red, green)


ATTACKER = ("ecapa", "cosine")


def test_lines_are_those_of_the_file_without_counts_of_utterances(tmp_path):
    rows = [
        ("oo", "a", 4, 8, 1.0, -1.2345, "dove", 0.5, "dove", "-"),
        ("op", "b", 4, 8, "undefined", -1.0, "-", 0.5, "-", "-"),
    ]
    subject = figures.Subject("demo", "f", "b2", *ATTACKER)
    drawn = made_up.written(tmp_path, "zoo", subject, ZOO, rows)
    titles, shown = table_of(drawn)
    assert titles[:3] == ["speaker", "condition", "mean target llr"]
    assert shown == [
        ["a", "oo", "1", f"{MINUS}1.23", "dove", "dove"],
        ["b", "op", "undefined", f"{MINUS}1", DASH, DASH],
    ]
    _, shown = table_of(drawn, {"a": "code 2", "b": "code 1"})
    assert [row[0] for row in shown] == ["code 1", "code 2"]


def test_ranks_have_the_ten_most_exposed_of_each_system_and_others_no_rows(tmp_path):
    rows = []
    for condition, k in itertools.product(("op", "pp"), range(12)):
        rows.append((condition, f"s{k:02}", 4, 50.0, 1.5, 0.1, 1, 1, k / 4, k / 8, 3.0))
    subject = figures.Subject("demo", "f", "", *ATTACKER)
    shown = made_up.written(tmp_path, "rank_speakers", subject, DISCLOSURES, rows, ["b2"])
    _, rows = table_of(shown)
    assert len(rows) == 20 and [row[2] for row in rows[9:11]] == ["op", "pp"]
    assert rows[0] == ["b2", "s11", "op", "2.75", "1.38", "3"]
    assert rows[9][1] == "s02"
    subject = figures.Subject("demo", "f", "b2", *ATTACKER)
    assert table_of(figures.figure("similarity", subject))[1] == ()
