"""Pitch and formants: found where they are, and moved as far as is asked, alone or together."""

import sys

import numpy as np
import pytest
from support.sounds import NAMES, RATE, VOWEL_HZ, measured_formants, measured_pitch, vowel

from voiceprivacy.anonymise.functions import retuning, shifting, world
from voiceprivacy.errors import BadInput

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


def test_a_monotone_voice_has_the_middle_of_its_own_pitch_or_a_given_one():
    sound, pitch = melody()
    flat = retuning.monotone(sound, RATE, **NAMES)
    track = retuning.pitch_track(flat.astype(float), RATE)[10:-10]
    np.testing.assert_allclose(track[track > 0], np.median(pitch), rtol=0.06)
    assert (track > 0).mean() > 0.95
    np.testing.assert_allclose(measured_formants(flat), VOWEL_HZ, rtol=0.08)
    given = retuning.monotone(sound, RATE, **NAMES, pitch_hz=130)
    assert measured_pitch(given) == pytest.approx(130, rel=0.02)


def test_what_has_no_pitch_stays_as_it_is():
    click = np.eye(1, RATE, 99)[0]
    np.testing.assert_array_equal(retuning.monotone(click, RATE, **NAMES), click)


def test_speech_stays_where_it_was():
    """Pieces go to the time that they came from: half a second of silence stays silent."""
    sound = np.concatenate([np.zeros(RATE // 2), melody()[0], np.zeros(RATE // 2)])
    flat = retuning.monotone(sound, RATE, **NAMES)
    assert np.abs(flat[: RATE // 2 - 400]).max() < 1e-3
    assert np.abs(flat[-RATE // 2 + 400 :]).max() < 1e-3


TIME = np.arange(RATE) / RATE
BUZZ = sum(np.sin(2 * np.pi * 200 * harmonic * TIME) / harmonic for harmonic in range(1, 6)) / 10

both_ways = pytest.mark.parametrize("method", list(shifting.STRETCHES))


def shift(samples=BUZZ, **options):
    return shifting.pitch_shift(samples, RATE, **NAMES | options)


def semitones(samples):
    """How far the strongest frequency of a buzz lies from 200 Hz."""
    spectrum = np.abs(np.fft.rfft(samples * np.hanning(len(samples)), 2 * RATE))
    return 12 * np.log2(spectrum.argmax() / 2 / 200)


@both_ways
def test_voices_are_shifted_by_two_to_four_semitones_some_up_and_some_down(method):
    shifted = [shift(speaker=f"{number}", method=method) for number in range(6)]
    assert {len(samples) for samples in shifted} == {len(BUZZ)}
    shifts = [semitones(samples) for samples in shifted]
    assert all(1.9 < abs(size) < 4.1 for size in shifts)
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
    """A tone that begins after half a second begins there afterwards."""
    sound = np.where(TIME > 0.5, BUZZ, 0)
    shifted = shifting.shifted(sound, RATE, factor, shifting.STRETCHES[method])
    begins = np.flatnonzero(np.abs(shifted) > 0.02)[0] / RATE
    assert begins == pytest.approx(0.5, abs=0.05)


@pytest.mark.parametrize(
    ("pitch_hz", "pitch", "formants", "rtol"),
    [
        (110, 1.0, 1.0, 0.03),
        (210, 1.0, 1.0, 0.03),
        (130, 0.75, 1.0, 0.06),
        (130, 1.3, 1.0, 0.06),
        (110, 1.0, 0.87, 0.05),
        (110, 1.0, 1.13, 0.05),
    ],
)
def test_world_moves_pitch_and_formants_each_by_itself(pitch_hz, pitch, formants, rtol):
    sound = vowel(pitch_hz=pitch_hz)
    spoken = world.spoken_anew(sound, RATE, pitch=pitch, formants=formants)
    expected = formants * measured_formants(sound)
    np.testing.assert_allclose(measured_formants(spoken), expected, rtol=rtol)
    assert measured_pitch(spoken) == pytest.approx(pitch * pitch_hz, rel=0.02)
    assert spoken @ spoken == pytest.approx(sound @ sound, rel=1e-6)


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


def test_world_keeps_the_rhythm():
    spoken = world.world(np.where(TIME > 0.5, vowel(), 0), RATE, **NAMES)
    assert np.flatnonzero(np.abs(spoken) > 0.05)[0] / RATE == pytest.approx(0.5, abs=0.03)


def test_world_leaves_a_voice_at_8_khz():
    """D4C reads beyond its spectra there: voices were noise, another one each time."""
    sound = vowel(pitch_hz=120, sample_rate=8000)
    first, again = (world.world(sound, 8000, **NAMES) for _ in range(2))
    assert (retuning.pitch_track(first, 8000)[10:-10] > 0).all()
    np.testing.assert_array_equal(first, again)


def test_without_pyworld_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyworld", None)
    with pytest.raises(BadInput, match=r"world needs pyworld: .*requirements-world.txt"):
        world.world(vowel(), RATE, **NAMES)
