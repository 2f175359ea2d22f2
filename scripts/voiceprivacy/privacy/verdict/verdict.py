"""The verdict: what the strongest attack leaves of every system, in levels, and what was not tried.

Conventions
-----------
* A set is what systems are judged on: the lists of a corpus, or an average over several corpora.
* An attack is an attacker (extractor and back-end) under a condition. What it knows: ``ignorant``
  compares protected with original speech, ``lazy-informed`` protects its own enrolment too,
  ``semi-informed`` was trained on protected speech, ``linkage`` compares released files with each
  other.
* An attack that finds more than permuted speakers give always counts. One that does not, counts if
  its attacker finds somebody in unprotected speech; else it is refused, because it says nothing.
* Values in the result are [value, lower, upper], or "undefined".
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from voiceprivacy.privacy import Floats
from voiceprivacy.privacy.uncertainty.bootstrap import FEWEST_SPEAKERS, Correction, interval
from voiceprivacy.privacy.verdict import levels as judging
from voiceprivacy.privacy.verdict.evidence import DECE, EER, EXPOSED, READINGS
from voiceprivacy.privacy.verdict.levels import Findings, Thresholds
from voiceprivacy.privacy.verdict.record import COLLAPSED, Record, mean_record, read_records
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
from voiceprivacy.vocabulary import GIVEN, ORIGINAL, UNDEFINED

IGNORANT, LAZY, SEMI, LINKAGE = "ignorant", "lazy-informed", "semi-informed", "linkage"
KNOWLEDGE = (IGNORANT, LAZY, SEMI, LINKAGE)
COPY, NOISE = "copy", "noise"  # controls whose result is known
SURELY = 0.001  # p-value from which on a control has failed
BAND = 0.95
# What guessing gives, in percent, in those rates that "none left" asks for.
CHANCE = {"tpr_at_fpr_0.01_percent": 1.0, "identification_of_20_percent": 5.0}


class Attacker(NamedTuple):
    """Who attacks: ``trained_on`` is an anonymiser, or None for original speech."""

    extractor: str
    backend: str
    trained_on: str | None

    def name(self) -> str:
        """As in the verdict's file."""
        return f"{self.extractor}/{self.backend}"

    def knowledge(self, condition: str, declared: str | None) -> str:
        """What the attacker knows under a condition."""
        if condition == "rr":
            return LINKAGE
        if self.trained_on:
            return SEMI
        return declared or (IGNORANT if condition == "op" else LAZY)


class Attack(NamedTuple):
    """An attack on one system: its record, and why it is refused (None: it counts)."""

    attacker: Attacker
    condition: str
    knowledge: str
    record: Record
    refused: str | None = None


class Judged(NamedTuple):
    """A system on a set: what attacks found, and the strongest of each number."""

    attacks: list[Attack]
    findings: Findings
    numbers: dict[str, Strongest | None]
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
    pairs = judging.better(findings)
    return {
        "thresholds": thresholds._asdict(),
        "sets": {
            name: _set_entry(name, systems, plan["sets"][name], named, pairs, controls)
            for name, systems in sets.items()
        },
    }


def judged_set(
    options: Mapping[str, Any], folder: Path, thresholds: Thresholds
) -> dict[str, Judged]:
    """What all attacks found of every system of one set: {system: Judged}, unprotected first."""
    records = {}
    for attack in options["attacks"]:
        attacker = Attacker(attack["extractor"], attack["backend"], attack["trained_on"])
        for system in attack["systems"]:
            records[attacker, system] = _read(options["lists"], attack, system, folder)
    declared = {
        (attack["extractor"], attack["backend"]): attack["declared"]
        for attack in options["attacks"]
    }
    attacks: dict[str, list[Attack]] = {}
    for (attacker, system), conditions in records.items():
        unprotected = records.get((attacker, ORIGINAL), {})
        for condition, record in conditions.items():
            told = declared[attacker.extractor, attacker.backend]
            attack = Attack(attacker, condition, attacker.knowledge(condition, told), record)
            refused = _why_refused(attack, unprotected)
            attacks.setdefault(system, []).append(attack._replace(refused=refused))
    original = attacks.get(ORIGINAL, [])
    systems = [ORIGINAL, *sorted(attacks.keys() - {ORIGINAL})] if original else sorted(attacks)
    return {
        system: _judged(attacks[system], original, thresholds, is_original=system == ORIGINAL)
        for system in systems
    }


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


# Which attacks count.


