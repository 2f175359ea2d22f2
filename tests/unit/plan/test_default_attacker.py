"""Who attacks where a config says nothing of attackers: the strongest extractor that is there."""

import importlib.util
import os

import pytest

from voiceprivacy.models.fetching import pinned_models
from voiceprivacy.plan import defaults
from voiceprivacy.plan.plan import Plan

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


def test_resemblyzer_attacks_where_its_weights_and_what_they_need_are(
    installed, monkeypatch, tmp_path
):
    monkeypatch.setenv("VOICEPRIVACY_MODELS", str(tmp_path))
    installed.add("webrtcvad")
    assert models(PROTECTED) == SMALL
    weights = tmp_path / "resemblyzer" / "pretrained.pt"
    weights.parent.mkdir()
    weights.touch()
    os.truncate(weights, pinned_models()["resemblyzer"][weights.name].n_bytes)
    assert models(PROTECTED) == {"resemblyzer": "resemblyzer"}
    installed.clear()
    assert models(PROTECTED) == SMALL


@pytest.mark.parametrize(
    "section",
    [
        {"extractors": {}},
        {"attacks": {"team": {"scores": "{anonymiser}/{condition}"}}},
        {"anonymisers": {}},
        {"corpora": {}},
    ],
    ids=lambda section: next(iter(section)),
)
def test_a_config_that_says_what_is_wanted_gets_nothing_more(installed, section):
    assert models(PROTECTED | section) == {}


@pytest.mark.parametrize(
    "section",
    [
        {"backends": {"plda": {"type": "plda", "train": {"corpus": "demo"}}}},
        {"utility": {"wer": {"command": "python wer.py"}}},
    ],
)
def test_sections_that_name_no_attacker_do_not_take_the_attack_away(installed, section):
    assert models(PROTECTED | section) == SMALL


def test_an_extractor_alone_compares_by_cosine_or_jensen_shannon():
    for kind, backend in (("package", "cosine"), ("timing", "jensen_shannon")):
        config = PROTECTED | {"extractors": {"one": {kind: "dvector", "mem_mb": 500}}}
        assert list(defaults.complete(config)["backends"]) == [backend]
    assert list(defaults.complete(PROTECTED | {"extractors": {}})["backends"]) == []


def test_an_encoder_in_a_package_embeds_both_parts_in_the_environment_of_its_name():
    two = {"package": "dvector", "env": "mine.yaml"}
    extractors = {"one": {"package": "resemblyzer"}, "two": two}
    config = defaults.complete(PROTECTED | {"extractors": extractors})
    environments = {name: options["env"] for name, options in config["extractors"].items()}
    assert environments == {"one": "resemblyzer", "two": "mine.yaml"}
    extractors = {"one": {"package": "dvector"}, "other": {"command": "python mine.py"}}
    attackers = Plan(defaults.complete(PROTECTED | {"extractors": extractors})).attackers
    assert attackers.extraction("one", "demo", "trial", "b2") == ["--package", "dvector"]
    assert [name for name in extractors if attackers.embeds_both_parts(name)] == ["one"]
