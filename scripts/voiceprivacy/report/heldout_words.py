"""Words for the facts of a held-out verdict: the only module that makes sentences of them.

Codes and numbers come in (privacy/heldout/verdict.py), lines of text go out.
"""

from collections.abc import Iterator, Mapping
from typing import Any

STATES = {
    "open": "NOT PROTECTED",
    "low": "low remaining risk",
    "unclear": "inconclusive",
}
BY = {
    "one_recording": "by one recording",
    "all_recordings": "by all recordings of a person",
    "linkage": "by linking recordings with each other",
}
REASONS = {
    "scores_elsewhere": "the scores were made elsewhere: what attackers learnt from is not known",
    "upper_limit_one_recording": "the upper limit for one recording is too high",
    "upper_limit_all_recordings": "the upper limit for all recordings of a person is too high",
    "upper_limit_linkage": "the upper limit for linkage is too high",
    "no_one_recording": "one recording was not measured",
    "no_all_recordings": "all recordings of a person were not measured",
    "no_linkage": "linkage within the release was not tried",
    "persons_exposed": "single persons are re-identified more often than by chance",
    "missing": "persons or trials are missing",
    "failing_attack": "an attack failed on this system",
    "no_unprotected": "unprotected speech was not attacked: how strong attackers are is unknown",
    "weak_attackers": "the attackers find too little on unprotected speech",
    "few_learnt_persons": "no attacker learnt from the protected speech of enough persons",
    "list_missing": "a list has no scores of this system",
    "few_persons": "a list has too few persons with trials of their own",
    "no_nontargets": "a list has no trials between persons who have trials of their own",
    "equal_scores": "all scores of a list are equal",
}
STEPS = {
    "more_persons": "evaluate about {persons} persons",
    "scores_elsewhere": "attack by `voiceprivacy run`, which trains a semi-informed attacker",
    "no_linkage": "add scores of the released recordings against each other (condition rr)",
    "no_unprotected": "add scores of unprotected speech (system original, condition oo)",
    "weak_attackers": "use a stronger attacker",
    "missing": "score every trial of unprotected speech on every system",
    "failing_attack": "repair or leave out the attack that is named as failing",
    "few_persons": "add persons who enrol and are tried",
}
HEAD = (
    "system",
    "state",
    "right person of 20",
    "evidence, 1 recording",
    "all recordings",
    "linkage",
)
CHANCE = "chance: right person of 20 in 5 %, evidence 0 %"
MOST_STEPS = 3


def lines_of_verdict(name: str, facts: Mapping[str, Any]) -> list[str]:
    """Lines of text for one set of a verdict: a table with a line a system, then what it means."""
    systems = dict(facts["systems"])
    rows: list[tuple[str, ...]] = [HEAD]
    if facts["unprotected"]:
        rows.append(_row("original", facts["unprotected"], "unprotected"))
    rows += [_row(system, one, STATES[one["state"]]) for system, one in systems.items()]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    table = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
    return [f"{name}: with 95 % limits ({CHANCE})", *table, *_notes(facts)]


def _row(system: str, facts: Mapping[str, Any], state: str) -> tuple[str, ...]:
    keys = ("right_of_20", "evidence", "evidence_all_recordings", "linkage")
    return (system, state, *(limits(facts[f"{key}_percent"]) for key in keys))


def limits(values: list[float] | None, unit: str = " %") -> str:
    """A value with its limits, such as 12 % [3, 20]; - where it was not measured."""
    if values is None:
        return "-"
    value, low, high = (f"{number:.0f}".replace("-0", "0") for number in values)
    return f"{value}{unit} [{low}, {high}]"


def _notes(facts: Mapping[str, Any]) -> Iterator[str]:
    for system, one in facts["systems"].items():
        if one["state"] == "open":
            yield f"{system}: identity is found {' and '.join(BY[by] for by in one['by'])}."
            if one["by"] == ["linkage"]:
                yield f"{system}: recordings are linked; whose they are was not shown."
        elif one["state"] == "low":
            yield f"{system}: these attackers find at most {one['evidence_percent'][2]:.0f} %."
    yield from _persons(facts["systems"])
    for safer, worse in facts["better"]:
        yield f"{safer} leaves less evidence than {worse}."
    yield from _why_unclear(facts["systems"])
    for warning in facts["warnings"]:
        yield f"{warning['system']}: attacker {warning['attack']} fails on this system."


def _persons(systems: Mapping[str, Any]) -> Iterator[str]:
    shares = []
    for system, one in systems.items():
        if exposed := one["exposed"]:
            chance = "" if exposed["beyond_chance"] else " (as by chance)"
            shares.append(f"{system} {exposed['persons']} of {exposed['of']}{chance}")
    if shares:
        yield f"Persons whose first guess is right, by all recordings: {', '.join(shares)}."


def _why_unclear(systems: Mapping[str, Any]) -> Iterator[str]:
    """Each reason once, with the systems that it concerns, and the first steps."""
    unclear = {name: one for name, one in systems.items() if one["state"] == "unclear"}
    reasons: dict[str, list[str]] = {}
    for system, one in unclear.items():
        for code in one["reasons"]:
            reasons.setdefault(code, []).append(system)
    for code, names in reasons.items():
        whose = "" if len(names) == len(systems) else f"{', '.join(names)}: "
        yield f"Inconclusive: {whose}{REASONS.get(code, code)}."
    steps: dict[str, int] = {}
    for one in unclear.values():
        for step in one["next"]:
            if step["code"] in STEPS:
                steps[step["code"]] = max(steps.get(step["code"], 0), step.get("persons", 0))
    words = [STEPS[code].format(persons=persons) for code, persons in steps.items()]
    for number, text in enumerate(words[:MOST_STEPS], start=1):
        yield f"Next {number}: {text}."
