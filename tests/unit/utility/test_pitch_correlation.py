"""Pitch correlation: known melodies, stretched, delayed, turned around, silent."""

import numpy as np
import pytest

from voiceprivacy.inout.tables import Utterance
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


def test_octave_errors_of_the_first_pass_are_out_of_range_in_the_second():
    """Every second pulse weaker: YIN alone falls to half of the frequency in some frames."""
    track = pitch_track(tone(MELODY), RATE)
    assert track[track > 0].min() > 80 and track.max() < 160


def test_speech_correlates_fully_with_itself():
    assert pitch_correlation(MELODY, MELODY) == pytest.approx(1)


def test_another_height_and_width_is_the_same_intonation():
    assert pitch_correlation(MELODY, 0.5 * MELODY + 100) == pytest.approx(1)


def test_a_melody_turned_around_is_below_zero():
    assert pitch_correlation(MELODY, 300 - MELODY) < -0.9


def test_unvoiced_frames_of_either_side_do_not_count():
    original, protected = MELODY.copy(), MELODY.copy()
    original[20:60], protected[100:130] = 0, 0
    assert pitch_correlation(original, protected) == pytest.approx(1)


def test_a_delay_of_30_ms_is_found():
    assert pitch_correlation(MELODY[:-3], MELODY[3:]) == pytest.approx(1)
    assert pitch_correlation(MELODY[3:], MELODY[:-3]) == pytest.approx(1)


def test_speech_at_another_speed_is_brought_to_the_same_length():
    slow = np.interp(np.linspace(0, 199, 260), np.arange(200), MELODY)
    assert pitch_correlation(MELODY, slow) > 0.999
    assert pitch_correlation(slow, MELODY) > 0.999


def test_speech_without_voice_or_with_one_pitch_has_nothing_of_the_intonation_left():
    assert pitch_correlation(MELODY, np.zeros(200)) == 0
    assert pitch_correlation(MELODY, np.full(200, 100.0)) == 0
    assert pitch_correlation(MELODY, np.where(np.arange(200) < 9, MELODY, 0)) == 0


def test_an_original_without_voice_is_undefined():
    assert pitch_correlation(np.zeros(200), MELODY) == "undefined"


def test_noise_and_speech_shorter_than_a_frame_have_no_pitch():
    noise = np.random.default_rng(0).normal(0, 0.1, RATE)
    assert np.count_nonzero(pitch_track(noise, RATE)) < 10
    assert list(pitch_track(np.zeros(50, dtype=np.float32), RATE)) == [0]


def test_every_utterance_is_measured(tmp_path):
    from voiceprivacy.inout import audio

    for name in ("a", "b"):
        audio.write(tmp_path / f"{name}.wav", tone(MELODY), RATE)
    utterances = [Utterance(name, "s", "f", tmp_path / f"{name}.wav", 2.0) for name in ("a", "b")]
    assert list(measure(utterances, utterances)) == [
        ("a", "pitch_correlation", pytest.approx(1)),
        ("b", "pitch_correlation", pytest.approx(1)),
    ]
