"""The WORLD vocoder on a vowel: pitch and formants go where they are told, each by itself."""

import sys

import numpy as np
import pytest
from support.sounds import measured_formants, measured_pitch, vowel

from voiceprivacy.anonymise.functions import world
from voiceprivacy.inout.files import BadInput

RATE = 16000
NAMES = {"utterance": "a", "speaker": "anna", "seed": 0}


def anew(samples, *, pitch=1.0, formants=1.0):
    return world.spoken_anew(samples, RATE, pitch=pitch, formants=formants)


@pytest.mark.parametrize("pitch_hz", [110, 210])
def test_without_a_change_the_vowel_stays_what_it_was(pitch_hz):
    sound = vowel(pitch_hz=pitch_hz)
    spoken = anew(sound)
    np.testing.assert_allclose(measured_formants(spoken), measured_formants(sound), rtol=0.03)
    assert measured_pitch(spoken) == pytest.approx(pitch_hz, rel=0.02)
    assert spoken @ spoken == pytest.approx(sound @ sound, rel=1e-6)


@pytest.mark.parametrize("factor", [0.75, 1.3])
def test_the_pitch_moves_and_the_formants_stay(factor):
    sound = vowel(pitch_hz=130)
    spoken = anew(sound, pitch=factor)
    assert measured_pitch(spoken) == pytest.approx(factor * 130, rel=0.02)
    np.testing.assert_allclose(measured_formants(spoken), measured_formants(sound), rtol=0.06)


@pytest.mark.parametrize("factor", [0.87, 1.13])
def test_the_formants_move_and_the_pitch_stays(factor):
    sound = vowel(pitch_hz=110)
    spoken = anew(sound, formants=factor)
    assert measured_pitch(spoken) == pytest.approx(110, rel=0.02)
    np.testing.assert_allclose(
        measured_formants(spoken), factor * measured_formants(sound), rtol=0.05
    )


def test_speakers_are_drawn_within_both_ranges_up_and_down_and_apart():
    sound = vowel(pitch_hz=150, seconds=0.5)
    pitches, formants = [], []
    for number in range(12):
        spoken = world.world(sound, RATE, **NAMES | {"speaker": f"s{number}"})
        pitches.append(12 * np.log2(measured_pitch(spoken) / 150))
        formants.append((measured_formants(spoken) / measured_formants(sound)).mean() - 1)
    assert all(2.7 < abs(shift) < 6.3 for shift in pitches)
    assert all(0.03 < abs(shift) < 0.18 for shift in formants)
    signs = set(zip(np.sign(pitches), np.sign(formants), strict=True))
    assert signs == {(-1, -1), (-1, 1), (1, -1), (1, 1)}, "neither tells of the other"


def test_the_rhythm_stays():
    time = np.arange(2 * RATE) / RATE
    sound = np.where(time > 1, vowel(seconds=2), 0)
    spoken = world.world(sound, RATE, **NAMES)
    assert np.flatnonzero(np.abs(spoken) > 0.05)[0] / RATE == pytest.approx(1, abs=0.03)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"semitones": [30, 40]}, "semitones: at most 24"),
        ({"formants": [0.6, 0.7]}, "formants: at most 0.5"),
        ({"formants": 3}, "expected a range of two numbers, not 3"),
        ({"level": "list"}, "level: 'list' is neither speaker nor utterance"),
    ],
)
def test_options_that_cannot_be_are_refused(options, said):
    with pytest.raises(BadInput, match=said):
        world.world(vowel(), RATE, **NAMES, **options)


def test_without_pyworld_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyworld", None)
    with pytest.raises(BadInput, match=r"world needs pyworld: .*requirements-world.txt"):
        world.world(vowel(), RATE, **NAMES)
