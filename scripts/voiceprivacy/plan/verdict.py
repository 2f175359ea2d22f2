"""What the verdict of a run is made of: score files, who speaks, what attackers learnt from."""

from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from voiceprivacy import corpus_kinds
from voiceprivacy.plan.defaults import leaks
from voiceprivacy.plan.plan import Plan
from voiceprivacy.plan.planted_leaks import PlantedLeaks
from voiceprivacy.plan.rows import PlanOfVerdict
from voiceprivacy.plan.speech import first_training_corpus
from voiceprivacy.vocabulary import (
    GIVEN,
    LEARNT_FROM,
    OF_TEXT,
    ORIGINAL,
    WORDS,
    Attack,
    TrialList,
    attacker_name,
    draws_of,
)

SPEAKS_ANEW = "stt_tts.py"  # the shipped functions that recognise words and speak them
MIXED = "mixed"  # lists of both sexes
MOST_LINES = 12  # about the attacks of a run
CONDITIONS = ("oo", "op", "pp", "rr")  # p0p1 calibrates and is no attack


def verdict_plan(plan: Plan) -> PlanOfVerdict:
    """The sets of a run, which are corpora, for the job write_verdict."""
    lists: dict[str, list[TrialList]] = {}
    for trial_list in _lists(plan):
        lists.setdefault(trial_list.corpus, []).append(trial_list)
    sets = {corpus: _set(plan, corpus, own) for corpus, own in lists.items()}
    return {"thresholds": plan.config["verdict"], "sets": sets}


def score_files(plan: Plan) -> list[str]:
    """Every file of scores that the verdict reads."""
    paths: dict[str, None] = {}
    for corpus, options in verdict_plan(plan)["sets"].items():
        for trials, own in options["lists"].items():
            for attacker, systems in {**own["attackers"], **own["of_text"]}.items():
                for system, conditions in systems.items():
                    attack = Attack(corpus, trials, *attacker.split("/"))
                    for condition in conditions:
                        paths[plan.layout.scores(attack, system, condition)] = None
                    has_leaks = options["leaks"] and attacker in own["attackers"]
                    if has_leaks and attack.backend != GIVEN and system != ORIGINAL:
                        paths[plan.layout.scores(attack, ORIGINAL, "oo")] = None
                        paths[plan.layout.scores(attack, system, "po")] = None
    return list(paths)


def other_files(plan: Plan) -> list[str]:
    """Every other file that it reads: who speaks, what attackers learnt from, what was found."""
    paths: dict[str, None] = {}
    for options in verdict_plan(plan)["sets"].values():
        for own in options["lists"].values():
            paths |= dict.fromkeys([*own["speakers"], *own["enrolments"]])
        for attackers in options["learnt"].values():
            paths |= dict.fromkeys(chain.from_iterable(attackers))
        for learnt in options.get("learnt_attackers", {}).values():
            paths |= dict.fromkeys(one["planted_leak"] for one in learnt if one["planted_leak"])
        paths |= dict.fromkeys(options["checks"])
    for extractor, backend in _attackers(plan):
        paths |= dict.fromkeys(plan.sources.file("backends", backend, extractor))
    return list(paths)


def _lists(plan):
    """All trial lists that anybody is tried on."""
    attacks = (*plan.attackers.attacks(), *plan.given.attacks())
    return list(dict.fromkeys(TrialList(attack.corpus, attack.trials) for attack in attacks))


def _set(plan, corpus, lists):
    anonymisers = plan.speech.anonymisers
    systems = _systems_of_attackers(plan)
    tried = {one.trials: _list(plan, one, systems) for one in lists}
    learnt = {name: files for name in anonymisers if (files := _learnt(plan, name))}
    leaks_of = PlantedLeaks(plan).attackers_of
    attackers = {name: own for name in anonymisers if (own := leaks_of(corpus, name))}
    return {
        "controls": [name for name, one in anonymisers.items() if one["control"]],
        "shows_names": _shows_names(plan, corpus),
        "leaks": leaks(plan.config),
        "releases": _releases(plan),
        "lists": tried,
        "mixed": [name for name in tried if name.partition("_")[0] == MIXED],
        "learnt": learnt,
        "not_tried": list(_not_tried(plan, tried, learnt)),
        "warnings": [
            *_heard(plan, corpus),
            *_unknown_speakers(plan, lists),
            *_untaught(plan),
            *_spoken_anew(plan),
        ],
        "checks": [plan.speech.checks_of(corpus)] if _is_of_persons(plan, corpus) else [],
        "only_wide_band": _only_wide_band(plan, tried),
        "ready": dict(_ready(plan)),
        "learnt_attackers": attackers,
    }


def _releases(plan):
    """Systems that are released together: those of the config, and the draws of an anonymiser."""
    draws = draws_of(plan.speech.anonymisers)
    anonymiser_of: dict[str, str] = {}
    for name, own in draws.items():
        anonymiser_of |= dict.fromkeys(own, name)
    groups = {name: own for name, own in draws.items() if len(own) > 1} | plan.config["releases"]
    return {name: {one: anonymiser_of[one] for one in own} for name, own in groups.items()}


