"""Low-pass, telephone and MP3, and the modules of the light-weight cascade, by hand values."""

import numpy as np
import pytest
from support.sounds import NAMES, RATE, VOWEL_HZ, measured_formants, measured_pitch, vowel

from voiceprivacy.anonymise.functions import cascade, channels, mcadams

NOISE = np.random.default_rng(0).normal(0, 0.1, RATE)
TIME = np.arange(RATE) / RATE


def power(samples, *, above_hz=0.0, below_hz=np.inf, rate=RATE):
    """Share of the power between two frequencies."""
    spectrum = np.abs(np.fft.rfft(samples)) ** 2
    frequencies = np.fft.rfftfreq(len(samples), 1 / rate)
    return spectrum[(frequencies > above_hz) & (frequencies < below_hz)].sum() / spectrum.sum()


def tone(hz, level=0.5):
    return level * np.sin(2 * np.pi * hz * TIME)


def low_pass(samples, rate=RATE, **options):
    return channels.low_pass(samples, rate, **NAMES, **options)


def test_a_low_pass_leaves_nothing_above_its_cutoff():
    assert power(low_pass(NOISE), above_hz=3500) < 1e-3
    assert power(low_pass(NOISE, cutoff_hz=1000), above_hz=1200) < 1e-3


def test_a_low_pass_changes_and_delays_nothing_below():
    assert low_pass(tone(500))[2000:-2000] == pytest.approx(tone(500)[2000:-2000], abs=1e-3)
    np.testing.assert_array_equal(low_pass(NOISE, 8000, cutoff_hz=4000), np.float32(NOISE))


@pytest.mark.parametrize(
    ("channel", "hz", "lowest", "highest"),
    [
        (channels.low_pass, 3000, -6.07, -5.97),  # half at its cutoff
        (channels.telephone, 100, -99, -30),
        (channels.telephone, 300, -6.3, -5.7),  # half at the edges of the band of G.712
        (channels.telephone, 1000, -0.2, 0.2),
        (channels.telephone, 3400, -6.3, -5.7),
    ],
)
def test_a_band_ends_where_it_should(channel, hz, lowest, highest):
    left = channel(tone(hz), RATE, **NAMES)[4000:-4000]
    assert lowest < 20 * np.log10(np.std(left) / np.std(tone(hz))) < highest


@pytest.mark.parametrize("rate", [8000, 16000, 44100])
def test_a_telephone_leaves_nothing_above_four_kilohertz(rate):
    left = channels.telephone(np.random.default_rng(1).normal(0, 0.1, rate), rate, **NAMES)
    assert power(left, above_hz=4100, rate=rate) < 1e-3
    assert power(left, below_hz=150, rate=rate) < 1e-3


def test_the_mu_law_has_256_levels_that_are_finer_where_it_is_quiet():
    levels = np.unique(channels.quantised(np.linspace(-1, 1, 100_001)))
    assert len(levels) == 257  # zero stays zero
    steps = np.diff(levels)
    assert steps[-1] / steps[130] == pytest.approx(256 ** (124 / 128), rel=0.05)


def test_levels_of_the_mu_law_by_hand():
    """1 / 17 = 15 / 255 is companded to log 16 / log 256 = 1/2, the lower end of step 64."""
    steps = {1.0: 127.5, 2.0: 127.5, 1.001 / 17: 64.5, 1e-6: 0.5}
    levels = [(256 ** (step / 128) - 1) / 255 for step in steps.values()]
    samples = np.array([0.0, -1.0, *steps])
    expected = [0.0, -levels[0], *levels]
    np.testing.assert_allclose(channels.quantised(samples), expected, rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize("kbit_s", [16, 32, 48, 160])
def test_an_mp3_file_is_not_delayed(kbit_s):
    decoded = channels.mp3(np.eye(1, RATE, 8000)[0], RATE, **NAMES, kbit_s=kbit_s)
    assert abs(np.abs(decoded).argmax() - 8000) <= 2


@pytest.mark.parametrize("rate", [8000, 16000, 22050, 48000])
def test_an_mp3_file_holds_the_tone_that_it_was_given(rate):
    tone = 0.5 * np.sin(2 * np.pi * 440 * np.arange(rate) / rate)
    decoded = channels.mp3(tone, rate, **NAMES)
    middle = slice(rate // 4, -rate // 4)
    assert np.corrcoef(decoded[middle], tone[middle])[0, 1] > 0.99


def test_fewer_bits_leave_less_of_the_noise():
    bitrates = (9, 16, 32, 48, 160)
    decoded = [channels.mp3(NOISE, RATE, **NAMES, kbit_s=bitrate) for bitrate in bitrates]
    errors = [np.std(heard - NOISE) for heard in decoded]
    assert errors == sorted(errors, reverse=True)
    assert errors[-1] < 0.4 * np.std(NOISE)


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
    np.testing.assert_allclose(cascade.clip(NOISE, RATE, 1.0), NOISE, rtol=2e-3, atol=1e-3)
    padded = np.concatenate([ramp, np.zeros(80_000)])
    assert cascade.clip(padded, RATE, 0.5) @ padded > 0, "speech in a file of zeros is heard"


def warped_hz(warp):
    """Where an all-pass filter of first order puts 2 kHz."""
    omega = np.pi / 4
    moved = omega + 2 * np.arctan(warp * np.sin(omega) / (1 - warp * np.cos(omega)))
    return moved * RATE / (2 * np.pi)


def test_a_warp_of_the_whole_spectrum_moves_a_tone_as_its_formula_says():
    spectrum = np.abs(np.fft.rfft(cascade.vtln(tone(2000), RATE, 0.1)))
    assert spectrum.argmax() == pytest.approx(warped_hz(0.1), abs=15)


def test_a_chorus_of_nothing_changes_nothing_and_one_has_three_voices():
    np.testing.assert_allclose(cascade.chorus(NOISE, RATE, 0.0), NOISE, atol=1e-6)
    spectrum = np.abs(np.fft.rfft(cascade.chorus(tone(2000), RATE, 0.1)))
    for middle in (round(warped_hz(-0.1)), 2000, round(warped_hz(0.1))):
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
    unasked = cascade.cascade(sound, RATE, **NAMES)
    np.testing.assert_array_equal(unasked, changed(sound, **published))
