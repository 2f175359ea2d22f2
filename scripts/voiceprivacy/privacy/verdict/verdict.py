"""The verdict: what the strongest attack leaves of every system, in levels, and what was not tried.

Conventions
-----------
* A set is what systems are judged on: the lists of a corpus, or an average over several corpora.
* Which attacks count: see ``trust``.
* A number of an attack is left out where the list is too short for it in that reading in which the
  attack finds most: other readings would only show that they find nobody.
* Values in the result are [value, lower, upper], or "undefined".
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from voiceprivacy.privacy.uncertainty.bootstrap import Correction, interval
from voiceprivacy.privacy.verdict import levels as judging
from voiceprivacy.privacy.verdict.evidence import DECE, EER, EXPOSED, RATES
from voiceprivacy.privacy.verdict.levels import Findings, Thresholds
from voiceprivacy.privacy.verdict.means import READINGS_OF_MEANS, mean_record
from voiceprivacy.privacy.verdict.record import OF_GALLERIES, Record, read_records
from voiceprivacy.privacy.verdict.sentences import sentences, warnings
from voiceprivacy.privacy.verdict.strongest import (
    AttackName,
    Attacks,
    Candidate,
    Strongest,
    candidate,
    p_above,
    p_below,
    plausible,
    strongest,
)
from voiceprivacy.privacy.verdict.trust import (
    KNOWLEDGE,
    LINKAGE,
    NOT_EVERYWHERE,
    SEMI,
    Attack,
    Attacker,
    bands,
    beyond_chance,
    examined,
    refusals,
    standardised_dece,
)
from voiceprivacy.vocabulary import GIVEN, ORIGINAL, UNDEFINED

COPY, NOISE = "copy", "noise"  # controls whose result is known
SURELY = 0.001  # p-value from which on a control has failed
NUMBERS = (*RATES, *OF_GALLERIES)
# What guessing gives, in percent, in those rates that "none left" asks for.
IDENTIFIED = "identification_of_20_percent"
CHANCE = {"tpr_at_fpr_0.01_percent": 1.0, IDENTIFIED: 5.0}


class Judged(NamedTuple):
    """A system on a set: what attacks found, and the strongest of each number."""

    attacks: list[Attack]
    findings: Findings
    numbers: dict[str, Strongest | None]
    within_band: bool
    band_bit: float | None
    exposed_beyond_chance: bool


def verdict(plan: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """The whole verdict, as in results/verdict.json.

    Parameters
    ----------
    plan : as voiceprivacy.plan.verdict makes it
    folder : of the files of evidence (CORPUS/TRIALS/ANONYMISER/EXTRACTOR/BACKEND.json)
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
    return {
        "thresholds": thresholds._asdict(),
        "sets": {
            name: _set_entry(name, systems, plan["sets"][name], named, pairs, controls, thresholds)
            for name, systems in sets.items()
        },
    }


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
    records = {}
    for attack in options["attacks"]:
        attacker = Attacker(attack["extractor"], attack["backend"], attack["trained_on"])
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
            attack = Attack(attacker, condition, attacker.knowledge(condition, told), record)
            is_original = system == ORIGINAL
            attacks[system].append(
                examined(attack, unprotected, n_lists=n_lists, is_original=is_original)
            )
    original = attacks.get(ORIGINAL, [])
    systems = sorted(attacks, key=lambda system: (system != ORIGINAL, system))
    return {
        system: _judged(attacks[system], original, thresholds, is_original=system == ORIGINAL)
        for system in systems
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


# What the attacks found.


def _judged(
    attacks: list[Attack], original: list[Attack], thresholds: Thresholds, *, is_original: bool
) -> Judged:
    counted = [attack for attack in attacks if attack.refused is None]
    names = dict.fromkeys(chain.from_iterable(attack.record.numbers for attack in counted))
    rates = {name: _candidates(counted, name) for name in names}
    dece = rates.pop(DECE, {})
    left = {} if is_original else _evidence_left(dece, _same_attackers(counted, original))
    within, band = _band_of(counted, dece)
    exposed = beyond_chance([attack.record for attack in counted], EXPOSED)
    # A list with few nontargets for each enrolment has a wide band: who surely errs less than
    # guessing, or finds single speakers, has found evidence nevertheless.
    is_seen = exposed is True or p_above(rates.get(EER, {}), 50.0) < SURELY
    is_seen |= p_above(rates.get(IDENTIFIED, {}), CHANCE[IDENTIFIED]) < SURELY
    findings = Findings(
        evidence=left,
        rates=rates,
        chance=CHANCE,
        within_band=within and not is_seen,
        may_be_none_left=exposed is False and _effort_suffices(counted, original, thresholds),
        silence=None if is_original else _silence(attacks, original, left, band, thresholds),
        compared=None if is_original else _evidence_left(dece, original),
    )
    numbers = {"evidence_left_percent": strongest(left), DECE: strongest(dece)}
    numbers |= {name: strongest(rates.get(name, {})) for name in NUMBERS if name != DECE}
    return Judged(attacks, findings, numbers, within, band, exposed is True)


def _candidates(attacks: Iterable[Attack], number: str) -> dict[AttackName, Candidate]:
    """A number under every attack that knows it, in every reading in which it is defined."""
    candidates = {}
    for attack in attacks:
        record = attack.record
        if not _is_known(record, number):
            continue
        column = record.numbers.index(number)
        for row, reading in enumerate(READINGS_OF_MEANS[: len(record.values)]):
            found_by = AttackName(
                attack.attacker.extractor, attack.attacker.backend, attack.condition, reading
            )
            each = candidate(
                float(record.values[row, column]),
                record.replicates[row, column],
                metric=number,
                n_speakers=record.n_speakers,
                n_trials=_n_trials(record, number),
                is_better_when_more=number == EER,
            )
            if each is not None:
                candidates[found_by] = each
    return candidates


def _is_known(record, number):
    """Whether a number is defined in the reading in which an attack finds most."""
    if number not in record.numbers:
        return False
    dece = np.nan_to_num(record.values[:, record.numbers.index(DECE)])
    return not np.isnan(record.values[np.argmax(dece), record.numbers.index(number)])


def _n_trials(record: Record, number: str) -> int | None:
    """How many trials or speakers a rate is a share of; None where replicates allow for it."""
    if number in (DECE, EER):
        return None
    return record.n_exposable if number == EXPOSED else record.n_target


def _reference(original: Sequence[Attack], condition: str) -> Candidate | None:
    """D_ECE of the strongest attack on unprotected speech that a condition is held against."""
    counted = [attack for attack in original if attack.refused is None]
    kinds = {attack.condition for attack in counted}
    against = "rr" if condition == "rr" and "rr" in kinds else "oo"
    dece = _candidates([one for one in counted if one.condition == against], DECE)
    best = strongest(dece)
    return None if best is None else dece[best.attack]


def _same_attackers(counted: Sequence[Attack], original: Sequence[Attack]) -> list[Attack]:
    """The attacks on unprotected speech that evidence of a system is held against.

    They are those of the attackers that count on the system. Else who was spared the strongest
    attacker would seem to leave little of what only that one finds.
    """
    attackers = {attack.attacker for attack in counted if not attack.flaw}
    same = [attack for attack in original if attack.attacker in attackers]
    return same if any(attack.condition == "oo" for attack in same) else list(original)


def _evidence_left(dece: Attacks, original: Sequence[Attack]) -> dict[AttackName, Candidate]:
    """D_ECE in percent of that on unprotected speech, draw by draw of the same speakers."""
    left = {}
    references = {
        condition: _reference(original, condition)
        for condition in {attack.condition for attack in dece}
    }
    for attack, each in dece.items():
        reference = references[attack.condition]
        if reference is None or reference.value <= 0:
            continue
        # A draw without evidence in unprotected speech says nothing about what is left of it.
        drawn = np.maximum(reference.replicates, 0.05 * reference.value)
        replicates = 100 * each.replicates / drawn
        value = 100 * each.value / reference.value
        n_speakers = min(each.n_speakers, reference.n_speakers)
        limits = interval(
            value, replicates, n_speakers=n_speakers, correction=Correction(0, 0.0, np.inf)
        )
        low, high = float(limits.ci_low), float(limits.ci_high)
        defined = 100 * each.defined / reference.defined
        value = min(max(value, low), high)
        left[attack] = Candidate(value, defined, low, high, replicates, n_speakers)
    return left


def _band_of(attacks: Sequence[Attack], dece: Attacks) -> tuple[bool, float | None]:
    """Whether D_ECE is within the zero-evidence band, and that band for the strongest attack."""
    value, band = standardised_dece([attack.record for attack in attacks])
    best = strongest(dece)
    if value is None or band is None or best is None:
        return False, None
    [own] = [attack.record for attack in attacks if attack.is_by(*best.attack[:3])]
    own_bands = bands(own)
    assert own_bands is not None  # they are part of the band of all
    return value <= band, float(own_bands[READINGS_OF_MEANS.index(best.attack.reading)] * band)


def _effort_suffices(
    attacks: Sequence[Attack], original: Sequence[Attack], thresholds: Thresholds
) -> bool:
    """Whether none_left may be said: whether our own attackers did all that it asks for.

    One is semi-informed and strong enough on unprotected speech, one compares released files, and
    each of them knows the rates that this level asks for.
    """
    strong = {LINKAGE}
    own = [attack for attack in attacks if attack.attacker.backend != GIVEN and not attack.flaw]
    for attack in own:
        oo = [one for one in original if one.is_by(*attack.attacker[:2], "oo")]
        best = strongest(_candidates(oo, DECE))
        if best is not None and best.value >= thresholds.weakest_attacker_bit:
            strong.add(attack.knowledge)
    knows = all(all(_is_known(attack.record, rate) for rate in CHANCE) for attack in attacks)
    return knows and {SEMI, LINKAGE} <= strong & {attack.knowledge for attack in own}


def _silence(
    attacks: Sequence[Attack],
    original: Sequence[Attack],
    left: Attacks,
    band: float | None,
    thresholds: Thresholds,
) -> str | None:
    """Why nothing can be said about a system; None if something can."""
    if not attacks:
        return "no attack on it has scores that can be used on every list"
    counted = [attack for attack in attacks if attack.refused is None]
    if not counted:
        reasons = dict.fromkeys(str(attack.refused) for attack in attacks)
        return f"no attack can be trusted ({'; '.join(reasons)})"
    if all(attack.flaw for attack in counted):
        flaws = dict.fromkeys(str(attack.flaw) for attack in counted)
        return f"there can be more than was found ({'; '.join(flaws)})"
    oo = [attack for attack in original if attack.condition == "oo"]
    if not oo:
        return "unprotected speech was not attacked"
    if all(attack.refused for attack in oo):
        return f"no attack on unprotected speech can be trusted ({oo[0].refused})"
    if all(attack.record.replicates.shape[-1] < 2 for attack in (*attacks, *oo)):
        return "there are no intervals (report: bootstrap)"
    reference = _reference(_same_attackers(counted, original), "oo")
    if reference is None or not left or band is None:
        return _too_weak(0.0 if reference is None else reference.value, thresholds)
    if reference.value < thresholds.weakest_attacker_bit:
        return _too_weak(reference.value, thresholds)
    return None


def _too_weak(dece_bit, thresholds):
    return (
        f"the attackers are too weak: on unprotected speech D_ECE is {dece_bit:.2f} bit"
        f" of 0.72, and {thresholds.weakest_attacker_bit:g} are needed"
    )


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
        "controls": sorted(controls & protected.keys()),
        "unprotected": _numbers(systems[ORIGINAL]) if ORIGINAL in systems else None,
        "effort": _effort(systems, options, controls),
        "systems": {
            system: {"level": level[system]}
            | {"silence": one.findings.silence}
            | _tried(one)
            | _numbers(one)
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


def _exposed_names(judged):
    """Speakers that may be named, under the attacks that may be the strongest in exposing."""
    names: set[str] = set()
    candidates = judged.findings.rates.get(EXPOSED, {})
    reaching = set(plausible(candidates))
    for attack in judged.attacks:
        for reading, speakers in attack.record.exposed.items():
            attacker = attack.attacker
            own = AttackName(attacker.extractor, attacker.backend, attack.condition, reading)
            if own in reaching:
                names.update(speakers)
    return sorted(names)


def _tried(judged: Judged) -> dict[str, list[str]]:
    """What counts among the attacks on a system: what they know, and their kinds.

    ``declared_only`` is what only attackers know whose scores somebody else made.
    """
    counted = [attack for attack in judged.attacks if attack.refused is None]
    known = {attack.knowledge for attack in counted}
    kinds = set()
    for attack in counted:
        extractor, backend, condition, _ = AttackName(
            *attack.attacker[:2], attack.condition, ""
        ).kind()
        kinds.add(f"{extractor}/{backend} ({condition})")
    own = {attack.knowledge for attack in counted if attack.attacker.backend != GIVEN}
    return {
        "tried": [name for name in KNOWLEDGE if name in known],
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


def _effort(systems, options, controls):
    """What was tried, how strong it is on unprotected speech, and what was not tried."""
    competing = [one for name, one in systems.items() if name not in {ORIGINAL, *controls}]
    tried: set[str] = set()
    refused: set[str] = set()
    for judged in competing:
        for attack in judged.attacks:
            (refused if attack.refused else tried).add(attack.knowledge)
    strength = {}
    for attack in systems[ORIGINAL].attacks if ORIGINAL in systems else []:
        if attack.condition == "oo":
            best = strongest(_candidates([attack], EER))
            if best is not None:
                strength[attack.attacker.name()] = _folded(best)
    training = {
        f"{attack['extractor']}/{attack['backend']}": attack["training"]
        for attack in options["attacks"]
        if attack["training"]
    }
    return {
        "tried": [name for name in KNOWLEDGE if name in tried],
        "not_tried": [name for name in KNOWLEDGE if name not in tried | refused],
        "refused": [name for name in KNOWLEDGE if name in refused - tried],
        "inferred": sorted(one["extractor"] for one in options["attacks"] if one["inferred"]),
        "eer_unprotected_percent": strength,
        "training": training,
    }
