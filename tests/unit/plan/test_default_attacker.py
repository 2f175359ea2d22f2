"""Who attacks where a config says nothing of attackers: the strongest extractor that is there."""

import importlib.util

import pytest

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


def test_resemblyzer_attacks_where_it_is_installed_with_what_it_needs(installed):
    installed.add("resemblyzer")
    assert models(PROTECTED) == SMALL
    installed.add("webrtcvad")
    assert models(PROTECTED) == {"resemblyzer": "resemblyzer"}


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
        "other": {"command": "python mine.py"},
    }
    config = defaults.complete(PROTECTED | {"extractors": extractors})
    environments = [config["extractors"][name]["env"] for name in ("one", "two")]
    assert environments == ["resemblyzer", "mine.yaml"]
    attackers = Plan(config).attackers
    assert attackers.extraction("two", "demo", "trial", "b2") == ["--package", "dvector"]
    assert [name for name in extractors if attackers.embeds_both_parts(name)] == ["one", "two"]
