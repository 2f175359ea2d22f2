"""Loudness, trimming and voice activity: levels by hand, what is kept, what happens to silence."""

import numpy as np
import pytest

from voiceprivacy.attack.extractors.networks import (
    NOTHING,
    Preparation,
    active,
    at_level,
    prepared,
    trimmed,
)

RATE = 16000
TONE = (0.3 * np.sin(np.arange(RATE) * 0.2)).astype(np.float32)
QUIET = np.full(RATE // 2, 1e-6, dtype=np.float32)


def level_db(samples):
    return 10 * np.log10(np.mean(np.square(samples, dtype=np.float64)))


@pytest.mark.parametrize("gain", [0.01, 1.0, 3.0])
def test_speech_comes_to_the_same_level_whatever_its_gain_and_its_pauses(gain):
    heard = at_level(gain * np.concatenate([QUIET, TONE, QUIET]), RATE)
    assert level_db(heard[RATE // 2 + 400 : RATE]) == pytest.approx(-26, abs=0.1)


def test_silence_at_both_ends_is_cut_and_a_pause_inside_stays():
    kept = trimmed(np.concatenate([QUIET, TONE, QUIET, TONE, QUIET]), RATE)
    assert len(kept) == pytest.approx(2.5 * RATE, abs=0.05 * RATE)


def test_voice_activity_leaves_pauses_out():
    kept = active(np.concatenate([QUIET, TONE, QUIET, TONE, QUIET]), RATE)
    assert len(kept) == pytest.approx(2 * RATE, abs=0.2 * RATE)
    assert level_db(kept) == pytest.approx(level_db(TONE), abs=1)


def test_nothing_is_the_default():
    assert prepared(TONE, RATE, NOTHING) is TONE
    assert Preparation() == NOTHING


@pytest.mark.parametrize(
    "samples", [np.zeros(RATE, np.float32), np.zeros(10, np.float32), np.zeros(0, np.float32)]
)
def test_silence_and_crumbs_stay_finite(samples):
    everything = prepared(samples, RATE, Preparation(loudness=True, trim=True, vad=True))
    assert np.isfinite(everything).all()
    assert len(everything) <= len(samples)


def test_the_challenge_of_2024_sets_the_peak_to_1_and_cuts_zeros_at_both_ends():
    samples = np.array([0, 0, 0.1, -0.25, 0, 0.05, 0], np.float32)
    done = prepared(samples, RATE, Preparation(challenge="vpc2024"))
    np.testing.assert_array_equal(done, np.float32([0.4, -1, 0, 0.2]))
    assert done.dtype == np.float32
    assert not len(prepared(np.zeros(9, np.float32), RATE, Preparation(challenge="vpc2024")))
    # -30 LUFS before are a gain, which the peak undoes.
    louder = prepared(3 * samples, RATE, Preparation(challenge="vpc2024"))
    np.testing.assert_allclose(louder, done, rtol=1e-6)
