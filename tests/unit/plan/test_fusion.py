"""Attackers that are fused: who they are in a run, whose speech trains them, and wrong names."""

import copy

import pytest
from support.plans import ECAPA, voices

from voiceprivacy.inout.files import BadInput
from voiceprivacy.plan import configuration
from voiceprivacy.plan.fusion import Part
from voiceprivacy.plan.plan import Plan
from voiceprivacy.plan.verdict import verdict_plan
from voiceprivacy.report.contents import planned
from voiceprivacy.vocabulary import FUSED, Attack

CONFIG = {
    "corpora": {
        "demo": {"synthetic": {"speakers": 4, "utterances": 4}},
        "others": voices(12, 3, first=4, use="train"),
        "more": voices(12, 3, first=16, use="train"),
    },
    "anonymisers": {"b2": {"command": "python b2.py"}, "team": {"command": "python team.py"}},
    "extractors": {
        "ecapa": ECAPA,
        "pitch": {"f0": {}},
        "words": {"style": {}},
        "semi": {"train": {"corpus": "others", "speech": "anonymised"}, "recipe": "ecapa_small"},
    },
    "backends": {
        "cosine": {"type": "cosine"},
        "js": {"type": "jensen_shannon"},
        "plda": {"type": "plda", "train": {"corpus": "others"}, "extractors": ["ecapa"]},
    },
}


def config_with(parts, **train):
    config = copy.deepcopy(CONFIG)
    train = {"corpus": "others"} | train
    config["backends"]["both"] = {"type": "fusion", "of": parts, "train": train}
    return config


def plan_of(parts, **train):
    return Plan(configuration.check(config_with(parts, **train)))


def test_a_fusion_of_attackers_of_original_speech_is_one_that_attacks_everything():
    plan = plan_of(["ecapa/cosine", "pitch/js"])
    (fused,) = plan.attackers.fusions.values()
    assert fused.parts == (Part("ecapa", "cosine"), Part("pitch", "js"))
    assert Attack("demo", "f", FUSED, "both") in plan.attackers.attacks()
    assert plan.attackers.systems(FUSED, "both") == ["original", "b2", "team"]
    assert plan.attackers.attacked(FUSED, "both") is None


@pytest.mark.parametrize(
    ("parts", "speech"),
    [(["ecapa/cosine", "pitch/js"], "anonymised"), (["ecapa/cosine", "semi/cosine"], "original")],
)
def test_a_fusion_that_knows_protected_speech_is_one_for_each_anonymiser(parts, speech):
    plan = plan_of(parts, speech=speech)
    assert list(plan.attackers.fusions) == ["both_on_b2", "both_on_team"]
    assert plan.attackers.systems(FUSED, "both_on_team") == ["original", "team"]
    assert plan.attackers.attacked(FUSED, "both_on_team") == "team"


def test_of_semi_informed_parts_those_of_the_same_anonymiser_are_fused():
    fused = plan_of(["ecapa/cosine", "semi/cosine"]).attackers.fusions["both_on_team"]
    assert fused.parts == (Part("ecapa", "cosine"), Part("semi_on_team", "cosine"))
    assert fused.systems() == ["original"]  # it knows no protected speech itself


def test_a_corpus_is_split_where_a_fused_attacker_learnt_from_it():
    plan = plan_of(["ecapa/cosine", "ecapa/plda"])
    folder = "results/audio/others/train"
    assert plan.attackers.split == {"others"}
    assert plan.attackers.held_out_manifest("others") == f"{folder}/original/held_out.tsv"
    options = plan.attackers.extractors["semi_on_b2"]  # not fused, and split off all the same
    assert plan.attackers.training_manifest(options) == f"{folder}/b2/learners.tsv"


def test_a_corpus_that_no_fused_attacker_learnt_from_is_not_split():
    for plan in (
        plan_of(["ecapa/cosine", "pitch/js"]),
        plan_of(["ecapa/cosine", "ecapa/plda"], corpus="more"),
    ):
        assert not plan.attackers.split
        options = plan.attackers.backends["plda"]
        manifest = "results/audio/others/train/original/manifest.tsv"
        assert plan.attackers.training_manifest(options) == manifest


def test_what_training_started_from_counts_as_learnt():
    config = config_with(["tuned/cosine", "pitch/js"])
    config["extractors"]["tuned"] = {
        "train": {"corpus": "more", "speech": "anonymised"},
        "recipe": "ecapa_small",
        "start": "semi",
    }
    assert Plan(configuration.check(config)).attackers.split == {"others"}


