"""Words for the facts of a verdict: the only module that makes sentences of them.

Codes and numbers come in (privacy/verdict/verdict.py), text goes out.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from voiceprivacy.report.typeset import listed
from voiceprivacy.vocabulary import DASH

CONTROL, UNPROTECTED = "control", "unprotected"
STATES = {  # of the room privacy: the words of each, and what it means
    "open": (
        "not protected",
        "The lower limit of the evidence is high (by default at least 10 %) by one recording, by"
        " all recordings of a person, or by linkage.",
    ),
    "low": (
        "low remaining risk",
        "The upper limits are low on every list (by default at most 2 % for one recording, 5 % for"
        " all recordings and linkage), and an attacker learnt from protected speech. Other"
        " attackers may find more.",
    ),
    "unclear": ("inconclusive", "Neither is shown. Below the table stands what is missing."),
    CONTROL: ("control", "Its effect is known. It checks the attack and is not compared."),
    UNPROTECTED: ("", "What the same attackers find in unprotected speech."),
}


class Column(NamedTuple):
    """A number of the verdict's table: its key in verdict.json, titles on the page and on a
    terminal, and what it means."""

    key: str
    title: str
    short: str
    meaning: str


COLUMNS = (
    Column(
        "right_of_20_percent",
        "Right person of 20, %",
        "right of 20",
        "How often the attacker's first guess among 20 persons is right, by one recording. Chance:"
        " 5 %.",
    ),
    Column(
        "evidence_percent",
        "Evidence, one recording, %",
        "evidence",
        "How much an attacker who learnt on other persons finds of the evidence that would"
        " re-identify everybody. Chance: 0 %.",
    ),
    Column(
        "evidence_all_recordings_percent",
        "All recordings, %",
        "all recordings",
        "The same evidence from all recordings of a person together.",
    ),
    Column(
        "linkage_percent",
        "Linkage, %",
        "linkage",
        "Evidence that two released recordings are of one person, without any enrolment.",
    ),
)
RE_IDENTIFIED = Column(
    "exposed",
    "Re-identified persons",
    "persons",
    "Persons for whom the attacker's first guess among all enrolled persons is right, and how many"
    " persons have enough recordings to be tried.",
)
BY = {
    "one_recording": "one recording",
    "all_recordings": "all recordings of a person",
    "linkage": "linking recordings with each other",
}
REASONS = {  # of an inconclusive system, the most telling first
    "missing": "persons or trials of unprotected speech are missing",
    "failing_attack": "an attack fails on it",
    "persons_exposed": "single persons are re-identified more often than by chance",
    "equal_scores": "all scores of a list are equal",
    "list_missing": "a list has no scores of it",
    "few_persons": "a list has fewer than 4 persons with enough recordings",
    "no_nontargets": "a list has no trials between persons who are enrolled and tried",
    "no_one_recording": "no list could be measured",
    "upper_limit_one_recording": "the upper limit for one recording is too high",
    "upper_limit_all_recordings": "the upper limit for all recordings is too high",
    "upper_limit_linkage": "the upper limit for linkage is too high",
    "no_all_recordings": "all recordings of a person were not measured",
    "no_linkage": "linkage was not tried",
    "no_unprotected": "unprotected speech was not attacked",
    "weak_attackers": "the attackers find too little in unprotected speech",
    "few_learnt_persons": "no attacker learnt from the protected speech of enough persons",
    "scores_elsewhere": "what the attackers learnt from is unknown",
}
STEPS = {  # what to do about a reason
    "more_persons": "evaluate about {persons} persons: the limits are too wide",
    "few_persons": "enrol each person with 2 recordings and try 4 others",
    "missing": "score every trial of unprotected speech on every system",
    "failing_attack": "repair or leave out the attack that fails",
    "no_linkage": "score the released recordings against each other (condition rr)",
    "no_unprotected": "score unprotected speech (system original, condition oo)",
    "weak_attackers": "use a stronger attacker",
    "few_learnt_persons": (
        "let the attacker learn from protected speech of 100 or more other speakers:"
        " `voiceprivacy new-run --train DIR`, with `--method FILE.py:FUNCTION` to protect it"
    ),
    "scores_elsewhere": "attack with `voiceprivacy run`, which trains on protected speech",
}
NOT_TRIED = {
    "condition_op": "comparing protected with original speech",
    "condition_pp": "comparing protected speech with the attacker's own protected speech",
    "condition_rr": "comparing released recordings with each other",
    "semi_informed": "an attacker trained on protected speech",
    "other_encoders": "a second speaker encoder",
    "what_is_said": "an attacker of what is said",
}
WARNINGS = {
    "failing_attack": "{attack} fails on {system}: more than 1 % of its scores are equal or not"
    " finite.",
    "heard": "{attack} learnt from the recordings that it is tried on ({speech}). It would find"
    " less in others.",
    "no_training_speech": "No attacker learns from {system}: it has no protected speech for"
    " training. `voiceprivacy new-run --train DIR --method FILE.py:FUNCTION` makes it.",
    "unknown_speakers": "{attack} is not judged: a file of its speakers is missing.",
}
WIDEST = 90  # percent between limits, from which on a number says nothing
MOST = 3  # reasons and steps that are shown


class Notes(NamedTuple):
    """Sentences below the table of a set."""

    why: list[str]
    not_tried: str
    steps: list[str]
    warnings: list[str]


def limits(values: Sequence[float] | None) -> tuple[str, str]:
    """A value in percent and its limits as text; evidence below 0 % is shown as 0."""
    if values is None:
        return DASH, ""
    if values[2] - max(values[1], 0) >= WIDEST:
        return DASH, "too few persons"
    value, low, high = (f"{max(number, 0):.0f}" for number in values)
    return value, f"[{low}, {high}]"


def exposed(facts: Mapping[str, Any]) -> str:
    """How many persons are re-identified, such as 3 of 7."""
    own = facts["exposed"]
    return f"{own['persons']:d} of {own['of']:d}" if own else DASH


def notes(facts: Mapping[str, Any]) -> Notes:
    """The sentences of one set of verdict.json; controls need none."""
    systems = {name: own for name, own in facts["systems"].items() if name not in facts["controls"]}
    attacks = ", ".join(NOT_TRIED[code] for code in facts["not_tried"])
    return Notes(
        why=[*_why(systems), *_better(facts["better"])],
        not_tried=f"Not tried: {attacks}." if attacks else "",
        steps=_steps(systems.values()),
        warnings=[_warning(warning) for warning in facts["warnings"]],
    )


def _why(systems: Mapping[str, Any]) -> Iterator[str]:
    states = {
        state: {name: one for name, one in systems.items() if one["state"] == state}
        for state in ("open", "low", "unclear")
    }
    for names, ways in _grouped({name: tuple(one["by"]) for name, one in states["open"].items()}):
        by = listed([BY[way] for way in ways])
        yield f"{listed(names)}: not protected. The attacker finds who speaks by {by}."
        if ways == ("linkage",):
            yield "The recordings can be linked. Whose they are was not shown."
    like = [name for name, one in states["open"].items() if _is_like_unprotected(one)]
    if like:
        yield f"{listed(like)}: no protection was found. Treat it like unprotected speech."
    yield from _persons(systems)
    if low := states["low"]:
        most = max(one["evidence_percent"][2] for one in low.values())
        yield f"{listed(list(low))}: these attackers find at most {most:.0f} % by one recording."
    for names, codes in _grouped({name: tuple(own["reasons"]) for name, own in systems.items()}):
        reasons = [REASONS[code] for code in REASONS if code in codes]
        if len(reasons) > MOST + 1:
            reasons[MOST:] = [f"{len(reasons) - MOST} more reasons"]
        if reasons:
            yield f"{listed(names)}: inconclusive, because {'; '.join(reasons)}."


def _grouped(values: Mapping[str, tuple]) -> list[tuple[list[str], tuple]]:
    """Systems that have the same value: [(systems, value), ...]."""
    groups: dict[tuple, list[str]] = {}
    for name, value in values.items():
        groups.setdefault(value, []).append(name)
    return [(names, value) for value, names in groups.items()]


def _is_like_unprotected(facts: Mapping[str, Any]) -> bool:
    less = facts["less_than_unprotected_points"]
    return less is not None and less[1] <= 0


def _persons(systems: Mapping[str, Any]) -> Iterator[str]:
    """Who is re-identified by chance, not tested, missing, and named."""
    known = {name: one["exposed"] for name, one in systems.items() if one["exposed"]}
    chance = [name for name, own in known.items() if own["persons"] and not own["beyond_chance"]]
    if chance:
        yield f"{listed(chance)}: as many persons are re-identified as by chance."
    not_tested = max((own["not_tested"] for own in known.values()), default=0)
    if not_tested:
        are = "persons were" if not_tested > 1 else "person was"
        yield f"{not_tested} other {are} not tested: they have too few recordings."
    for name, one in systems.items():
        if any(one["missing"].values()):
            lacks = "{persons} persons and {trials} trials".format(**one["missing"])
            yield f"{name} lacks {lacks} of unprotected speech."
    for name, own in known.items():
        if own["named"]:
            yield f"{name} re-identifies {listed(own['named'])}."


def _better(pairs: Iterable[Sequence[str]]) -> Iterator[str]:
    worse: dict[str, list[str]] = {}
    for safer, other in pairs:
        worse.setdefault(safer, []).append(other)
    for safer, others in worse.items():
        yield f"{safer} leaves less evidence than {listed(others)}."


def _steps(systems: Iterable[Mapping[str, Any]]) -> list[str]:
    """What to do next, in the order of STEPS: each step once, with the most persons."""
    persons: dict[str, int] = {}
    for one in systems:
        for step in one["next"]:
            known = persons.get(step["code"], 0)
            persons[step["code"]] = max(known, step.get("persons", 0))
    return [text.format(persons=persons[code]) for code, text in STEPS.items() if code in persons][
        :MOST
    ]


def _warning(warning: Mapping[str, Any]) -> str:
    words = {
        key: ", ".join(value) if isinstance(value, list) else value
        for key, value in warning.items()
    }
    return WARNINGS[warning["code"]].format(**words)
