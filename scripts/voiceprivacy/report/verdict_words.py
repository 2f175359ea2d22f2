"""The words of the verdict: levels, what attackers know, the columns of its table, attacks.

Conventions
-----------
* Levels, kinds of knowledge and readings are those of the room privacy; a test holds them against
  the file's schema.
* A column is a number of verdict.json, which metrics.tsv does not hold.
* The headline says what a level says, and how many are found. No sentence of it has more than three
  numbers. Their limits stand on a line of their own.
"""

import itertools
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from voiceprivacy.report.typeset import listed
from voiceprivacy.report.uncertainty import NEARLY_ALL, TOO_FEW
from voiceprivacy.vocabulary import FUSED, GIVEN, NO_BREAK, UNDEFINED, attacker_name

CONTROL, UNPROTECTED = "control", "unprotected"
LEVELS = {  # of the room privacy: the words of each, and what it means with a run's thresholds
    "none_left": (
        "none left",
        "Shown: less than {nothing_percent:g} % of the evidence is left, and no other number says"
        " more.",
    ),
    "none_found": (
        "none found",
        "No more evidence than permuted speakers give. That is not proof that there is none.",
    ),
    "reduced": ("reduced", "Shown: less than {reduced_percent:g} % of the evidence is left."),
    "little_reduced": (
        "little reduced",
        "Shown: some of the evidence is gone. That less than {reduced_percent:g} % is left is not"
        " shown.",
    ),
    "not_shown": ("not shown to be reduced", "It is not shown that any of the evidence is gone."),
    "cannot_say": ("cannot say", "These data or these attackers allow no judgement."),
    CONTROL: ("control", "Its effect is known. It is a check of the attack and is not judged."),
    UNPROTECTED: ("", "What the same attackers find when nothing is changed."),
}
KNOWLEDGE = {  # what attackers of the room privacy know
    "ignorant": "compares protected with original speech",
    "lazy-informed": "compares protected speech with speech that it anonymised itself",
    "semi-informed": "was trained on protected speech",
    "linkage": "compares released files with each other",
}
EFFORTS = KNOWLEDGE | {FUSED: "fuses the scores of several attackers"}
READINGS = {  # how an attack reads scores, where it is not the usual way
    "descending": "low scores are taken for the same speaker",
    "near": "scores near the median are taken for the same speaker",
    "far": "extreme scores are taken for the same speaker",
    "by list": "the scores of each list are read in their own direction",
}
READ_SHORT = {
    "ascending": "high",
    "descending": "low",
    "near": "middle",
    "far": "extreme",
    "by list": "turned",
}


def levels_explained(thresholds: Mapping[str, float]) -> dict[str, tuple[str, str]]:
    """LEVELS with the thresholds of a run: {level: (words, meaning)}."""
    return {
        level: (words, meaning.format(**thresholds)) for level, (words, meaning) in LEVELS.items()
    }


class Column(NamedTuple):
    """A number of the verdict: ``full_scale`` is the range that it can lie in."""

    name: str
    title: str
    unit: str
    digits: int
    full_scale: float
    meaning: str


