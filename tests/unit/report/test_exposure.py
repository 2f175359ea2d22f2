"""Most exposed speakers, by channel: tables of a run, the order, codes, map and picture."""

import pytest
from support import made_up

from voiceprivacy.errors import BadInput
from voiceprivacy.inout.tables import write_table
from voiceprivacy.plan.rows import Heard
from voiceprivacy.report import exposure
from voiceprivacy.report.atlas import points_of_speakers
from voiceprivacy.report.curves import DISCLOSURES
from voiceprivacy.report.figures import Subject
from voiceprivacy.report.inline import shows_nothing
from voiceprivacy.report.plots import drawing
from voiceprivacy.report.plots import exposure as plots
from voiceprivacy.report.rows import ExposedPoint

POINTS = [
    ExposedPoint("b2", "op", "voice", "anna", 0.5, 0.1, 0.9),
    ExposedPoint("b2", "op", "voice", "berta", 0.8, 0.3, 1.3),
    ExposedPoint("b2", "op", "words", "anna", 1.5, 1.0, 1.8),
]
CODES = {"anna": "speaker 02", "berta": "speaker 01"}


@pytest.fixture
def shown(tmp_path):
    subject = Subject("demo", "f")
    return made_up.written(tmp_path, "exposed", subject, ExposedPoint._fields, POINTS)


def test_each_speaker_is_read_where_his_channel_is_heard(tmp_path):
    path = tmp_path / "said.tsv"
    row = (4, 25, 1.5, 0.6, 1, 1, 0.5, 0.25, 0.75)
    write_table(path, DISCLOSURES, [("oo", "anna", *row), ("op", "anna", *row[:-3], 0, 0, 0)])
    words = Heard("b2", "pp", "words", "original", "oo", "said", "cosine")
    [point] = points_of_speakers({words: path})
    assert point == ("b2", "pp", "words", "anna", 0.5, 0.25, 0.75)


def test_ten_speakers_come_in_the_order_of_their_strongest_channel(shown):
    key = ("b2", "op", "voice")
    many = [ExposedPoint(*key, f"s{number:02d}", number / 10, 0, 2) for number in range(14)]
    for points, first in ((POINTS, ["anna", "berta"]), (many, ["s13", "s12"])):
        write_table(shown.arguments["curves"], ExposedPoint._fields, points)
        (most_exposed,) = exposure.read_exposed(shown.arguments["curves"]).values()
        assert list(most_exposed.bits)[:2] == first and len(most_exposed.bits) <= 10
        assert most_exposed.channels == list(dict.fromkeys(point.channel for point in points))


def test_the_picture_has_a_panel_for_each_system_and_a_code_for_each_speaker(shown):
    with pytest.raises(BadInput, match="speaker 'berta' is not in the manifests"):
        exposure.read_exposed(shown.arguments["curves"], {"anna": "speaker 02"})
    picture = plots.exposed(**shown.arguments, codes=CODES)
    panel, _ = picture.axes  # and the bar of colours
    assert panel.get_title() == "b2 OP"
    assert [text.get_text() for text in panel.get_yticklabels()] == ["speaker 02", "speaker 01"]
    assert [text.get_text() for text in panel.texts] == ["0.50", "1.50", "0.80"]
    assert panel.texts[1].get_gid() == "\tspeaker 02, words\n1.50 bit [1.00 bit, 1.80 bit]"
    write_table(shown.arguments["curves"], ExposedPoint._fields, [])
    assert shows_nothing(drawing.svg_of(plots.exposed(**shown.arguments)))
