"""Attackers of what is said and when: who compares them, on which systems, and from which files."""

import pytest
from support.plans import ECAPA, voices

from voiceprivacy.plan import configuration
from voiceprivacy.plan.plan import Plan
from voiceprivacy.plan.verdict import verdict_plan
from voiceprivacy.vocabulary import Attack

CONFIG = {
    "corpora": {
        "demo": {"synthetic": {"speakers": 4, "utterances": 3}},
        "others": voices(4, 3, first=4, use="train"),
    },
    "anonymisers": {"b2": {"command": "python b2.py"}, "b3": {"command": "python b3.py"}},
    "extractors": {
        "ecapa": ECAPA,
        "said": {"words": {"corpus": "others"}},
        "plain": {"words": {}},
        "when": {"timing": {}},
    },
    "backends": {
        "cosine": {"type": "cosine"},
        "js": {"type": "jensen_shannon"},
        "plda": {"type": "plda", "train": {"corpus": "others", "speech": "anonymised"}},
    },
}


@pytest.fixture(scope="module")
def plan():
    return Plan(configuration.check(CONFIG))


def test_words_are_compared_by_cosine_and_durations_as_histograms(plan):
    attackers = {(attack.extractor, attack.backend) for attack in plan.attackers.attacks()}
    features = {pair for pair in attackers if pair[0] != "ecapa"}
    assert features == {("said", "cosine"), ("plain", "cosine"), ("when", "js")}


def test_words_are_tried_once_and_durations_on_every_system(plan):
    assert plan.attackers.systems("said", "cosine") == ["original"]
    assert plan.attackers.systems("when", "js") == ["original", "b2", "b3"]
    numbers = [path for path in plan.outputs.metrics() if "/said/" in path]
    intervals = plan.outputs.compared_intervals(Attack("demo", "f", "said", "cosine"))
    assert numbers and intervals
    assert all("/original/said/cosine" in path for path in (*numbers, *intervals))


def test_words_are_weighted_by_transcripts_of_other_speakers(plan):
    transcripts = "results/audio/others/train/original/transcripts.tsv"
    assert plan.attackers.training_transcripts("said") == transcripts
    assert plan.attackers.training_transcripts("plain") is None
    assert plan.attackers.training_transcripts("when") is None
    assert plan.speech.training == ["others"]


def test_only_histograms_have_a_picture_of_their_mean(plan):
    pictures = [layout for layout in plan.outputs.layouts() if layout.startswith("features/")]
    assert pictures == ["features/demo/when"]


def test_the_verdict_tries_words_on_unprotected_speech_alone_where_others_judge_it(plan):
    (judged,) = verdict_plan(plan)["sets"].values()
    assert judged["not_tried"] == ["other_encoders"], "words are tried, and one encoder"
    for own in judged["lists"].values():
        systems = {name: [*judging] for name, judging in own["attackers"].items()}
        assert systems["said/cosine"] == systems["plain/cosine"] == []
        assert systems["when/js"] == systems["ecapa/cosine"] == ["original", "b2", "b3"]


def test_an_encoder_of_sentences_is_a_source(tmp_path):
    for name in ("config.json", "tokenizer.json", "pytorch_model.bin"):
        (tmp_path / name).touch()
    extractors = {"said": {"words": {"encoder": str(tmp_path)}}}
    plan = Plan(configuration.check(CONFIG | {"extractors": extractors}))
    assert plan.attackers.encoder("said") == str(tmp_path)
    named = {path.path for path in plan.named if path.keys[:2] == ("extractors", "said")}
    assert {str(tmp_path), f"{tmp_path}/tokenizer.json", f"{tmp_path}/pytorch_model.bin"} <= named
    (tmp_path / "tokenizer.json").unlink()
    with pytest.raises(configuration.BadInput, match=r"tokenizer.json: not found"):
        configuration.check(CONFIG | {"extractors": extractors})


def test_words_with_an_encoder_need_no_corpus():
    extractors = {"said": {"words": {"encoder": "here", "corpus": "others"}}}
    with pytest.raises(configuration.BadInput, match="too many properties"):
        configuration.check(CONFIG | {"extractors": extractors})
    extractors = {"said": {"words": {"corpus": "demo"}}}
    with pytest.raises(configuration.BadInput, match="'demo' is not for training"):
        configuration.check(CONFIG | {"extractors": extractors})
