"""Which utterances are heard, and their clips: playable MP3, the same bytes every time."""

import base64
import io

import numpy as np
import pytest
import soundfile

from voiceprivacy.errors import BadInput
from voiceprivacy.inout import audio
from voiceprivacy.inout.manifests import Utterance
from voiceprivacy.report import listen

UTTERANCES = [Utterance(f"s{at % 3}-{at}", f"s{at % 3}", "f", "-", 1.0) for at in range(12)]
TONE = 0.3 * np.sin(2 * np.pi * 440 * np.arange(32000) / 16000)


def test_the_choice_depends_on_ids_only_and_takes_different_speakers_first():
    chosen = listen.choose(UTTERANCES, count=2, seed=0)
    assert listen.choose(UTTERANCES[::-1], count=2, seed=0) == chosen
    assert any(listen.choose(UTTERANCES, count=1, seed=seed) != chosen[:1] for seed in range(20))
    three, five = (listen.choose(UTTERANCES, count=count, seed=0) for count in (3, 5))
    assert len({utterance.speaker for utterance in three}) == 3
    assert len({utterance.utterance for utterance in five}) == 5
    assert len(listen.choose(UTTERANCES, count=50, seed=0)) == len(UTTERANCES)


@pytest.fixture
def versions(tmp_path):
    utterances = {}
    for name, gain in (("b2", 0.5), ("original", 1.0)):
        utterances[name] = []
        for utterance, seconds in (("u1", 7.0), ("u2", 1.0)):
            path = tmp_path / name / f"{utterance}.wav"
            time = np.arange(int(16000 * seconds)) / 16000
            audio.write(path, gain * 0.5 * np.sin(2 * np.pi * 1000 * time), 16000)
            utterances[name].append(Utterance(utterance, utterance, "m", path, seconds))
    return utterances


def test_every_version_of_an_utterance_is_there_the_original_first_and_cut(versions, tmp_path):
    chosen = listen.examples("demo", {"m": {"u1", "u2"}, "f": set()}, versions, count=2, seed=0)
    facts = {(example.utterance, example.trials, example.cut) for example in chosen}
    assert facts == {("u1", "m", True), ("u2", "m", False)}
    for example in chosen:
        assert [clip.anonymiser for clip in example.clips] == ["original", "b2"]
        for clip in example.clips:
            sound = base64.b64decode(clip.sound.removeprefix("data:audio/mpeg;base64,"))
            samples, rate = soundfile.read(io.BytesIO(sound))
            assert len(samples) / rate == pytest.approx(5.0 if example.cut else 1.0, abs=0.01)
            assert clip.picture.startswith("data:image/webp;base64,UklGR")  # RIFF
    listen.write_examples(tmp_path / "demo.json", chosen)
    assert listen.read_examples([tmp_path / "demo.json"]) == chosen


def test_where_nobody_is_named_no_original_is_played_and_be_it_silent(versions):
    silent = next(one for one in versions["original"] if one.utterance == "u2")
    audio.write(silent.path, np.zeros(16000), 16000)
    [example] = listen.examples("demo", {"m": {"u2"}}, versions, count=1, seed=0, codes={"u2": "x"})
    assert [clip.anonymiser for clip in example.clips] == ["b2"]


def test_a_version_that_is_longer_than_its_original_is_cut(versions):
    longer = next(one for one in versions["b2"] if one.utterance == "u2")
    audio.write(longer.path, TONE[np.arange(84000) % len(TONE)], 16000)
    [example] = listen.examples("demo", {"m": {"u2"}}, versions, count=1, seed=0)
    assert example.cut


def test_manifests_that_lack_speech_are_named(versions):
    lacking = versions | {"b2": versions["b2"][:1]}
    for given, words in ((lacking, "of b2 lacks 'u2'"), ({"b2": []}, "is called original")):
        with pytest.raises(BadInput, match=words):
            listen.examples("demo", {"m": {"u2"}}, given, count=1, seed=0)


def test_a_tone_is_a_line_at_its_frequency_and_speech_shorter_than_a_window_has_a_spectrogram():
    samples = np.sin(2 * np.pi * 2000 * np.arange(8000) / 16000)
    levels = listen.levels_db(samples, 16000, seconds=1.0)
    assert levels.shape == (128, 100)
    assert np.argmax(levels[:, 20]) == 2000 // (8000 // 128)
    assert levels[:, 70:].max() < levels.max() - 90
    levels = listen.levels_db(np.random.default_rng(0).normal(size=8000), 8000, seconds=1.0)
    assert (levels[66:] <= -120).all() and levels[:60].min() > -120
    for n in (1, 199):
        assert listen.levels_db(TONE[:n], 16000, seconds=n / 16000).shape == (128, 1)


def test_any_rate_becomes_one_that_mp3_has_and_the_duration_stays():
    for rate, expected in ((16000, 16000), (96000, 48000), (10000, 11025), (8000, 8000)):
        samples, sample_rate = soundfile.read(io.BytesIO(listen.mp3(TONE, rate)))
        assert sample_rate == expected
        assert len(samples) / sample_rate == pytest.approx(len(TONE) / rate, abs=0.001)


def test_what_is_heard_is_what_was_given_in_the_same_and_few_bytes():
    samples, _ = soundfile.read(io.BytesIO(listen.mp3(TONE, 16000)))
    assert np.corrcoef(samples[1000:-1000], TONE[1000:-1000])[0, 1] > 0.99
    noise = np.random.default_rng(0).normal(0, 0.1, 80000)  # five seconds
    assert len(listen.mp3(noise, 16000)) < 40_000
    assert listen.mp3(noise, 16000) == listen.mp3(noise, 16000)
