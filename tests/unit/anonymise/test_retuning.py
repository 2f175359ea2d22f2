"""Pitch: found where it is, and moved without the formants; a monotone voice has one."""

import numpy as np
import pytest
from support.sounds import VOWEL_HZ, measured_formants, measured_pitch, vowel

from voiceprivacy.anonymise.functions import retuning
from voiceprivacy.inout.files import BadInput

RATE = 16000
NAMES = {"utterance": "a", "speaker": "anna", "seed": 0}
NOISE = np.random.default_rng(0).normal(0, 0.1, RATE)


def melody(seconds=2):
    """A vowel from 100 to 200 Hz and back, once a second, and its pitch at every sample."""
    time = np.arange(seconds * RATE) / RATE
    pitch = 150 * 2 ** (0.5 * np.sin(2 * np.pi * time))
    return vowel(pitch_hz=pitch, seconds=seconds), pitch


@pytest.mark.parametrize("rate", [8000, 16000, 44100])
@pytest.mark.parametrize("pitch_hz", [80, 120, 220, 350])
def test_the_pitch_of_a_vowel_is_found(pitch_hz, rate):
    track = retuning.pitch_track(vowel(pitch_hz=pitch_hz, sample_rate=rate), rate)
    assert len(track) == 101
    np.testing.assert_allclose(track[10:-10], pitch_hz, rtol=0.01)


def test_a_melody_is_followed():
    sound, pitch = melody()
    track = retuning.pitch_track(sound, RATE)
    np.testing.assert_allclose(track[10:190], pitch[:: RATE // 100][10:190], rtol=0.06)


@pytest.mark.parametrize("sound", [NOISE, np.zeros(RATE), np.ones(RATE), np.eye(1, RATE, 99)[0]])
def test_where_there_is_no_pitch_none_is_found(sound):
    assert (retuning.pitch_track(sound, RATE) > 0).mean() < 0.1


def test_hum_below_the_speech_is_no_voice():
    quiet = 0.001 * vowel(pitch_hz=100)
    sound = np.concatenate([quiet, vowel(pitch_hz=200)])
    track = retuning.pitch_track(sound, RATE)
    assert not track[5:95].any()
    np.testing.assert_allclose(track[105:195], 200, rtol=0.01)


@pytest.mark.parametrize("ratio", [0.7, 1.0, 1.4])
@pytest.mark.parametrize("pitch_hz", [100, 180])
def test_a_pitch_is_moved_and_formants_stay(pitch_hz, ratio):
    sound = vowel(pitch_hz=pitch_hz)
    track = retuning.pitch_track(sound, RATE)
    moved = retuning.retuned(sound, RATE, track, ratio * track)
    assert measured_pitch(moved) == pytest.approx(ratio * pitch_hz, rel=0.02)
    np.testing.assert_allclose(measured_formants(moved), VOWEL_HZ, rtol=0.08)
    assert moved @ moved == pytest.approx(sound @ sound)


def test_a_voice_that_keeps_its_pitch_is_as_it_was():
    sound, _ = melody()
    track = retuning.pitch_track(sound, RATE)
    same = retuning.retuned(sound, RATE, track, track)
    middle = slice(RATE // 2, -RATE // 2)
    assert np.corrcoef(same[middle], sound[middle])[0, 1] > 0.97


def test_pieces_are_not_set_so_far_apart_that_holes_are_heard():
    sound = vowel(pitch_hz=400)
    track = retuning.pitch_track(sound, RATE)
    low = retuning.retuned(sound, RATE, track, np.full(len(track), 20.0))
    assert measured_pitch(low) == pytest.approx(400 / 3, rel=0.02)


def test_a_monotone_voice_has_the_middle_of_its_own_pitch():
    sound, pitch = melody()
    flat = retuning.monotone(sound, RATE, **NAMES)
    track = retuning.pitch_track(flat.astype(float), RATE)[10:-10]
    np.testing.assert_allclose(track[track > 0], np.median(pitch), rtol=0.06)
    assert (track > 0).mean() > 0.95
    np.testing.assert_allclose(measured_formants(flat), VOWEL_HZ, rtol=0.08)


def test_a_monotone_voice_can_be_given_a_pitch():
    flat = retuning.monotone(melody()[0], RATE, **NAMES, pitch_hz=130)
    assert measured_pitch(flat) == pytest.approx(130, rel=0.02)


def test_what_has_no_pitch_stays_as_it_is():
    np.testing.assert_array_equal(
        retuning.monotone(np.eye(1, RATE, 99)[0], RATE, **NAMES), np.eye(1, RATE, 99)[0]
    )


def test_speech_stays_where_it_was():
    """Pieces go to the time that they came from: half a second of silence stays silent."""
    sound = np.concatenate([np.zeros(RATE // 2), melody()[0], np.zeros(RATE // 2)])
    flat = retuning.monotone(sound, RATE, **NAMES)
    assert np.abs(flat[: RATE // 2 - 400]).max() < 1e-3
    assert np.abs(flat[-RATE // 2 + 400 :]).max() < 1e-3


@pytest.mark.parametrize("pitch_hz", [0, 64, 421])
def test_a_pitch_that_no_voice_has_is_refused(pitch_hz):
    with pytest.raises(BadInput, match=r"pitch_hz: must be from 65\.0 to 420\.0, not"):
        retuning.monotone(NOISE, RATE, **NAMES, pitch_hz=pitch_hz)
