"""What the verdict of a run is made of: sets, attacks, and files of evidence."""

from itertools import chain
from pathlib import Path
from typing import Any

from voiceprivacy.plan.defaults import first_training_corpus
from voiceprivacy.plan.plan import Plan
from voiceprivacy.vocabulary import (
    FUSED,
    GIVEN,
    LEARNT_FROM,
    ORIGINAL,
    WITHOUT_VOICE,
    Attack,
    TrialList,
)

FOLDER = "results/evidence"


def verdict_plan(plan: Plan) -> dict[str, Any]:
    """The sets of a run with their lists and attacks, for privacy/verdict: JSON."""
    return {
        "thresholds": plan.config["verdict"],
        "controls": [
            name for name, options in plan.config["anonymisers"].items() if options["control"]
        ],
        "sets": {name: _set(plan, weights) for name, weights in plan.averages.sets().items()},
        "utility": list(_measured(plan)),
        "sweeps": _sweeps(plan),
    }


def utility_files(plan: Plan) -> list[str]:
    """Every file of utility that the verdict reads: of a run with intervals."""
    paths = []
    for table in _measured(plan).values():
        paths += [table, table.removesuffix("tsv") + "bootstrap.npz"]
    return paths


def _measured(plan):
    """{corpus: its table of means of utility} of the corpora that are in sets."""
    if not plan.n_replicates:
        return {}
    judged = {corpus for corpus, _ in chain.from_iterable(plan.averages.sets().values())}
    tables = {Path(table).stem: table for table in plan.utility.tables()}
    return {corpus: table for corpus, table in tables.items() if corpus in judged}


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


def learnt_files(plan: Plan) -> list[str]:
    """Every file that says what attackers of protected speech find in speakers held out."""
    paths: dict[str, None] = {}
    for options in verdict_plan(plan)["sets"].values():
        for attack in options["attacks"]:
            paths |= dict.fromkeys(attack["learnt"])
    return list(paths)


def _sweeps(plan):
    """Operating points of anonymisers, {entry of the config: names in the order of the values}."""
    sweeps: dict[str, list[tuple[Any, str]]] = {}
    for name, options in plan.config["anonymisers"].items():
        if "swept" in options and options["draw"] == 1:
            swept = options["swept"]
            sweeps.setdefault(swept["of"], []).append((swept["value"], name))
    for points in sweeps.values():
        if not any(isinstance(value, str) for value, _ in points):
            points.sort()
    return {source: [name for _, name in points] for source, points in sweeps.items()}


def _set(plan: Plan, weights: dict[TrialList, float]) -> dict[str, Any]:
    return {
        "lists": [[corpus, trials, weight] for (corpus, trials), weight in weights.items()],
        "attacks": [*_own_attacks(plan, weights), *_given_attacks(plan, weights)],
        "partly": [list(attack) for attack in _partly(plan, weights)],
        "untaught": _untaught(plan),
    }


def _untaught(plan):
    """Systems of which no attacker learns for want of protected training speech: {system: why}.

    Nothing is told where the config wants no such attacker, or has no speech to learn from.
    """
    corpus = first_training_corpus(plan.config)
    if corpus is None or not plan.config["semi_informed"]:
        return {}
    learners = (*plan.attackers.extractors.values(), *plan.attackers.backends.values())
    learnt = {options["on"] for options in learners}
    untaught = {}
    for name, options in plan.speech.anonymisers.items():
        is_first = not options["control"] and options["draw"] == 1
        if is_first and name not in learnt:
            untaught[name] = plan.speech.lacks_training_speech(name, corpus)
    return {name: why for name, why in untaught.items() if why}


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
                "heard": _heard(plan, extractor, backend, lists),
                "learnt": plan.attackers.learnt(extractor, backend),
                "is_held_out": plan.attackers.is_held_out(extractor, backend),
                "inferred": False,
                "of_voices": _of_voices(plan, extractor, backend),
                "feature": plan.attackers.feature(extractor),
                "systems": plan.attackers.systems(extractor, backend),
            }


