"""The speech of synthetic speakers that is shipped: whole, small, and what its script says."""

import runpy
from collections import Counter

import pytest
import yaml
from support.runs import ROOT

from voiceprivacy.corpora.kinds import folder
from voiceprivacy.corpora.listing import Findings
from voiceprivacy.inout import audio

HERE = ROOT / "workflow" / "resources" / "demo_speech"
CORPUS = yaml.safe_load((ROOT / "config" / "spoken.yaml").read_text())["corpora"]["spoken"]


@pytest.fixture(scope="module")
def utterances():
    findings = Findings()
    listed = folder.list_utterances(CORPUS["folder"], findings)
    assert not findings.errors()
    return listed


def test_twenty_women_and_twenty_men_say_five_sentences_each(utterances):
    genders = {utterance.speaker: utterance.gender for utterance in utterances}
    assert Counter(genders.values()) == {"f": 20, "m": 20}
    assert {*Counter(utterance.speaker for utterance in utterances).values()} == {5}


def test_they_say_what_the_script_lets_them_say(utterances):
    said = runpy.run_path(str(HERE / "make_demo_speech.py"))["said"]
    texts = folder.read_transcripts(CORPUS["folder"])
    assert texts.keys() == {utterance.utterance for utterance in utterances}
    for name, text in texts.items():
        number, _, index = name.removeprefix("s").partition("-")
        assert text == said(int(number), int(index))


def test_every_file_is_read_whole_at_16_khz_and_all_are_smaller_than_6_mb(utterances):
    for utterance in utterances:
        samples, sample_rate = audio.read(utterance.audio)
        assert sample_rate == 16000 and 1 < len(samples) / sample_rate < 7
        assert abs(samples).max() > 0.2
    assert sum(path.stat().st_size for path in HERE.rglob("*.opus")) < 6e6
