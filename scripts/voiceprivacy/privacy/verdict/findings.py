"""What all attacks found of one system on one set, and the strongest of each number.

Conventions
-----------
* Evidence left is D_ECE in percent of that on unprotected speech under the same attackers, draw by
  draw of the same speakers. Linkage is held against linkage.
* Unprotected speech has its strongest of many attacks, too: without the luck of having been chosen
  (see ``strongest``). Else a system that only one attack finds much in would seem to hide some.
* A number of an attack is left out where the list is too short for it in that reading in which the
  attack finds most: other readings would only show that they find nobody.
"""

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np

from voiceprivacy.privacy.uncertainty.bootstrap import Correction, interval
from voiceprivacy.privacy.verdict.evidence import DECE, EER, EXPOSED, RATES
from voiceprivacy.privacy.verdict.levels import Findings, Thresholds
from voiceprivacy.privacy.verdict.means import READINGS_OF_MEANS
from voiceprivacy.privacy.verdict.record import OF_GALLERIES, Record
from voiceprivacy.privacy.verdict.strongest import (
    AttackName,
    Attacks,
    Candidate,
    Strongest,
    candidate,
    p_above,
    strongest,
)
from voiceprivacy.privacy.verdict.trust import (
    LINKAGE,
    SEMI,
    Attack,
    bands,
    beyond_chance,
    small_semi_informed,
    standardised_dece,
)
from voiceprivacy.vocabulary import GIVEN

SURELY = 0.001  # p-value of what must not happen by chance on any page
NUMBERS = (*RATES, *OF_GALLERIES)
# What guessing gives, in percent, in those rates that "none left" asks for.
IDENTIFIED = "identification_of_20_percent"
CHANCE = {"tpr_at_fpr_0.01_percent": 1.0, IDENTIFIED: 5.0}


class Judged(NamedTuple):
    """A system on a set: what attacks found, and the strongest of each number.

    ``unprotected_errors`` is the equal error rate of the same attackers on unprotected speech.
    """

    attacks: list[Attack]
    findings: Findings
    numbers: dict[str, Strongest | None]
    within_band: bool
    band_bit: float | None
    exposed_beyond_chance: bool
    unprotected_errors: Strongest | None = None
    n_draws: int = 1


def judged_system(
    attacks: list[Attack], original: list[Attack], thresholds: Thresholds, *, is_original: bool
) -> Judged:
    """What the attacks on a system found.

    Parameters
    ----------
    attacks : on the system, refused ones among them
    original : on unprotected speech of the same set
    thresholds : Thresholds
    is_original : whether the system is unprotected speech, of which no evidence left is asked
    """
    counted = [attack for attack in attacks if attack.refused is None]
    names = dict.fromkeys(chain.from_iterable(attack.record.numbers for attack in counted))
    rates = {name: candidates_of(counted, name) for name in names}
    dece = rates.pop(DECE, {})
    same = _same_attackers(counted, original)
    left = {} if is_original else evidence_left(dece, same)
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
        compared=None if is_original else evidence_left(dece, original),
    )
    numbers = {"evidence_left_percent": strongest(left), DECE: strongest(dece)}
    numbers |= {name: strongest(rates.get(name, {})) for name in NUMBERS if name != DECE}
    unprotected = candidates_of((one for one in same if one.refused is None), EER)
    return Judged(attacks, findings, numbers, within, band, exposed is True, strongest(unprotected))


def candidates_of(attacks: Iterable[Attack], number: str) -> dict[AttackName, Candidate]:
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
    dece = candidates_of([one for one in counted if one.condition == against], DECE)
    best = strongest(dece)
    if best is None:
        return None
    chosen = dece[best.attack]
    luck = chosen.value - best.value
    return chosen._replace(value=best.value, replicates=chosen.replicates - luck)


def _same_attackers(counted: Sequence[Attack], original: Sequence[Attack]) -> list[Attack]:
    """The attacks on unprotected speech that evidence of a system is held against.

    They are those of the attackers that count on the system. Else who was spared the strongest
    attacker would seem to leave little of what only that one finds.
    """
    attackers = {attack.attacker for attack in counted if not attack.flaw}
    same = [attack for attack in original if attack.attacker in attackers]
    return same if any(attack.condition == "oo" for attack in same) else list(original)


def evidence_left(dece: Attacks, original: Sequence[Attack]) -> dict[AttackName, Candidate]:
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
        left[attack] = Candidate(
            value, defined, low, high, replicates, n_speakers, whole=drawn / reference.value
        )
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

    One is semi-informed, not a small one, and strong enough on unprotected speech, one compares
    released files, and each of them knows the rates that this level asks for.
    """
    strong = {LINKAGE}
    own = [
        attack
        for attack in attacks
        if attack.attacker.of_voices and attack.attacker.backend != GIVEN and not attack.flaw
    ]
    if small_semi_informed(attacks):
        return False
    for attack in own:
        oo = [one for one in original if one.is_by(*attack.attacker[:2], "oo")]
        best = strongest(candidates_of(oo, DECE))
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
    if attacks and not any(attack.attacker.of_voices for attack in attacks):
        return "what is said and when was attacked, and no voice"
    attacks = [attack for attack in attacks if attack.attacker.of_voices]
    original = [attack for attack in original if attack.attacker.of_voices]
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
