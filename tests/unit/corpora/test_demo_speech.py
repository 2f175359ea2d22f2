"""The speech of synthetic speakers that is shipped: whole, small, and what its script says."""

import runpy
from collections import Counter

import pytest
import yaml
from support.runs import ROOT

from voiceprivacy.corpora.kinds import folder
from voiceprivacy.corpora.listing import Findings
from voiceprivacy.inout import audio

RESOURCES = ROOT / "workflow" / "resources"
HERE = RESOURCES / "demo_speech"
CORPORA = yaml.safe_load((ROOT / "config" / "config.yaml").read_text())["corpora"]


def speech_of(corpus):
    text = yaml.safe_dump(CORPORA[corpus]["folder"])
    return yaml.safe_load(text.replace("{resources}", str(RESOURCES)))


def listed(corpus):
    findings = Findings()
    utterances = folder.list_utterances(speech_of(corpus), findings)
    assert not findings.errors()
    return utterances


@pytest.mark.parametrize(("corpus", "each"), [("demo", 5), ("demo_train", 3)])
def test_twenty_women_and_twenty_men_say_a_few_sentences_each(corpus, each):
    utterances = listed(corpus)
    genders = {utterance.speaker: utterance.gender for utterance in utterances}
    assert Counter(genders.values()) == {"f": 20, "m": 20}
    assert {*Counter(utterance.speaker for utterance in utterances).values()} == {each}


def test_the_attacker_learns_on_others():
    tried, learnt = ({one.speaker for one in listed(name)} for name in ("demo", "demo_train"))
    assert not tried & learnt


def test_they_say_what_the_script_lets_them_say():
    said = runpy.run_path(str(HERE / "make_demo_speech.py"))["said"]
    texts = folder.read_transcripts(speech_of("demo"))
    assert texts.keys() == {utterance.utterance for utterance in listed("demo")}
    for name, text in texts.items():
        number, _, index = name.removeprefix("s").partition("-")
        assert text == said(int(number), int(index))


def test_every_file_is_read_whole_at_16_khz_and_all_are_smaller_than_6_mb():
    for utterance in [*listed("demo"), *listed("demo_train")]:
        samples, sample_rate = audio.read(utterance.audio)
        assert sample_rate == 16000 and 1 < len(samples) / sample_rate < 7
        assert abs(samples).max() > 0.2
    assert sum(path.stat().st_size for path in HERE.rglob("*.opus")) < 6e6
