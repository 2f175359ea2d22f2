"""What is heard in the pauses: spectra and depths that are known, and what must not matter."""

import numpy as np
import pytest
from scipy.signal import butter, sosfilt

from voiceprivacy.attack.backends.backends import jensen_shannon
from voiceprivacy.attack.extractors.background import BANDS, background_histogram

RATE = 16000


def recorded(*, room=None, level=0.1, noise=1e-3, seed=0, sounds=0):
    """Speech of noise with a pause every half second, in a room whose noise has a colour."""
    n_samples = 4 * RATE
    behind = noise * np.random.default_rng(seed).standard_normal(n_samples)
    if room is not None:
        behind = sosfilt(butter(4, room, fs=RATE, output="sos"), behind)
    speech = level * np.random.default_rng(100 + sounds).standard_normal(n_samples)
    speaks = (np.arange(n_samples) // (RATE // 2)) % 2 == 0
    return (speech * speaks + behind).astype(np.float32)


def likeness(first, second):
    """As the back-end compares them."""
    score = jensen_shannon(enrolment=first[None], counts=np.ones(1), trial=second[None])
    return float(score[0, 0])


def test_the_spectrum_is_that_of_the_room():
    low = background_histogram(recorded(room=500), RATE)[:BANDS]
    high = background_histogram(recorded(room=7000), RATE)[:BANDS]
    centre = np.arange(BANDS)
    assert (low @ centre) < (high @ centre) - 5
    assert low.sum() == pytest.approx(1)


def test_the_depth_is_that_of_the_noise_below_the_speech():
    """Speech of 0.1 and noise of 0.001 are 40 dB apart: bin 13 of 3 dB."""
    depth = background_histogram(recorded(), RATE)[BANDS:]
    assert np.argmax(depth) == 13
    assert depth.sum() == pytest.approx(1)


def test_the_room_tells_more_than_what_is_said_in_it():
    here = background_histogram(recorded(room=1000, seed=1, sounds=1), RATE)
    here_again = background_histogram(recorded(room=1000, seed=2, sounds=2), RATE)
    there = background_histogram(recorded(room=4000, seed=3, sounds=1), RATE)
    assert likeness(here, here_again) > likeness(here, there) + 0.1


def test_loudness_does_not_matter():
    sound = recorded(room=1000)
    once, louder = background_histogram(sound, RATE), background_histogram(4 * sound, RATE)
    np.testing.assert_allclose(once, louder, atol=1e-5)


def test_pauses_of_digital_silence_have_a_depth_and_no_spectrum():
    histogram = background_histogram(recorded(noise=0), RATE)
    assert not histogram[:BANDS].any()
    # Speech of 0.1 lies at -20 dB, digital silence at -100: 80 dB are bin 26.
    assert np.argmax(histogram[BANDS:]) == 26


@pytest.mark.parametrize("samples", [np.zeros(RATE, np.float32), np.zeros(10, np.float32)])
def test_nothing_at_all_says_nothing(samples):
    assert set(background_histogram(samples, RATE)) == {1.0}
