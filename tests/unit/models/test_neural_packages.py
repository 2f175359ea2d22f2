"""The packages of make neural themselves: what a voice says, Whisper hears."""

import os
import re
from pathlib import Path

import jiwer
import numpy as np
import pytest
from support import needs
from support.neural import needs_neural

from voiceprivacy.anonymise.functions.stt_tts import stt_tts_kokoro, stt_tts_piper
from voiceprivacy.inout import audio
from voiceprivacy.models.voices import Kokoro, Piper
from voiceprivacy.models.whisper import Whisper
from voiceprivacy.utility.kinds.whisper import normaliser_of

pytestmark = [pytest.mark.nightly, needs_neural]
TEXT = "She pulled her hair down, turned her skirt back, and put her feet on the fender."
NAMES = {"utterance": "u", "speaker": "s", "seed": 0}


def words(text):
    return re.findall(r"\w+", text.lower())


def test_what_voices_say_is_heard():
    network, piper, kokoro = Whisper("base"), Piper("joe"), Kokoro("kokoro")
    of_piper = piper.speak(TEXT)
    weights = np.ones(len(kokoro.voices)) / len(kokoro.voices)
    for samples, rate in (
        (of_piper, piper.sample_rate),
        (kokoro.speak(TEXT, weights=weights), kokoro.sample_rate),
    ):
        assert words(network.hear(samples, rate).text) == words(TEXT)
    for function in (stt_tts_piper, stt_tts_kokoro):
        protected = function(of_piper, piper.sample_rate, **NAMES)
        # A voice drawn at random may cost a word or two of sixteen.
        heard = " ".join(words(network.hear(protected, piper.sample_rate).text))
        assert jiwer.wer(" ".join(words(TEXT)), heard) <= 2 / 16
    np.testing.assert_array_equal(piper.speak(TEXT), of_piper)


@needs.data("VOICEPRIVACY_SPEECH")
def test_the_word_errors_of_real_speech_are_those_that_were_measured():
    """10.7 % [7.3, 14.5] on 100 files of test-other by faster-whisper; here on 20 of them."""
    root = Path(os.environ["VOICEPRIVACY_SPEECH"], "test-other")
    said = {}
    for path in root.glob("*/*/*.trans.txt"):
        said |= dict(line.split(" ", 1) for line in path.read_text().splitlines())
    files = sorted(root.glob("*/*/*.flac"))
    network, words_of = Whisper("base"), normaliser_of("whisper", "en")
    references, hypotheses = [], []
    for path in files[:: max(1, len(files) // 20)][:20]:
        references.append(" ".join(words_of(said[path.stem])))
        hypotheses.append(" ".join(words_of(network.hear(*audio.read(path)).text)))
    assert 0.03 < jiwer.wer(references, hypotheses) < 0.17
