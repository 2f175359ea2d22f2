"""The verdict: what the strongest attack leaves of every system, in levels, and what was not tried.

Conventions
-----------
* A set is what systems are judged on: the lists of a corpus, or an average over several corpora.
* Which attacks count: see ``trust``.
* Values in the result are [value, lower, upper], or "undefined".
"""

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from voiceprivacy.privacy.verdict import levels as judging
from voiceprivacy.privacy.verdict.draws import merged
from voiceprivacy.privacy.verdict.evidence import DECE, EER, EXPOSED
from voiceprivacy.privacy.verdict.findings import (
    CHANCE,
    IDENTIFIED,
    SURELY,
    Judged,
    candidates_of,
    judged_system,
)
from voiceprivacy.privacy.verdict.levels import Thresholds
from voiceprivacy.privacy.verdict.means import mean_record
from voiceprivacy.privacy.verdict.plane import against_utility, read_measures
from voiceprivacy.privacy.verdict.record import NAMED_AT, read_records
from voiceprivacy.privacy.verdict.semi_informed import read_learnt
from voiceprivacy.privacy.verdict.sentences import (
    NO_COMMON_LIST,
    NOTHING_PROTECTED,
    sentences,
    warnings,
)
from voiceprivacy.privacy.verdict.strongest import (
    AttackName,
    p_above,
    p_below,
    plausible,
    strongest,
)
from voiceprivacy.privacy.verdict.trust import (
    KNOWLEDGE,
    NOT_EVERYWHERE,
    Attack,
    Attacker,
    examined,
    refusals,
    small_semi_informed,
)
from voiceprivacy.vocabulary import FUSED, GIVEN, ORIGINAL, UNDEFINED, draws_of

EFFORTS = (*KNOWLEDGE, FUSED)  # what can be tried on voices
COPY, NOISE = "copy", "noise"  # controls whose result is known


def verdict(plan: Mapping[str, Any], folder: Path, utility: Path | None = None) -> dict[str, Any]:
    """The whole verdict, as in results/verdict.json.

    Parameters
    ----------
    plan : as voiceprivacy.plan.verdict makes it
    folder : of the files of evidence (CORPUS/TRIALS/ANONYMISER/EXTRACTOR/BACKEND.json)
    utility : folder of means of utility (CORPUS.tsv)
    """
    thresholds = Thresholds(**plan["thresholds"])
    controls = set(plan["controls"])
    sets = {name: judged_set(options, folder, thresholds) for name, options in plan["sets"].items()}
    findings = {}
    for name, systems in sets.items():
        for system, judged in systems.items():
            if system not in controls and system != ORIGINAL:
                findings[name, system] = judged.findings
    named = judging.levels(findings, thresholds)
    for key, level in named.items():
        if level == judging.REDUCED and _is_identified(sets[key[0]], key[1], thresholds):
            named[key] = judging.LITTLE_REDUCED
    pairs = judging.better(findings)
    entries = {
        name: _set_entry(name, systems, plan["sets"][name], named, pairs, controls, thresholds)
        for name, systems in sets.items()
    }
    if any(fields["systems"] for fields in entries.values()):
        for fields in entries.values():
            if fields["verdict"] == NOTHING_PROTECTED:  # here, and elsewhere something was
                fields["verdict"] = NO_COMMON_LIST
    for name, systems in sets.items():
        weights = _weights_of_corpora(plan["sets"][name]["lists"])
        # A set of which one corpus has no measures has no utility.
        is_measured = utility and weights.keys() <= set(plan.get("utility", []))
        measures = read_measures(weights, utility) if utility and is_measured else []
        planes = against_utility(entries[name], systems, measures)
        entries[name]["utility"] = planes | {"sweeps": plan.get("sweeps", {})}
    return {"thresholds": thresholds._asdict(), "sets": entries}


def _weights_of_corpora(lists):
    weights: dict[str, float] = {}
    for corpus, _, weight in lists:
        weights[corpus] = weights.get(corpus, 0.0) + weight
    return weights