EVIDENCE = Column(
    "evidence_left_percent",
    "Evidence left",
    "%",
    0,
    100,
    "D_ECE under the strongest attack in percent of that on unprotected speech.",
)
EER = Column(
    "eer_folded_percent",
    "Errors (EER)",
    "%",
    1,
    50,
    "Equal error rate of the strongest attack: 50 is guessing. Whoever errs more often than that"
    " turns round, so it is never above 50.",
)
DECE = Column(
    "dece_bit",
    "D_ECE",
    "bit",
    2,
    0.72,
    "Expected disclosure of the strongest attack: 0.72 bit means that every speaker is found."
    " Permuted speakers give as much as stands below it.",
)
FOUND = Column(
    "tpr_at_fpr_0.01_percent",
    "Found at 1 % false alarms",
    "%",
    1,
    100,
    "Share of the target trials that an attacker finds who accepts one false alarm in a hundred;"
    " 1 % is guessing. Below it, the same at one false alarm in a thousand.",
)
EXPOSED = Column(
    "exposed_speakers_percent",
    "Speakers exposed",
    "%",
    0,
    100,
    "Share of the speakers who are found in at least half of their utterances at 1 % false alarms.",
)
IDENTIFIED = Column(
    "identification_of_20_percent",
    "Found among 20",
    "%",
    0,
    100,
    "How often the true speaker is the likeliest of 20; 5 % is guessing. Below it, the same of 100,"
    " and how often one of 20 is singled out: 37 % is guessing there.",
)
COLUMNS = (EXPOSED, IDENTIFIED, EVIDENCE, EER, FOUND, DECE)  # what everybody understands is first
# Numbers that stand in a small line below another one, and what is said before them.
BELOW = {
    FOUND: (("tpr_at_fpr_0.001_percent", f"at 0.1{NO_BREAK}%"),),
    IDENTIFIED: (
        ("identification_of_100_percent", "among 100"),
        ("singling_out_of_20_percent", "singled out"),
    ),
}
SHORT_COLUMNS = (EVIDENCE, EER, EXPOSED)  # of the terminal, and of two runs beside each other


def attack_words(attack: Mapping[str, str]) -> str:
    """An attack in words: who, under which condition, what he knows, how scores are read."""
    words = [attacker_words(attack), attack["condition"].upper()]
    if attack["condition"] != "oo":
        declared = "declared as " if attack["backend"] == GIVEN else ""
        words.append(f"{declared}{attack['knowledge']}")
    if attack["reading"] in READINGS:
        words.append(READINGS[attack["reading"]])
    return ", ".join(words)


def short_attack_words(attack: Mapping[str, str]) -> str:
    """An attack below the name of a system, where there is little room."""
    words = [attacker_words(attack), attack["condition"].upper()]
    if attack["condition"] != "oo":
        words.append(attack["knowledge"])
    if attack["reading"] in READINGS:
        words.append(f"{READ_SHORT[attack['reading']]} scores")
    return ", ".join(words)


def other_attack(attack: Mapping[str, str], main: Mapping[str, str]) -> str:
    """By what an attack differs from that of the row."""
    if all(attack[field] == main[field] for field in ("extractor", "backend", "condition")):
        return f"by {READ_SHORT[attack['reading']]} scores"
    return f"by {attacker_words(attack)}, {attack['condition'].upper()}"


def attacker_words(attack: Mapping[str, str]) -> str:
    """Who attacks."""
    if attack["backend"] == GIVEN:
        return f"scores of {attack['extractor']}"
    if attack["extractor"] == FUSED:
        return f"{attack['backend']} (attackers fused)"
    return attacker_name(attack["extractor"], attack["backend"])


# The headline: two sentences that everybody understands.

CLAUSES = {  # what the levels say, behind the names of systems
    "none_left": "less than {nothing_percent:g} % of the evidence of who speaks is left",
    "none_found": "no more evidence of who speaks was found than chance gives",
    "reduced": "less than {reduced_percent:g} % of the evidence of who speaks is left",
    "little_reduced": (
        "some evidence of who speaks is gone, but it is not shown that less than"
        " {reduced_percent:g} % is left"
    ),
    "not_shown": "it is not shown that any evidence of who speaks is gone",
}
MOST_CLAUSES = 2
MOST_LIMITS = 5  # in a line; the table has all
LAY = {  # what is found, in a number that everybody understands: the most telling one first
    EXPOSED: "{share} of 100 speakers are found again in at least half of their recordings",
    IDENTIFIED: "in {share} % of recordings, the right one of 20 speakers is the first guess",
    FOUND: "{share} % of recordings are matched to their speaker, at 1 % false alarms",
}


class Headline(NamedTuple):
    """Two sentences on a set, the limits of their numbers, and which system is better.

    All are empty where nothing can be said of any system.
    """

    level: str
    people: str
    limits: str
    order: str

    @property
    def sentences(self) -> list[str]:
        """The sentences that there are."""
        return [sentence for sentence in (self.level, self.people) if sentence]


