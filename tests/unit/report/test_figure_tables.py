"""Tables below figures: lines of the files that they are drawn from."""

import pytest

from voiceprivacy.inout.tables import write_table
from voiceprivacy.layout import Layout
from voiceprivacy.report.curves import DISCLOSURES, ZOO
from voiceprivacy.report.figure_tables import table_of
from voiceprivacy.report.figures import KINDS, Look, Subject, figure
from voiceprivacy.vocabulary import DASH, MINUS

ATTACKER = ("ecapa", "cosine")


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


def test_lines_are_those_of_the_file_without_counts_of_utterances(written):
    rows = [
        ("oo", "a", 4, 8, 1.0, -1.2345, "dove", 0.5, "dove", "-"),
        ("op", "b", 4, 8, "undefined", -1.0, "-", 0.5, "-", "-"),
    ]
    drawn = written("zoo", ZOO, rows)
    titles, shown = table_of(drawn)
    assert titles[:3] == ["speaker", "label", "mean target llr"]
    assert shown == [
        ["a", "oo", "1", f"{MINUS}1.23", "dove", "dove"],
        ["b", "op", "undefined", f"{MINUS}1", DASH, DASH],
    ]
    _, shown = table_of(drawn, {"a": "speaker 02", "b": "speaker 01"})
    assert [row[0] for row in shown] == ["speaker 01", "speaker 02"]


def test_ranks_have_the_ten_most_exposed_of_each_system(written):
    rows = [
        (condition, f"s{k:02}", 4, 50.0, 1.5, 0.1, 1, 1, k / 4, k / 8, 3.0)
        for condition in ("op", "pp")
        for k in range(12)
    ]
    _, rows = table_of(written("rank_speakers", DISCLOSURES, rows, systems=["b2"]))
    assert len(rows) == 20 and [row[2] for row in rows[9:11]] == ["op", "pp"]
    assert rows[0] == ["b2", "s11", "op", "2.75", "1.38", "3"]
    assert rows[9][1] == "s02"


@pytest.mark.parametrize("kind", ["similarity", "plane", "training"])
def test_a_kind_without_a_table_has_no_rows(kind):
    assert kind in KINDS
    assert table_of(figure(kind, Subject("demo", "f", "b2", *ATTACKER)))[1] == ()