def _is_identified(systems, system, thresholds):
    """Whether single utterances are surely identified more than a reduced system allows.

    Scores with an offset for each utterance have no threshold for all, and so little D_ECE. Who
    searches the speaker of one utterance does not mind.
    """
    original = systems[ORIGINAL].numbers[IDENTIFIED]
    if original is None:
        return False
    chance = CHANCE[IDENTIFIED]
    allowed = chance + (original.value - chance) * thresholds.reduced_percent / 100
    searches = systems[system].findings.rates.get(IDENTIFIED, {})
    return p_above(searches, max(allowed, chance)) < SURELY


def judged_set(
    options: Mapping[str, Any], folder: Path, thresholds: Thresholds
) -> dict[str, Judged]:
    """What all attacks found of every system of one set: {system: Judged}, unprotected first."""
    records, learnt = {}, {}
    for attack in options["attacks"]:
        attacker = Attacker(
            attack["extractor"], attack["backend"], attack["trained_on"], attack["of_voices"]
        )
        learnt[attacker] = read_learnt(attack["learnt"], is_held_out=attack["is_held_out"])
        for system in attack["systems"]:
            records[attacker, system] = _read(options["lists"], attack, system, folder)
    n_lists = len(options["lists"])
    declared = {
        (attack["extractor"], attack["backend"]): attack["declared"]
        for attack in options["attacks"]
    }
    attacks: dict[str, list[Attack]] = {system: [] for system in _named(options)}
    for (attacker, system), conditions in records.items():
        unprotected = records.get((attacker, ORIGINAL), {})
        for condition, record in conditions.items():
            told = declared[attacker.extractor, attacker.backend]
            knowledge = attacker.knowledge(condition, told)
            attack = Attack(attacker, condition, knowledge, record, learnt=learnt[attacker])
            is_original = system == ORIGINAL
            attacks[system].append(
                examined(attack, unprotected, n_lists=n_lists, is_original=is_original)
            )
    original = attacks.get(ORIGINAL, [])
    systems = sorted(attacks, key=lambda system: (system != ORIGINAL, system))
    judged = {
        system: judged_system(attacks[system], original, thresholds, is_original=system == ORIGINAL)
        for system in systems
    }
    return {
        system: merged([judged[draw] for draw in draws]) if len(draws) > 1 else judged[system]
        for system, draws in draws_of(systems).items()
    }


def _named(options):
    """The systems that some attack was tried on, be it on one list only."""
    named: dict[str, None] = {}
    for attack in options["attacks"]:
        named |= dict.fromkeys(attack["systems"])
    named |= dict.fromkeys(system for _, _, _, system in options["partly"] if system != ORIGINAL)
    return named


def _read(lists, attack, system, folder):
    """The mean records of an attack over the lists of a set: {condition: Record}."""
    per_list = [
        read_records(
            folder / corpus / trials / system / attack["extractor"] / f"{attack['backend']}.json"
        )
        for corpus, trials, _ in lists
    ]
    weights = [weight for _, _, weight in lists]
    shared = [
        condition for condition in per_list[0] if all(condition in records for records in per_list)
    ]
    return {
        condition: mean_record([records[condition] for records in per_list], weights)
        for condition in shared
    }


# The entries of the file.


def _set_entry(name, systems, options, named, pairs, controls, thresholds):
    """One set as in verdict.json, with its sentences first."""
    judgement = _judgement(name, systems, options, named, pairs, controls)
    return {
        "verdict": " ".join(sentences(judgement, thresholds)),
        "warnings": [*_failed_controls(systems, options, controls), *warnings(judgement)],
        **judgement,
    }


