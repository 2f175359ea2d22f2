"""Synthetic speakers: the same bits every time, and speech that sounds like women and men."""

import hashlib

import numpy as np
import pytest

from voiceprivacy.corpora.kinds import synthetic
from voiceprivacy.corpora.listing import Findings
from voiceprivacy.inout import audio
from voiceprivacy.running import espeak_jobs


def listed(**options):
    return synthetic.list_utterances({"first_speaker": 0, **options}, Findings())


def speak(utterances, folder, *, sample_rate=16000, threads=1):
    options = {"sample_rate": sample_rate, "threads": threads}
    return list(synthetic.provide_audio(utterances, audio_dir=folder, **options))


def digests(utterances):
    return {one.utterance: hashlib.sha256(one.path.read_bytes()).hexdigest() for one in utterances}


def pitch_hz(samples, sample_rate=16000):
    """Median over frames of 50 ms of the autocorrelation's strongest lag from 70 to 350 Hz."""
    pitches = []
    for start in range(0, len(samples) - 800, 400):
        frame = samples[start : start + 800] * np.hanning(800)
        correlation = np.correlate(frame, frame, "full")[799:]
        lags = correlation[sample_rate // 350 : sample_rate // 70]
        if correlation[0] > 0.1 and lags.max() > 0.5 * correlation[0]:
            pitches.append(sample_rate / (sample_rate // 350 + lags.argmax()))
    return np.median(pitches)


@pytest.fixture(scope="module")
def spoken(tmp_path_factory):
    return speak(listed(speakers=8, utterances=4), tmp_path_factory.mktemp("spoken"))


def test_other_threads_company_and_corpora_give_the_same_bits(spoken, tmp_path):
    again = speak(listed(speakers=8, utterances=4)[::-3], tmp_path, threads=3)
    assert digests(again).items() <= digests(spoken).items()
    elsewhere = digests(speak(listed(speakers=2, utterances=3, first_speaker=6), tmp_path))
    assert elsewhere.items() <= digests(spoken).items()
    assert len(elsewhere) == 6


def test_every_utterance_is_speech_of_a_few_seconds(spoken):
    for utterance in spoken:
        samples, sample_rate = audio.read(utterance.path)
        assert sample_rate == 16000
        assert utterance.duration_s == len(samples) / sample_rate
        assert 1 < utterance.duration_s < 4.5
        assert 0.02 < np.sqrt(np.mean(samples**2)) < 0.2
        assert 0.1 < np.abs(samples).max() < 0.99


def test_women_speak_higher_than_men(spoken):
    pitches = {"f": [], "m": []}
    for utterance in spoken:
        pitches[utterance.gender].append(pitch_hz(audio.read(utterance.path)[0]))
    assert 150 < min(pitches["f"]) < max(pitches["f"]) < 300
    assert 70 < min(pitches["m"]) < max(pitches["m"]) < 170


def test_voices_differ_and_say_different_things():
    speakers = listed(speakers=40, utterances=1)
    voices = [synthetic.voice(one.speaker, one.gender) for one in speakers]
    assert len({voice.accent for voice in voices}) == len(synthetic.ACCENTS)
    assert len({round(voice.pitch_hz) for voice in voices}) > 20
    assert len({tuple(np.round(voice.formants)) for voice in voices}) == 40
    texts = {synthetic.job(one)["text"] for one in listed(speakers=30, utterances=10)}
    assert len(texts) == 300


def test_speech_has_the_rate_that_is_asked_for(tmp_path):
    (utterance,) = speak(listed(speakers=1, utterances=1), tmp_path, sample_rate=8000)
    assert audio.header(utterance.path)[:2] == (8000, 1)


def test_without_espeak_ng_the_check_says_what_installs_it(monkeypatch):
    monkeypatch.setattr(espeak_jobs, "LOADER", "no_such_package")
    findings = Findings()
    synthetic.list_utterances({"speakers": 2, "utterances": 1}, findings)
    (error,) = findings.errors()
    assert "espeak-ng is not installed here: make neural" in str(error)