def _why_refused(attack: Attack, unprotected: Mapping[str, Record]) -> str | None:
    """Why an attack says nothing; None if it counts."""
    if attack.record.n_speakers < FEWEST_SPEAKERS or _above_band(attack.record):
        return None
    reference = unprotected.get("rr" if attack.condition == "rr" else "oo")
    if attack.record.spread == 0:
        return "constant scores"
    if reference is None:
        return None
    if attack.record.spread < COLLAPSED * reference.spread:
        return (
            f"collapsed: its scores spread over {attack.record.spread:.2g},"
            f" those of unprotected speech over {reference.spread:.2g}"
        )
    if not _above_band(reference):
        return "it finds nobody in unprotected speech either"
    return None


def _above_band(record: Record) -> bool:
    """Whether D_ECE in some reading is more than permuted speakers give."""
    value, band = _standardised_dece([record])
    return value is not None and band is not None and value > band


def _standardised_dece(records: Sequence[Record]) -> tuple[float | None, float | None]:
    """The largest D_ECE over attacks and readings, and the end of its zero-evidence band.

    D_ECE of every attack and reading is taken in proportion to its own band, so that a short list,
    which has a wide one, does not hide what a long one shows. All are permuted together.
    """
    largest, null = 0.0, np.zeros(min((one.null.shape[-1] for one in records), default=0))
    for record in records:
        band = _bands(record)
        if band is None:
            return None, None
        number = record.numbers.index(DECE)
        largest = max(largest, float(np.max(record.values[:, number] / band)))
        drawn = record.null[:, number, : len(null)] / band[:, None]
        null = np.maximum(null, drawn.max(axis=0) * _widening(record))
    return largest, _upper_end(null)


def _bands(record: Record) -> Floats | None:
    """The zero-evidence band of D_ECE in each reading (4,), in bits; None with few speakers."""
    null = record.null[:, record.numbers.index(DECE)]
    ends = [_upper_end(drawn * _widening(record)) for drawn in null]
    return None if None in ends else np.maximum(np.array(ends, dtype=float), 1e-12)


def _widening(record):
    """See uncertainty/null.py: a derangement is as far from the true labels as can be."""
    return (record.n_speakers / (record.n_speakers - 1)) ** 2


def _upper_end(null: Floats) -> float | None:
    """The ceil(0.95 (P + 1))th smallest of P numbers; None if there are less than 19."""
    position = int(np.ceil(BAND * (len(null) + 1))) - 1
    return float(np.sort(null)[position]) if position < len(null) else None


# What the attacks found.


def _judged(
    attacks: list[Attack], original: list[Attack], thresholds: Thresholds, *, is_original: bool
) -> Judged:
    counted = [attack for attack in attacks if attack.refused is None]
    names = dict.fromkeys(chain.from_iterable(attack.record.numbers for attack in counted))
    rates = {name: _candidates(counted, name) for name in names}
    dece = rates.pop(DECE, {})
    left = {} if is_original else _evidence_left(dece, original)
    within, band = _band_of(counted, dece)
    exposed = _is_exposed_beyond_chance(counted)
    findings = Findings(
        evidence=left,
        rates=rates,
        chance=CHANCE,
        within_band=within,
        may_be_none_left=exposed is False and _effort_suffices(counted),
        silence=None if is_original else _silence(attacks, original, left, band, thresholds),
    )
    numbers = {"evidence_left_percent": strongest(left), DECE: strongest(dece)}
    numbers |= {name: strongest(candidates) for name, candidates in rates.items()}
    return Judged(attacks, findings, numbers, band, exposed is True)


def _candidates(attacks: Iterable[Attack], number: str) -> dict[AttackName, Candidate]:
    """A number under every attack and in every reading in which it is defined."""
    candidates = {}
    for attack in attacks:
        record = attack.record
        if number not in record.numbers:
            continue
        column = record.numbers.index(number)
        for row, reading in enumerate(READINGS):
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
    value, band = _standardised_dece([attack.record for attack in attacks])
    best = strongest(dece)
    if value is None or band is None or best is None:
        return False, None
    for attack in attacks:
        attacker = attack.attacker
        if best.attack[:3] == (attacker.extractor, attacker.backend, attack.condition):
            own = _bands(attack.record)
            assert own is not None  # it is part of the band of all
            return value <= band, float(own[READINGS.index(best.attack.reading)] * band)
    raise AssertionError("the strongest attack is one of the attacks")


