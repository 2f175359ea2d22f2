"""Recognised and spoken anew: what stays is the words, and a failure is silence and a line."""

import numpy as np
import pytest
from support import neural
from support.sounds import RATE

from voiceprivacy.anonymise.functions import stt_tts
from voiceprivacy.errors import BadInput

NAMES = {"utterance": "anna-1", "speaker": "anna", "seed": 0}


@pytest.fixture
def models(tmp_path, monkeypatch):
    """Folders of a recogniser that hears English, of one that hears German, and of voices."""
    neural.install_recogniser(monkeypatch)
    neural.install_voices(monkeypatch)
    return {
        "recogniser": str(neural.write_recogniser(tmp_path / "en")),
        "german": str(neural.write_recogniser(tmp_path / "de", language="de")),
        "piper": str(neural.write_piper(tmp_path / "piper")),
        "kokoro": str(neural.write_kokoro(tmp_path / "kokoro")),
    }


def noise(seconds, *, draw=0, rate=RATE):
    samples = np.random.default_rng(draw).normal(0, 0.1, int(seconds * rate))
    return samples.astype(np.float32)


def speaker_of(function, models, voice):
    given = NAMES | {"voice": models[voice], "recogniser": models["recogniser"]}
    return lambda samples, rate=RATE, **options: function(samples, rate, **given | options)


@pytest.fixture
def piper(models):
    return speaker_of(stt_tts.stt_tts_piper, models, "piper")


@pytest.fixture
def kokoro(models):
    return speaker_of(stt_tts.stt_tts_kokoro, models, "kokoro")


def pitch_hz(samples):
    spectrum = np.abs(np.fft.rfft(samples))
    return np.fft.rfftfreq(len(samples), 1 / RATE)[spectrum.argmax()]


def test_nothing_but_words_decides_what_is_spoken(piper):
    """Two sounds that are heard as the same words have the same samples, whoever speaks."""
    one, other = piper(noise(1.0)), piper(0.3 * noise(1.0, draw=1))
    np.testing.assert_array_equal(one, other)
    assert len(one) == RATE and one.dtype == np.float32
    assert np.abs(one).max() <= 1 and one.any()


def test_what_is_spoken_faster_ends_in_silence(piper):
    """Six words are heard in 20 s, and spoken in less."""
    spoken = piper(noise(20.0))
    assert len(spoken) == 20 * RATE and spoken[:RATE].any() and not spoken[-RATE:].any()


def test_speech_may_last_as_long_as_the_voice_takes(piper, kokoro):
    """Fewer words are heard in 1 s than in 20."""
    for system in (piper, kokoro):
        short, long = (system(noise(s), natural_length=True) for s in (1.0, 20.0))
        assert short[-RATE:].any() and long[-RATE:].any() and len(long) < 20 * RATE
        assert len(short) != RATE and np.abs(short).max() <= 1
    assert len(piper(noise(0.1), natural_length=True)) == RATE // 10, "nothing heard"


def test_the_rate_of_the_original_is_kept(piper):
    seconds = [len(piper(noise(1.0, rate=rate), rate)) / rate for rate in (8000, 16000, 44100)]
    assert np.ptp(seconds) < 0.001


def test_nothing_recognised_is_silence_and_said(piper, kokoro, capsys):
    for system in (piper, kokoro):
        silence = system(noise(0.1))
        assert len(silence) == 1600 and not silence.any()
        assert "utterance 'anna-1': nothing is recognised" in capsys.readouterr().out


def test_another_language_is_said_and_spoken_all_the_same(piper, models, capsys):
    assert piper(noise(1.0), recogniser=models["german"]).any()
    assert "'anna-1': sounds like the language de (90%)" in capsys.readouterr().out
    piper(noise(1.0))
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("level", ["utterance", "speaker", "corpus"])
def test_a_mixture_is_shared_by_an_utterance_a_speaker_or_all(kokoro, level):

    def pitch(utterance="a1", speaker="anna", seed=0):
        spoken = kokoro(noise(1.0), level=level, speaker=speaker, utterance=utterance, seed=seed)
        return round(float(pitch_hz(spoken)), 3)

    first = pitch()
    assert (first == pitch("a2")) == (level != "utterance")
    assert (first == pitch("b1", "berta")) == (level == "corpus")
    assert first == pitch() != pitch(seed=1)


def test_a_voice_alone_is_itself_however_often_it_is_named(kokoro):
    pitches = [pitch_hz(kokoro(noise(1.0), voices=2 * [name])) for name in ("high", "low")]
    assert pitches == pytest.approx([300, 100], abs=1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"level": "day"}, "level: 'day' is none of utterance, speaker, corpus"),
        ({"voices": ["high", "tenor"]}, "voices: 'tenor' is none of high, low"),
        ({"voices": []}, "voices: name one"),
        ({"recogniser": "bass"}, "bass: is neither a folder nor base"),
    ],
)
def test_options_that_do_not_exist_are_refused(kokoro, options, message):
    with pytest.raises(BadInput, match=message):
        kokoro(noise(1.0), **options)
