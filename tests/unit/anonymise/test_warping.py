"""Warps of the envelope: values by hand, and where the formants of a vowel go."""

import numpy as np
import pytest
from scipy import signal
from support.sounds import RATE, VOWEL_HZ, measured_formants, measured_pitch, vowel

from voiceprivacy.anonymise.functions import spectra, warping

FORMANTS = np.array(VOWEL_HZ)
OMEGA = np.linspace(0, np.pi, 301)
WARPS = {
    "bilinear up": warping.bilinear(0.1),
    "bilinear down": warping.bilinear(-0.1),
    "quadratic up": warping.quadratic(1),
    "quadratic down": warping.quadratic(-1),
    "piecewise up": warping.piecewise(0.15),
    "piecewise down": warping.piecewise(-0.15),
    "voicemask": warping.voicemask(0.09, -1.4),
}
warps = pytest.mark.parametrize("warp", WARPS.values(), ids=list(WARPS))


@warps
def test_a_warp_keeps_both_ends_and_the_order(warp):
    moved = warp(OMEGA)
    assert moved[[0, -1]] == pytest.approx([0, np.pi])
    assert (np.diff(moved) > 0).all()


@pytest.mark.parametrize(
    ("warp", "omega", "expected"),
    [
        (warping.bilinear(0.2), 1 / 2, 1 / 2 + 2 * np.arctan(0.2) / np.pi),
        (warping.quadratic(2), 1 / 2, 1 / 2 + 0.5 / np.pi),
        (warping.quadratic(-1), 1 / 4, 1 / 4 - 3 / 16 / np.pi),
        (warping.piecewise(-0.2), 1 / 2, 0.4),
        (warping.piecewise(-0.2), 7 / 8, 0.7),
        (warping.piecewise(0.25), 0.7, 7 / 8),
        (warping.piecewise(0.25), 0.85, 7 / 8 + 1 / 16),
    ],
)
def test_values_of_warps_by_hand(warp, omega, expected):
    """In half of the sample rate."""
    assert warp(omega * np.pi) / np.pi == pytest.approx(expected)


def test_a_bilinear_warp_multiplies_the_tangents_of_half_the_angle():
    """By (1 + a) / (1 - a), everywhere."""
    moved = warping.bilinear(0.2)(OMEGA[:-1])
    np.testing.assert_allclose(np.tan(moved / 2), 1.5 * np.tan(OMEGA[:-1] / 2), rtol=1e-9)


def test_the_distortion_of_a_warp_by_hand():
    """The integral of 2 a sin omega; so |a| from 0.08 to 0.10 is 0.32 to 0.40."""
    assert warping.distortion(warping.bilinear(0.08)) == pytest.approx(0.32, abs=0.001)
    assert warping.distortion(warping.bilinear(-0.1)) == pytest.approx(0.40, abs=0.002)
    assert warping.distortion(warping.quadratic(1)) == pytest.approx(np.pi / 6, rel=1e-4)


def test_every_draw_of_voicemask_is_distorted_as_much_as_was_said():
    for seed in range(50):
        warp = warping.DRAWN["voicemask"](np.random.default_rng(seed), (0.08, 0.10))
        assert 0.32 <= warping.distortion(warp) <= 0.40
        assert (np.diff(warp(OMEGA)) > 0).all()


def test_no_warp_changes_nothing():
    same = warping.warped(vowel(), lambda omega: omega, size=512)
    np.testing.assert_allclose(same, vowel(), atol=1e-12)


@pytest.mark.parametrize("pitch_hz", [120, 220])
@warps
def test_formants_of_a_vowel_go_where_the_warp_says_and_its_pitch_stays(warp, pitch_hz):
    sound = vowel(pitch_hz=pitch_hz)
    moved = warping.warped(sound, warp, size=512)
    expected = warp(FORMANTS * 2 * np.pi / RATE) * RATE / (2 * np.pi)
    np.testing.assert_allclose(measured_formants(moved), expected, rtol=0.12)
    assert measured_pitch(moved) == pytest.approx(measured_pitch(sound), rel=0.01)
    assert moved @ moved == pytest.approx(sound @ sound)


def shift_of(speaker="anna", utterance="a", **options):
    """By how much the third formant moves."""
    sound = vowel()
    moved = warping.vtln(sound, RATE, utterance=utterance, speaker=speaker, seed=0, **options)
    return measured_formants(moved)[2] / measured_formants(sound)[2]


@pytest.mark.parametrize("warp", list(warping.DRAWN))
def test_a_voice_belongs_to_its_speaker(warp):
    assert shift_of(utterance="a", warp=warp) == shift_of(utterance="b", warp=warp)
    shifts = {shift_of(speaker=name, warp=warp) for name in ("anna", "berta", "carl", "emil")}
    assert len(shifts) == 4
    first, second = (shift_of(utterance=name, warp=warp, level="utterance") for name in "ab")
    assert first != second


def test_draws_go_up_and_down_within_their_range():
    shifts = [shift_of(speaker=f"{n}", warp="piecewise", strength=[0.1, 0.2]) for n in range(12)]
    sizes = np.abs(np.array(shifts) - 1)
    assert min(shifts) < 1 < max(shifts)
    assert (sizes > 0.05).all() and (sizes < 0.25).all()


@pytest.mark.parametrize("length", [1, 127, 128, 129, 512, 5000])
def test_samples_of_unchanged_spectra_are_the_samples(length):
    sound = np.random.default_rng(length).normal(size=length)
    rows = spectra.frames_of(sound, 512)
    np.testing.assert_allclose(spectra.samples_of(np.fft.rfft(rows), length), sound, atol=1e-12)


def test_the_envelope_of_a_resonance_is_that_resonance():
    """One pole pair of radius 0.95 at pi / 4, excited by noise: the peak is there."""
    noise = np.random.default_rng(0).normal(size=16000)
    sound = signal.lfilter([1], [1, -2 * 0.95 * np.cos(np.pi / 4), 0.95**2], noise)
    mean = spectra.envelopes_of(spectra.frames_of(sound, 512)).mean(axis=0)
    assert mean.argmax() == pytest.approx(64, abs=2)