def _failed_controls(
    systems: Mapping[str, Judged], options: Mapping[str, Any], controls: Collection[str]
) -> list[str]:
    """Warnings about controls whose result is known, and is another: something is wrong then.

    Noise keeps the length of speech, which attackers of timing hear: they are not asked.
    """
    failed = []
    of_voices = {
        (attack["extractor"], attack["backend"])
        for attack in options["attacks"]
        if attack["of_voices"]
    }
    for system in sorted(controls & systems.keys()):
        evidence = systems[system].findings.evidence
        every = systems[system].findings.rates.get(EER, {})
        errors = {attack: each for attack, each in every.items() if attack[:2] in of_voices}
        if system == COPY and evidence and p_below(evidence, 100.0) < SURELY:
            left = strongest(evidence)
            assert left is not None
            failed.append(
                f"Control {system}: {left.value:.0f} % of the evidence is left where 100 is"
                " expected, so the attacks or the trial lists are wrong."
            )
        if system == NOISE and errors and p_above(errors, 50.0) < SURELY:
            worst = strongest(errors)
            assert worst is not None
            failed.append(
                f"Control {system}: {100 - worst.value:.0f} % errors where 50 is expected, so the"
                " attackers hear more than voices, or the trial lists are wrong."
            )
    return failed


def _judgement(name, systems, options, named, pairs, controls):
    protected = {system: one for system, one in systems.items() if system != ORIGINAL}
    level = {system: named.get((name, system)) for system in protected}
    shown = [(one, other) for own, one, other in pairs if own == name]
    competing = [
        system
        for system in protected
        if system not in controls and level[system] != judging.CANNOT_SAY
    ]
    return {
        "better": [list(pair) for pair in shown],
        "order": judging.order(competing, shown),
        "untrusted": _untrusted(systems, options),
        "floors": _floors(systems.get(ORIGINAL), options),
        "controls": sorted(controls & protected.keys()),
        "unprotected": _numbers(systems[ORIGINAL]) if ORIGINAL in systems else None,
        "effort": _effort(systems, options, controls),
        "systems": {
            system: {"level": level[system]}
            | {"silence": one.findings.silence, "draws": one.n_draws}
            | _tried(one)
            | _numbers(one)
            | {"eer_unprotected_percent": _folded_or_undefined(one.unprotected_errors)}
            | {"exposed_beyond_chance": one.exposed_beyond_chance}
            | {"exposed_speakers": _exposed_names(one)}
            for system, one in protected.items()
        },
    }


def _numbers(judged: Judged) -> dict[str, Any]:
    """The vector of numbers of a system, and the attack behind each."""
    attacks = {
        (attack.attacker.extractor, attack.attacker.backend, attack.condition): attack
        for attack in judged.attacks
    }
    fields: dict[str, Any] = {}
    by_number = {}
    reasons: dict[str, str] = {}
    for attack in judged.attacks:
        reasons |= attack.record.reasons
    for number, worst in judged.numbers.items():
        field = "eer_folded_percent" if number == EER else number
        if worst is None:
            fields[field] = UNDEFINED
            continue
        limits = (worst.value, worst.low, worst.high)
        if number == EER:
            limits = _folded(worst)
        # Lower limits are made of spreads, which do not end at zero.
        fields[field] = [max(0.0, float(limit)) for limit in limits]
        knowledge = attacks[worst.attack[:3]].knowledge
        by_number[field] = worst.attack._asdict() | {"knowledge": knowledge}
    silence = judged.findings.silence or "the list is too short for it"
    undefined = {
        name: reasons.get(name, silence) for name, limits in fields.items() if limits == UNDEFINED
    }
    return {
        "attack": by_number.get("evidence_left_percent", by_number.get(DECE)),
        "n_attacks": sum(attack.refused is None for attack in judged.attacks),
        **fields,
        "attacks": by_number,
        "reasons": undefined,
        "dece_band_bit": UNDEFINED if judged.band_bit is None else judged.band_bit,
        "within_band": judged.within_band,
    }


def _folded(worst):
    """Equal error rate and limits, from 100 minus them; whoever errs more than 50 % turns round."""
    return [min(50.0, 100 - limit) for limit in (worst.value, worst.high, worst.low)]


def _folded_or_undefined(worst):
    return UNDEFINED if worst is None else _folded(worst)