def _is_exposed_beyond_chance(attacks: Sequence[Attack]) -> bool | None:
    """Whether more speakers are exposed than if speakers are permuted; None if that is unknown."""
    known = [attack.record for attack in attacks if EXPOSED in attack.record.numbers]
    n_permutations = min((record.null.shape[-1] for record in known), default=0)
    null = np.zeros(n_permutations)
    largest = 0.0
    for record in known:
        own = record.numbers.index(EXPOSED)
        if np.isnan(record.values[:, own]).any():
            return None
        largest = max(largest, float(record.values[:, own].max()))
        null = np.maximum(null, record.null[:, own, :n_permutations].max(axis=0))
    end = _upper_end(null)
    return None if end is None else largest > end


def _effort_suffices(attacks: Sequence[Attack]) -> bool:
    """Whether a semi-informed attack of our own and linkage within the release were tried."""
    own = {attack.knowledge for attack in attacks if attack.attacker.backend != GIVEN}
    return {SEMI, LINKAGE} <= own


def _silence(
    attacks: Sequence[Attack],
    original: Sequence[Attack],
    left: Attacks,
    band: float | None,
    thresholds: Thresholds,
) -> str | None:
    """Why nothing can be said about a system; None if something can."""
    if all(attack.refused for attack in attacks):
        return f"no attack can be trusted ({attacks[0].refused})"
    if not any(attack.condition == "oo" for attack in original):
        return "unprotected speech was not attacked"
    reference = _reference(original, "oo")
    fewest = min(attack.record.n_speakers for attack in attacks)
    if fewest < FEWEST_SPEAKERS or not left or band is None:
        return f"there are too few speakers ({fewest})"
    if reference is None:
        return "no attack on unprotected speech can be trusted"
    if reference.value < thresholds.weakest_attacker_bit:
        return (
            f"the attackers are too weak: on unprotected speech D_ECE is {reference.value:.2f} bit"
            f" of 0.72, and {thresholds.weakest_attacker_bit:g} are needed"
        )
    return None


# The entries of the file.


def _set_entry(name, systems, options, named, pairs, controls):
    """One set as in verdict.json, with its sentences first."""
    judgement = _judgement(name, systems, options, named, pairs, controls)
    return {
        "verdict": " ".join(sentences(judgement)),
        "warnings": [*_failed_controls(systems, controls), *warnings(judgement)],
        **judgement,
    }


def _failed_controls(systems: Mapping[str, Judged], controls: Collection[str]) -> list[str]:
    """Warnings about controls whose result is known, and is another: something is wrong then."""
    failed = []
    for system in sorted(controls & systems.keys()):
        evidence = systems[system].findings.evidence
        errors = systems[system].findings.rates.get(EER, {})
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
        "untrusted": _untrusted(systems),
        "controls": sorted(controls & protected.keys()),
        "unprotected": _numbers(systems[ORIGINAL]) if ORIGINAL in systems else None,
        "effort": _effort(systems, options),
        "systems": {
            system: {"level": level[system]}
            | {"silence": one.findings.silence}
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
    undefined = {name: why for name, why in reasons.items() if fields.get(name) == UNDEFINED}
    return {
        "attack": by_number.get("evidence_left_percent", by_number.get(DECE)),
        "n_attacks": sum(attack.refused is None for attack in judged.attacks),
        **fields,
        "attacks": by_number,
        "reasons": undefined,
        "dece_band_bit": UNDEFINED if judged.band_bit is None else judged.band_bit,
        "within_band": judged.findings.within_band,
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


def _untrusted(systems: Mapping[str, Judged]) -> dict[str, str]:
    """Refused attackers with the reason: {extractor/backend, perhaps with a system: text}."""
    refused: dict[str, str] = {}
    for system, judged in systems.items():
        for attack in judged.attacks:
            if attack.refused:
                name = attack.attacker.name()
                key = name if system == ORIGINAL else f"{name} ({attack.condition}) on {system}"
                refused[key] = attack.refused
    return refused


def _effort(systems, options):
    """What was tried, how strong it is on unprotected speech, and what was not tried."""
    protected = [judged.attacks for system, judged in systems.items() if system != ORIGINAL]
    attacks = chain.from_iterable(protected)
    tried = {attack.knowledge for attack in attacks if attack.refused is None}
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
        "not_tried": [name for name in KNOWLEDGE if name not in tried],
        "eer_unprotected_percent": strength,
        "training": training,
    }
