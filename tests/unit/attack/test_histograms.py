"""Features that are histograms: F0 of tones, units of sounds, and what is refused."""

import numpy as np
import pytest

from voiceprivacy.attack.extractors import histograms
from voiceprivacy.attack.extractors.histograms import embed_each
from voiceprivacy.inout import audio
from voiceprivacy.inout.files import BadInput
from voiceprivacy.inout.tables import Utterance


def buzz(frequency_hz, *, seconds=1.0, sample_rate=16000):
    time = np.arange(int(seconds * sample_rate)) / sample_rate
    return sum(
        np.sin(2 * np.pi * harmonic * frequency_hz * time) / harmonic for harmonic in (1, 2, 3)
    ).astype(np.float32)


def sound(seed, *, seconds=2.0):
    """Noise through a resonance of its own."""
    rng = np.random.default_rng(seed)
    spectrum = np.fft.rfft(rng.normal(size=int(16000 * seconds)))
    frequencies = np.fft.rfftfreq(int(16000 * seconds), 1 / 16000)
    shape = 1 / (1 + ((frequencies - 500 * (1 + seed % 6)) / 200) ** 2)
    return (0.1 * np.fft.irfft(spectrum * shape)).astype(np.float32)


@pytest.mark.parametrize("frequency_hz", [80.0, 125.0, 200.0, 400.0])
@pytest.mark.parametrize("sample_rate", [8000, 16000])
def test_a_tone_falls_into_the_bin_of_its_period(frequency_hz, sample_rate):
    histogram = histograms.f0_histogram(buzz(frequency_hz, sample_rate=sample_rate), sample_rate)
    assert len(histogram) == 107  # as in the paper
    assert histogram.argmax() == pytest.approx(8000 / frequency_hz - histograms.LAGS[0], abs=1)
    assert histogram.max() > 0.9 * histogram.sum()


def test_frames_come_every_10_ms():
    assert len(histograms.lags(buzz(100.0, seconds=3.0), 16000)) == pytest.approx(300, abs=6)


def test_speech_without_voice_says_nothing():
    noise = np.random.default_rng(0).normal(0, 0.1, 16000).astype(np.float32)
    for samples in (np.zeros(16000, np.float32), noise):
        histogram = histograms.f0_histogram(samples, 16000)
        assert (histogram == histogram[0]).all() and histogram[0] > 0


@pytest.fixture(scope="module")
def utterances(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sounds")
    made = []
    for seed in range(12):
        path = folder / f"u{seed:02}.wav"
        audio.write(path, sound(seed), 16000)
        made.append(Utterance(path.stem, f"s{seed % 6}", "f", path, 2.0))
    return made


def test_the_codebook_does_not_depend_on_the_order_of_the_utterances(utterances):
    one, other = (
        histograms.train_codebook(utterances, seed=0),
        histograms.train_codebook(utterances[::-1], seed=0),
    )
    np.testing.assert_array_equal(one.centres, other.centres)
    assert one.centres.shape == (256, 39)


def test_units_count_every_frame_that_is_not_silent(utterances, tmp_path):
    histograms.write_codebook(tmp_path / "c.npz", histograms.train_codebook(utterances, seed=0))
    feature = histograms.unit_histogram(histograms.read_codebook(tmp_path / "c.npz"))
    embeddings = embed_each(utterances, feature)
    assert embeddings.embeddings.shape == (12, 256)
    assert embeddings.ids.tolist() == [utterance.utterance for utterance in utterances]
    assert (embeddings.embeddings.sum(axis=1) > 150).all()
    padded = np.concatenate([sound(0), np.zeros(16000, np.float32)])
    assert feature(padded, 16000).sum() == pytest.approx(feature(sound(0), 16000).sum(), abs=3)


def test_too_little_training_speech_is_refused(utterances):
    with pytest.raises(BadInput, match="frames are too few for 256 units"):
        histograms.train_codebook(utterances[:2], seed=0)


def test_an_utterance_that_is_too_short_is_named(tmp_path):
    audio.write(tmp_path / "short.wav", np.zeros(100, np.float32), 16000)
    short = Utterance("short", "s", "f", tmp_path / "short.wav", 0.01)
    with pytest.raises(BadInput, match="utterance 'short': shorter than a frame of 25 ms"):
        embed_each([short], histograms.frames)
