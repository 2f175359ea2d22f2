"""Tables below figures: the same numbers as text, the most exposed first."""

import pytest

from voiceprivacy.inout.tables import write_table
from voiceprivacy.layout import Layout
from voiceprivacy.report.curves import DISCLOSURES, EXPOSURES, ZOO
from voiceprivacy.report.figure_tables import Run, table_of
from voiceprivacy.report.figures import KINDS, Look, Subject, figure
from voiceprivacy.report.metrics import Number
from voiceprivacy.vocabulary import DASH, MINUS, NumberKey

ATTACKER = ("ecapa", "cosine")
RUN = Run({}, {"b2": "#123456"})


@pytest.fixture
def written(tmp_path):
    """A figure of b2 whose first file has these rows."""

    def written(kind, columns, rows, systems=()):
        anonymiser = "" if systems else "b2"
        subject = Subject("demo", "f", anonymiser, *ATTACKER)
        shown = figure(kind, subject, systems=systems, look=Look(["b2"]), layout=Layout(tmp_path))
        path = shown.files[0]
        tmp_path.joinpath(path).parent.mkdir(parents=True)
        write_table(path, columns, rows)
        return shown

    return written


def test_the_zoo_puts_an_animal_of_chance_in_brackets(written):
    rows = [
        ("oo", "a", 4, 8, 1.0, -1.0, "dove", 0.5, "dove", "-"),
        ("oo", "b", 4, 8, 1.0, -1.0, "dove", 0.5, "-", "-"),
        ("op", "a", 4, 8, "undefined", -1.0, "-", 0.5, "-", "-"),
    ]
    titles, rows = table_of(written("zoo", ZOO, rows), RUN)
    assert titles[:4] == ["speaker", "OO target", "OO impostor", "OO animal"]
    shown = [[text.replace(MINUS, "-").replace(DASH, ".") for text in row] for row in rows]
    assert shown == [
        ["a", "1.00", "-1.00", "dove", ".", "-1.00", "."],
        ["b", "1.00", "-1.00", "(dove)", ".", ".", "."],
    ]


def test_speakers_come_by_their_exposure_without_columns_that_are_empty(written):
    rows = [
        (condition, speaker, 4, 8, bits, 1.0, "-")
        for condition, speaker, bits in [
            ("oo", "a", 0.7),
            ("oo", "b", 0.6),
            ("op", "a", 0.0),
            ("op", "b", 0.5),
            ("pp", "a", 0.1),
            ("pp", "b", -0.2),
        ]
    ]
    titles, rows = table_of(written("speakers", EXPOSURES, rows), RUN)
    assert [row[0] for row in rows] == ["b", "a"]
    assert not any("de-identification" in title for title in titles)
    assert rows[0][titles.index("PP D_ECE [bit]")] == f"{MINUS}0.2"


def test_ranks_have_the_ten_most_exposed_of_each_system(written):
    rows = [
        (condition, f"s{k:02}", 4, 50.0, 1.5, 0.1, 1, 1, k / 4, k / 8, 3.0)
        for condition in ("op", "pp")
        for k in range(12)
    ]
    shown = written("rank_speakers", DISCLOSURES, rows, systems=["b2"])
    known = {}
    for condition in ("op", "pp"):
        key = NumberKey("demo", "f", "b2", *ATTACKER, condition, metric="")
        known[key] = {"n_templates": Number(*key._replace(metric="n_templates"), "12")}
    titles, rows = table_of(shown, RUN._replace(metrics=known))
    assert len(rows) == 20 and [row[0] for row in rows[9:11]] == ["b2 OP", "b2 PP"]
    assert rows[0] == ("b2 OP", "s11", "2.75 [1.38, 3.00]")
    assert rows[9][1] == "s02" and len(titles) == 3


@pytest.mark.parametrize("kind", ["similarity", "calibration", "training"])
def test_a_kind_without_a_table_has_no_rows(kind):
    assert kind in KINDS
    assert table_of(figure(kind, Subject("demo", "f", "b2", *ATTACKER)), RUN)[1] == ()
