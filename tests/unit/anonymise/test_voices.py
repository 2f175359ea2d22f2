"""Borrowed voices and a whisper: whose envelope, whose pitch, and what is refused."""

import itertools
import re
import textwrap
from pathlib import Path

import numpy as np
import pytest
from support.sounds import NAMES, RATE, VOWEL_HZ, measured_formants, measured_pitch, vowel

from voiceprivacy.anonymise.functions import retuning, spectra, voices
from voiceprivacy.errors import BadInput
from voiceprivacy.inout import audio

ROOT = Path(__file__).parents[3]
LOW, HIGH = (500.0, 1350.0, 2400.0), (700.0, 1850.0, 3200.0)


def singing(formants, pitch_hz, seconds=2):
    """Two vowels in turn at a pitch that wavers by a semitone."""
    time = np.arange(seconds * RATE) / RATE
    pitch = pitch_hz * 2 ** (np.sin(2 * np.pi * 3 * time) / 12)
    first = vowel(pitch_hz=pitch, formants_hz=formants, seconds=seconds)
    second = vowel(pitch_hz=pitch, formants_hz=np.array(formants) * 1.05, seconds=seconds)
    return np.where(time % 1 < 0.5, first, second)


@pytest.fixture(scope="module")
def pool(tmp_path_factory):
    """The path of a pool of a low and a high voice."""
    path = tmp_path_factory.mktemp("pool") / "two.npz"
    made = voices.pool_of([("low", singing(LOW, 100)), ("high", singing(HIGH, 200))])
    voices.write_pool(path, made)
    return str(path)


def borrowed(sound, pool, **options):
    return voices.borrowed(sound, RATE, pool=pool, **NAMES | options)


def test_a_pool_holds_what_was_said_of_it(pool):
    with np.load(pool) as parts:
        assert list(parts["speakers"]) == ["low", "high"]
        assert parts["codebooks"].shape == (2, 64, 24)
        np.testing.assert_allclose(np.exp(parts["pitch"][:, 0]), [100, 200], rtol=0.02)
        # A sine of a semitone has a deviation of a semitone by the root of two.
        np.testing.assert_allclose(parts["pitch"][:, 1], np.log(2) / 12 / np.sqrt(2), rtol=0.1)


@pytest.mark.parametrize(("formants", "pitch_hz"), [(LOW, 100), (HIGH, 200), (VOWEL_HZ, 140)])
def test_formants_and_pitch_become_those_of_the_voice_that_is_drawn(pool, formants, pitch_hz):
    sound = singing(formants, pitch_hz)
    for speaker in ("anna", "berta", "carl", "dora"):
        spoken = borrowed(sound, pool, speaker=speaker)
        high = measured_pitch(spoken) > 140
        target = 1.025 * np.array(HIGH if high else LOW)
        np.testing.assert_allclose(measured_formants(spoken), target, rtol=0.12)
        expected = 200 if high else 100
        track = retuning.pitch_track(spoken.astype(float), RATE)
        assert np.median(track[track > 0]) == pytest.approx(expected, rel=0.03)


def test_both_voices_are_drawn_and_stay_with_their_speaker(pool):
    drawn = {"a": [], "b": []}
    for utterance, speaker in itertools.product(drawn, "12345678"):
        spoken = borrowed(vowel(pitch_hz=150), pool, speaker=speaker, utterance=utterance)
        drawn[utterance].append(measured_pitch(spoken) > 140)
    assert drawn["a"] == drawn["b"] and set(drawn["a"]) == {True, False}


def test_of_all_voices_the_mean_is_taken_whoever_speaks(pool):
    sound = vowel(pitch_hz=150)
    one, other = (borrowed(sound, pool, speaker=name, voices=2) for name in ("anna", "berta"))
    np.testing.assert_array_equal(one, other)
    assert measured_pitch(one) == pytest.approx(np.sqrt(100 * 200), rel=0.03)


def test_the_lines_of_the_guide_make_a_pool_that_can_be_used(in_tmp_path):
    page = (ROOT / "docs/guide/anonymisers_shipped.md").read_text()
    (block,) = re.findall(r"(?m)(?:^    .*(?:import|voices|files|recordings).*\n)+", page)
    audio.write("anna.wav", singing(HIGH, 200), RATE)
    audio.write("emil.wav", singing(LOW, 100), RATE)
    exec(textwrap.dedent(block), {})
    assert len(borrowed(vowel(), "mine.npz", voices=2)) == RATE


@pytest.mark.parametrize("sound", [vowel(seconds=0.5), np.eye(1, RATE, 99)[0]])
def test_a_recording_without_enough_voice_makes_no_pool(sound):
    with pytest.raises(BadInput, match="speaker 'anna': less than a second"):
        voices.pool_of([("anna", sound)])


def test_cepstra_give_the_envelope_again():
    """An envelope of few cepstral coefficients is what comes back."""
    angles = np.linspace(0, np.pi, 257)
    envelope = 0.8 * np.cos(angles) - 0.3 * np.cos(5 * angles)
    cepstra = voices.cepstra_of(envelope[None])
    np.testing.assert_allclose(cepstra[0, [0, 4]], [0.4, -0.15], atol=1e-12)
    np.testing.assert_allclose(voices._envelopes_from(cepstra, 257)[0], envelope, atol=1e-12)


def test_a_pool_that_is_none_is_refused(tmp_path, pool):
    with pytest.raises(BadInput, match=r"no\.npz: not found"):
        borrowed(vowel(), str(tmp_path / "no.npz"))
    (tmp_path / "half.npz").write_bytes(Path(pool).read_bytes()[:-99])
    with pytest.raises(BadInput, match=r"half\.npz: not an npz file"):
        borrowed(vowel(), str(tmp_path / "half.npz"))
    empty = voices.Pool(np.array(["a"]), np.ones((1, 3, 24)), np.ones((1, 24)), np.ones((1, 2)))
    voices.write_pool(tmp_path / "small.npz", empty)
    with pytest.raises(BadInput, match=r"small\.npz: its codebooks are"):
        borrowed(vowel(), str(tmp_path / "small.npz"))


def whisper(sound, **names):
    return voices.whisper(sound, RATE, **NAMES | names)


def test_a_whisper_has_no_pitch_and_keeps_its_formants():
    sound, period = vowel(pitch_hz=128), RATE // 128
    spoken = whisper(sound)
    assert np.abs(spoken - whisper(sound, utterance="b")).max() > 0.05
    assert np.corrcoef(sound[period:], sound[:-period])[0, 1] > 0.99
    assert abs(np.corrcoef(spoken[period:], spoken[:-period])[0, 1]) < 0.2
    # Of noise, a mean over frames says where the formants are.
    mean = spectra.envelopes_of(spectra.frames_of(spoken.astype(float), 512)).mean(axis=0)
    for formant in VOWEL_HZ:
        nearby = slice(round((formant - 250) / 31.25), round((formant + 250) / 31.25))
        assert (nearby.start + mean[nearby].argmax()) * 31.25 == pytest.approx(formant, abs=110)


def test_a_whisper_is_as_loud_as_the_voice_was_at_each_time():
    sound = np.concatenate([vowel(), 0.1 * vowel(), np.zeros(RATE)])
    spoken = whisper(sound).astype(float)
    for second, level in enumerate((1.0, 0.1, 0.0)):
        piece = slice(second * RATE + 1000, (second + 1) * RATE - 1000)
        assert np.std(spoken[piece]) == pytest.approx(level * np.std(vowel()), rel=0.1, abs=1e-4)
