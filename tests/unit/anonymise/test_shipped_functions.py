"""Every anonymiser of config/anonymisers.yaml keeps the contract, whatever it is given.

What each of them does to a voice stands in the tests of its module.
"""

import re
from pathlib import Path

import numpy as np
import pytest
import yaml
from support.sounds import speech_like, vowel

from voiceprivacy.anonymise.call_function import load_function
from voiceprivacy.anonymise.functions.cascade import cascade
from voiceprivacy.anonymise.functions.channels import low_pass, mp3
from voiceprivacy.anonymise.functions.mcadams import mcadams
from voiceprivacy.anonymise.functions.retuning import monotone
from voiceprivacy.anonymise.functions.shifting import pitch_shift
from voiceprivacy.anonymise.functions.voices import borrowed
from voiceprivacy.anonymise.functions.warping import vtln
from voiceprivacy.anonymise.functions.world import world
from voiceprivacy.inout.files import BadInput
from voiceprivacy.jobs.validate import too_little
from voiceprivacy.plan import configuration, defaults
from voiceprivacy.plan.plan import Plan
from voiceprivacy.vocabulary import MCADAMS

CONFIG = Path(__file__).parents[3] / "config" / "anonymisers.yaml"
ENTRIES = yaml.safe_load(CONFIG.read_text())["anonymisers"]
SHIPPED = {name: system for name, system in ENTRIES.items() if "function" in system}
OF_MCADAMS = [name for name, system in SHIPPED.items() if system["function"] == MCADAMS]
RANDOM = [name for name, system in SHIPPED.items() if system.get("runs") == 2]
RANDOM += ["b2r_vpc2022", "b2_vpc2024"]  # in one run
FIXED = [name for name in SHIPPED if name not in [*RANDOM, "whisper"]]  # that draws its noise
RATES = (8000, 16000, 44100)
STEP = 1 / 32768  # of 16 bits

shipped = pytest.mark.parametrize("name", SHIPPED)


def test_its_config_has_speech_enough_to_learn_from():
    assert not too_little(Plan(defaults.complete(configuration.read(str(CONFIG)))))


def call(name, samples, rate=16000, *, speaker="anna", utterance="anna-1", seed=0):
    function = load_function(SHIPPED[name]["function"])
    options = SHIPPED[name].get("options", {})
    given = np.asarray(samples, dtype=np.float32)
    names = {"utterance": utterance, "speaker": speaker, "seed": seed}
    protected = function(given.copy(), rate, **names, **options)
    return np.float32(protected * STEP) if protected.dtype == np.int16 else protected


