"""Recordings as people have them keep their sound, up to a gain; long ones are in memory once."""

import numpy as np
import pytest
import soundfile
from data import odd_audio
from support.memory import peak_of

from voiceprivacy.anonymise import findings
from voiceprivacy.corpora.listing import Findings, Listed, list_utterances
from voiceprivacy.corpora.recordings import inspect, mono, provide_audio
from voiceprivacy.corpora.rows import Channel, Cut, Joined
from voiceprivacy.inout import audio
from voiceprivacy.inout.manifests import Utterance

RATE = odd_audio.RATE


@pytest.mark.parametrize("name", odd_audio.RECORDINGS)
def test_a_recording_keeps_its_sound(tmp_path, name):
    path, recording = tmp_path / name, odd_audio.RECORDINGS[name]
    recording.write(path)
    listed = [Listed("u", "s", "f", "", path, str(path), "-")]
    (utterance,) = provide_audio(listed, audio_dir=tmp_path / "made", sample_rate=RATE, threads=1)
    samples, rate = soundfile.read(utterance.path)  # as any program of a user's reads it
    assert rate == RATE and samples.ndim == 1
    known = odd_audio.sound()
    assert 0 <= len(samples) - len(known) <= recording.slack
    assert utterance.duration_s == len(samples) / RATE
    assert audio.likeness(samples, known) > recording.likeness
    assert 0.02 < np.abs(samples).max() <= 1  # enough of the 16 bits


def oddities_of(path):
    (inspection,) = inspect([path], samples=True)
    return inspection.error, inspection.oddities


def test_what_is_changed_is_said_and_an_incomplete_mp3_is_truncated(tmp_path):
    said = {}
    for name in ("float_of_int16.wav", "float_divided_twice.wav", "stereo.wav", "16_bit.wav"):
        odd_audio.RECORDINGS[name].write(tmp_path / name)
        said[name] = oddities_of(tmp_path / name)
    assert "scaled down" in said["float_of_int16.wav"][1][0]
    assert "scaled up" in said["float_divided_twice.wav"][1][0]
    (averaged,) = said["stereo.wav"][1]
    assert averaged.startswith("has 2 channels, which are averaged")
    assert said["16_bit.wav"] == (None, [])
    soundfile.write(tmp_path / "offset.wav", 0.5 * odd_audio.sound() + 0.02, RATE)
    assert "a constant offset of 0.02 of" in oddities_of(tmp_path / "offset.wav")[1][0]
    path = tmp_path / "a.mp3"
    odd_audio.MP3(path)
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2 + 7])
    assert oddities_of(path)[0].startswith("truncated: ")


def test_channels_that_cancel_each_other_are_no_silence(tmp_path):
    path = tmp_path / "a.wav"
    odd_audio.CANCELLED(path)
    error, _ = oddities_of(path)
    assert error.startswith("its 2 channels cancel each other")
    # Each has noise of its own, which alone is left of their average.
    noise = 0.01 * np.random.default_rng(0).normal(size=(RATE, 2))
    soundfile.write(path, np.outer(odd_audio.sound()[:RATE], (1, -1)) + noise, RATE)
    assert oddities_of(path)[0] == error
    assert oddities_of(Channel(path, 2)) == (None, [])
    assert oddities_of(Channel(path, 3))[0] == "has no channel 3, but 2"


def test_a_corpus_can_name_a_channel_which_stretches_of_a_recording_keep(tmp_path):
    right = 0.3 * np.sin(np.arange(RATE) / 9)
    for speaker in ("s1", "s2"):
        path = tmp_path / speaker / "u.wav"
        audio.write(path, np.stack([odd_audio.sound()[:RATE], right], axis=1), RATE)
    folder = {"root": str(tmp_path), "pattern": "{speaker}/{utterance}.wav"}
    listed = list_utterances({"folder": folder, "channel": 2}, Findings())
    made = provide_audio(listed, audio_dir=tmp_path / "made", sample_rate=RATE, threads=1)
    samples, _ = audio.read(next(iter(made)).path)
    assert audio.likeness(samples, right) > 0.9999
    for stretch in (Cut(path, 0.25, 0.75), Joined(path, ((0.25, 0.5), (0.5, 0.75)))):
        assert oddities_of(stretch)[1][0].startswith("has 2 channels, which are averaged")
        samples, _ = mono(Channel(stretch, 2))
        assert audio.likeness(samples, right[RATE // 4 : 3 * RATE // 4]) > 0.9999
    odd_audio.CANCELLED(path)
    assert oddities_of(Cut(path, 0.1, 0.5))[0].startswith("its 2 channels cancel each other")


@pytest.mark.parametrize(
    ("level", "stretch", "said"),
    [
        (3e-5, (0.1, 0.9), "is silent"),
        (0.1, (0.5, 1.5), None),  # beyond the end of the part that is not a number
        (0.1, (0.1, 0.9), "NaN or infinite"),
        (0.1, (2.02, 2.05), "has no piece from 2.02"),
        (0.1, (0.5, 0.50001), "has no piece from 0.5 "),
    ],
)
def test_a_stretch_tells_what_is_wrong_with_it_as_a_whole_recording_does(
    tmp_path, level, stretch, said
):
    """Silence was brought to half of full scale, and NaN became the number 0."""
    samples = level * np.random.default_rng(0).normal(size=2 * RATE)
    code = "FLOAT"
    if level < 1e-3:
        code = "PCM_16"
    else:
        samples[RATE // 4 : RATE // 2] = np.nan
    soundfile.write(tmp_path / "a.wav", samples, RATE, subtype=code)
    error, oddities = oddities_of(Cut(tmp_path / "a.wav", *stretch))
    assert (error is None and not oddities) if said is None else said in str([error, *oddities])


SLOW = 8000  # Hz
MINUTES = 10


def noise(path, seconds):
    samples = np.random.default_rng(0).integers(-9000, 9000, SLOW * seconds, dtype=np.int16)
    soundfile.write(path, samples, SLOW)
    return path


def protected(path, seconds):
    assert findings.finding(Utterance("u", "s", "f", path, seconds), path, SLOW) is None


def inspected(path, seconds):
    (inspection,) = inspect([path], samples=True)
    assert inspection.error is None and inspection.sound is not None


@pytest.mark.parametrize("look_at", [inspected, protected])
@pytest.mark.parametrize("ending", ["wav", "flac"])
def test_a_long_recording_is_in_memory_once(tmp_path, look_at, ending):
    """Three hours took 4.8 GB, of which 0.35 GB are samples of 16 bits."""
    path = noise(tmp_path / f"long.{ending}", 60 * MINUTES)
    _, peak = peak_of(lambda: look_at(path, 60 * MINUTES))
    of_16_bits = 2 * SLOW * 60 * MINUTES
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
    look_at(path, seconds=1)
    assert calls == ["open", "read"]


def test_peaks_and_places_are_those_of_magnitudes():
    draw = np.random.default_rng(0)
    for samples in (draw.integers(-3, 4, 200) / 4, -np.ones(40), np.zeros(3), np.zeros(0)):
        samples = samples.astype(np.float32)
        assert audio.peak_of(samples) == np.abs(samples).max(initial=0)
