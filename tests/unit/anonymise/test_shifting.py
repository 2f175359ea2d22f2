"""A shift of pitch and formants: how far both move, and that nothing else does."""

import numpy as np
import pytest
from support.sounds import measured_formants, measured_pitch, vowel

from voiceprivacy.anonymise.functions import shifting
from voiceprivacy.inout.files import BadInput

RATE = 16000
TIME = np.arange(2 * RATE) / RATE
BUZZ = sum(np.sin(2 * np.pi * 200 * harmonic * TIME) / harmonic for harmonic in range(1, 6)) / 10

both_ways = pytest.mark.parametrize("method", list(shifting.STRETCHES))


def shift(samples=BUZZ, rate=RATE, *, speaker="anna", utterance="a", **options):
    return shifting.pitch_shift(
        samples, rate, utterance=utterance, speaker=speaker, seed=0, **options
    )


def semitones(samples, rate=RATE):
    """How far the strongest frequency of a buzz lies from 200 Hz."""
    spectrum = np.abs(np.fft.rfft(samples * np.hanning(len(samples))))
    return 12 * np.log2(spectrum.argmax() * rate / len(samples) / 200)


@both_ways
@pytest.mark.parametrize("speaker", ["anna", "berta", "david", "emil"])
def test_a_voice_is_shifted_by_two_to_four_semitones_up_or_down(speaker, method):
    shifted = shift(speaker=speaker, method=method)
    assert 1.9 < abs(semitones(shifted)) < 4.1
    assert len(shifted) == len(BUZZ)


def test_some_go_up_and_some_down():
    shifts = [semitones(shift(speaker=f"{number}")) for number in range(8)]
    assert min(shifts) < 0 < max(shifts)


@both_ways
def test_a_shift_belongs_to_the_speaker_and_its_range_is_an_option(method):
    assert semitones(shift(method=method)) == semitones(shift(BUZZ / 2, method=method))
    assert semitones(shift(utterance="b", method=method)) == semitones(shift(method=method))
    far = shift(semitones=[11.9, 12.1], method=method)
    assert abs(semitones(far)) == pytest.approx(12, abs=0.2)


@both_ways
def test_a_shift_of_an_utterance_is_its_own(method):
    first, second = (shift(utterance=name, level="utterance", method=method) for name in "ab")
    assert abs(semitones(first) - semitones(second)) > 0.05


@both_ways
@pytest.mark.parametrize("factor", [0.75, 1.25])
@pytest.mark.parametrize("pitch_hz", [110, 210])
def test_pitch_and_formants_of_a_vowel_move_together(factor, pitch_hz, method):
    sound = vowel(pitch_hz=pitch_hz)
    shifted = shifting.shifted(sound, RATE, factor, shifting.STRETCHES[method])
    expected = factor * measured_formants(sound)
    np.testing.assert_allclose(measured_formants(shifted), expected, rtol=0.06)
    assert measured_pitch(shifted) == pytest.approx(factor * pitch_hz, rel=0.02)


@both_ways
@pytest.mark.parametrize("factor", [0.5, 0.8, 1.0, 1.3, 2.0])
def test_the_rhythm_stays(factor, method):
    """A tone that begins after one second begins there afterwards."""
    sound = np.where(TIME > 1, BUZZ, 0)
    shifted = shifting.shifted(sound, RATE, factor, shifting.STRETCHES[method])
    begins = np.flatnonzero(np.abs(shifted) > 0.02)[0] / RATE
    assert begins == pytest.approx(1, abs=0.05)


def test_nothing_is_moved_by_a_factor_of_one():
    same = shifting.shifted(BUZZ, RATE, 1.0, shifting.stretched_by_wsola)
    np.testing.assert_allclose(same, BUZZ, atol=1e-6)


@pytest.mark.parametrize("factor", [0.7, 1.0, 1.4])
def test_wsola_keeps_pitch_and_level_and_changes_the_length(factor):
    longer = shifting.stretched_by_wsola(BUZZ, RATE, factor)
    assert len(longer) == round(len(BUZZ) * factor)
    assert semitones(longer) == pytest.approx(0, abs=0.05)
    middle = longer[RATE // 4 : -RATE // 4]
    assert np.std(middle) == pytest.approx(np.std(BUZZ), rel=0.02)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"method": "sox"}, "method: 'sox' is neither of vocoder, wsola"),
        ({"semitones": [30, 40]}, "semitones: at most 24"),
        ({"semitones": 3}, "expected a range of two numbers, not 3"),
        ({"level": "list"}, "level: 'list' is neither speaker nor utterance"),
    ],
)
def test_options_that_cannot_be_are_refused(options, said):
    with pytest.raises(BadInput, match=said):
        shift(**options)
