"""The words of the verdict: levels, what attackers know, the columns of its table, attacks.

Conventions
-----------
* Levels, kinds of knowledge and readings are those of the room privacy; a test holds them against
  the file's schema.
* A column is a number of verdict.json, which metrics.tsv does not hold.
"""

from collections.abc import Mapping
from typing import NamedTuple

from voiceprivacy.vocabulary import FUSED, GIVEN, NO_BREAK, attacker_name

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
COLUMNS = (EVIDENCE, EER, DECE, FOUND, EXPOSED, IDENTIFIED)
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
