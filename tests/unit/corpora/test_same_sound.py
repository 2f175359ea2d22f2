"""Recordings that are the same sound are found at any gain, rate and coding, and no others."""

import functools
import io
import time
from pathlib import Path

import numpy as np
import pytest
import soundfile
from scipy.signal import butter, resample_poly, sosfilt
from support import needs

from voiceprivacy.corpora import checks, compared_sounds, same_sound
from voiceprivacy.inout import audio
from voiceprivacy.inout.manifests import Utterance
from voiceprivacy.vocabulary import NARROW_BAND

RATE = 16000


@functools.cache
def voice(speaker, utterance, seconds=1.6):
    """Made-up speech (N,): harmonics, formants and pauses that the names draw."""
    own = np.random.default_rng([1, *speaker.encode()])
    said = np.random.default_rng([2, *f"{speaker}{utterance}".encode()])
    t = np.arange(round(seconds * RATE)) / RATE
    pitch = own.uniform(90, 240) * (1 + 0.1 * np.sin(said.uniform(10, 25) * t))
    phase, formants = 2 * np.pi * np.cumsum(pitch) / RATE, np.array([500, 1500, 2500])
    shift = own.uniform(0.85, 1.15) * (1 + 0.15 * np.sin(said.uniform(12, 30) * t))
    samples = 0.003 * said.standard_normal(len(t))
    for harmonic in range(1, 40):
        away = (harmonic * pitch - formants[:, None] * shift) / 180
        samples += np.exp(-(away**2)).sum(axis=0) * np.sin(harmonic * phase)
    samples *= np.clip(np.sin(said.uniform(15, 25) * t + said.uniform(0, 6)) + 0.6, 0, 1)
    return 0.3 * samples / np.abs(samples).max()


@functools.cache
def print_of(speaker, utterance):
    return same_sound.print_of(voice(speaker, utterance), RATE)


def coded(kind, subtype, **options):
    def code(samples):
        file = io.BytesIO()
        soundfile.write(file, samples, RATE, format=kind, subtype=subtype, **options)
        file.seek(0)
        return soundfile.read(file)

    return code


