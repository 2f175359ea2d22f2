"""Word errors of each speaker: counts that come back from percentages, and what has none."""

from pathlib import Path

import pytest
from support.calls import flags, succeeds

from voiceprivacy.inout.tables import Utterance, read_table, write_manifest
from voiceprivacy.utility import word_errors
from voiceprivacy.utility.speakers import word_errors_of_speakers
from voiceprivacy.vocabulary import UNDEFINED, SpeakerWords

UTTERANCES = [Utterance(f"u{at}", f"s{at % 2}", "f", Path("-"), 1.0) for at in range(4)]
SAID = {
    "u0": "one two three four five six seven",
    "u1": "",
    "u2": "one two three",
}  # nobody knows what u3 says
HEARD = {"u0": "one too three five six seven eight nine", "u1": "what", "u3": "one"}
OPTIONS = {"wer": {"weight": "wer_words", "statistic": "rate"}}


def table(folder, name, lines):
    path = folder / "demo" / "trial" / "b2" / f"{name}.tsv"
    path.parent.mkdir(parents=True, exist_ok=True)
    text = ["utterance\tmetric\tvalue", *("\t".join(map(str, line)) for line in lines)]
    path.write_text("\n".join(text) + "\n")
    return path


@pytest.fixture
def challenge(tmp_path):
    """A table of the challenge's measure: u0 has a substitution, a deletion, two insertions."""
    names = [utterance.utterance for utterance in UTTERANCES]
    definition = word_errors.DEFINITIONS["vpc2024"]
    lines = word_errors.word_errors(
        "wer", names, transcripts=SAID, heard=HEARD, definition=definition
    )
    return table(tmp_path, "wer", lines)


def test_numbers_of_errors_of_the_challenge(challenge):
    """By hand: s0 says 7 + 3 words, of which the last three are not heard."""
    counted = word_errors_of_speakers([challenge], UTTERANCES, options=OPTIONS, seed=0)
    assert counted == [
        SpeakerWords("b2", "wer", "s0", 2, 10, 1, 2, 4, 70.0),
        SpeakerWords("b2", "wer", "s1", 1, 0, 0, 1, 0, UNDEFINED),  # u3 is left out
    ]


def test_numbers_of_errors_of_closed_text(tmp_path):
    values = {
        "wer_percent": [300 / 7, UNDEFINED, 0.0, 100.0],
        "substitutions_percent": [100 / 7, UNDEFINED, 0.0, 0.0],
        "insertions_percent": [0.0, UNDEFINED, 0.0, 50.0],
        "deletions_percent": [200 / 7, UNDEFINED, 0.0, 50.0],
        "words": [7, UNDEFINED, 3, 2],
    }
    lines = []
    for metric, of_utterances in values.items():
        lines += [
            (f"u{at}", f"closed_text_{metric}", value) for at, value in enumerate(of_utterances)
        ]
    path = table(tmp_path, "words", lines)
    options = {"words": {"weight": "closed_text_words"}}
    assert word_errors_of_speakers([path], UTTERANCES, options=options, seed=0) == [
        SpeakerWords("b2", "words", "s0", 2, 10, 1, 0, 2, 30.0),
        SpeakerWords("b2", "words", "s1", 1, 2, 0, 1, 1, 100.0),
    ]


def test_other_measures_have_no_words(tmp_path, challenge):
    pitch = table(tmp_path, "pitch", [(f"u{at}", "pitch", 0.5) for at in range(4)])
    weighed = {"pitch": {"weight": "frames"}}
    for options in (weighed, {"pitch": {"weight": "pitch_words"}}, {}):
        assert word_errors_of_speakers([pitch], UTTERANCES, options=options, seed=0) == []


def test_the_command_writes_them(tmp_path, challenge):
    write_manifest(tmp_path / "manifest.tsv", UTTERANCES)
    written = {"metrics": tmp_path / "means.tsv", "words": tmp_path / "words.tsv"}
    options = '{"wer": {"weight": "wer_words", "statistic": "rate"}}'
    arguments = {"measures": challenge, "manifest": tmp_path / "manifest.tsv", "options": options}
    succeeds("assess_utility", *flags(**arguments, **written))
    [first, second] = read_table(written["words"], list(SpeakerWords._fields))
    assert list(first.values()) == ["b2", "wer", "s0", "2", "10", "1", "2", "4", "70.0"]
    assert second["wer_percent"] == UNDEFINED
