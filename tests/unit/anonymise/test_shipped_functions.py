"""Every anonymiser of config/anonymisers.yaml keeps the contract, whatever it is given.

What each of them does to a voice stands in the tests of its module.
"""

import functools
import re
from pathlib import Path

import numpy as np
import pytest
import yaml
from support.sounds import speech_like, vowel

from voiceprivacy.anonymise.call_function import load_function
from voiceprivacy.errors import BadInput
from voiceprivacy.jobs.validate import too_little
from voiceprivacy.plan import configuration, defaults
from voiceprivacy.plan.plan import Plan
from voiceprivacy.vocabulary import MCADAMS

CONFIG = Path(__file__).parents[3] / "config" / "anonymisers.yaml"
ENTRIES = yaml.safe_load(CONFIG.read_text())["anonymisers"]
SHIPPED = {name: system for name, system in ENTRIES.items() if "function" in system}
OTHERS = [name for name, system in SHIPPED.items() if system["function"] != MCADAMS]
RANDOM = [name for name, system in SHIPPED.items() if system.get("runs") == 2]
RANDOM += ["b2r_vpc2022", "b2_vpc2024", "whisper"]  # in one run
STEP = 1 / 32768  # of 16 bits
VOWEL = 0.9 * vowel(seconds=0.3)

shipped = pytest.mark.parametrize("name", SHIPPED)


def test_its_config_has_speech_enough_to_learn_from():
    assert not too_little(Plan(defaults.complete(configuration.read(str(CONFIG)))))


def call(name, samples, rate=16000, **more):
    """What a function gives for samples (N,), which it must leave as they are."""
    given = np.array(samples, dtype=np.float32)
    given.flags.writeable = False
    names = {"utterance": "anna-1", "speaker": "anna", "seed": 0}
    options = SHIPPED[name].get("options", {})
    protected = load_function(SHIPPED[name]["function"])(given, rate, **names | options | more)
    return np.float32(protected * STEP) if protected.dtype == np.int16 else protected


@functools.cache
def spoken(name):
    return call(name, VOWEL)


