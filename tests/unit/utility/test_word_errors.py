"""Word errors: the definitions' edge cases, and that nothing is dropped."""

import random

import pytest
from speechbrain.utils.metric_stats import ErrorRateStats

from voiceprivacy.inout.files import BadInput
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
    "": [],
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
    "": [],
}


@pytest.mark.parametrize("text", TOKENS_OF_2024)
def test_words_as_the_challenge_of_2024_has_them(text):
    assert DEFINITIONS["vpc2024"].tokens(text) == TOKENS_OF_2024[text]


@pytest.mark.parametrize("text", TOKENS_OF_2026)
def test_words_or_characters_as_the_second_track_of_2026_has_them(text):
    assert DEFINITIONS["vpc2026"].tokens(text) == TOKENS_OF_2026[text]


def test_how_many_are_heard_at_once_is_a_part_of_a_definition():
    assert {name: one.batch for name, one in DEFINITIONS.items()} == {"vpc2024": 8, "vpc2026": 1}


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
    with pytest.raises(BadInput, match="no utterance has a transcript"):
        rows({}, HEARD, ["u1"])


@pytest.mark.parametrize("seed", range(20))
def test_the_pooled_rate_is_that_of_speechbrain(seed):
    draw = random.Random(seed)
    said, heard = (
        [" ".join(draw.choices(["one", "two", "three"], k=draw.randrange(6))) for _ in range(3)]
        for _ in range(2)
    )
    names = [f"u{at}" for at in range(len(said))]
    stats = ErrorRateStats()
    predicted, target = ([text.split() for text in texts] for texts in (heard, said))
    stats.append(ids=names, predict=predicted, target=target)
    table = rows(
        dict(zip(names, said, strict=True)), dict(zip(names, heard, strict=True)), names, "vpc2026"
    )
    weights = list(table["wer_words"].values())
    pooled, _ = resampled_mean(
        list(table["wer_percent"].values()),
        names,
        weights=weights,
        draws=Draws(0, 0),
        statistic=STATISTICS["rate"],
    )
    if sum(weights):
        summary = stats.summarize()
        errors = sum(summary[kind] for kind in ("insertions", "deletions", "substitutions"))
        assert pooled.value == pytest.approx(100 * errors / sum(weights))
        assert pooled.value == pytest.approx(summary["WER"])
    else:
        assert pooled.value == UNDEFINED
