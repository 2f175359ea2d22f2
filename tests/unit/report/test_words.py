"""Word errors of speakers on the page: counts of made-up voices, codes and shares of people."""

import pytest

from voiceprivacy.inout.tables import write_table
from voiceprivacy.report.speaker_words import WordsCell, WordsRow, words_tables
from voiceprivacy.utility.rows import SpeakerWords

LINES = [
    SpeakerWords("b2", "wer", "anna", 2, 10, 1, 2, 4, 70.0),
    SpeakerWords("b2", "wer", "ben", 1, 0, 0, 1, 0, "undefined"),
    SpeakerWords("b2_draw2", "wer", "anna", 2, 10, 0, 0, 0, 0.0),
    SpeakerWords("original", "wer", "anna", 2, 10, 1, 0, 0, 10.0),
]
CODES = {"anna": "speaker 02", "ben": "speaker 01"}


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "results" / "metrics" / "words" / "demo.tsv"
    write_table(path, SpeakerWords._fields, LINES)
    return path


def shown(path, codes):
    return words_tables({"demo": str(path)}, codes)


def test_every_speaker_of_every_system_and_codes_alone_on_a_mailed_page(path):
    [table] = shown(path, {})
    assert table[:3] == ("demo", "wer", ["original", "b2"])  # of two draws the first
    of_anna = [WordsCell("10.0", "10.0 + 0.0 + 0.0"), WordsCell("70.0", "10.0 + 20.0 + 40.0")]
    of_ben = [None, WordsCell("undefined", "")]
    assert table.rows == [WordsRow("anna", "10", of_anna), WordsRow("ben", "0", of_ben)]
    # With transcripts at hand, the number of somebody's words is his name.
    [table] = shown(path, {"demo": CODES})
    assert not table.has_words
    assert [row.speaker for row in table.rows] == ["speaker 01", "speaker 02"]
    assert table.rows[1].cells[1] == WordsCell("70", "10 + 20 + 40")
