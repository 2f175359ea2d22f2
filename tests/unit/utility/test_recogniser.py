"""Word errors of a recogniser: the order of what it hears, and what is said against it."""

import numpy as np
import pytest
from support import listeners as tiny
from support.models import RATE

from voiceprivacy.inout import audio
from voiceprivacy.inout.files import BadInput
from voiceprivacy.inout.tables import Utterance
from voiceprivacy.utility.recogniser import measure, transcribe


@pytest.fixture
def speech(tmp_path):
    generator = np.random.default_rng(0)
    utterances = []
    for name, seconds in {"u1": 0.5, "u2": 1.0, "u3": 0.7}.items():
        path = tmp_path / f"{name}.wav"
        audio.write(path, generator.normal(0, 0.1, int(seconds * RATE)).astype(np.float32), RATE)
        utterances.append(Utterance(name, "s", "f", path, seconds))
    return utterances


class Lengths:
    """Hears how long speech is."""

    def __init__(self):
        self.batches = []

    def transcribe(self, batch):
        self.batches.append([len(samples) / RATE for samples in batch])
        return [f"{len(samples) / RATE}" for samples in batch]


def test_the_longest_come_first_and_a_batch_has_no_more_than_it_may(speech):
    listener = Lengths()
    heard = transcribe(listener, speech, batch=2)
    assert listener.batches == [[1.0, 0.7], [0.5]]
    assert heard == {"u1": "0.5", "u2": "1.0", "u3": "0.7"}


def test_a_network_is_measured_against_transcripts(tmp_path, speech):
    model = tiny.write_speechbrain_recogniser(tmp_path / "asr")
    said = tmp_path / "said.tsv"
    said.write_text("utterance\ttext\nu1\tone two\nu3\tthree\n")
    options = {"name": "wer", "transcripts": str(said), "model": str(model)}
    measured = list(measure(speech, speech, **options, definition="vpc2024"))
    words = [line.value for line in measured if line.metric == "wer_words"]
    assert words == [2, "undefined", 1]
    said.write_text("utterance\ttext\nother\tone two\n")
    with pytest.raises(BadInput, match=r"said.tsv: has no transcript of these"):
        list(measure(speech, speech, **options, definition="vpc2024"))
