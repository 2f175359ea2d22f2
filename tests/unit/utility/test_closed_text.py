"""Closed-text word errors: words, the language model, the recogniser, and what is counted."""

import math

import numpy as np
import pytest
from support.sounds import recording

from voiceprivacy.utility.kinds import closed_text
from voiceprivacy.utility.kinds.closed_text import (
    language_model,
    read_dictionary,
    recognise,
    share_known,
    words_of,
)
from voiceprivacy.utility.word_counts import counted_words

KNOWN = {word: ["x"] for word in ("the", "dog", "barks", "'tis", "don't", "cafe")}
PRONOUNCED = {"the": ["DH AH", "DH IY"], "dog": ["D AO G"], "one": ["W AH N"], "of": ["AH V"]}
PRONOUNCED |= {"two": ["T UW"], "dogs": ["D AO G Z"], "or": ["AO R", "ER"], "three": ["TH R IY"]}
PRONOUNCED |= {"cats": ["K AE T S"], "bark": ["B AA R K"]}


def counted(said, heard):
    return counted_words("closed_text", "u", said.split(), heard.split())


def values(measured):
    return {line.metric.removeprefix("closed_text_"): line.value for line in measured}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The DOG barks.", ["the", "dog", "barks"]),
        ("well-known  dog", ["well", "known", "dog"]),
        ("'Tis the 'dog', don\N{RIGHT SINGLE QUOTATION MARK}t!", ["'tis", "the", "dog", "don't"]),
        ("in 2012", ["in", "2012"]),
        ("under_score", ["under", "score"]),
        ("Stra\N{LATIN SMALL LETTER SHARP S}e", ["strasse"]),
        (" ... ' ", []),
    ],
)
def test_words_are_letters_digits_and_apostrophes(text, words):
    assert words_of(text, KNOWN) == words


@pytest.mark.parametrize(
    ("said", "heard", "expected"),
    [
        ("the dog barks twice", "dog barks at ice", (75, 25, 25, 25, 4)),
        ("the dog", "", (100, 0, 100, 0, 2)),
        ("dog", "the dog barks dog", (300, 300, 0, 0, 1)),
    ],
)
def test_word_errors_are_counted_in_percent_of_the_reference(said, heard, expected):
    kinds = ("wer", "insertions", "deletions", "substitutions")
    names = [*(f"{kind}_percent" for kind in kinds), "words"]
    assert values(counted(said, heard)) == dict(zip(names, expected, strict=True))


def test_the_language_model_is_interpolated():
    """p(dog | the) = 0.6 * 2/2 + 0.4 * 2/7; words without a pronunciation are in no sentence."""
    model = language_model([["the", "dog"], ["the", "zarathustra", "dog"], []], KNOWN)
    lines = model.splitlines()
    assert f"{math.log10(0.6 + 0.4 * 2 / 7):.6f} the dog" in lines
    assert f"{math.log10(2 / 7):.6f} dog {math.log10(0.4):.6f}" in lines
    assert "zarathustra" not in model
    assert "ngram 1=4" in lines and "ngram 2=4" in lines  # <s> the, <s> </s>, the dog, dog </s>


def test_probabilities_after_every_word_sum_to_one():
    """Pairs, and the unigrams that are left, times what backs off to them."""
    sentences = [["the", "dog", "barks"], ["the", "the", "dog"], ["barks"]]
    singles, pairs = {}, {}
    for line in language_model(sentences, KNOWN).splitlines():
        fields = line.split()
        if len(fields) == 3 and fields[2].startswith("-0."):
            singles[fields[1]] = 10 ** float(fields[0])
        elif len(fields) == 3:
            pairs[fields[1], fields[2]] = 10 ** float(fields[0])
    for before in ("<s>", "the", "dog", "barks"):
        seen = {word: value for (first, word), value in pairs.items() if first == before}
        others = sum(value for word, value in singles.items() if word not in {"<s>", *seen})
        assert sum(seen.values()) + 0.4 * others == pytest.approx(1, abs=1e-5)


def test_share_of_known_words():
    assert share_known([["the", "dog"], ["hund", "katze"]], KNOWN) == 0.5
    assert share_known([], KNOWN) == 0.0


def test_the_dictionary_has_every_pronunciation_of_a_word():
    dictionary = read_dictionary()
    assert all(PRONOUNCED[word][0] in dictionary[word] for word in PRONOUNCED)
    assert dictionary["the"] == PRONOUNCED["the"] and "the(2)" not in dictionary


@pytest.fixture
def spoken(tmp_path, monkeypatch):
    """Three utterances of noise and tones, at 16 kHz and at 8 kHz: speech is not needed."""
    monkeypatch.setattr(closed_text, "read_dictionary", lambda: PRONOUNCED)
    generator = np.random.default_rng(0)
    utterances = []
    for number, rate in enumerate([16000, 16000, 8000]):
        samples = generator.normal(0, 0.1, rate // 2) * np.sin(np.arange(rate // 2) / (90 + number))
        utterances.append(recording(tmp_path, f"u{number}", samples, rate))
    return utterances


SAID = {"u0": "The dog zarathustra.", "u1": "One dog of two dogs", "u2": "two or three cats bark"}


def test_every_utterance_is_recognised_by_itself(spoken):
    """Neither the order nor other utterances in the process change a result."""
    together = list(recognise(spoken, SAID))
    backwards = list(recognise(spoken[::-1], SAID))[::-1]
    alone = [next(recognise([utterance], SAID)) for utterance in spoken]
    assert together == backwards == alone
    assert all(values(line)["words"] > 0 for line in together)


def test_silence_has_no_words(spoken, tmp_path):
    [errors] = map(values, recognise([recording(tmp_path, "u0", np.zeros(16000))], SAID))
    assert errors["deletions_percent"] + errors["substitutions_percent"] > 0
    assert errors["words"] == 3  # one of them is without a pronunciation


def test_utterances_without_words_or_transcript_or_of_another_language_are_undefined(spoken):
    errors = [values(line) for line in recognise(spoken, {"u0": "the dog", "u1": " ... "})]
    assert [line["words"] for line in errors] == [2.0, "undefined", "undefined"]
    assert errors[1]["wer_percent"] == "undefined"
    german = dict.fromkeys(SAID, "Zwischen zwei Zwetschgenzweigen zwitschern the Schwalben")
    errors = [values(line) for line in recognise(spoken, german)]
    assert all(line["wer_percent"] == "undefined" for line in errors)
