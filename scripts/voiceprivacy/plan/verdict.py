"""What the verdict of a run is made of: sets, attacks, and files of evidence."""

from typing import Any

from voiceprivacy.plan.plan import Plan
from voiceprivacy.vocabulary import ACROSS_CORPORA, GIVEN, MEAN, ORIGINAL, TrialList

FOLDER = "results/evidence"


def verdict_plan(plan: Plan) -> dict[str, Any]:
    """The sets of a run with their lists and attacks, for privacy/verdict: JSON."""
    return {
        "thresholds": plan.config["verdict"],
        "controls": [
            name for name, options in plan.config["anonymisers"].items() if options["control"]
        ],
        "sets": {name: _set(plan, weights) for name, weights in _sets(plan).items()},
    }


def evidence_files(plan: Plan) -> list[str]:
    """Every file of evidence that the verdict reads."""
    paths: dict[str, None] = {}
    for options in verdict_plan(plan)["sets"].values():
        for attack in options["attacks"]:
            for corpus, trials, _ in options["lists"]:
                for system in attack["systems"]:
                    attacker = f"{attack['extractor']}/{attack['backend']}"
                    paths[f"{FOLDER}/{corpus}/{trials}/{system}/{attacker}.json"] = None
    return list(paths)


def _sets(plan: Plan) -> dict[str, dict[TrialList, float]]:
    """The lists of every set with their weights: averages over corpora first, then corpora."""
    sets = {
        name.replace("-", " "): dict(weights) for name, weights in plan.averages.weights.items()
    }
    for attack in (*plan.attackers.attacks(), *plan.given.attacks()):
        if attack.trials != MEAN and attack.corpus != ACROSS_CORPORA:
            lists = sets.setdefault(attack.corpus, {})
            lists[TrialList(attack.corpus, attack.trials)] = 1.0
    return sets


def _set(plan: Plan, weights: dict[TrialList, float]) -> dict[str, Any]:
    return {
        "lists": [[corpus, trials, weight] for (corpus, trials), weight in weights.items()],
        "attacks": [*_own_attacks(plan, weights), *_given_attacks(plan, weights)],
    }


def _own_attacks(plan, lists):
    tried = {}
    for attack in plan.attackers.attacks():
        known = tried.setdefault((attack.extractor, attack.backend), set())
        known.add(TrialList(attack.corpus, attack.trials))
    for (extractor, backend), own in tried.items():
        if lists.keys() <= own:
            yield {
                "extractor": extractor,
                "backend": backend,
                "trained_on": plan.attackers.attacked(extractor, backend),
                "declared": None,
                "training": _training(plan, extractor, backend),
                "systems": plan.attackers.systems(extractor, backend),
            }


def _training(plan, extractor, backend):
    """On which corpus and which speech an attacker learnt, as the config says."""
    told = {}
    for kind, options in (
        ("extractor", plan.attackers.extractors[extractor]),
        ("backend", plan.attackers.backends[backend]),
    ):
        if "train" in options:
            told[kind] = {"corpus": options["train"]["corpus"], "speech": options["on"] or ORIGINAL}
    return told


def _given_attacks(plan, lists):
    for name, options in plan.given.entries.items():
        tried = {TrialList(*attack[:2]) for attack in plan.given.attacks() if attack[2] == name}
        if lists.keys() <= tried:
            yield {
                "extractor": name,
                "backend": GIVEN,
                "trained_on": None,
                "declared": options.get("knowledge"),
                "training": {},
                "systems": plan.given.everywhere(name, list(lists)),
            }
