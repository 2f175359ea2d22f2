"""Word errors: the definitions' edge cases, that nothing is dropped, and those of each speaker."""

import random

import pytest
from speechbrain.utils.metric_stats import ErrorRateStats
from support.calls import flags, succeeds
from support.measured import UTTERANCES, measure

from voiceprivacy.inout.manifests import write_manifest
from voiceprivacy.inout.tables import read_table
from voiceprivacy.utility.rows import SpeakerWords
from voiceprivacy.utility.speaker_words import word_errors_of_speakers
from voiceprivacy.utility.statistics import STATISTICS
from voiceprivacy.utility.summary import Draws, resampled_mean
from voiceprivacy.utility.word_errors import DEFINITIONS, word_errors
from voiceprivacy.vocabulary import UNDEFINED

TOKENS_OF_2024 = {
    "hello, world": ["HELLO", "WORLD"],
    "one,two! three? four.": ["ONE", "TWO", "THREE", "FOUR"],
    "a well-known man's hat": ["A", "WELL-KNOWN", "MAN'S", "HAT"],
    "in 1984; so": ["IN", "1984;", "SO"],
    "  spaced   out\tagain ": ["SPACED", "OUT", "AGAIN"],
    "Straße": ["STRASSE"],
    "深 交 ok": ["深", "交", "OK"],
    "...": [],
}
TOKENS_OF_2026 = {
    "Hello, World!": ["hello", "world"],
    "A well-known man's hat": ["a", "wellknown", "man's", "hat"],
    "3.5 and 1,000; 7": ["35", "and", "1000", "7"],
    "«Oui», (dit) [il] “là” … — –": ["oui", "dit", "il", "là"],  # noqa: RUF001
    "¿Qué tal? ¡Bien!": ["¿qué", "tal", "¡bien"],
    "深 shen1 交 jiao1 所 suo3": ["深", "交", "所"],
    "深交所 opened": ["深", "交", "所"],
    "- - ?": [],
}


@pytest.mark.parametrize("text", TOKENS_OF_2024)
def test_words_as_the_challenge_of_2024_has_them(text):
    assert DEFINITIONS["vpc2024"].tokens(text) == TOKENS_OF_2024[text]


@pytest.mark.parametrize("text", TOKENS_OF_2026)
def test_words_or_characters_as_the_second_track_of_2026_has_them(text):
    assert DEFINITIONS["vpc2026"].tokens(text) == TOKENS_OF_2026[text]


SAID = {"u1": "one two three", "u2": "four five", "u3": "", "u4": "six"}
HEARD = {"u1": "one too three four", "u2": "", "u3": "noise noise", "u5": "who is that"}


def rows(said, heard, utterances, definition="vpc2024"):
    measured = word_errors(
        "wer", utterances, transcripts=said, heard=heard, definition=DEFINITIONS[definition]
    )
    table = {}
    for line in measured:
        table.setdefault(line.metric, {})[line.utterance] = line.value
    return table


def test_nothing_is_dropped():
    table = rows(SAID, HEARD, ["u1", "u2", "u3", "u4", "u5"])
    assert table["wer_words"] == {"u1": 3, "u2": 2, "u3": 0, "u4": 1, "u5": UNDEFINED}
    assert table["wer_percent"] == {
        "u1": pytest.approx(200 / 3),
        "u2": 100,  # an empty hypothesis
        "u3": 200,  # two words where nobody spoke
        "u4": 100,  # no hypothesis at all
        "u5": UNDEFINED,  # no transcript
    }
    assert [table["wer_insertions_percent"][name] for name in ("u2", "u3", "u4")] == [0, 200, 0]
    assert [table["wer_deletions_percent"][name] for name in ("u2", "u3", "u4")] == [100, 0, 100]
    assert table["wer_substitutions_percent"]["u1"] == pytest.approx(100 / 3)