def _list(plan, trial_list, of_attackers):
    """Who speaks in a list, and its attackers; those of the run's own have the same on each."""
    speakers: dict[str, None] = {}
    attackers: dict[str, dict[str, list[str]]] = {}
    of_text: dict[str, dict[str, list[str]]] = {}
    is_own = trial_list in plan.speech.all_trial_lists()
    pattern = plan.speech.recording(trial_list.corpus) if is_own else None
    if is_own:
        speakers[plan.layout.trials(*trial_list, "speakers")] = None
        for (extractor, backend), systems in of_attackers.items():
            own = of_text if plan.attackers.feature(extractor) in OF_TEXT else attackers
            own[f"{extractor}/{backend}"] = {
                system: [name for name in plan.speech.scored(system) if name in CONDITIONS]
                for system in systems
            }
    for name in plan.given.entries:
        attack = Attack(*trial_list, name, GIVEN)
        systems, path = plan.given.systems(attack), plan.given.speakers(attack)
        if systems and path:
            attackers[f"{name}/{GIVEN}"] = systems
            speakers[path] = None
    return {
        "speakers": list(speakers),
        "enrolments": [plan.layout.trials(*trial_list, "enrolments")] if is_own else [],
        "attackers": attackers,
        "of_text": of_text,
        **({"recording": pattern} if pattern else {}),
    }


def _systems_of_attackers(plan):
    """The systems that each attacker is judged on: {(extractor, back-end): systems}.

    Unprotected speech is judged by attackers of all systems, where there are any: others were not
    made for it. What is said is not what they are compared with.
    """
    systems = {attacker: plan.attackers.systems(*attacker) for attacker in _attackers(plan)}
    of_voice = [one for one in systems if plan.attackers.feature(one[0]) not in OF_TEXT]
    everywhere = [
        one for one in of_voice if len(systems[one]) > 1 and not plan.attackers.attacked(*one)
    ]
    for one in of_voice:
        if everywhere and one not in everywhere:
            systems[one] = [system for system in systems[one] if system != ORIGINAL]
    return systems


def _is_of_persons(plan, corpus):
    """Whether a corpus of the run holds recordings of people: synthetic speech has any band."""
    source = plan.speech.corpora.get(corpus, {})
    return corpus in plan.speech.evaluated and not corpus_kinds.is_made_up(source)


def _ready(plan: Plan) -> Iterator[tuple[str, str]]:
    """Attackers whose back-end was trained elsewhere, and its file."""
    for extractor, backend in _attackers(plan):
        if "model" in plan.attackers.backends.get(backend, {}):
            file = plan.attackers.backend_file(backend, extractor)
            assert file is not None  # there is one
            yield f"{extractor}/{backend}", file


def _only_wide_band(plan: Plan, lists: dict[str, Any]) -> list[str]:
    """Systems that, on a list, only attackers attack who learnt from wide bands, or from nothing.

    A back-end finds nothing that its encoder does not hear, so what it learnt does not count.
    """
    only_wide_band = set()
    for own in lists.values():
        attacked, heard = set(), set()
        for attacker, systems in own["attackers"].items():
            attacked |= set(systems)
            if _may_hear_narrow_bands(plan, *attacker.split("/")):
                heard |= set(systems)
        only_wide_band |= attacked - heard - {ORIGINAL}
    return sorted(only_wide_band)


def _may_hear_narrow_bands(plan: Plan, extractor: str, backend: str) -> bool:
    """Whether an encoder was trained on speech of the run, or somewhere that is unknown."""
    options = plan.attackers.extractors.get(extractor, {})
    return backend == GIVEN or not options.keys().isdisjoint({"train", "command", "embeddings"})


def _shows_names(plan, corpus):
    """Whether verdict.json may name people: those of an internal page, or made-up voices."""
    return bool(
        plan.config["report"]["internal"]
        or corpus_kinds.is_made_up(plan.speech.corpora.get(corpus, {}))
    )


def _learnt(plan, system):
    """Files that say from how many persons each attacker of a system's speech learnt."""
    files = []
    for extractor, backend in _attackers(plan):
        on = plan.attackers.informed(extractor, backend)
        if on and system in plan.attackers.systems(extractor, backend):
            files.append(plan.attackers.learnt(extractor, backend))
    return [own for own in files if own]


def _attackers(plan):
    """Every (extractor, back-end) of the run's own, on lists or on sampled galleries."""
    attacks = (*plan.attackers.attacks(), *plan.attackers.rank_attacks())
    return dict.fromkeys((attack.extractor, attack.backend) for attack in attacks)


