"""Words that Whisper or another network hears: against transcripts, or against the original."""

import json

import numpy as np
import pytest
from support import listeners as tiny
from support import neural
from support.calls import succeeds
from support.sounds import recording

from voiceprivacy.errors import BadInput
from voiceprivacy.inout.manifests import write_manifest
from voiceprivacy.utility.kinds import recogniser, whisper, words_kept
from voiceprivacy.utility.kinds.whisper import basic_words, normaliser_of

RATE = 16000


@pytest.fixture
def model(tmp_path, monkeypatch):
    neural.install_recogniser(monkeypatch)
    return str(neural.write_recogniser(tmp_path / "model"))


def spoken(folder, **seconds):
    """Noise that lasts so long: the stand-in hears a word for each half second."""
    noise = np.random.default_rng(0).normal(0, 0.1, int(max(seconds.values()) * RATE))
    return [recording(folder, name, noise[: int(own * RATE)]) for name, own in seconds.items()]


def values(measured, metric):
    return {line.utterance: line.value for line in measured if line.metric == metric}


def test_words_are_counted_against_transcripts(tmp_path, model):
    said = tmp_path / "said.tsv"
    said.write_text("utterance\ttext\na\tone TWO three four\nb\tone\nd\t\n")
    speech = spoken(tmp_path / "speech", a=1.5, b=1.0, c=0.5, d=0.5)
    measured = list(whisper.measure(speech, speech, model=model, transcripts=str(said)))
    expected = {"a": 25.0, "b": 100.0, "c": "undefined", "d": "undefined"}
    assert values(measured, "whisper_wer_percent") == expected
    assert values(measured, "whisper_words")["a"] == 4.0


def test_words_are_kept_that_are_heard_in_the_original(tmp_path, model):
    original = spoken(tmp_path / "original", a=2.0, b=1.0, c=0.1)
    protected = spoken(tmp_path / "protected", a=1.0, b=1.0, c=1.0)
    measured = list(words_kept.measure(original, protected, model=model))
    errors = {"a": 50.0, "b": 0.0, "c": "undefined"}
    assert values(measured, "words_kept_wer_percent") == errors
    assert values(measured, "words_kept_deletions_percent") == errors
    of_original = words_kept.measure(original, original, model=model)
    assert values(of_original, "words_kept_wer_percent") == {"a": 0.0, "b": 0.0, "c": "undefined"}


@pytest.mark.parametrize(
    ("name", "language", "words"),
    [
        ("whisper", "de", ["well", "known", "s", "dog", "2"]),
        ("whisper", "zh", list("wellknownsdog2")),  # written without spaces: letters count
        ("vpc2024", "en", ["WELL-KNOWN", "'S", "(DOG)", "2"]),
        ("vpc2026", "en", ["wellknown", "'s", "dog", "2"]),
    ],
)
def test_normalisers_have_names(name, language, words):
    text = "Well-known 's dog 2" if name == "whisper" else "Well-known 's (dog) 2"
    assert normaliser_of(name, language)(text) == words


def test_what_stands_in_brackets_is_no_word():
    assert basic_words("[Music] (sighs) Hola, qu\xe9?") == ["hola", "qu\xe9"]


def test_the_job_hears_a_sample_of_the_same_utterances(tmp_path, model):
    speech = spoken(tmp_path / "speech", a=1.5, b=1.5, c=1.5)
    shorter = spoken(tmp_path / "shorter", a=0.5, b=0.5, c=0.5)
    write_manifest(tmp_path / "original.tsv", speech)
    write_manifest(tmp_path / "protected.tsv", shorter)
    asked = [{"type": "words_kept", "options": {"model": model}, "minutes": 3 / 60, "seed": 0}]
    heard = {}
    for name in ("original", "protected"):
        files = {"manifest": f"{name}.tsv", "original": "original.tsv", "output": f"{name}.out"}
        words = [word for key, file in files.items() for word in (f"--{key}", tmp_path / file)]
        succeeds("measure_utility", "--measures", json.dumps(asked), *words)
        lines = (tmp_path / f"{name}.out").read_text().splitlines()[1:]
        heard[name] = {line.split("\t")[0] for line in lines}
    assert heard["original"] == heard["protected"] and len(heard["original"]) == 2


@pytest.fixture
def speech(tmp_path):
    return spoken(tmp_path, u1=0.5, u2=1.0, u3=0.7)


class Lengths:
    """Hears how long speech is."""

    def __init__(self):
        self.batches = []

    def transcribe(self, batch):
        self.batches.append([len(samples) / RATE for samples in batch])
        return [f"{len(samples) / RATE}" for samples in batch]


def test_the_longest_come_first_and_a_batch_has_no_more_than_it_may(speech):
    listener = Lengths()
    heard = recogniser.transcribe(listener, speech, batch=2)
    assert listener.batches == [[1.0, 0.7], [0.5]]
    assert heard == {"u1": "0.5", "u2": "1.0", "u3": "0.7"}


def test_a_network_is_measured_against_transcripts(tmp_path, speech):
    model = tiny.write_speechbrain_recogniser(tmp_path / "asr")
    said = tmp_path / "said.tsv"
    said.write_text("utterance\ttext\nu1\tone two\nu3\tthree\n")
    options = {"name": "wer", "transcripts": str(said), "model": str(model)}
    measured = list(recogniser.measure(speech, speech, **options, definition="vpc2024"))
    words = [line.value for line in measured if line.metric == "wer_words"]
    assert words == [2, "undefined", 1]
    said.write_text("utterance\ttext\nother\tone two\n")
    with pytest.raises(BadInput, match=r"said.tsv: has no transcript of these"):
        list(recogniser.measure(speech, speech, **options, definition="vpc2024"))