def headline(fields: Mapping[str, Any], thresholds: Mapping[str, float]) -> Headline:
    """What is said first of one set of verdict.json."""
    judged = list(itertools.chain.from_iterable(fields["order"]))
    if not judged:
        return Headline("", "", "", "")
    people, limits = _found_words(judged, fields)
    return Headline(_level_words(judged, fields, thresholds), people, limits, _order_words(fields))


def _level_words(judged, fields, thresholds):
    clauses, told = [], 0
    for level, clause in CLAUSES.items():
        systems = [system for system in judged if fields["systems"][system]["level"] == level]
        if systems and len(clauses) < MOST_CLAUSES:
            clauses.append(f"{listed(systems)}: {clause.format(**thresholds)}")
            told += len(systems)
    more = [f"the table has {len(judged) - told} more"] if told < len(judged) else []
    return f"{'; '.join([*clauses, *more])}."


def _found_words(judged, fields):
    """How many are found, in words, and the limits of that; empty if no number is known of all."""
    systems = fields["systems"]
    columns = [
        column
        for column in LAY
        if all(systems[one].get(column.name, UNDEFINED) != UNDEFINED for one in judged)
    ]
    if not columns:
        return "", ""
    column = columns[0]
    known = {system: systems[system][column.name] for system in judged}
    if all(spans_scale(column, limits) for limits in known.values()):
        return f"How many are found cannot be told: there are {TOO_FEW}.", ""
    told = _share_words(column, known)
    unprotected = (fields["unprotected"] or {}).get(column.name, UNDEFINED)
    without = "" if unprotected == UNDEFINED else f"{unprotected[0]:.0f}"
    if len(judged) == 1:
        beside = f"; {without} without protection" if without else ""
        return f"With {judged[0]}, {told}{beside}.", _limits_line(column, known)
    line = f"Without protection: {without}. " if without else ""
    return f"Under the strongest attacks, {told}.", f"{line}{_limits_line(column, known)}".strip()


def _share_words(column, known):
    """A number of some systems in words: their range."""
    shares = sorted(round(value) for value, _, _ in known.values())
    share = f"{shares[0]} to {shares[-1]}" if shares[0] < shares[-1] else f"{shares[0]}"
    told = LAY[column].format(share=share)
    return told.replace("speakers are", "speakers is") if share == "1" else told


def _limits_line(column, known):
    """The limits of some systems, on a line of their own."""
    if len(known) > MOST_LIMITS:
        return ""
    limits = [
        f"{system} {TOO_FEW if spans_scale(column, one) else f'{one[1]:.0f} to {one[2]:.0f}'}"
        for system, one in known.items()
    ]
    return f"95{NO_BREAK}% limits: {', '.join(limits)}."


def _order_words(fields):
    """Which system leaves less than which, of those with least evidence; the table has all."""
    ordered = list(itertools.chain.from_iterable(fields["order"]))
    if len(ordered) < 2:
        return ""
    if not fields["better"]:
        return "None of them is shown to leave less evidence than another."
    worse_than: dict[str, list[str]] = {}
    for one, other in fields["better"]:
        worse_than.setdefault(one, []).append(other)
    told = [system for system in ordered if system in worse_than]
    sentences = [
        f"{system} leaves less evidence than {listed(worse_than[system])}."
        for system in told[:MOST_CLAUSES]
    ]
    return " ".join(sentences)


def disagreements(better: Mapping[str, Sequence[Sequence[str]]]) -> list[str]:
    """Pairs of which one set shows the contrary of another one: {set: [(less, more), ...]}."""
    shown: dict[tuple[str, str], list[str]] = {}
    for name, pairs in better.items():
        for one, other in pairs:
            shown.setdefault((one, other), []).append(name)
    return [
        f"Corpora disagree: {one} leaves less evidence than {other} on {listed(names)},"
        f" and more on {listed(shown[other, one])}."
        for (one, other), names in shown.items()
        if one < other and (other, one) in shown
    ]


def spans_scale(column: Column, limits: Sequence[float]) -> bool:
    """Whether [value, lower, upper] says nothing: limits as wide as the scale, or nearly so."""
    _, low, high = limits
    return high - low >= NEARLY_ALL * column.full_scale
