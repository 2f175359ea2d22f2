"""Low-pass, telephone and MP3: what they leave of a sound, by hand values."""

import numpy as np
import pytest
from support.sounds import measured_formants, measured_pitch, vowel

from voiceprivacy.anonymise.functions import channels
from voiceprivacy.inout.files import BadInput

RATE = 16000
NAMES = {"utterance": "a", "speaker": "anna", "seed": 0}
NOISE = np.random.default_rng(0).normal(0, 0.1, RATE)
TIME = np.arange(RATE) / RATE


def power(samples, *, above_hz=0.0, below_hz=np.inf, rate=RATE):
    """Share of the power between two frequencies."""
    spectrum = np.abs(np.fft.rfft(samples)) ** 2
    frequencies = np.fft.rfftfreq(len(samples), 1 / rate)
    return spectrum[(frequencies > above_hz) & (frequencies < below_hz)].sum() / spectrum.sum()


def tone(hz, level=0.5):
    return level * np.sin(2 * np.pi * hz * TIME)


def gain_db(function, hz, **options):
    """What is left of a tone in its middle."""
    left = function(tone(hz), RATE, **NAMES, **options)[4000:-4000]
    return 20 * np.log10(np.std(left) / np.std(tone(hz)))


def test_a_low_pass_leaves_nothing_above_its_cutoff():
    assert power(channels.low_pass(NOISE, RATE, **NAMES), above_hz=3500) < 1e-3
    low = channels.low_pass(NOISE, RATE, **NAMES, cutoff_hz=1000)
    assert power(low, above_hz=1200) < 1e-3


def test_a_low_pass_changes_and_delays_nothing_below():
    low = channels.low_pass(tone(500), RATE, **NAMES)
    assert low[2000:-2000] == pytest.approx(tone(500)[2000:-2000], abs=1e-3)


def test_at_its_cutoff_a_low_pass_leaves_half():
    assert gain_db(channels.low_pass, 3000) == pytest.approx(-6.02, abs=0.05)


def test_a_low_pass_above_half_the_sample_rate_changes_nothing():
    kept = channels.low_pass(NOISE, 8000, **NAMES, cutoff_hz=4000)
    np.testing.assert_array_equal(kept, NOISE.astype(np.float32))


def test_a_cutoff_is_above_zero():
    with pytest.raises(BadInput, match="cutoff_hz: must be above 0, not 0"):
        channels.low_pass(NOISE, RATE, **NAMES, cutoff_hz=0)


@pytest.mark.parametrize(("hz", "lowest", "highest"), [(100, -99, -30), (1000, -0.2, 0.2)])
def test_a_telephone_has_the_band_of_g712(hz, lowest, highest):
    assert lowest < gain_db(channels.telephone, hz) < highest


@pytest.mark.parametrize("hz", [300, 3400])
def test_at_the_edges_of_its_band_a_telephone_leaves_half(hz):
    assert gain_db(channels.telephone, hz) == pytest.approx(-6.0, abs=0.3)


@pytest.mark.parametrize("rate", [8000, 16000, 44100])
def test_a_telephone_leaves_nothing_above_four_kilohertz(rate):
    noise = np.random.default_rng(1).normal(0, 0.1, rate)
    left = channels.telephone(noise, rate, **NAMES)
    assert power(left, above_hz=4100, rate=rate) < 1e-3
    assert power(left, below_hz=150, rate=rate) < 1e-3


def test_the_mu_law_has_256_levels_that_are_finer_where_it_is_quiet():
    levels = np.unique(channels.quantised(np.linspace(-1, 1, 100_001)))
    assert len(levels) == 257  # zero stays zero
    steps = np.diff(levels)
    assert steps[-1] / steps[130] == pytest.approx(256 ** (124 / 128), rel=0.05)


@pytest.mark.parametrize(
    ("sample", "level"),
    [
        (0.0, 0.0),
        (1.0, (256 ** (127.5 / 128) - 1) / 255),
        (-1.0, -(256 ** (127.5 / 128) - 1) / 255),
        (2.0, (256 ** (127.5 / 128) - 1) / 255),
        (1.001 / 17, (256 ** (64.5 / 128) - 1) / 255),
        (1e-6, (256 ** (0.5 / 128) - 1) / 255),
    ],
)
def test_levels_of_the_mu_law_by_hand(sample, level):
    """1 / 17 = 15 / 255 is companded to log 16 / log 256 = 1/2, the lower end of step 64."""
    assert channels.quantised(np.array([sample]))[0] == pytest.approx(level, rel=1e-6, abs=1e-12)


@pytest.mark.parametrize("kbit_s", [16, 32, 48, 160])
def test_an_mp3_file_is_not_delayed(kbit_s):
    click = np.eye(1, RATE, 8000)[0]
    decoded = channels.mp3(click, RATE, **NAMES, kbit_s=kbit_s)
    assert abs(np.abs(decoded).argmax() - 8000) <= 2


@pytest.mark.parametrize("rate", [8000, 16000, 22050, 48000])
def test_an_mp3_file_holds_the_tone_that_it_was_given(rate):
    tone = 0.5 * np.sin(2 * np.pi * 440 * np.arange(rate) / rate)
    decoded = channels.mp3(tone, rate, **NAMES)
    middle = slice(rate // 4, -rate // 4)
    assert np.corrcoef(decoded[middle], tone[middle])[0, 1] > 0.99


def test_fewer_bits_leave_less_of_the_noise():
    errors = []
    for kbit_s in (9, 16, 32, 48, 160):
        decoded = channels.mp3(NOISE, RATE, **NAMES, kbit_s=kbit_s)
        errors.append(np.std(decoded - NOISE))
    assert errors == sorted(errors, reverse=True)
    assert errors[-1] < 0.4 * np.std(NOISE)


@pytest.mark.parametrize("kbit_s", [8, 161])
def test_a_bitrate_that_there_is_not_is_refused(kbit_s):
    with pytest.raises(BadInput, match=f"kbit_s: above 8, at most 160, not {kbit_s}"):
        channels.mp3(NOISE, RATE, **NAMES, kbit_s=kbit_s)


@pytest.mark.parametrize("name", ["low_pass", "telephone", "mp3"])
def test_the_voice_stays_the_voice(name):
    sound = vowel()
    changed = getattr(channels, name)(sound, RATE, **NAMES)
    np.testing.assert_allclose(measured_formants(changed), measured_formants(sound), rtol=0.05)
    assert measured_pitch(changed) == pytest.approx(measured_pitch(sound), rel=0.02)
