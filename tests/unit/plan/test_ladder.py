"""The preset of attackers: what it adds to a config, and what wins over it."""

import copy

from support.plans import voices

from voiceprivacy.plan import configuration, defaults
from voiceprivacy.plan.plan import Plan

CONFIG = {
    "corpora": {
        "demo": {"synthetic": {"speakers": 4, "utterances": 4}},
        "others": voices(12, 3, first=4, use="train"),
    },
    "anonymisers": {"b2": {"command": "python b2.py"}},
    "attackers": "ladder",
}


def test_the_ladder_runs_from_an_ignorant_attacker_to_a_tuned_one():
    attackers = Plan(configuration.check(CONFIG)).attackers
    tried = dict.fromkeys((attack.extractor, attack.backend) for attack in attackers.attacks())
    assert list(tried) == [
        ("ecapa_small", "cosine"),
        ("ecapa_small", "plda_on_b2"),
        ("ecapa_small", "rotated_on_b2"),
        ("tuned_on_b2", "cosine"),
    ]


def test_entries_of_the_config_win_and_a_completed_config_stays():
    config = copy.deepcopy(CONFIG)
    config["extractors"] = {"ecapa_small": {"f0": {}}, "mine": {"f0": {}}}
    config["backends"] = {"cosine": {"type": "jensen_shannon", "extractors": ["ecapa_small"]}}
    completed = defaults.complete(config)
    assert "model" not in completed["extractors"]["ecapa_small"]
    assert list(completed["extractors"]) == ["ecapa_small", "tuned", "mine"]
    assert completed["backends"]["cosine"]["type"] == "jensen_shannon"
    assert completed["backends"]["plda"]["train"]["corpus"] == "others"
    completed = configuration.check(CONFIG)
    assert defaults.complete(completed) == completed