def _of_voices(plan, extractor, backend):
    """Whether an attacker hears voices; a fusion does if one of its attackers does."""
    extractors = [extractor]
    if extractor == FUSED:
        extractors = [part.extractor for part in plan.attackers.fusions[backend].parts]
    return any(plan.attackers.feature(name) not in WITHOUT_VOICE for name in extractors)


def _training(plan, extractor, backend):
    """On which corpus and which speech an attacker learnt, as the config says."""
    if extractor == FUSED:
        fusion = plan.attackers.fusions[backend]
        told = {"fusion": {"corpus": fusion.corpus, "speech": fusion.systems()[-1]}}
        for part in fusion.parts:
            for kind, options in _training(plan, *part).items():
                name = part.extractor if kind == "extractor" else part.backend
                told[f"{kind} {name}"] = options
        return told
    told = {}
    for kind, options in (
        ("extractor", plan.attackers.extractors[extractor]),
        ("backend", plan.attackers.backends[backend]),
    ):
        if "train" in options:
            speech = options["on"] or ORIGINAL
            if kind == "backend" and plan.attackers.original_embeddings(backend, extractor):
                speech = f"{speech} and {ORIGINAL}"
            told[kind] = {"corpus": options["train"]["corpus"], "speech": speech}
        elif known := _learnt_from(options):
            told[kind] = {"corpus": ", ".join(known), "speech": ORIGINAL}
    return told


def _learnt_from(options):
    """What an encoder learnt from that somebody else trained, as far as we know it."""
    return LEARNT_FROM.get(options.get("package", options.get("model")), ())


def _heard_before(plan, extractor):
    """What an extractor learnt from, as far as we know it, and the models where training began."""
    known: list[str] = []
    passed: list[str] = []
    while extractor and extractor not in passed:
        options = plan.attackers.extractors[extractor]
        known += _learnt_from(options)
        known += LEARNT_FROM.get(options.get("start"), ())
        passed.append(extractor)
        extractor = plan.attackers.start_extractor(extractor)
    return known


def _heard(plan, extractor, backend, lists):
    """Subsets of LibriSpeech that an attacker learnt from and that he is tried on."""
    names = [extractor]
    if extractor == FUSED:
        names = [part.extractor for part in plan.attackers.fusions[backend].parts]
    known = chain.from_iterable(_heard_before(plan, name) for name in names)
    tried = set()
    for corpus, _ in lists:
        source = plan.speech.corpora[corpus].get("librispeech", {})
        tried |= {f"LibriSpeech {subset}" for subset in source.get("subsets", ())}
    return sorted(tried & set(known))


def _given_attacks(plan, lists):
    for name, options in plan.given.entries.items():
        per_list = _given_conditions(plan, name, lists)
        systems = [system for system, on_lists in per_list.items() if _everywhere(on_lists, lists)]
        if systems:
            speakers = [plan.given.speakers(Attack(*own, name, GIVEN)) for own in lists]
            yield {
                "extractor": name,
                "backend": GIVEN,
                "trained_on": None,
                "declared": options.get("knowledge"),
                "training": {},
                "heard": [],
                "learnt": [],
                "is_held_out": False,
                "inferred": None in speakers,
                "of_voices": True,
                "feature": None,
                "systems": systems,
            }


def _given_conditions(plan, name, lists):
    """The conditions of a given attack on those lists that it was tried on.

    {system: {list: conditions}}
    """
    per_list: dict[str, dict[TrialList, list[str]]] = {}
    for trial_list in lists:
        tried = plan.given.systems(Attack(*trial_list, name, GIVEN))
        for system, conditions in tried.items():
            per_list.setdefault(system, {})[trial_list] = conditions
    return per_list


def _everywhere(on_lists, lists):
    """The conditions that a system was attacked under on each of some lists."""
    shared = [set(on_lists.get(trial_list, ())) for trial_list in lists]
    return sorted(set.intersection(*shared))


def _partly(plan, lists):
    """Given attacks that are on some of several lists only, so that they are in no mean.

    (extractor, back-end, condition, system) of each.
    """
    for name in plan.given.entries:
        for system, on_lists in _given_conditions(plan, name, lists).items():
            tried = set().union(*on_lists.values())
            for condition in sorted(tried.difference(_everywhere(on_lists, lists))):
                yield name, GIVEN, condition, system
