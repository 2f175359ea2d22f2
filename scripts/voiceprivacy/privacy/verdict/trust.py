"""Attacks, what they know, and which of them can be trusted.

Conventions
-----------
* An attack is an attacker (extractor and back-end) under a condition. What it knows: ``ignorant``
  compares protected with original speech, ``lazy-informed`` protects its own enrolment too,
  ``semi-informed`` was trained on protected speech, ``linkage`` compares released files with each
  other.
* An attack that finds more than permuted speakers give always counts. One that does not, counts if
  its attacker finds somebody in speech that it was made for: in unprotected speech, or, trained on
  protected speech, in held-out training speakers. Else it is refused, because it says nothing.
* Scores that are constant on one list of several make a mean that is too low. Scores of which nine
  in ten are equal cannot tell how much there is. Such attacks count in what they find, but nothing
  is said of a system that only such attacks were tried on.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from voiceprivacy.privacy import Floats
from voiceprivacy.privacy.uncertainty.bootstrap import FEWEST_SPEAKERS
from voiceprivacy.privacy.verdict.evidence import DECE
from voiceprivacy.privacy.verdict.record import COLLAPSED, Record
from voiceprivacy.privacy.verdict.semi_informed import UNKNOWN, Learnt, why_small
from voiceprivacy.vocabulary import GIVEN, ORIGINAL

IGNORANT, LAZY, SEMI, LINKAGE = "ignorant", "lazy-informed", "semi-informed", "linkage"
KNOWLEDGE = (IGNORANT, LAZY, SEMI, LINKAGE)
BAND = 0.95
MOSTLY = 0.9  # share of equal scores from which on an attacker hardly looks at speech
ROUNDING = 1e-6  # files hold permutations in single precision: equal numbers are not above them
NOT_EVERYWHERE = "not tried on every list"


class Attacker(NamedTuple):
    """Who attacks: ``trained_on`` is an anonymiser, or None for original speech.

    Without ``of_voices`` he looks at what is said or when: a floor that no voice removes. What he
    finds counts, but he is no effort against voices, and finding nobody is no flaw of his.
    """

    extractor: str
    backend: str
    trained_on: str | None
    of_voices: bool = True

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
    """An attack on one system: its record, and why it is refused (None: it counts).

    ``flaw`` says why it finds too little even if it finds something; None if it does not.
    ``learnt`` is what is known of its attacker's training on protected speech.
    """

    attacker: Attacker
    condition: str
    knowledge: str
    record: Record
    refused: str | None = None
    flaw: str | None = None
    learnt: Learnt = UNKNOWN

    def is_by(self, extractor: str, backend: str, condition: str) -> bool:
        """Whether it is the attack of that attacker under that condition."""
        return (*self.attacker[:2], self.condition) == (extractor, backend, condition)


def examined(
    attack: Attack, unprotected: Mapping[str, Record], *, n_lists: int, is_original: bool
) -> Attack:
    """An attack that says whether it is refused, and whether it has a flaw.

    Parameters
    ----------
    unprotected : what the same attacker found in unprotected speech: {condition: Record}
    n_lists : over how many lists the record is the mean
    is_original : whether unprotected speech is attacked
    """
    same_kind = unprotected.get("rr" if attack.condition == "rr" else "oo")
    reference = same_kind or unprotected.get("oo")
    collapse = _collapse(attack.record, reference)
    others = _other_trials(attack.record, same_kind)
    if attack.record.n_speakers >= FEWEST_SPEAKERS and above_band(attack.record):
        return attack._replace(flaw=others or _flaw(attack.record, collapse, n_lists))
    if bands(attack.record) is None:
        return attack._replace(refused=_why_without_band(attack.record))
    if collapse or others or attack.learnt.works():
        return attack._replace(refused=collapse or others)
    why = _why_nobody(reference, is_original)
    return attack._replace(refused=f"{why}{attack.learnt.why_not()}" if why else None)


def _other_trials(record, reference):
    """In how far an attack was tried on other trials than unprotected speech; None if it was not.

    Whoever leaves out those who are found easily has a system that seems to hide everybody.
    """
    if reference is None:
        return None
    for kind, own, others in (
        ("target", record.n_target, reference.n_target),
        ("nontarget", record.n_nontarget, reference.n_nontarget),
    ):
        if own != others:
            return f"tried on {own} {kind} trials, unprotected speech on {others}"
    return None


def _flaw(record, collapse, n_lists):
    if record.tied >= MOSTLY:
        return f"{100 * record.tied:.0f} % of its scores are equal"
    return f"{collapse} on a list" if collapse and n_lists > 1 else None


def _collapse(record, reference):
    """In which way scores are all the same; None if they differ."""
    if record.spread == 0:
        return "constant scores"
    if reference is not None and record.spread < COLLAPSED * reference.spread:
        return (
            f"collapsed: its scores spread over {record.spread:.2g},"
            f" those of unprotected speech over {reference.spread:.2g}"
        )
    return None


def _why_without_band(record):
    speakers = f"{record.n_speakers} speaker{'s' if record.n_speakers != 1 else ''}"
    is_few = record.n_speakers < FEWEST_SPEAKERS
    if is_few or _upper_end(np.zeros(record.null.shape[-1])) is None:
        return f"too few speakers: {speakers}"
    return f"its trials do not allow to permute {speakers}"


def _why_nobody(reference, is_original):
    """Why an attack that finds nobody says nothing; None if its attacker finds somebody else."""
    if reference is None:
        return "it finds nobody, and unprotected speech was not tried"
    if above_band(reference):
        return None
    return f"it finds nobody in unprotected speech{'' if is_original else ' either'}"


def small_semi_informed(attacks: Sequence[Attack]) -> str | None:
    """Why the semi-informed attack on a system is a small one; None where it is not, or where there
    is none.

    Scores that were made elsewhere are as declared: nobody knows from how many speakers.
    """
    own = [one for one in attacks if one.refused is None and one.attacker.backend != GIVEN]
    semi = [(one.record, one.learnt) for one in own if one.knowledge == SEMI]
    lazy = [one.record for one in own if one.knowledge == LAZY and above_band(one.record)]
    return why_small(semi, lazy)


def above_band(record: Record) -> bool:
    """Whether D_ECE in some reading is more than permuted speakers give."""
    value, band = standardised_dece([record])
    return value is not None and band is not None and value > band


def standardised_dece(records: Sequence[Record]) -> tuple[float | None, float | None]:
    """The largest D_ECE over attacks and readings, and the end of its zero-evidence band.

    D_ECE of every attack and reading is taken in proportion to its own band, so that a short list,
    which has a wide one, does not hide what a long one shows. All are permuted together.
    """
    largest, null = 0.0, np.zeros(min((one.null.shape[-1] for one in records), default=0))
    for record in records:
        band = bands(record)
        if band is None:
            return None, None
        number = record.numbers.index(DECE)
        largest = max(largest, float(np.max(record.values[:, number] / band)))
        drawn = record.null[:, number, : len(null)] / band[:, None]
        null = np.fmax(null, drawn.max(axis=0) * _widening(record))
    return largest, _upper_end(null)


def bands(record: Record) -> Floats | None:
    """The zero-evidence band of D_ECE in each reading, in bits; None if speakers cannot be permuted
    often enough."""
    if record.n_speakers < FEWEST_SPEAKERS:
        return None
    null = record.null[:, record.numbers.index(DECE)]
    ends = [_upper_end(drawn * _widening(record)) for drawn in null]
    return None if None in ends else np.maximum(np.array(ends, dtype=float), 1e-12)


def beyond_chance(records: Iterable[Record], number: str) -> bool | None:
    """Whether a number is larger than with permuted speakers; None if that is unknown.

    It is the largest over attacks and readings. A record that does not know it cannot take back
    what others show.
    """
    known = [record for record in records if number in record.numbers]
    complete = [one for one in known if not np.isnan(_column(one.values, one, number)).any()]
    null = np.zeros(min((one.null.shape[-1] for one in complete), default=0))
    for one in complete:
        null = np.fmax(null, _column(one.null, one, number)[:, : len(null)].max(axis=0))
    end = _upper_end(null)
    if end is not None and any(_column(one.values, one, number).max() > end for one in complete):
        return True
    return None if end is None or len(complete) < len(known) else False


def _column(numbers, record, number):
    return numbers[:, record.numbers.index(number)]


def _widening(record):
    """See uncertainty/null.py: a derangement is as far from the true labels as can be."""
    return (record.n_speakers / (record.n_speakers - 1)) ** 2


def _upper_end(null: Floats) -> float | None:
    """The ceil(0.95 (P + 1))th smallest of P numbers; None if there are less than 19.

    NaN is left out: a permutation that finds no trials of a class.
    """
    drawn = np.sort(null[~np.isnan(null)])
    position = int(np.ceil(BAND * (len(drawn) + 1))) - 1
    return float(drawn[position]) * (1 + ROUNDING) if position < len(drawn) else None


def refusals(attacks: Mapping[str, Sequence[Attack]]) -> dict[str, str]:
    """Attacks that do not count, with the reason: {words: reason}.

    An attacker of whom nothing counts stands there once: EXTRACTOR/BACKEND. Else the attack is
    told: EXTRACTOR/BACKEND (CONDITION) on SYSTEM. Attackers of other things than voices are floors:
    they are never refused.

    Parameters
    ----------
    attacks : {system: attacks}, unprotected speech first
    """
    by_attacker: dict[str, list[tuple[str, Attack]]] = {}
    for system, own in attacks.items():
        for attack in own:
            if attack.attacker.of_voices:
                by_attacker.setdefault(attack.attacker.name(), []).append((system, attack))
    refused: dict[str, str] = {}
    for name, tried in by_attacker.items():
        reasons = {attack.refused for _, attack in tried}
        first = tried[0][1].refused
        if first and None not in reasons and (tried[0][0] == ORIGINAL or len(reasons) == 1):
            refused[name] = first
            continue
        for system, attack in tried:
            speech = "unprotected speech" if system == ORIGINAL else system
            reason = attack.refused or attack.flaw
            if reason:
                refused[f"{name} ({attack.condition}) on {speech}"] = reason
    return refused