EQUAL = {
    "gain": lambda samples: (-0.1 * samples, RATE),
    "16 bits": coded("FLAC", "PCM_16"),
    "scale of int16": lambda samples: (np.rint(32768 * samples), RATE),
}
NEARLY = {
    "8 kHz": lambda samples: (resample_poly(samples, 1, 2), RATE // 2),
    "44.1 kHz": lambda samples: (resample_poly(samples, 441, 160), 44100),
    "mp3": coded("MP3", "MPEG_LAYER_III"),
    "vorbis": coded("OGG", "VORBIS"),
    "silence cut off": lambda samples: (samples[400:], RATE),
}


@pytest.mark.parametrize("change", [*EQUAL, *NEARLY])
def test_a_copy_is_found_and_nothing_else(change):
    prints = [print_of(f"s{number % 4}", number) for number in range(20)]
    copied, rate = (EQUAL | NEARLY)[change](voice("s3", 7))
    assert same_sound.same(prints) == []
    prints.append(same_sound.print_of(copied, rate))
    assert same_sound.same(prints) == [(7, 20, change in EQUAL)]


def test_of_several_copies_each_is_named_once_and_tones_and_silence_tell_nothing():
    prints = [print_of("a", number) for number in (0, 1, 0, 0, 1)]
    assert same_sound.same(prints) == [(0, 2, True), (0, 3, True), (1, 4, True)]
    tone = np.sin(np.arange(RATE) / 5)
    prints = [same_sound.print_of(samples, RATE) for samples in (tone, tone, np.zeros(RATE))]
    assert same_sound.same(prints) == []


@needs.data("VOICEPRIVACY_SPEECH")
def test_no_two_recordings_of_librispeech_are_the_same():
    from support.trees import SPEECH

    paths = sorted(Path(SPEECH).glob("*/*/*/*.flac"))
    prints = [same_sound.print_of(*audio.read(path)) for path in paths]
    assert len(prints) > 300 and same_sound.same(prints) == []


PROTOCOL = {"enrol_trial": {"enrolment_utterances": 2, "lists": ["mixed"]}}


def findings_with(folder, copies, **options):
    """Findings about speech of ten speakers in which files are copied: {(from, to)}."""
    for speaker in range(10):
        for number in range(4):
            path = folder / f"s{speaker}" / f"u{number}.wav"
            hiss = np.random.default_rng([speaker, number]).normal(scale=0.02, size=RATE * 8 // 5)
            audio.write(path, voice(f"s{speaker}", number) + hiss, RATE)
    for name, copy in copies:
        soundfile.write(folder / copy, 0.5 * soundfile.read(folder / name)[0], RATE)
    tree = {"root": str(folder), "pattern": "{speaker}/{utterance}.wav"}
    return examined(tree, **options).findings


def examined(tree, **options):
    return checks.examine({"folder": tree} | options, PROTOCOL, RATE)


def test_a_recording_that_two_speakers_have_is_an_error_until_it_is_excluded(tmp_path):
    (finding,) = findings_with(tmp_path, [("s3/u1.wav", "s5/u3.wav")])
    assert finding.level == "error"
    assert "another speaker" in finding.what and "'s3-u1' and 's5-u3'" in finding.what
    assert findings_with(tmp_path, [("s3/u1.wav", "s5/u3.wav")], exclude=["s5-u3"]).errors() == []


def test_copies_that_are_compared_with_each_other_are_one_oddity_with_their_number(tmp_path):
    copies = [(f"s{speaker}/u0.wav", f"s{speaker}/u3.wav") for speaker in range(7)]
    findings = findings_with(tmp_path, copies)
    assert {finding.level for finding in findings} == {"oddity"}
    assert all("the same speaker" in finding.what for finding in findings)
    assert ["compared with" in finding.what for finding in findings].count(True) == 1
    assert sum(int(finding.what.split()[0]) for finding in findings) == 7


NARROW = butter(8, (300, 3400), "bandpass", fs=RATE, output="sos")


def in_band(seed):
    """Half a second of noise (N,) as a telephone passes it, and a pause."""
    noise = np.random.default_rng(seed).normal(scale=0.05, size=RATE // 2)
    noise[: RATE // 8] = 0
    return sosfilt(NARROW, noise)


@pytest.mark.parametrize(
    ("samples", "rate", "is_narrow"),
    [
        (in_band(0), RATE, True),
        (in_band(0) + 1e-3 * np.random.default_rng(1).normal(size=RATE // 2), RATE, True),  # hiss
        (in_band(0) + 1e-2 * np.random.default_rng(1).normal(size=RATE // 2), RATE, False),
        (resample_poly(in_band(0), 3, 1), 3 * RATE, True),
        (np.random.default_rng(1).normal(size=4000), 8000, True),
        (np.random.default_rng(1).normal(size=4000), RATE, False),
        (np.zeros(4000), RATE, False),
        (np.zeros(4000), 8000, False),
    ],
)
def test_a_recording_has_a_narrow_band_by_its_loud_moments(samples, rate, is_narrow):
    share = same_sound.print_of(samples, rate).high_share
    assert (share < checks.NARROW_SHARE) == is_narrow


@pytest.mark.parametrize("n_narrow", [7, 8])
def test_where_half_of_a_corpus_has_a_narrow_band_this_is_said_once(tmp_path, n_narrow):
    for number in range(16):
        noise = np.random.default_rng(number).normal(scale=0.1, size=RATE // 2)
        samples = in_band(number) if number < n_narrow else noise - noise.mean()
        audio.write(tmp_path / f"s{number // 4}" / f"u{number}.wav", samples, RATE)
    tree = {"root": str(tmp_path), "pattern": "{speaker}/{utterance}.wav"}
    said = [one.what[:7] for one in examined(tree).findings if one.file == NARROW_BAND]
    assert said == ["8 of 16"] * (n_narrow == 8)


def test_thousands_of_recordings_are_compared_in_seconds_and_none_is_overlooked():
    draw = np.random.default_rng(0)
    pictures = draw.normal(size=(4000, 768)).astype(np.float32)
    pictures[3900:] = pictures[:100] + 0.1 * draw.normal(size=(100, 768))
    pictures /= np.linalg.norm(pictures, axis=1, keepdims=True)
    seconds = draw.uniform(0.3, 0.7, size=len(pictures))
    rest = (5000, np.arange(32), np.ones(32, np.float32))
    sounds = zip(seconds, pictures, strict=True)
    prints = [same_sound.Print(*rest, second, picture, 0.1) for second, picture in sounds]
    began = time.process_time()
    pairs = {(pair.first, pair.second) for pair in same_sound.same(prints)}
    assert time.process_time() - began < 20  # one by one they took a minute
    together = np.abs(seconds[3900:] - seconds[:100]) <= same_sound.LENGTH_S
    assert pairs == {(first, 3900 + first) for first in np.flatnonzero(together).tolist()}


# Across parts, systems and training speech.

SPOKEN = [(speaker, number) for speaker in ("anna", "bert", "carl") for number in (0, 1)]


def heard(folder, system, said_of, *, part="trial", code=None, ending="wav"):
    """Sounds of a system that says of each utterance what ``said_of`` another one says."""
    recordings = []
    for speaker, number in SPOKEN:
        samples, rate = (code or (lambda samples: (samples, RATE)))(
            voice(*said_of(speaker, number))
        )
        path = folder / part / system / f"{speaker}-{number}.{ending}"
        path.parent.mkdir(parents=True, exist_ok=True)
        soundfile.write(path, samples, rate)
        seconds = len(samples) / rate
        recordings.append(Utterance(path.stem, speaker, "-", path, seconds))
    return compared_sounds.hear(part, system, recordings, threads=1)


def itself(speaker, number):
    return speaker, number


def of_the_next(speaker, number):
    return {"anna": "bert", "bert": "carl", "carl": "anna"}[speaker], number


def protected(speaker, number):
    return f"{speaker} protected", number


CODES = {
    "container": (lambda samples: (0.8 * samples, RATE), "flac"),
    "rate": (lambda samples: (resample_poly(samples, 1, 2), RATE // 2), "wav"),
    "lossy": (lambda samples: (samples, RATE), "mp3"),
}
ACROSS = {  # system: (what it says, level of what is found, how many)
    "good": (protected, None, 0),
    "own": (itself, None, 0),  # what an attacker finds, and other checks refuse
    "of another speaker": (of_the_next, "error", 6),
    "of the same speaker": (lambda speaker, number: (speaker, 1 - number), "error", 6),
    "one": (
        lambda *names: (of_the_next if names == ("bert", 1) else protected)(*names),
        "error",
        1,
    ),
    "twice": (lambda speaker, number: protected(speaker, 0), "oddity", 3),
}


@pytest.mark.parametrize(
    ("system", "code"),
    [
        *((system, "container") for system in ACROSS),
        *(("of another speaker", code) for code in CODES),
    ],
)
def test_what_is_somebodys_original_is_found_in_protected_speech(system, code, tmp_path):
    says, level, count = ACROSS[system]
    changed, ending = CODES[code]
    originals = heard(tmp_path, "original", itself)
    findings = compared_sounds.compare(
        [*originals, *heard(tmp_path, system, says, code=changed, ending=ending)]
    )
    assert [finding.level for finding in findings] == [level] * bool(level)
    said = f": {count} of 6 recordings of {system}, "
    assert all(said in finding.what for finding in findings)


def test_a_system_under_two_names_and_training_speech_that_is_attacked(tmp_path):
    evaluated = heard(tmp_path, "original", itself)
    systems = heard(tmp_path, "a", protected) + heard(tmp_path, "b", protected)
    (finding,) = compared_sounds.compare([*evaluated, *systems])
    assert finding.level == "oddity" and finding.what.startswith("the same samples as of a:")
    others = heard(tmp_path, "c", lambda name, number: (f"{name} again", number))
    renamed = [sound._replace(system="c") for sound in systems[:1]]
    assert not compared_sounds.compare([*evaluated, *systems[:6], *renamed, *others[1:]])
    learnt = heard(tmp_path, "original", of_the_next, part="train")
    (finding,) = compared_sounds.compare([*evaluated, *learnt])
    assert finding.level == "error"
    long, short = (Utterance("u", "s", "-", Path("u.wav"), seconds) for seconds in (2.0, 1.6))
    assert compared_sounds.as_long_as([long, short], [short]) == [short]
