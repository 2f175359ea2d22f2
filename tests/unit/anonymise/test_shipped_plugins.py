"""The plug-ins that are shipped: what a low-pass and a shift of pitch do to a sound."""

import numpy as np
import pytest

from voiceprivacy.anonymise.call_function import load_function
from voiceprivacy.inout.files import RESOURCES

RATE = 16000
NOISE = np.random.default_rng(0).normal(0, 0.1, RATE).astype(np.float32)
TIME = np.arange(2 * RATE) / RATE
BUZZ = sum(np.sin(2 * np.pi * 200 * harmonic * TIME) / harmonic for harmonic in range(1, 6))


def call(plugin, samples, speaker="anna", **options):
    function = load_function(f"{RESOURCES}/plugins/{plugin}.py:anonymise")
    return function(samples, RATE, utterance="a", speaker=speaker, seed=0, **options)


def power(samples, *, above_hz):
    """Share of the power above a frequency."""
    spectrum = np.abs(np.fft.rfft(samples)) ** 2
    return spectrum[np.fft.rfftfreq(len(samples), 1 / RATE) > above_hz].sum() / spectrum.sum()


def test_a_low_pass_leaves_nothing_above_its_cutoff():
    assert power(call("lowpass", NOISE), above_hz=3500) < 1e-3
    assert power(call("lowpass", NOISE, cutoff_hz=1000), above_hz=1200) < 1e-3
    assert len(call("lowpass", NOISE)) == len(NOISE)


def test_a_low_pass_changes_and_delays_nothing_below():
    tone = np.sin(2 * np.pi * 500 * TIME)
    assert call("lowpass", tone)[2000:-2000] == pytest.approx(tone[2000:-2000], abs=1e-3)


def pitch_hz(samples):
    spectrum = np.abs(np.fft.rfft(samples * np.hanning(len(samples))))
    return spectrum.argmax() * RATE / len(samples)


@pytest.mark.parametrize("speaker", ["anna", "berta", "david", "emil"])
def test_a_voice_is_shifted_by_two_to_four_semitones_up_or_down(speaker):
    shifted = call("pitch_shift", BUZZ / 10, speaker)
    semitones = 12 * np.log2(pitch_hz(shifted) / 200)
    assert 1.9 < abs(semitones) < 4.1
    assert len(shifted) == len(BUZZ)


def test_a_shift_belongs_to_the_speaker_and_its_range_is_an_option():
    assert pitch_hz(call("pitch_shift", BUZZ / 10)) == pitch_hz(call("pitch_shift", BUZZ / 20))
    far = call("pitch_shift", BUZZ / 10, semitones=[11.9, 12.1])
    assert abs(12 * np.log2(pitch_hz(far) / 200)) == pytest.approx(12, abs=0.2)