def hostile(rate):
    """Sounds that no microphone records, or hardly: {name: samples}."""
    time = np.arange(rate // 3) / rate
    noise = np.random.default_rng(rate).uniform(-1, 1, rate // 3)
    return {
        "one sample": [0.7],
        "two samples": [0.7, -0.7],
        "17 samples": noise[:17],
        "zeros and one step": np.eye(1, rate // 3, 99)[0] * STEP,
        "DC": np.full(rate // 3, 0.5),
        "full-scale DC": np.ones(rate // 3),
        "square": np.where(time * 150 % 1 < 0.5, 1.0, -1.0),
        "impulse": np.eye(1, rate // 3, rate // 6)[0],
        "impulse at the end": np.eye(1, rate // 3, rate // 3 - 1)[0],
        "impulses": (np.arange(rate // 3) % (rate // 100) == 0) * 1.0,
        "sine": np.sin(2 * np.pi * 0.4999 * rate * time),
        "tiny": noise * 1e-30,
        "noise": noise,
        "half a second of silence": np.concatenate([np.zeros(rate // 2), noise[: rate // 8]]),
        "speech": speech_like(rate, 0.8),
    }


@shipped
@pytest.mark.parametrize("rate", RATES)
def test_whatever_it_is_given_it_returns_as_many_finite_samples_within_full_scale(name, rate):
    for kind, samples in hostile(rate).items():
        samples = np.clip(samples, -1, 1)
        protected = call(name, samples, rate)
        assert protected.shape == (len(samples),), kind
        assert protected.dtype == np.float32, kind
        assert np.isfinite(protected).all(), kind
        assert np.abs(protected).max() <= 1, kind


@shipped
@pytest.mark.parametrize("length", [1, 100, 16000])
def test_silence_stays_silence(name, length):
    assert not call(name, np.zeros(length)).any()


@shipped
def test_what_is_not_clipped_is_not_clipped_afterwards(name):
    """Not many samples lie at the peak: that would be heard as a crackle."""
    protected = call(name, 0.9 * vowel())
    at_peak = np.abs(protected) > 0.999 * np.abs(protected).max()
    allowed = 0.35 if name in CLIPPERS else 0.005
    assert at_peak.mean() < allowed


CLIPPERS = {"cascade"}  # cuts peaks off, as published


@shipped
def test_the_same_seed_gives_the_same_bytes_whatever_came_before(name):
    sound = speech_like(16000, 1)
    first = call(name, sound)
    call(name, sound[::-1], utterance="other", speaker="other", seed=5)
    np.testing.assert_array_equal(call(name, sound), first)


@pytest.mark.parametrize("name", RANDOM)
def test_another_seed_gives_another_voice(name):
    sound = vowel()
    assert np.abs(call(name, sound, seed=1) - call(name, sound, seed=2)).max() > 0.01


@pytest.mark.parametrize("name", FIXED)
def test_without_a_draw_neither_seed_nor_name_matters(name):
    sound = speech_like(16000, 0.5)
    other = call(name, sound, seed=2, speaker="berta", utterance="berta-2")
    np.testing.assert_array_equal(call(name, sound, seed=1), other)


@shipped
def test_it_does_not_work_in_place(name):
    sound = speech_like(16000, 0.5).astype(np.float32)
    kept = sound.copy()
    load_function(SHIPPED[name]["function"])(
        sound, 16000, utterance="u", speaker="s", seed=0, **SHIPPED[name].get("options", {})
    )
    np.testing.assert_array_equal(sound, kept)


@pytest.mark.parametrize("name", [name for name in SHIPPED if name not in OF_MCADAMS])
def test_loudness_does_not_decide_what_is_done(name):
    """A quieter recording is protected in the same way: 6 dB less come out as 6 dB less.

    McAdams is left out: as published, it scales each utterance to full scale.
    """
    sound = 0.2 * vowel()
    loud, quiet = call(name, sound), call(name, sound / 2)
    energy = np.sqrt((loud @ loud) / (quiet @ quiet))
    assert energy == pytest.approx(2, rel=0.05)


@shipped
def test_samples_that_are_no_numbers_are_refused(name):
    with pytest.raises(BadInput, match="NaN or infinite"):
        call(name, [0.1, np.nan, 0.2])


@shipped
def test_an_option_that_does_not_exist_is_refused(name):
    with pytest.raises(TypeError, match="loudness"):
        load_function(SHIPPED[name]["function"])(
            vowel(), 16000, utterance="u", speaker="s", seed=0, loudness=3
        )


REFUSED = [
    (cascade, {"modules": {"reverb": 1}}, "modules: 'reverb' is none of vtln, resamp, mcadams"),
    (cascade, {"modules": {"modspec": 1.08}}, "modspec: must lie between 0 and 1, not 1.08"),
    (cascade, {"modules": {"clip": 1.2}}, "clip: must lie between 0 and"),
    (cascade, {"modules": {"vtln": 1}}, "bilinear: must lie between -1 and 1, not 1"),
    (low_pass, {"cutoff_hz": 0}, "cutoff_hz: must be above 0, not 0"),
    (mp3, {"kbit_s": 8}, "kbit_s: above 8, at most 160, not 8"),
    (mcadams, {"level": "utterance", "draw": "vpc2024"}, "use anonymise_mcadams.py"),
    (mcadams, {"level": "sentence"}, "level is one of speaker, utterance, corpus"),
    (mcadams, {"draw": "mine"}, "draw one of ours, vpc2024"),
    (mcadams, {"variant": "mine"}, "variant 'mine' is none of vpc2020, vpc2024"),
    (mcadams, {"alpha": [0.9, 0.5]}, "alpha: give one number above 0"),
    (monotone, {"pitch_hz": 64}, "pitch_hz: must be from 65.0 to 420.0, not"),
    (pitch_shift, {"method": "sox"}, "method: 'sox' is neither of vocoder, wsola"),
    (pitch_shift, {"semitones": [0, 25]}, "semitones: at most 24, not 25"),
    (pitch_shift, {"level": "list"}, "level: 'list' is neither speaker nor utterance"),
    (borrowed, {"voices": 0}, "voices: must be from 1 to 40, not 0"),
    (
        vtln,
        {"warp": "linear"},
        "warp: 'linear' is none of bilinear, quadratic, piecewise, voicemask",
    ),
    (vtln, {"warp": "piecewise", "strength": [0, 0.51]}, "strength: at most 0.5, not 0.51"),
    (vtln, {"strength": [0.2, 0.1]}, "strength: expected a range of two numbers from 0 on"),
    (vtln, {"strength": 0.2}, "strength: expected a range of two numbers, not 0.2"),
    (vtln, {"level": "corpus"}, "level: 'corpus' is neither speaker nor utterance"),
    (vtln, {"warp": "voicemask", "strength": [0.5, 0.6]}, "no draw of strength"),
    (world, {"semitones": [0, 25]}, "semitones: at most 24, not 25"),
    (world, {"formants": [0, 0.51]}, "formants: at most 0.5, not 0.51"),
]


@pytest.mark.parametrize(("function", "options", "said"), REFUSED)
def test_options_that_cannot_be_are_refused(function, options, said):
    with pytest.raises(BadInput, match=re.escape(said)):
        function(vowel(), 16000, utterance="u", speaker="s", seed=1, **options)