def _exposed_names(judged):
    """Speakers that may be named, under the attacks that may be the strongest in exposing.

    p-values are corrected for all attacks on the system, refused ones among them: at most NAMED_AT
    of systems that expose nobody have anybody named.
    """
    names: set[str] = set()
    allowed = NAMED_AT / max(1, len(judged.attacks))
    candidates = judged.findings.rates.get(EXPOSED, {})
    reaching = set(plausible(candidates))
    for attack in judged.attacks:
        for reading, speakers in attack.record.exposed.items():
            attacker = attack.attacker
            own = AttackName(attacker.extractor, attacker.backend, attack.condition, reading)
            if own in reaching:
                names.update(one for one, p_value in speakers.items() if p_value <= allowed)
    return sorted(names)


def _tried(judged: Judged) -> dict[str, Any]:
    """What counts among the attacks on a system: what they know, and their kinds.

    ``small_semi_informed`` says why the semi-informed attack is a small one, or is None.

    ``declared_only`` is what only attackers know whose scores somebody else made.
    """
    counted = [attack for attack in judged.attacks if attack.refused is None]
    voices = [attack for attack in counted if attack.attacker.of_voices]
    known = {attack.knowledge for attack in voices}
    kinds = set()
    for attack in counted:
        extractor, backend, condition, _ = AttackName(
            *attack.attacker[:2], attack.condition, ""
        ).kind()
        kinds.add(f"{extractor}/{backend} ({condition})")
    own = {attack.knowledge for attack in voices if attack.attacker.backend != GIVEN}
    return {
        "tried": [name for name in KNOWLEDGE if name in known],
        "small_semi_informed": small_semi_informed(voices),
        "declared_only": [name for name in KNOWLEDGE if name in known - own],
        "counted": sorted(kinds),
    }


def _untrusted(systems: Mapping[str, Judged], options: Mapping[str, Any]) -> dict[str, str]:
    """Attacks that do not count with the reason; see refusals."""
    refused = refusals({system: judged.attacks for system, judged in systems.items()})
    for extractor, backend, condition, system in options["partly"]:
        speech = "unprotected speech" if system == ORIGINAL else system
        refused[f"{extractor}/{backend} ({condition}) on {speech}"] = NOT_EVERYWHERE
    return refused


def _floors(original, options):
    """What attackers of other things than voices find in unprotected speech: {attacker: numbers}.

    Finding nobody is told, too: then there is no floor.
    """
    features = {
        (attack["extractor"], attack["backend"]): attack["feature"] for attack in options["attacks"]
    }
    floors = {}
    for attack in original.attacks if original else []:
        if attack.condition == "oo" and not attack.attacker.of_voices:
            best = strongest(candidates_of([attack], EER))
            if best is not None:
                floors[attack.attacker.name()] = {
                    "feature": features[attack.attacker[:2]],
                    "eer_folded_percent": _folded(best),
                }
    return floors


def _effort(systems, options, controls):
    """What was tried, how strong it is on unprotected speech, and what was not tried."""
    competing = [one for name, one in systems.items() if name not in {ORIGINAL, *controls}]
    tried: set[str] = set()
    refused: set[str] = set()
    for judged in competing:
        for attack in judged.attacks:
            if attack.attacker.of_voices:
                told = refused if attack.refused else tried
                told.add(attack.knowledge)
                if attack.attacker.extractor == FUSED:
                    told.add(FUSED)
    strength = {}
    for attack in systems[ORIGINAL].attacks if ORIGINAL in systems else []:
        if attack.condition == "oo":
            best = strongest(candidates_of([attack], EER))
            if best is not None:
                strength[attack.attacker.name()] = _folded(best)
    training = {
        f"{attack['extractor']}/{attack['backend']}": attack["training"]
        for attack in options["attacks"]
        if attack["training"]
    }
    return {
        "tried": [name for name in EFFORTS if name in tried],
        "not_tried": [name for name in EFFORTS if name not in tried | refused],
        "refused": [name for name in EFFORTS if name in refused - tried],
        "inferred": sorted(one["extractor"] for one in options["attacks"] if one["inferred"]),
        "eer_unprotected_percent": strength,
        "training": training,
        "heard": {
            f"{attack['extractor']}/{attack['backend']}": attack["heard"]
            for attack in options["attacks"]
            if attack["heard"]
        },
        "untaught": {name: why for name, why in options["untaught"].items() if name in systems},
    }
