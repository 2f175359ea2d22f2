"""The modules of the light-weight cascade, by hand values, and in their published order."""

import numpy as np
import pytest
from support.sounds import VOWEL_HZ, measured_formants, measured_pitch, vowel

from voiceprivacy.anonymise.functions import cascade, mcadams
from voiceprivacy.inout.files import BadInput

RATE = 16000
NAMES = {"utterance": "a", "speaker": "anna", "seed": 0}
NOISE = np.random.default_rng(0).normal(0, 0.1, RATE)


def changed(sound, **modules):
    return cascade.cascade(sound, RATE, **NAMES, modules=modules)


@pytest.mark.parametrize("speed", [0.8, 1.25])
def test_resampling_divides_pitch_and_formants(speed):
    moved = changed(vowel(), resamp=speed)
    np.testing.assert_allclose(measured_formants(moved), np.array(VOWEL_HZ) / speed, rtol=0.06)
    assert measured_pitch(moved) == pytest.approx(120 / speed, rel=0.02)


def test_mcadams_is_that_of_2020():
    sound = vowel()
    expected = mcadams.anonymise(sound, RATE, alpha=0.8)
    expected *= np.sqrt((sound @ sound) / (expected @ expected))
    expected /= max(1, np.abs(expected).max())
    np.testing.assert_allclose(changed(sound, mcadams=0.8), expected, atol=1e-6)


def test_clipping_cuts_at_the_share_that_was_asked_for():
    """The sizes of a ramp are spread evenly: half of them lie below a half, so it is cut there."""
    ramp = np.linspace(-1, 1, 20_001)
    cut = cascade.clip(ramp, RATE, 0.5)
    assert np.abs(cut).max() / cut[15_000 - 2000] == pytest.approx(0.5 / 0.3, rel=0.01)
    assert cut @ cut == pytest.approx(ramp @ ramp)
    assert (np.abs(cut) > 0.999 * cut.max()).mean() == pytest.approx(0.5, abs=0.01)


def test_clipping_a_share_of_one_cuts_nothing():
    np.testing.assert_allclose(cascade.clip(NOISE, RATE, 1.0), NOISE, rtol=2e-3, atol=1e-3)


def test_a_warp_of_the_whole_spectrum_moves_a_tone_as_its_formula_says():
    tone = 0.5 * np.sin(2 * np.pi * 2000 * np.arange(RATE) / RATE)
    moved = cascade.vtln(tone, RATE, 0.1)
    spectrum = np.abs(np.fft.rfft(moved))
    omega = np.pi / 4
    expected = omega + 2 * np.arctan(0.1 * np.sin(omega) / (1 - 0.1 * np.cos(omega)))
    assert spectrum.argmax() == pytest.approx(expected * RATE / (2 * np.pi), abs=15)


def test_a_chorus_of_nothing_changes_nothing_and_one_has_three_voices():
    np.testing.assert_allclose(cascade.chorus(NOISE, RATE, 0.0), NOISE, atol=1e-6)
    tone = 0.5 * np.sin(2 * np.pi * 2000 * np.arange(RATE) / RATE)
    spectrum = np.abs(np.fft.rfft(cascade.chorus(tone, RATE, 0.1)))
    for warp in (-0.1, 0.0, 0.1):
        omega = np.pi / 4 + 2 * np.arctan(warp * np.sin(np.pi / 4) / (1 - warp * np.cos(np.pi / 4)))
        middle = round(omega * RATE / (2 * np.pi))
        assert spectrum[middle - 30 : middle + 30].max() > 0.2 * spectrum.max()


def test_smoothing_takes_away_what_changes_fast_and_leaves_what_is_slow():
    """Loudness that swings 12 times a second swings less after a cutoff of 0.1 (1.6 Hz)."""
    time = np.arange(2 * RATE) / RATE
    loudness = np.exp(np.sin(2 * np.pi * 6 * time))
    noise = np.random.default_rng(1).normal(0, 0.05, 2 * RATE)

    def swing(sound):
        levels = np.log(np.abs(sound[4000:-4000]).reshape(-1, 400).mean(axis=1))
        angles = 2 * np.pi * 6 * np.arange(len(levels)) * 400 / RATE
        return np.abs(np.mean(levels * np.exp(1j * angles)))

    smooth = cascade.modspec(noise * loudness, RATE, 0.1)
    assert swing(smooth) < 0.5 * swing(noise * loudness)
    kept = cascade.modspec(noise * loudness, RATE, 0.95)
    assert swing(kept) > 0.7 * swing(noise * loudness)
    assert smooth @ smooth == pytest.approx((noise * loudness) @ (noise * loudness))


def test_modules_are_applied_in_the_order_in_which_they_stand():
    one = changed(vowel(), clip=0.6, resamp=1.2)
    other = changed(vowel(), resamp=1.2, clip=0.6)
    step = cascade.resamp(cascade.clip(vowel(), RATE, 0.6), RATE, 1.2)
    np.testing.assert_allclose(one, step / max(1, np.abs(step).max()), atol=1e-6)
    assert np.abs(one - other).max() > 0.01


@pytest.mark.parametrize(("pitch_hz", "gender"), [(110, "male"), (210, "female")])
def test_the_published_parameters_are_those_of_the_gender_that_the_pitch_tells(pitch_hz, gender):
    sound = vowel(pitch_hz=pitch_hz)
    published = cascade.LIBRISPEECH[gender]
    assert list(published) == ["resamp", "modspec", "mcadams", "chorus", "clip"]
    np.testing.assert_array_equal(
        cascade.cascade(sound, RATE, **NAMES), changed(sound, **published)
    )


@pytest.mark.parametrize(
    ("modules", "said"),
    [
        (
            {"reverb": 1},
            "modules: 'reverb' is none of vtln, resamp, mcadams, modspec, clip, chorus",
        ),
        ({"modspec": 1.08}, "modspec: must lie between 0 and 1, not 1.08"),
        ({"resamp": 0}, "resamp: must lie between 0.25 and 4, not 0"),
        ({"clip": 1.2}, "clip: must lie between 0 and"),
        ({"vtln": 1}, "bilinear: its parameter lies between -1 and 1, not 1"),
    ],
)
def test_parameters_that_cannot_be_are_refused(modules, said):
    with pytest.raises(BadInput, match=said):
        changed(NOISE, **modules)
