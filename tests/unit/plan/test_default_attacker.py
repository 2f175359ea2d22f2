"""Who attacks: the strongest extractor where a config says nothing of it, and the preset ladder."""

import importlib.util
import os

import pytest
from support.plans import voices

from voiceprivacy.models.fetching import pinned_models
from voiceprivacy.plan import configuration, defaults
from voiceprivacy.plan.plan import Plan
from voiceprivacy.plan.speech import environment_file

CORPORA = {"demo": {"synthetic": {"speakers": 4, "utterances": 4}}}
PROTECTED = {"corpora": CORPORA, "anonymisers": {"b2": {"command": "python b2.py"}}}
SMALL = {"ecapa_small": "{resources}/ecapa_small"}


@pytest.fixture
def installed(monkeypatch):
    """A set of modules: only those in it can be imported, as far as the config looks."""
    modules = set()
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: name in modules or None)
    return modules


def models(config):
    """{extractor: its package or its model} of a completed config."""
    extractors = defaults.complete(config)["extractors"].items()
    return {name: options.get("package") or options["model"] for name, options in extractors}


def test_encoders_of_packages_attack_where_their_weights_and_what_they_need_are(
    installed, monkeypatch, tmp_path
):
    monkeypatch.setenv("VOICEPRIVACY_MODELS", str(tmp_path))
    installed |= {"webrtcvad", "torchaudio"}
    assert models(PROTECTED) == SMALL
    there = {}
    for package in ("resemblyzer", "campplus"):
        [(name, file)] = pinned_models()[package].items()
        weights = tmp_path / package / name
        weights.parent.mkdir()
        weights.touch()
        os.truncate(weights, file.n_bytes)
        there[package] = package
        assert models(PROTECTED) == there
    installed.remove("torchaudio")
    assert models(PROTECTED) == {"resemblyzer": "resemblyzer"}
    installed.clear()
    assert models(PROTECTED) == SMALL


@pytest.mark.parametrize(
    ("section", "attacks"),
    [
        ({"extractors": {}}, {}),
        ({"attacks": {"team": {"scores": "{anonymiser}/{condition}"}}}, {}),
        ({"anonymisers": {}}, {}),
        ({"corpora": {}}, {}),
        ({"backends": {"plda": {"type": "plda", "train": {"corpus": "demo"}}}}, SMALL),
        ({"utility": {"wer": {"command": "python wer.py"}}}, SMALL),
    ],
)
def test_only_sections_that_say_who_attacks_take_the_attack_away(installed, section, attacks):
    assert models(PROTECTED | section) == attacks


def test_an_extractor_alone_compares_by_cosine_or_jensen_shannon():
    for kind, backend in (("package", "cosine"), ("timing", "jensen_shannon")):
        config = PROTECTED | {"extractors": {"one": {kind: "dvector", "mem_mb": 500}}}
        assert list(defaults.complete(config)["backends"]) == [backend]
    assert list(defaults.complete(PROTECTED | {"extractors": {}})["backends"]) == []


def test_an_encoder_in_a_package_embeds_both_parts_in_the_environment_of_its_name():
    extractors = {
        "one": {"package": "resemblyzer"},
        "two": {"package": "dvector", "env": "mine.yaml"},
        "three": {"package": "campplus", "device": "cuda"},
        "other": {"command": "python mine.py"},
    }
    config = defaults.complete(PROTECTED | {"extractors": extractors})
    environments = [config["extractors"][name]["env"] for name in ("one", "two", "three")]
    assert environments == ["resemblyzer", "mine.yaml", "campplus"]
    assert environment_file("campplus").endswith("envs/torch.yaml")
    attackers = Plan(config).attackers
    assert attackers.extraction("two", "demo", "trial", "b2") == ["--package", "dvector"]
    on_gpu = ["--package", "campplus", "--device", "cuda"]
    assert attackers.extraction("three", "demo", "trial", "b2") == on_gpu
    both = [name for name in extractors if attackers.embeds_both_parts(name)]
    assert both == ["one", "two", "three"]


OTHERS = {"others": voices(12, 3, first=4, use="train")}
LADDER = PROTECTED | {"corpora": CORPORA | OTHERS, "attackers": "ladder"}


def test_the_ladder_runs_from_an_ignorant_attacker_to_one_who_learns():
    attackers = Plan(configuration.check(LADDER)).attackers
    tried = dict.fromkeys((attack.extractor, attack.backend) for attack in attackers.attacks())
    assert list(tried) == [
        ("campplus", "cosine"),
        ("campplus", "plda_on_b2"),
    ]


def test_entries_of_the_config_win_over_the_ladder_and_a_completed_config_stays():
    extractors = {"campplus": {"f0": {}}, "mine": {"f0": {}}}
    backends = {"cosine": {"type": "jensen_shannon", "extractors": ["campplus"]}}
    completed = defaults.complete(LADDER | {"extractors": extractors, "backends": backends})
    assert "package" not in completed["extractors"]["campplus"]
    assert list(completed["extractors"]) == ["campplus", "mine"]
    assert completed["backends"]["cosine"]["type"] == "jensen_shannon"
    assert completed["backends"]["plda"]["train"]["corpus"] == "others"
    completed = configuration.check(LADDER)
    assert defaults.complete(completed) == completed