def hostile(rate):
    """Sounds that no microphone records, or hardly: {name: samples}."""
    n_samples = rate // 8
    time = np.arange(n_samples) / rate
    noise = np.random.default_rng(rate).uniform(-1, 1, n_samples)
    return {
        "one sample": [0.7],
        "two samples": [0.7, -0.7],
        "17 samples": noise[:17],
        "zeros and one step": np.eye(1, n_samples, 99)[0] * STEP,
        "DC": np.full(n_samples, 0.5),
        "full-scale DC": np.ones(n_samples),
        "square": np.where(time * 150 % 1 < 0.5, 1.0, -1.0),
        "impulse": np.eye(1, n_samples, n_samples // 2)[0],
        "impulse at the end": np.eye(1, n_samples, n_samples - 1)[0],
        "impulses": (np.arange(n_samples) % (rate // 100) == 0) * 1.0,
        "sine": np.sin(2 * np.pi * 0.4999 * rate * time),
        "tiny": noise * 1e-30,
        "noise": noise,
        "half a second of silence": np.concatenate([np.zeros(rate // 2), noise]),
        "speech": np.clip(speech_like(rate), -1, 1),
    }


@shipped
@pytest.mark.parametrize("rate", [8000, 16000, 44100])
def test_whatever_it_is_given_it_returns_as_many_finite_samples_within_full_scale(name, rate):
    for kind, samples in hostile(rate).items():
        protected = call(name, samples, rate)
        assert protected.shape == (len(samples),), kind
        assert protected.dtype == np.float32, kind
        assert np.abs(protected).max() <= 1, kind  # NaN is not


@shipped
def test_silence_stays_silence_and_what_is_no_number_or_no_option_is_refused(name):
    assert not any(call(name, np.zeros(length)).any() for length in (1, 100, 16000))
    with pytest.raises(BadInput, match="NaN or infinite"):
        call(name, [0.1, np.nan, 0.2])
    with pytest.raises(TypeError, match="loudness"):
        call(name, VOWEL, loudness=3)


@shipped
def test_what_is_not_clipped_is_not_clipped_afterwards(name):
    """Not many samples lie at the peak: that would be heard as a crackle."""
    at_peak = np.abs(spoken(name)) > 0.999 * np.abs(spoken(name)).max()
    assert at_peak.mean() < (0.35 if name == "cascade" else 0.005)  # cuts peaks off, as published


@shipped
def test_the_seed_decides_and_not_what_came_before_or_nothing_does(name):
    first = spoken(name)
    other = call(name, VOWEL, utterance="berta-2", speaker="berta", seed=2)
    np.testing.assert_array_equal(call(name, VOWEL), first)
    if name in RANDOM:
        assert np.abs(call(name, VOWEL, seed=2) - first).max() > 0.01
    else:
        np.testing.assert_array_equal(other, first)


@pytest.mark.parametrize("name", OTHERS)
def test_loudness_does_not_decide_what_is_done(name):
    """A quieter recording is protected in the same way: 6 dB less come out as 6 dB less.

    McAdams is left out: as published, it scales each utterance to full scale.
    """
    loud, quiet = call(name, VOWEL / 4), call(name, VOWEL / 8)
    assert np.sqrt((loud @ loud) / (quiet @ quiet)) == pytest.approx(2, rel=0.05)


REFUSED = [
    ("cascade", {"modules": {"reverb": 1}}, "modules: 'reverb'"),
    (
        "cascade",
        {"modules": {"modspec": 1.08}},
        "modspec: must be more than 0 and less than 1, not",
    ),
    ("cascade", {"modules": {"clip": 1.2}}, "clip: must be more than 0 and"),
    ("cascade", {"modules": {"vtln": 1}}, "bilinear: must be more than -1 and less than 1, not 1"),
    ("low_pass", {"cutoff_hz": 0}, "cutoff_hz: must be above 0, not 0"),
    ("mp3", {"kbit_s": 8}, "kbit_s: above 8, at most 160, not 8"),
    ("b2", {"level": "utterance", "draw": "vpc2024"}, "anonymise_mcadams.py"),
    ("b2", {"level": "sentence"}, "level is one of speaker, utterance, corpus"),
    ("b2", {"draw": "mine"}, "draw one of ours, vpc2024"),
    ("b2", {"variant": "mine"}, "variant 'mine'"),
    ("b2", {"alpha": [0.9, 0.5]}, "alpha: give one number above 0"),
    ("monotone", {"pitch_hz": 64}, "pitch_hz: must be from 65.0 to 420.0, not"),
    ("pitch_shift", {"method": "sox"}, "method: 'sox'"),
    ("pitch_shift", {"semitones": [0, 25]}, "semitones: at most 24, not 25"),
    ("pitch_shift", {"level": "list"}, "level: 'list'"),
    ("borrowed", {"voices": 0}, "voices: must be from 1 to 40, not 0"),
    ("vtln", {"warp": "linear"}, "warp: 'linear'"),
    ("vtln", {"warp": "piecewise", "strength": [0, 0.51]}, "strength: at most 0.5, not 0.51"),
    ("vtln", {"strength": [0.2, 0.1]}, "strength: expected a range of two numbers from 0 on"),
    ("vtln", {"strength": 0.2}, "strength: expected a range of two numbers, not 0.2"),
    ("vtln", {"strength": "12"}, "strength: expected a range of two numbers, not '12'"),
    ("vtln", {"level": "corpus"}, "level: 'corpus'"),
    ("vtln", {"warp": "voicemask", "strength": [0.5, 0.6]}, "no draw of strength"),
    ("world", {"semitones": [0, 25]}, "semitones: at most 24, not 25"),
    ("world", {"formants": [0, 0.51]}, "formants: at most 0.5, not 0.51"),
]


@pytest.mark.parametrize(("name", "options", "said"), REFUSED)
def test_options_that_cannot_be_are_refused(name, options, said):
    with pytest.raises(BadInput, match=re.escape(said)):
        call(name, VOWEL, **options)