@pytest.mark.parametrize("seed", range(20))
def test_the_pooled_rate_is_that_of_speechbrain(seed):
    draw = random.Random(seed)
    names = ["u0", "u1", "u2"]
    said, heard = (
        {name: draw.choices(["one", "two", "three"], k=draw.randrange(6)) for name in names}
        for _ in range(2)
    )
    stats = ErrorRateStats()
    stats.append(ids=names, predict=list(heard.values()), target=list(said.values()))
    texts = ({name: " ".join(words) for name, words in one.items()} for one in (said, heard))
    table = rows(*texts, names, "vpc2026")
    weights, percent = (list(table[f"wer_{kind}"].values()) for kind in ("words", "percent"))
    rate = {"draws": Draws(0, 0), "statistic": STATISTICS["rate"]}
    pooled, _ = resampled_mean(percent, names, weights=weights, **rate)
    expected = stats.summarize()["WER"] if sum(weights) else UNDEFINED
    assert pooled.value == pytest.approx(expected)


# Nobody knows what u3 says.
SCRIPT = {"u0": "one two three four five six seven", "u1": "", "u2": "one two three"}
RECOGNISED = {"u0": "one too three five six seven eight nine", "u1": "what", "u3": "one"}
OPTIONS = {"wer": {"weight": "wer_words", "statistic": "rate"}}


@pytest.fixture
def challenge(tmp_path):
    """A table of the challenge's measure: u0 has a substitution, a deletion, two insertions."""
    table = rows(SCRIPT, RECOGNISED, [utterance.utterance for utterance in UTTERANCES])
    columns = {metric: values.values() for metric, values in table.items()}
    return measure(tmp_path, "b2", "wer", **columns)


def test_numbers_of_errors_of_the_challenge(challenge):
    """By hand: s0 says 7 + 3 words, of which the last three are not heard."""
    counted = word_errors_of_speakers([challenge], UTTERANCES, options=OPTIONS, seed=0)
    assert counted == [
        SpeakerWords("b2", "wer", "s0", 2, 10, 1, 2, 4, 70.0),
        SpeakerWords("b2", "wer", "s1", 1, 0, 0, 1, 0, UNDEFINED),  # u3 is left out
    ]


def test_numbers_of_errors_of_closed_text(tmp_path):
    values = {
        "closed_text_wer_percent": [300 / 7, UNDEFINED, 0.0, 100.0],
        "closed_text_substitutions_percent": [100 / 7, UNDEFINED, 0.0, 0.0],
        "closed_text_insertions_percent": [0.0, UNDEFINED, 0.0, 50.0],
        "closed_text_deletions_percent": [200 / 7, UNDEFINED, 0.0, 50.0],
        "closed_text_words": [7, 0, 3, 2],
    }
    path = measure(tmp_path, "b2", "words", **values)
    options = {"words": {"weight": "closed_text_words"}}
    assert word_errors_of_speakers([path], UTTERANCES, options=options, seed=0) == [
        SpeakerWords("b2", "words", "s0", 2, 10, 1, 0, 2, 30.0),
        SpeakerWords("b2", "words", "s1", 1, 2, 0, 1, 1, 100.0),
    ]


def test_other_measures_have_no_words(tmp_path, challenge):
    pitch = measure(tmp_path, "b2", "pitch", pitch=[0.5] * 4)
    weighed = {"pitch": {"weight": "frames"}}
    for options in (weighed, {"pitch": {"weight": "pitch_words"}}, {}):
        assert word_errors_of_speakers([pitch], UTTERANCES, options=options, seed=0) == []


def test_the_command_writes_them(tmp_path, challenge):
    write_manifest(tmp_path / "manifest.tsv", UTTERANCES)
    files = {"metrics": tmp_path / "means.tsv", "words": tmp_path / "words.tsv"}
    arguments = {"measures": challenge, "manifest": tmp_path / "manifest.tsv", "options": OPTIONS}
    succeeds("assess_utility", *flags(**arguments, **files))
    [first, second] = read_table(files["words"], list(SpeakerWords._fields))
    assert list(first.values()) == ["b2", "wer", "s0", "2", "10", "1", "2", "4", "70.0"]
    assert second["wer_percent"] == UNDEFINED
