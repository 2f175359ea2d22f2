"""When something is said: durations by hand, and what must not matter."""

import numpy as np
import pytest
from support.calls import succeeds

from voiceprivacy.attack.extractors import timing
from voiceprivacy.inout import audio
from voiceprivacy.inout.arrays import read_embeddings
from voiceprivacy.inout.tables import read_manifest

RATE = 16000
BINS = timing.BINS


def spoken(*durations_s, level=0.1, noise=1e-4, seed=0):
    """Noise for speech and much less of it for pauses, in turn; speech comes first."""
    generator = np.random.default_rng(seed)
    parts = []
    for number, duration in enumerate(durations_s):
        loudness = level if number % 2 == 0 else noise
        parts.append(loudness * generator.standard_normal(round(duration * RATE)))
    return np.concatenate(parts).astype(np.float32)


def bins(frames):
    """The bin of a duration, by its definition: half octaves from two frames."""
    return min(int(2 * np.log2(frames / 2)), BINS - 1)


def test_pauses_and_stretches_by_hand():
    """Speech of 0.5, 1 and 0.5 s; pauses of 0.2 and 0.7 s."""
    histogram = timing.timing_histogram(spoken(0.5, 0.2, 1.0, 0.7, 0.5), RATE)
    pauses, stretches = histogram[:BINS], histogram[BINS : 2 * BINS]
    assert np.flatnonzero(pauses).tolist() == [bins(20), bins(70)]
    assert stretches[bins(50)] == 2
    assert stretches[bins(100)] == 1
    assert stretches.sum() == 3
    assert pauses.sum() == 2


def test_syllables_are_peaks_of_the_level():
    """Four bursts a second for three seconds: 0.25 s from each to the next."""
    time = np.arange(3 * RATE) / RATE
    loudness = 0.1 * (1.01 - np.cos(2 * np.pi * 4 * time))
    samples = loudness * np.random.default_rng(0).standard_normal(len(time))
    syllables = timing.timing_histogram(samples, RATE)[2 * BINS :]
    assert syllables.sum() == 11
    assert syllables[bins(25)] >= 9


def test_neither_loudness_nor_the_voice_matters():
    once = timing.timing_histogram(spoken(0.5, 0.2, 1.0, 0.7, 0.5), RATE)
    louder = timing.timing_histogram(5 * spoken(0.5, 0.2, 1.0, 0.7, 0.5), RATE)
    other = timing.timing_histogram(spoken(0.5, 0.2, 1.0, 0.7, 0.5, seed=1), RATE)
    np.testing.assert_array_equal(once, louder)
    np.testing.assert_array_equal(once[: 2 * BINS], other[: 2 * BINS])


def test_how_noisy_the_room_is_does_not_matter():
    quiet = timing.timing_histogram(spoken(0.5, 0.2, 1.0, 0.7, 0.5), RATE)
    noisy = timing.timing_histogram(spoken(0.5, 0.2, 1.0, 0.7, 0.5, noise=1e-2), RATE)
    np.testing.assert_array_equal(quiet[: 2 * BINS], noisy[: 2 * BINS])


def test_silence_around_speech_does_not_matter():
    plain = timing.timing_histogram(spoken(0.5, 0.2, 1.0), RATE)
    padded = timing.timing_histogram(spoken(0, 0.3, 0.5, 0.2, 1.0, 0.3), RATE)
    np.testing.assert_array_equal(plain[: 2 * BINS], padded[: 2 * BINS])


@pytest.mark.parametrize("n_samples", [0, 10, 160, 3200])
def test_without_speech_it_is_flat(n_samples):
    histogram = timing.timing_histogram(np.zeros(n_samples, dtype=np.float32), RATE)
    np.testing.assert_array_equal(histogram, np.ones(3 * BINS))


def test_every_histogram_counts_something():
    histogram = timing.timing_histogram(spoken(0.02), RATE)
    assert histogram.shape == (3 * BINS,)
    assert histogram.sum() > 0


def test_the_command_embeds_durations(tones, tmp_path):
    succeeds(
        "extract_features", "--manifest", tones, "--timing", "--embeddings", tmp_path / "e.npz"
    )
    _, embeddings = read_embeddings(tmp_path / "e.npz")
    (first, *_) = read_manifest(tones)
    samples, rate = audio.read(first.path)
    np.testing.assert_array_equal(embeddings[0], timing.timing_histogram(samples, rate))
