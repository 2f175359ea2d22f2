"""Pitch correlation: known melodies, and Praat's tracker by a stand-in, compared as YIN's."""

import sys
import types

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.score_cases import FEW
from support.sounds import RATE, recording

from voiceprivacy.inout.manifests import write_manifest
from voiceprivacy.utility.kinds.pitch_correlation import measure, pitch_correlation, pitch_track
from voiceprivacy.utility.measures import read_measured
from voiceprivacy.vocabulary import RESOURCES

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


def drawn(seed, n_frames, voiced, range_hz=300):
    """A track (F,) of random frequencies, of which this share is voiced."""
    draw = np.random.default_rng(seed)
    return np.where(draw.random(n_frames) < voiced, draw.uniform(80, 80 + range_hz, n_frames), 0)


SEEDS = st.integers(0, 10**6)


@given(SEEDS, st.floats(0.1, 3), st.floats(0, 100), st.integers(-5, 5))
@FEW
def test_height_width_delay_and_unvoiced_frames_do_not_matter(seed, width, height, lag):
    melody, one, other = drawn([seed, 0], 80, 1), drawn([seed, 1], 80, 0.7), drawn(seed, 80, 0.7)
    original = np.where(one > 0, melody, 0)[max(0, lag) : 80 + min(0, lag)]
    protected = np.where(other > 0, width * melody + height, 0)[max(0, -lag) : 80 - max(0, lag)]
    assert pitch_correlation(original, protected) == pytest.approx(1)


@given(st.integers(150, 300))
@FEW
def test_speed_does_not_matter(n_frames):
    other = np.interp(np.linspace(0, 199, n_frames), np.arange(200), MELODY)
    for pair in ((MELODY, other), (other, MELODY)):
        assert pitch_correlation(*pair) == pytest.approx(1, abs=1e-3)


def test_what_has_nothing_of_the_intonation():
    assert pitch_correlation(MELODY, 300 - MELODY) == pytest.approx(-1, abs=0.1)
    tracks = np.zeros(200), np.append(MELODY[:9], np.zeros(191)), np.full(200, 100.0)
    assert [pitch_correlation(MELODY, track) for track in tracks] == [0, 0, 0]
    assert [pitch_correlation(track, MELODY) for track in tracks] == ["undefined", "undefined", 0]


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


@pytest.fixture(scope="module")
def plugin():
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "parselmouth", types.SimpleNamespace(Sound=Sound))
        patch.syspath_prepend(RESOURCES / "plugins")
        import praat_pitch
    return praat_pitch


VOICED, RANGES_HZ = st.sampled_from([0.0, 0.2, 0.6, 1.0]), st.sampled_from([0, 300])
TRACKS = st.builds(drawn, SEEDS, st.integers(0, 60), VOICED, RANGES_HZ)


@given(TRACKS, TRACKS)
@FEW
def test_tracks_are_compared_as_those_of_yin(plugin, original, protected):
    expected = pitch_correlation(original, protected)
    assert plugin.correlation(original, protected) == pytest.approx(expected)


def test_the_table_has_every_utterance_and_short_ones_do_not_reach_praat(
    plugin, tmp_path, in_tmp_path, monkeypatch
):
    tracks = {"a": MELODY / 1000, "b": MELODY[::-1] / 1000, "c": MELODY[:3]}
    spoken = {name: np.repeat(track, RATE // 100) for name, track in tracks.items()}
    write_manifest(tmp_path / "m.tsv", [recording(tmp_path, *own) for own in spoken.items()])
    arguments = ["--manifest", tmp_path / "m.tsv", "--original", tmp_path / "m.tsv"]
    arguments += ["--output", tmp_path / "out.tsv"]
    monkeypatch.setattr(sys, "argv", ["praat_pitch.py", *map(str, arguments)])
    plugin.main()
    values = [line.value for line in read_measured(tmp_path / "out.tsv", ["a", "b", "c"])]
    assert values == [pytest.approx(1), pytest.approx(1), "undefined"]