def test_fused_scores_have_no_matrices():
    plan = plan_of(["ecapa/cosine", "pitch/js"])
    fused = [path for path in plan.outputs.metrics() if f"/{FUSED}/both" in path]
    families = {path.split("/")[2] for path in fused}
    assert families == {"verification", "zebra", "normalised"}
    kinds = {figure.kind for figure in planned(plan) if figure.extractor == FUSED}
    assert kinds == {"zebra", "law"}
    assert f"all_matrices/{FUSED}/both" not in plan.outputs.layouts()


def test_the_verdict_knows_what_a_fusion_and_its_parts_learnt_from():
    plan = plan_of(["ecapa/plda", "semi/cosine"], corpus="more", speech="anonymised")
    learnt = verdict_plan(plan)["sets"]["demo"]["learnt"]
    assert learnt.keys() == {"b2", "team"}
    of_part = "results/models/semi_on_b2/held_out.json"
    assert [of_part, "results/fusions/both_on_b2.held_out.json"] in learnt["b2"]
    assert [of_part] in learnt["b2"], "the part attacks by itself, too"


def test_from_how_few_speakers_a_fusion_knows_protected_speech_is_told_to_the_verdict():
    of_fusion = "results/fusions/both_on_b2.held_out.json"
    told = plan_of(["ecapa/cosine", "pitch/js"], speech="anonymised").attackers
    assert told.learnt(FUSED, "both_on_b2") == [of_fusion]
    of_parts = plan_of(["ecapa/cosine", "semi/cosine"]).attackers
    assert of_parts.learnt(FUSED, "both_on_b2") == ["results/models/semi_on_b2/held_out.json"]
    both = plan_of(["ecapa/cosine", "semi/cosine"], speech="anonymised").attackers
    assert both.learnt(FUSED, "both_on_b2")[-1] == of_fusion


def test_a_fusion_has_heard_what_one_of_its_attackers_learnt_from(tmp_path):
    (tmp_path / "train-other-500").mkdir()
    config = config_with(["ecapa/cosine", "resemblyzer/cosine"])
    config["corpora"]["demo"] = {
        "librispeech": {"root": str(tmp_path), "subsets": ["train-other-500"]},
        "protocol": {"all_pairs": {}},
    }
    config["extractors"]["resemblyzer"] = {"package": "resemblyzer"}
    del config["extractors"]["words"]  # it needs transcripts
    warnings = verdict_plan(Plan(configuration.check(config)))["sets"]["demo"]["warnings"]
    heard = {warning["attack"] for warning in warnings if warning["code"] == "heard"}
    assert heard == {"resemblyzer/cosine", "fused/both"}


@pytest.mark.parametrize(
    ("attacker", "message"),
    [
        ("ecapa/cosin", "did you mean 'ecapa/cosine'"),
        ("pitch/cosine", "'pitch/cosine' is not an attacker of this config"),
        ("ecapa", "'ecapa' is not an attacker"),
        ("fused/both", "'fused/both' is not an attacker"),
    ],
)
def test_wrong_names_are_told(attacker, message):
    with pytest.raises(BadInput, match=message) as raised:
        configuration.check(config_with(["ecapa/cosine", attacker]))
    assert str(raised.value).startswith("backends.both.of.1: ")


def test_a_fusion_needs_two_attackers_and_a_corpus_and_others_have_no_parts():
    wrong = config_with(["ecapa/cosine"])
    assert any(problem.keys[:2] == ("backends", "both") for problem in problems(wrong))
    wrong = config_with(["ecapa/cosine", "pitch/js"])
    del wrong["backends"]["both"]["train"]
    assert [str(problem) for problem in problems(wrong)] == ["backends.both: 'train' is missing"]
    wrong = config_with(["ecapa/cosine", "pitch/js"])
    wrong["backends"]["cosine"]["of"] = ["ecapa/cosine", "pitch/js"]
    assert "not allowed beside the other keys" in str(problems(wrong)[0])


def test_no_extractor_has_the_name_of_fused_scores():
    wrong = config_with(["ecapa/cosine", "pitch/js"])
    wrong["extractors"][FUSED] = {"f0": {}}
    assert "extractors.fused: is the name of what a fusion makes" in str(problems(wrong)[0])


def problems(config):
    return configuration.problems(config)
