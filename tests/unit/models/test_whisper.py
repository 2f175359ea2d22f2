"""Whisper: spectra, pieces, tokens, and what is asked of CTranslate2."""

import sys
from types import SimpleNamespace
from unittest.mock import Mock

import numpy as np
import pytest
from support import neural

from voiceprivacy.errors import BadInput
from voiceprivacy.models import whisper
from voiceprivacy.models.whisper import Whisper, cut, decoded, log_mel

RATE = 16000


@pytest.fixture
def network(tmp_path, monkeypatch):
    neural.install_recogniser(monkeypatch)
    return Whisper(str(neural.write_recogniser(tmp_path / "model")))


def noise(seconds, rate=RATE):
    return np.random.default_rng(0).normal(0, 0.1, int(seconds * rate)).astype(np.float32)


def test_spectra_are_those_of_the_definition():
    """By hand: a tone of 1 kHz, whose band is the loudest; silence is 80 dB below, eight less."""
    tone = np.sin(2 * np.pi * 1000 * np.arange(RATE) / RATE).astype(np.float32)
    spectrum = log_mel(tone, 80)
    assert spectrum.shape == (80, 1000) and spectrum.dtype == np.float32
    corners = whisper.mel_bands(400, 80)
    assert spectrum[:, 50].argmax() == corners[:, round(1000 / 40)].argmax()
    assert spectrum.max() - spectrum.min() == pytest.approx(2.0)  # 8 / 4
    assert (spectrum[:, 150:] == spectrum.min()).all()
    assert (log_mel(np.zeros(0, np.float32), 80) == np.float32((-10 + 4) / 4)).all()


@pytest.mark.parametrize(
    ("seconds", "with_silence"), [(0, 5), (3, 10), (5, 10), (5.1, 15), (24, 30), (27, 30), (30, 30)]
)
def test_at_least_5_s_of_silence_follow_within_30_s(seconds, with_silence):
    assert log_mel(noise(seconds), 80).shape == (80, with_silence * 100)


def test_long_speech_is_cut_where_it_is_quiet():
    samples = noise(65)
    quiet = slice(25 * RATE, 25 * RATE + 640)
    samples[quiet] = 0
    pieces = cut(samples)
    assert quiet.start <= len(pieces[0]) < quiet.stop
    assert all(len(piece) <= 30 * RATE for piece in pieces)
    np.testing.assert_array_equal(np.concatenate(pieces), samples)
    assert len(cut(noise(30))) == len(cut(noise(0))) == 1


def test_a_text_in_circles_is_heard_again_with_30_s(network, monkeypatch):
    encode, generate = Mock(wraps=network.network.encode), network.network.generate

    def generate_in_circles(*given, **options):
        (heard,) = generate(*given, **options)
        times = 20 if encode.call_count < 2 else 1
        return [SimpleNamespace(sequences=[heard.sequences[0] * times])]

    monkeypatch.setattr(network.network, "encode", encode)
    monkeypatch.setattr(network.network, "generate", generate_in_circles)
    assert network.hear(noise(1.5), RATE).text == "One two three"
    assert [call.args[0].shape[-1] for call in encode.call_args_list] == [1000, 3000]


def test_tokens_are_bytes_of_utf8():
    letters, word = {byte: letter for letter, byte in whisper.BYTE_OF.items()}, "Stra\xdfe"
    spelled = "".join(letters[byte] for byte in f" {word}".encode())
    assert len(letters) == 256
    assert decoded(["<|en|>", spelled[:5], spelled[5:], "<|endoftext|>"]) == word


def test_a_word_is_heard_for_each_half_second_at_any_rate(network):
    for rate in (16000, 44100):
        assert network.hear(noise(1.5, rate), rate) == ("One two three", "en", 0.9)
    assert network.hear(np.zeros(RATE, np.float32), RATE).text == ""
    assert network.prompt == [whisper.START, "<|en|>", whisper.TRANSCRIBE, whisper.NO_TIMES]
    assert network.hear(noise(31), RATE).text.count("One") == 2


def test_a_language_is_one_that_the_network_knows(tmp_path, monkeypatch):
    neural.install_recogniser(monkeypatch)
    many = str(neural.write_recogniser(tmp_path / "many", language="de"))
    assert Whisper(many, language="de").hear(noise(0.5), RATE).language == "de"
    with pytest.raises(BadInput, match="language: Whisper does not know 'xx'"):
        Whisper(many, language="xx")
    one = str(neural.write_recogniser(tmp_path / "one", language=None))
    assert Whisper(one).prompt == [whisper.START, whisper.NO_TIMES]
    with pytest.raises(BadInput, match="one: hears English only, not 'de'"):
        Whisper(one, language="de")


def test_without_the_runtime_the_command_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "ctranslate2", None)
    with pytest.raises(BadInput, match=r"ctranslate2, .*make neural"):
        Whisper("base")


def test_frames_are_those_of_the_speech_and_not_of_the_silence_behind_it(network):
    ramp = np.arange(1500, dtype=np.float32)[None, :, None] * [[[1, 2]]]
    network.network.encode = encode = Mock(return_value=ramp)
    frames = network.frames(noise(0.5))
    assert frames.shape == (25, 2) and frames.dtype == np.float32
    np.testing.assert_array_equal(frames[-1], [24, 48])
    assert len(network.frames(noise(31))) == 1551, "two pieces, each of which ends in a frame"
    lengths = [np.array(call.args[0]).shape[-1] for call in encode.call_args_list]
    assert lengths[0] == 250 and max(lengths) <= 3000, "2 s of silence, 30 s at most"
