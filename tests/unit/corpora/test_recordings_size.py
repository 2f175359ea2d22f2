"""Long recordings are read without copies of them, and small ones are opened once."""

import tracemalloc

import numpy as np
import pytest
import soundfile

from voiceprivacy.anonymise import part
from voiceprivacy.corpora.recordings import inspect
from voiceprivacy.inout import audio
from voiceprivacy.inout.tables import Utterance

RATE = 8000
MINUTES = 10


def noise(path, seconds):
    samples = np.random.default_rng(0).integers(-9000, 9000, RATE * seconds, dtype=np.int16)
    soundfile.write(path, samples, RATE)
    return path


def protected(path):
    utterance = Utterance("u", "s", "f", path, 60 * MINUTES)
    assert part.finding(utterance, path, RATE) is None


def inspected(path):
    (inspection,) = inspect([path], samples=True)
    assert inspection.error is None and inspection.sound is not None


@pytest.mark.parametrize("look_at", [inspected, protected])
@pytest.mark.parametrize("ending", ["wav", "flac"])
def test_a_long_recording_is_in_memory_once(tmp_path, look_at, ending):
    """Three hours took 4.8 GB, of which 0.35 GB are samples of 16 bits."""
    path = noise(tmp_path / f"long.{ending}", 60 * MINUTES)
    tracemalloc.start()
    try:
        look_at(path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    of_16_bits = 2 * RATE * 60 * MINUTES
    assert peak < 4.5 * of_16_bits


@pytest.mark.parametrize("look_at", [inspected, protected])
def test_a_file_is_opened_and_read_once(tmp_path, monkeypatch, look_at):
    """100,000 short files took 160 s: each was opened twice, and read until nothing came."""
    calls = []

    class Counted(soundfile.SoundFile):
        def __init__(self, *args, **options):
            calls.append("open")
            super().__init__(*args, **options)

        def read(self, *args, **options):
            calls.append("read")
            return super().read(*args, **options)

    path = noise(tmp_path / "short.wav", 1)
    monkeypatch.setattr(audio, "SoundFile", Counted)
    if look_at is protected:
        assert part.finding(Utterance("u", "s", "f", path, 1.0), path, RATE) is None
    else:
        look_at(path)
    assert calls == ["open", "read"]


def test_peaks_and_places_are_those_of_magnitudes():
    draw = np.random.default_rng(0)
    for samples in (draw.integers(-3, 4, 200) / 4, -np.ones(40), np.zeros(3), np.zeros(0)):
        samples = samples.astype(np.float32)
        assert audio.peak_of(samples) == np.abs(samples).max(initial=0)
