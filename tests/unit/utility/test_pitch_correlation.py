"""Pitch correlation: known melodies, and Praat's tracker by a stand-in, compared as YIN's."""

import importlib.util
import sys
import types

import numpy as np
import pytest
from support.sounds import recording

from voiceprivacy.inout.files import RESOURCES
from voiceprivacy.inout.tables import write_manifest
from voiceprivacy.utility.measures import read_measured
from voiceprivacy.utility.pitch_correlation import measure, pitch_correlation, pitch_track

RATE = 16000
MELODY = 120 + 30 * np.sin(np.linspace(0, 9, 200))


def tone(frequencies):
    """A buzz whose F0 follows frequencies (F,) in steps of 10 ms."""
    phase = 2 * np.pi * np.cumsum(np.repeat(frequencies, RATE // 100)) / RATE
    return sum(np.sin(h * phase) / h for h in range(1, 8)).astype(np.float32) / 4


def test_the_track_of_a_buzz_is_its_frequency():
    track = pitch_track(tone(np.full(100, 160.0)), RATE)
    assert track == pytest.approx(np.full(len(track), 160.0), rel=0.01)


def test_a_rate_of_8_khz_gives_the_same_track():
    frequencies = np.full(100, 100.0)
    phase = 2 * np.pi * np.cumsum(np.repeat(frequencies, 80)) / 8000
    track = pitch_track(np.sin(phase).astype(np.float32), 8000)
    assert track == pytest.approx(np.full(len(track), 100.0), rel=0.01)


def test_a_long_recording_is_read_in_blocks_with_the_same_track(monkeypatch):
    """Frames of the second pass, which has narrower limits, are shorter."""
    whole = pitch_track(tone(MELODY), RATE)
    monkeypatch.setattr(sys.modules[pitch_track.__module__], "BLOCK", 37)
    assert pitch_track(tone(MELODY), RATE).tobytes() == whole.tobytes()


def test_octave_errors_of_the_first_pass_are_out_of_range_in_the_second():
    """Every second pulse weaker: YIN alone falls to half of the frequency in some frames."""
    track = pitch_track(tone(MELODY), RATE)
    assert track[track > 0].min() > 80 and track.max() < 160


SLOW = np.interp(np.linspace(0, 199, 260), np.arange(200), MELODY)
FRAME = np.arange(200)
VOICED_LATER, VOICED_EARLIER = np.where(FRAME < 20, 0, MELODY), np.where(FRAME > 180, 0, MELODY)
WHOLE = pytest.approx(1)
PAIRS = {
    "itself": (MELODY, MELODY, WHOLE),
    "another height and width": (MELODY, 0.5 * MELODY + 100, WHOLE),
    "unvoiced frames of either": (VOICED_LATER, VOICED_EARLIER, WHOLE),
    "30 ms later": (MELODY[:-3], MELODY[3:], WHOLE),
    "30 ms earlier": (MELODY[3:], MELODY[:-3], WHOLE),
    "slower": (MELODY, SLOW, pytest.approx(1, abs=1e-3)),
    "faster": (SLOW, MELODY, pytest.approx(1, abs=1e-3)),
    "turned around": (MELODY, 300 - MELODY, pytest.approx(-1, abs=0.1)),
    "no voice": (MELODY, np.zeros(200), 0),
    "one pitch": (MELODY, np.full(200, 100.0), 0),
    "hardly any voice": (MELODY, np.where(FRAME < 9, MELODY, 0), 0),
    "an original without voice": (np.zeros(200), MELODY, "undefined"),
}


@pytest.mark.parametrize("kind", PAIRS)
def test_a_correlation_is_that_of_the_intonation(kind):
    original, protected, expected = PAIRS[kind]
    assert pitch_correlation(original, protected) == expected


def test_noise_and_speech_shorter_than_a_frame_have_no_pitch():
    noise = np.random.default_rng(0).normal(0, 0.1, RATE)
    assert np.count_nonzero(pitch_track(noise, RATE)) < 10
    assert list(pitch_track(np.zeros(50, dtype=np.float32), RATE)) == [0]


def test_every_utterance_is_measured(tmp_path):
    utterances = [recording(tmp_path, name, tone(MELODY)) for name in "ab"]
    assert list(measure(utterances, utterances)) == [
        ("a", "pitch_correlation", pytest.approx(1)),
        ("b", "pitch_correlation", pytest.approx(1)),
    ]


class Sound:
    """Its pitch is the loudness of every 10 ms, times 1,000."""

    def __init__(self, samples, sampling_frequency):
        self.samples, self.rate = samples, sampling_frequency

    def to_pitch_ac(self, *, time_step, pitch_floor, pitch_ceiling):
        assert (time_step, pitch_floor, pitch_ceiling) == (0.01, 75, 500)
        track = 1000 * self.samples[:: int(self.rate * time_step)]
        return types.SimpleNamespace(selected_array={"frequency": track})


@pytest.fixture
def plugin(monkeypatch):
    praat = types.ModuleType("parselmouth")
    praat.Sound = Sound
    monkeypatch.setitem(sys.modules, "parselmouth", praat)
    spec = importlib.util.spec_from_file_location(
        "praat_pitch", RESOURCES / "plugins/praat_pitch.py"
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def tracks():
    return {
        "the same": MELODY,
        "turned around": 300 - MELODY,
        "slower": SLOW,
        "later": np.roll(MELODY, 3),
        "half voiced": np.where((FRAME > 20) & (FRAME < 110), 0, MELODY),
        "hardly voiced": np.where(FRAME < 9, 100, 0),
        "one tone": np.full(200, 100.0),
        "silent": np.zeros(180),
        "empty": np.zeros(0),
    }


@pytest.mark.parametrize("original", tracks())
@pytest.mark.parametrize("protected", tracks())
def test_tracks_are_compared_as_those_of_yin(plugin, original, protected):
    pair = tracks()[original], tracks()[protected]
    assert plugin.correlation(*pair) == pytest.approx(pitch_correlation(*pair))


def test_the_table_has_every_utterance_and_short_ones_do_not_reach_praat(
    plugin, tmp_path, monkeypatch
):
    tracks = {"a": MELODY / 1000, "b": MELODY[::-1] / 1000, "c": MELODY[:3]}
    lines = [
        recording(tmp_path, name, np.repeat(track, RATE // 100)) for name, track in tracks.items()
    ]
    write_manifest(tmp_path / "m.tsv", lines)
    arguments = ["--manifest", tmp_path / "m.tsv", "--original", tmp_path / "m.tsv"]
    arguments += ["--output", tmp_path / "out.tsv"]
    monkeypatch.setattr(sys, "argv", ["praat_pitch.py", *map(str, arguments)])
    monkeypatch.chdir(tmp_path)
    plugin.main()
    values = [line.value for line in read_measured(tmp_path / "out.tsv", ["a", "b", "c"])]
    assert values == [pytest.approx(1), pytest.approx(1), "undefined"]
