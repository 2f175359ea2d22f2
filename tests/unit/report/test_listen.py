"""Which utterances are heard, and what the page gets of them."""

import base64
import io

import numpy as np
import pytest
import soundfile

from voiceprivacy.inout import audio
from voiceprivacy.inout.tables import Utterance
from voiceprivacy.report import listen as spectrogram
from voiceprivacy.report.listen import choose, examples, read_examples, write_examples

UTTERANCES = [Utterance(f"s{at % 3}-{at}", f"s{at % 3}", "f", "-", 1.0) for at in range(12)]


def test_the_choice_depends_on_ids_only():
    chosen = choose(UTTERANCES, count=2, seed=0)
    assert choose(UTTERANCES[::-1], count=2, seed=0) == chosen
    assert choose([*UTTERANCES, Utterance("zz-1", "zz", "f", "-", 1.0)], count=13, seed=0)[:1] != []
    assert {choose(UTTERANCES, count=1, seed=seed)[0].utterance for seed in range(20)} != {
        chosen[0].utterance
    }


def test_speakers_are_different_as_long_as_there_are_some():
    assert len({of.speaker for of in choose(UTTERANCES, count=3, seed=0)}) == 3
    assert len({of.utterance for of in choose(UTTERANCES, count=5, seed=0)}) == 5
    assert len(choose(UTTERANCES, count=50, seed=0)) == len(UTTERANCES)


@pytest.fixture
def versions(tmp_path):
    found = {}
    for name, gain in (("b2", 0.5), ("original", 1.0)):
        found[name] = []
        for utterance, seconds in (("u1", 7.0), ("u2", 1.0)):
            path = tmp_path / name / f"{utterance}.wav"
            path.parent.mkdir(exist_ok=True)
            time = np.arange(int(16000 * seconds)) / 16000
            audio.write(path, gain * 0.5 * np.sin(2 * np.pi * 1000 * time), 16000)
            found[name].append(Utterance(utterance, utterance, "m", path, seconds))
    return found


def test_every_version_of_an_utterance_is_there_the_original_first_and_cut(versions, tmp_path):
    found = examples("demo", {"m": {"u1", "u2"}, "f": set()}, versions, count=2, seed=0)
    assert {(of.utterance, of.trials, of.cut) for of in found} == {
        ("u1", "m", True),
        ("u2", "m", False),
    }
    for example in found:
        assert [clip.anonymiser for clip in example.clips] == ["original", "b2"]
        for clip in example.clips:
            sound = base64.b64decode(clip.sound.removeprefix("data:audio/ogg; codecs=opus;base64,"))
            samples, rate = soundfile.read(io.BytesIO(sound))
            assert len(samples) / rate == pytest.approx(5.0 if example.cut else 1.0, abs=0.01)
            assert clip.picture.startswith("data:image/webp;base64,UklGR")  # RIFF
    write_examples(tmp_path / "demo.json", found)
    assert read_examples([tmp_path / "demo.json"]) == found


def test_a_tone_is_a_line_at_its_frequency_and_what_follows_is_silent():
    samples = np.sin(2 * np.pi * 2000 * np.arange(8000) / 16000)
    levels = spectrogram.levels_db(samples, 16000, seconds=1.0)
    assert levels.shape == (128, 100)
    assert np.argmax(levels[:, 20]) == 2000 // (8000 // 128)
    assert levels[:, 70:].max() < levels.max() - 90


def test_above_half_of_the_sample_rate_there_is_nothing():
    levels = spectrogram.levels_db(np.random.default_rng(0).normal(size=8000), 8000, seconds=1.0)
    assert (levels[66:] <= -120).all() and levels[:60].min() > -120