def _not_tried(plan: Plan, lists: dict[str, Any], learnt: dict[str, Any]) -> Iterator[str]:
    """Codes of attackers that a serious adversary would add."""
    attackers = set(chain.from_iterable(tried["attackers"] for tried in lists.values()))
    declared = [
        name
        for name, options in plan.given.entries.items()
        if options.get("knowledge") == "semi-informed" and f"{name}/{GIVEN}" in attackers
    ]
    if not learnt and not declared:
        yield "semi_informed"
    if len(plan.attackers.networks()) < 2:
        yield "other_encoders"
    if WORDS not in map(plan.attackers.feature, plan.attackers.extractors):
        yield "what_is_said"


def _heard(plan: Plan, corpus: str) -> Iterator[dict[str, Any]]:
    """Attackers who learnt from the recordings that they are tried on."""
    tried = set(corpus_kinds.published_in(plan.speech.corpora.get(corpus, {})))
    for extractor, backend in _attackers(plan):
        if heard := sorted(tried & set(_learnt_from(plan, extractor))):
            yield {"code": "heard", "attack": f"{extractor}/{backend}", "speech": heard}


def _learnt_from(plan, extractor):
    """What an extractor learnt from, as far as we know it, and the models where training began."""
    known: list[str] = []
    while extractor:
        options = plan.attackers.extractors[extractor]
        known += LEARNT_FROM.get(options.get("package", options.get("model")), ())
        known += LEARNT_FROM.get(options.get("start"), ())
        extractor = plan.attackers.start_extractor(extractor)
    return known


def _unknown_speakers(plan: Plan, lists: list[TrialList]) -> Iterator[dict[str, Any]]:
    """Scores that were made elsewhere: lists without a file of speakers are not judged."""
    for name in plan.given.entries:
        attacks = [Attack(*trial_list, name, GIVEN) for trial_list in lists]
        tried = [attack for attack in attacks if plan.given.systems(attack)]
        if not all(map(plan.given.speakers, tried)):
            yield {"code": "unknown_speakers", "attack": f"{name}/{GIVEN}"}


def _untaught(plan: Plan) -> Iterator[dict[str, Any]]:
    """Systems of which no attacker learns, although there is speech to learn from."""
    corpus = first_training_corpus(plan.config)
    if corpus is None or not plan.config["semi_informed"]:
        return
    learners = (*plan.attackers.extractors.values(), *plan.attackers.backends.values())
    learnt = {options["on"] for options in learners}
    for name, options in plan.speech.anonymisers.items():
        is_first = not options["control"] and options["draw"] == 1
        lacks = is_first and name not in learnt and plan.speech.lacks_training_speech(name, corpus)
        if lacks:
            yield {"code": "no_training_speech", "system": name}


def _spoken_anew(plan: Plan) -> Iterator[dict[str, Any]]:
    """Shipped systems that recognise words and speak them: of those, encoders hear the words."""
    for name, options in plan.speech.anonymisers.items():
        file = Path(str(options.get("function", "")).partition(":")[0])
        if file.name == SPEAKS_ANEW and options["draw"] == 1:
            yield {"code": "spoken_anew", "system": name}


def attack_lines(plan: Plan) -> list[str]:
    """Say which attacks each system gets, and why it gets no semi-informed one, in a line each."""
    attacks: dict[str, dict[str, None]] = {name: {} for name in plan.speech.anonymisers}
    informed = set()
    for attacker in _attackers(plan):
        for system in plan.attackers.systems(*attacker):
            attacks.setdefault(system, {})[attacker_name(*attacker)] = None
            informed |= {system} if plan.attackers.informed(*attacker) else set()
    for attack in plan.given.attacks():
        knowledge = plan.given.entries[attack.extractor].get("knowledge")
        for system in plan.given.systems(attack):
            attacks.setdefault(system, {})[f"scores of {attack.extractor}"] = None
            informed |= {system} if knowledge == "semi-informed" else set()
    attacks.pop(ORIGINAL, None)
    lines = []
    for system, names in attacks.items():
        reason = None if system in informed else _why_uninformed(plan, system)
        why = f"; not semi-informed, because {reason}" if reason else ""
        lines.append(f"attacks on {system}: {', '.join(names) or 'none'}{why}")
    n_more = len(lines) - MOST_LINES + 1
    return lines if n_more <= 1 else [*lines[:-n_more], f"attacks on {n_more} more systems"]


def _why_uninformed(plan: Plan, system: str) -> str:
    """Why no attacker of a run learns from the speech of a system."""
    if system not in plan.speech.anonymisers:
        return "only its scores are given, and no 'knowledge: semi-informed'"
    if plan.speech.anonymiser(system)["control"]:
        return "it is a control"
    corpus = first_training_corpus(plan.config)
    if corpus is None:
        return "no corpus has 'use: train'"
    if lacks := plan.speech.lacks_training_speech(system, corpus):
        return lacks
    if not plan.config["semi_informed"]:
        return "the config says 'semi_informed: false'"
    return "the attackers of the config learn from other speech"
