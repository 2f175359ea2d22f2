"""The verdict in words: what may be said of a set, and nothing that may not.

Conventions
-----------
* No sentence says that an anonymiser protects. Sentences say how much is left, under which attack,
  and what was not tried.
* Of two systems only what is shown is said. Differences in points are never said.
* The equal error rate that a sentence names is folded, and that of the strongest attack.
"""

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

from voiceprivacy.inout.files import counted
from voiceprivacy.privacy.verdict.levels import (
    CANNOT_SAY,
    LITTLE_REDUCED,
    NONE_FOUND,
    NONE_LEFT,
    NOT_SHOWN,
    REDUCED,
)
from voiceprivacy.vocabulary import GIVEN, UNDEFINED

MOST_NAMES = 12  # of speakers in a sentence; the file has all
MOST_SYSTEMS = 5  # with a sentence of their own; the table has all
READ = {  # how the strongest attack reads scores, where it is not the usual way
    "descending": ", which takes low scores for the same speaker,",
    "near": ", which takes scores near the median for the same speaker,",
    "far": ", which takes extreme scores for the same speaker,",
}
NO_SEMI = "No attacker was trained on protected speech: expect less protection than this."
NO_SEMI_DECLARED = (
    "No attacker is declared as trained on protected speech: expect less protection than this."
)
ONE_DRAW = "This is one draw of each anonymiser: another draw may give other numbers."


def sentences(judgement: Mapping[str, Any]) -> list[str]:
    """What is said of one set of verdict.json, the most important first."""
    systems = judgement["systems"]
    if not systems:
        return ["Nothing was protected."]
    judged = list(chain.from_iterable(judgement["order"]))
    silent = [
        system
        for system in systems
        if systems[system]["level"] == CANNOT_SAY and system not in judgement["controls"]
    ]
    said = [
        warning
        for warning in warnings(judgement)
        if judged and warning in (NO_SEMI, NO_SEMI_DECLARED)
    ]
    said += [level_sentence(system, judgement) for system in judged[:MOST_SYSTEMS]]
    if len(judged) > MOST_SYSTEMS:
        said.append(f"{counted(len(judged) - MOST_SYSTEMS, 'further system')}: see the table.")
    said += [
        exposed_sentence(system, systems[system])
        for system in judged
        if systems[system]["exposed_beyond_chance"]
        and systems[system]["level"] in (REDUCED, NONE_FOUND, NONE_LEFT)
    ]
    said += comparisons(judgement)
    said += [
        f"Nothing can be said about {system}: {systems[system]['silence']}." for system in silent
    ]
    return said


def warnings(judgement: Mapping[str, Any]) -> list[str]:
    """What a reader must know before he decides by a set of verdict.json."""
    effort, systems = judgement["effort"], judgement["systems"]
    declared = _all_declared(judgement)
    told = []
    if systems and "semi-informed" not in effort["tried"]:
        told.append(NO_SEMI_DECLARED if declared else NO_SEMI)
    if declared:
        told.append(
            "All scores were made elsewhere. What the attackers knew is as declared by"
            f" {listed(declared)}."
        )
    if systems and "linkage" not in effort["tried"]:
        told.append("Released files were not compared with each other (linkage).")
    if systems and not declared:
        told.append(ONE_DRAW)
    return told


def level_sentence(system: str, judgement: Mapping[str, Any]) -> str:
    """How much evidence is left of a system, and the equal error rate."""
    numbers = judgement["systems"][system]
    n_attacks = numbers["n_attacks"]
    who = f"the strongest of {n_attacks} attacks" if n_attacks > 1 else "the only attack"
    if numbers["level"] != NONE_FOUND:
        who += READ.get(numbers["attack"]["reading"], "")
    unprotected = judgement["unprotected"]["eer_folded_percent"]
    opening = (
        f"With {system}, {who} makes {_rate(numbers['eer_folded_percent'])} errors"
        f" where 50 is guessing and {unprotected[0]:.1f} unprotected"
    )
    left = numbers["evidence_left_percent"]
    endings = {
        NONE_LEFT: ": less than 1 % of the evidence is left, and no other number says more",
        NONE_FOUND: (
            ": no more evidence was found than permuted speakers give,"
            f" and up to {left[2]:.0f} % of it cannot be excluded"
        ),
        REDUCED: f": {_whole(left)} of the evidence is left",
        LITTLE_REDUCED: (
            f": {_whole(left)} of the evidence is left, and that half of it is gone is not shown"
        ),
        NOT_SHOWN: f": {_whole(left)} of the evidence is left, and that any is gone is not shown",
    }
    return f"{opening}{endings[numbers['level']]}."


def exposed_sentence(system: str, numbers: Mapping[str, Any]) -> str:
    """Whom an attacker finds again and again, although most others may be hidden."""
    share = numbers["exposed_speakers_percent"]
    named = numbers["exposed_speakers"]
    who = ""
    if named:
        more = f" and {len(named) - MOST_NAMES} more" if len(named) > MOST_NAMES else ""
        who = f" ({', '.join(named[:MOST_NAMES])}{more})"
    return (
        f"With {system}, {_whole(share)} of the speakers{who} are found in at least half of their"
        " utterances at 1 % false alarms, more than permuted speakers would be."
    )


def comparisons(judgement: Mapping[str, Any]) -> list[str]:
    """Which systems are shown to leave less evidence than which others."""
    worse_than: dict[str, list[str]] = {}
    for one, other in judgement["better"]:
        worse_than.setdefault(one, []).append(other)
    ordered = list(chain.from_iterable(judgement["order"]))
    said = [
        f"{system} leaves less evidence than {listed(worse_than[system])}."
        for system in ordered
        if system in worse_than
    ]
    if len(ordered) > 1 and not said:
        said.append(f"Of {listed(ordered)}, none is shown to leave less evidence than another.")
    return said


def listed(names: Sequence[str]) -> str:
    """Names in a sentence: a, b and c."""
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def _all_declared(judgement):
    """The names of attacks made elsewhere; empty if one of our own attackers was tried."""
    names = {
        numbers["attack"]["extractor"]: numbers["attack"]["backend"] == GIVEN
        for numbers in judgement["systems"].values()
        if numbers["attack"]
    }
    return sorted(names) if names and all(names.values()) else []


def _rate(limits):
    if limits == UNDEFINED:
        return "an unknown share of"
    value, low, high = limits
    return f"{value:.1f} % [{low:.1f}, {high:.1f}]"


def _whole(limits):
    value, low, high = limits
    return f"{value:.0f} % [{low:.0f}, {high:.0f}]"
