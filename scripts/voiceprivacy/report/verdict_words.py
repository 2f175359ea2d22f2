"""Words for the facts of a verdict: the only module that makes sentences of them.

Codes and numbers come in (privacy/verdict/verdict.py), text goes out.
"""

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from voiceprivacy.errors import counted
from voiceprivacy.report.typeset import listed
from voiceprivacy.vocabulary import DASH, ORIGINAL, draws_of

CONTROL, UNPROTECTED = "control", "unprotected"
STATES = {  # of the room privacy: the words of each, and what it means
    "open": (
        "not protected",
        "Attackers are shown to find at least 10 % of the evidence (by default) in one recording,"
        " in all recordings of a speaker, or by linkage. All lists, measures and systems are tested"
        " together, so a lower limit just above that may not suffice.",
    ),
    "low": (
        "low remaining risk",
        "The upper limits are low on every list (by default at most 2 % for one recording, 5 % for"
        " all recordings and linkage), and an attacker was trained on protected speech. Other"
        " attackers may find more.",
    ),
    "unclear": (
        "inconclusive",
        "Neither is shown. \u201cWhy\u201d says what is missing, \u201cNext\u201d what to do.",
    ),
    CONTROL: ("control", "Speech with a known effect, which tests the attack. It is not compared."),
    UNPROTECTED: ("", "What the same attackers find in unprotected speech."),
}
LIKE, LITTLE, CLEARLY = "like", "little", "clearly"
RELATIONS = {  # of a system to the original: words, and what they mean
    LIKE: (
        "no protection shown",
        "It is not shown to leave less evidence than unprotected speech does.",
    ),
    LITTLE: (
        "little better",
        "Less evidence is left than in unprotected speech, but more than half of it may remain.",
    ),
    CLEARLY: ("clearly better", "At least half of the evidence is gone, by the lower limit."),
}
QUESTION = "May it be released as anonymous?"
ANSWERS = {  # by the state of a system
    "open": "no",
    "unclear": "not proven, so treat it as not protected",
    "low": "these attackers find little against it",
}
CHANCE_OF_20 = 5.0  # percent
BRACKETS = "In brackets: 95 % limits. The further right, the less is protected."


class Column(NamedTuple):
    """A number of the verdict: its key in verdict.json, titles on the page and on a terminal (empty
    where it has none), what it means, and what is found by chance."""

    key: str
    title: str
    short: str
    meaning: str
    chance: str = ""


RIGHT = Column(
    "right_of_20_percent",
    "Right person of 20",
    "right of 20",
    "How often the attacker's first guess among 20 speakers is right, from one recording. Chance:"
    " 5 %.",
    "right of 20 5 %",
)
LAW = (
    Column(
        "evidence_percent",
        "Singling out, one recording",
        "singling out",
        "Evidence of who speaks in one recording of an unseen speaker.",
        "singling out 0 %",
    ),
    Column(
        "evidence_all_recordings_percent",
        "Singling out, all recordings",
        "",
        "The same in all recordings of a speaker together.",
    ),
    Column(
        "linkage_percent",
        "Linkability",
        "linkability",
        "Evidence that two released recordings are of one speaker, without any enrolment.",
        "linkability 0 %",
    ),
)
INFERRED = Column(
    "inferred_{}_percent",
    "Inference of {}",
    "{}",
    "How often the {} of unseen speakers is recognised under the strongest attack, mean of the"
    " classes (two classes: 50 % by chance). It is no part of the verdict.",
    "inference between two classes 50 %",
)
SAID = Column(
    "of_text",
    "What is said: right person of 20",
    "by words",
    "The same by the words alone. An anonymiser of voices keeps them, so they are no part of the"
    " verdict, which is about the voice.",
    "what is said 5 %",
)
TERMS = {  # what else is on the first view, and what it means
    "evidence": "What attackers find. 0 %: nothing. 100 %: enough to re-identify every speaker.",
    "95 % limits": "In brackets. In about 95 of 100 such evaluations they hold the true value. Each"
    " number is that of its worst trial list.",
    "release": "The beginning of the SHA-256 over the SHA-256 and paths of all protected recordings"
    " (provenance.json), which says what speech was evaluated.",
    "re-identified": "The attacker's first guess among all enrolled speakers is right, from all"
    " recordings of a speaker together. Or recordings of this speaker get scores with each other"
    " that differ significantly from those of two speakers.",
}
BY = {
    "one_recording": "from one recording",
    "all_recordings": "from all recordings of a speaker",
    "linkage": "by linking recordings with each other",
}
LINKED = "links recordings of one speaker, which alone does not show whose they are"
UPPER_LIMITS = {  # reasons that are said together
    "upper_limit_one_recording": "one recording",
    "upper_limit_all_recordings": "all recordings",
    "upper_limit_linkage": "linkage",
}
REASONS = {  # of an inconclusive system, the most telling first
    "missing": "speakers or trials of unprotected speech are missing",
    "failing_attack": "an attack fails on it",
    "persons_exposed": "single speakers are re-identified more often than by chance",
    "persons_linked": "recordings of single speakers are linked with each other",
    "recordings_linked": "the nearest recording is of the same speaker more often than by chance",
    "equal_scores": "all scores of a list are equal",
    "list_missing": "a list has no scores of it",
    "few_persons": "a list has fewer than 4 speakers who are compared with their own recordings",
    "no_nontargets": "a list has no trials between speakers who are enrolled and tried",
    "no_one_recording": "no list could be measured",
    "no_unprotected": "unprotected speech was not attacked by its attackers",
    "weak_attackers": "the attackers find too little even in unprotected speech",
    **dict.fromkeys(UPPER_LIMITS, "upper limits are too high for {}"),
    "no_all_recordings": "all recordings of a speaker were not measured",
    "no_linkage": "linkage was not measured",
    "few_learnt_persons": "no attacker was trained on this speech of enough speakers",
    "scores_elsewhere": "the attackers' training is unknown",
    "narrow_band": "the speech has a narrow band, and no encoder was trained on such speech",
}
NOT_TRIED = {
    "condition_op": "comparing protected with original speech",
    "condition_pp": "comparing protected speech with the attacker's own protected speech",
    "condition_rr": "comparing released recordings with each other",
    "semi_informed": "an attacker trained on this speech",
    "other_encoders": "a second network that recognises voices",
    "what_is_said": "recognising people by words",
}
EXPIRES = {  # what ends a statement
    "same_persons": "Speech of the same persons is released once more, protected or not.",
    "other_attacker": "An attack is made that was not tried here, and it finds more.",
    "software": "The system, its settings or the software of the evaluation changes.",
    "stronger_model": "A model is published that recognises voices better than those of the"
    " attackers above.",
}
LEARN = (
    "train the attacker on protected speech of 100 or more other speakers:"
    " `voiceprivacy new-run --train DIR --method FILE.py:FUNCTION`"
)
ANOTHER = "try another method: `voiceprivacy new-run --method FILE.py:FUNCTION`"
STEPS = {  # what to do about a reason, an attack that was not tried, or a state
    "more_persons": "evaluate {persons} speakers for narrower limits",
    "few_persons": "put 4 speakers or more into each list: 2 recordings of each enrol, 4 others are"
    " tried",
    "missing": "score every trial of unprotected speech on every system",
    "failing_attack": "repair or leave out the attack that fails",
    "no_linkage": "score released recordings against each other (rr)",
    "no_unprotected": "score unprotected speech (original, oo)",
    "weak_attackers": "use a stronger attacker",
    "few_learnt_persons": LEARN,
    "scores_elsewhere": "attack with `voiceprivacy run`",
    "narrow_band": "train an encoder on speech of such a band: `train` of an entry of `extractors`",
    **dict.fromkeys(("persons_exposed", "persons_linked", "recordings_linked"), ANOTHER),
    "open": ANOTHER,
    "semi_informed": LEARN,
    "other_encoders": "add a second encoder to `extractors` of the config",
    "what_is_said": "add `said: {{words: {{}}}}` to `extractors`, with transcripts"
    " (`voiceprivacy new-run --transcripts FILE`)",
}
STRONGER = {"semi_informed", "other_encoders"}  # no help where all systems are not protected
OF_TEXT = "What is said gives speakers away, whatever the voice: {}."
IN_ALL = "in all systems, by the transcripts"
NAMES = "File names show the {}. Rename the files before a release; `voiceprivacy publish` does."
WARNINGS = {
    "failing_attack": "Failing attack on {system} ({attack}): over 1 % of its scores are equal or"
    " not finite.",
    "heard": "{attack} was trained on the recordings that it is tried on ({speech}). It would find"
    " less in others.",
    "acquainted": "{attack} learnt from speakers who are evaluated (up to {persons} of a list). It"
    " has no part in the verdict on their lists.",
    "narrow_band": "The unprotected recordings hold next to nothing above 4 kHz. Encoders that"
    " learnt from 16 kHz are much weaker on such speech (published: an EER of 4.8 % becomes"
    " 29.7 %).",
    "no_training_speech": "No attacker is trained on {system}: it has no protected speech for"
    " training. `voiceprivacy new-run --train DIR --method FILE.py:FUNCTION` makes it.",
    "unknown_speakers": "{attack} is not judged on lists whose speakers are unknown: write"
    " {{corpus}} into the path of its scores, or name `speakers: MAP.tsv` beside it.",
}
SHARES = {"leak_5": "one recording in twenty", "leak_20": "one recording in five"}
NOTICED = "If {} of {} had been left unprotected, this evaluation would have noticed."
NOT_NOTICED = "If {} of {} had been left unprotected, this evaluation would not have noticed."
NOR = "It would not have noticed {}."
NO_LEAK = {  # why no known leak was tried
    "scores_elsewhere": "Known leaks cannot be tried on scores that were made elsewhere.",
    "few_recordings": "There are too few recordings to try a known leak.",
    "no_system": "",  # what is not protected, or not measured, is said already
}
RELEASED = "{}: evidence in one recording that is released {}."
OFTEN = {1: "once", 2: "twice"}
LOST = "With {} releases, the upper limits are too high for low remaining risk."
SINCE = "{} (%; in brackets: 95 % limits of the difference, speaker by speaker)"
CHANGE_COLUMNS = ("", RIGHT.short, LAW[0].short, "difference", "")
LESS, SAME, MORE = "less evidence", "no significant change", "more evidence"
SAME_EVIDENCE = "The evidence is exactly what it was."
NO_CHANGE = "Nothing has changed."
NOT_COMPARED = "Not compared: {}."
MISHEARD = "The recogniser mishears {} % of unprotected words: its word errors say little."
MISHEARD_PERCENT = 50
WIDEST = 90  # percent between limits, from which on a number says nothing
MOST = 3  # reasons and steps that are shown
MANY = 1000  # speakers; how many more than these would do, no small set can tell


class Notes(NamedTuple):
    """The answer to the question of a set, and sentences below its table; one that is empty is not
    shown."""

    answer: str
    why: list[str]
    control: str
    releases: list[str]
    not_tried: str
    warnings: list[str]
    check: str
    steps: list[str]


def limits(values: Sequence[float] | None) -> tuple[str, str]:
    """A value in percent and its limits as text; evidence below 0 % is shown as 0."""
    if values is None:
        return DASH, ""
    if values[2] - max(values[1], 0) >= WIDEST:
        return DASH, "too few speakers"
    value, low, high = (f"{max(number, 0):.0f}" for number in values)
    return value, f"[{low}, {high}]"


def relation(facts: Mapping[str, Any], unprotected: Mapping[str, Any] | None) -> str:
    """How a system that was judged is related to the original, one of RELATIONS; else empty."""
    less = facts["less_than_unprotected_points"]
    if less is None or unprotected is None or unprotected["evidence_percent"] is None:
        return ""
    if less[1] <= 0:  # of an inconclusive system this says nothing
        return LIKE if facts["state"] == "open" else ""
    return CLEARLY if less[1] >= unprotected["evidence_percent"][0] / 2 else LITTLE


def change_cells(
    right: Sequence[float],
    evidence: Sequence[float],
    difference: Sequence[float],
    before: Mapping[str, str],
    now: Mapping[str, str],
) -> tuple[str, str, str, str]:
    """What CHANGE_COLUMNS have of a system: numbers before and now, in percent, and a difference.

    ``before`` and ``now`` are other facts of it: names, and their values as text.
    """
    _, low, high = difference
    words = [LESS if high < 0 else MORE if low > 0 else SAME]
    for name in before:
        if before[name] != now.get(name, before[name]):
            words.append(f"{name} {before[name]} -> {now[name]}".strip())
    right_words, evidence_words = (
        " -> ".join(f"{max(number, 0):.0f}" for number in own) for own in (right, evidence)
    )
    return (
        right_words,
        evidence_words,
        difference_cell(difference),
        "; ".join(words),
    )


def difference_cell(difference: Sequence[float]) -> str:
    """A difference of evidence in percent, and its limits."""
    value, low, high = difference
    return f"{value:+z.0f} [{low:+z.0f}, {high:+z.0f}]"


def notes(facts: Mapping[str, Any], names: str = "") -> Notes:
    """The sentences of one set of verdict.json; controls need none.

    ``names`` is what names of files show: speaker, sex, or both.
    """
    systems = {name: own for name, own in facts["systems"].items() if name not in facts["controls"]}
    attacks = "; ".join(NOT_TRIED[code] for code in facts["not_tried"])
    return Notes(
        answer=_answer(systems),
        why=[*_why(systems, facts["unprotected"]), *what_is_said(facts), *_better(facts["better"])],
        control=leaks_noticed(facts),
        releases=[*_released(facts.get("releases", {}))],  # files of 0.2.0 had none at first
        not_tried=f"{attacks[:1].upper()}{attacks[1:]}." if attacks else "",
        warnings=[_warning(one) for one in facts["warnings"] if not _is_of_no_use(one, systems)],
        check=NAMES.format(names) if names else "",
        steps=_steps(systems.values(), facts["not_tried"]),
    )


def _answer(systems: Mapping[str, Any]) -> str:
    groups = _grouped({name: (ANSWERS[own["state"]],) for name, own in systems.items()})
    if len(groups) == 1:
        [(_, (answer,))] = groups
        return f"{answer[:1].upper()}{answer[1:]}."
    answers = (f"{listed(names)}: {answer}." for names, (answer,) in groups)
    return " ".join(answers) or "Nothing was judged, so treat it as not protected."


def _why(systems: Mapping[str, Any], unprotected: Mapping[str, Any] | None) -> Iterator[str]:
    states = {
        state: {name: one for name, one in systems.items() if one["state"] == state}
        for state in ("open", "low", "unclear")
    }
    for names, ways in _grouped({name: tuple(one["by"]) for name, one in states["open"].items()}):
        by = listed([BY[way] for way in ways])
        does = LINKED if ways == ("linkage",) else f"finds who speaks {by}"
        yield f"{listed(names)}: the attacker {does}."
    yield from _speakers(systems, unprotected)
    if low := states["low"]:
        most = max(one["evidence_percent"][2] for one in low.values())
        most = math.ceil(10 * max(most, 0)) / 10  # rounded down it would not be the most
        where = "in one recording of the worst list"
        yield f"{listed(list(low))}: these attackers find at most {most:g} % {where}."
    for names, codes in _grouped({name: tuple(own["reasons"]) for name, own in systems.items()}):
        if codes:
            yield f"{listed(names)}: inconclusive, because {why_inconclusive(codes)}."


def why_inconclusive(codes: Iterable[str]) -> str:
    """Reasons in words, the most telling first."""
    codes = set(codes)
    too_high = [words for code, words in UPPER_LIMITS.items() if code in codes]
    whose = listed(too_high) if too_high else ""
    texts = (REASONS[code].format(whose) for code in REASONS if code in codes)
    reasons = list(dict.fromkeys(texts))
    if len(reasons) > MOST + 1:
        reasons[MOST:] = [f"{len(reasons) - MOST} more reasons"]
    return "; ".join(reasons)


def _grouped(values: Mapping[str, tuple]) -> list[tuple[list[str], tuple]]:
    """Systems that have the same value: [(systems, value), ...]."""
    groups: dict[tuple, list[str]] = {}
    for name, value in values.items():
        groups.setdefault(value, []).append(name)
    return [(names, value) for value, names in groups.items()]


def _speakers(systems: Mapping[str, Any], unprotected: Mapping[str, Any] | None) -> Iterator[str]:
    """Who is re-identified, by chance, not tested, missing, and named."""
    known = {name: one["exposed"] for name, one in systems.items() if one["exposed"]}
    counts = {
        name: (own["persons"], own["of"], bool(own["persons"] and not own["beyond_chance"]))
        for name, own in known.items()
    }
    if unprotected and unprotected["exposed"]:
        own = unprotected["exposed"]
        counts["unprotected speech"] = (own["persons"], own["of"], False)
    parts = []
    for names, (persons, n_tested, by_chance) in _grouped(counts):
        chance = ", as many as by chance" if by_chance else ""
        parts.append(f"{listed(names)} {persons} of {n_tested} speakers{chance}")
    if parts:
        yield f"Re-identified on the worst list: {'; '.join(parts)}."
    not_tested = max((own["not_tested"] for own in known.values()), default=0)
    if not_tested:
        yield f"{counted(not_tested, 'other')} had too few recordings."
    for name, one in systems.items():
        kinds = {"persons": "speaker", "trials": "trial"}
        lacks = [counted(n, kinds[kind]) for kind, n in one["missing"].items() if n]
        if lacks:
            whose = "unprotected speech" if unprotected else "other systems"
            yield f"{name} lacks {listed(lacks)} of {whose}."
    for name, own in known.items():
        if own["named"]:
            yield f"{name}: the attacker re-identifies {listed(own['named'])}."
    yield from _linked(systems)


def _linked(systems: Mapping[str, Any]) -> Iterator[str]:
    """Whose recordings are linked, and how often the nearest one is of the same speaker."""
    parts = []
    for name, one in systems.items():
        linked, nearest = one.get("linked"), one.get("nearest")  # files of 0.2.0 had none at first
        if linked and linked["persons"]:
            names = f": {listed(linked['named'])}" if linked["named"] else ""
            persons = f"{linked['persons']} of {linked['of']} speakers{names}"
            yield f"{name}: the attacker links recordings of {persons}."
        if nearest:
            chance = f"by chance {nearest['chance_percent']:.0f} %"
            rest = "" if nearest["beyond_chance"] else ", not significantly more"
            parts.append(f"{name} {nearest['percent']:.0f} % ({chance}{rest})")
    if parts:
        yield f"Recordings whose nearest one is of the same speaker: {', '.join(parts)}."


def what_is_said(facts: Mapping[str, Any]) -> Iterator[str]:
    """Say in which systems the words give speakers away; those of transcripts are in all."""
    of_text = facts.get("of_text", {})  # files of 0.2.0 had none at first
    given_away = [name for name, one in of_text.items() if one["state"] == "open"]
    if given_away == [*of_text] == [ORIGINAL]:
        yield OF_TEXT.format(IN_ALL)
    elif protected := [name for name in given_away if name != ORIGINAL]:
        yield OF_TEXT.format(listed(protected))


def _better(pairs: Iterable[Sequence[str]]) -> Iterator[str]:
    worse: dict[str, list[str]] = {}
    for safer, other in pairs:
        worse.setdefault(safer, []).append(other)
    for safer, others in worse.items():
        yield f"{safer} leaves less evidence than {listed(others)}."


def leaks_noticed(facts: Mapping[str, Any]) -> str:
    """Say how small a leak the evaluation notices; it must notice all larger ones, too."""
    leaks = facts.get("leaks")  # files of 0.2.0 had none at first
    if not leaks:
        return ""
    if leaks["reason"]:
        return NO_LEAK[leaks["reason"]]
    shares = [SHARES[one["leak"]] for one in leaks["tried"]]
    n_missed = max((n for n, one in enumerate(leaks["tried"], 1) if not one["found"]), default=0)
    if n_missed == len(shares):
        return NOT_NOTICED.format(shares[-1], leaks["system"])
    words = NOTICED.format(shares[n_missed], leaks["system"])
    return f"{words} {NOR.format(shares[n_missed - 1])}" if n_missed else words


def _released(releases: Mapping[str, Sequence[Mapping[str, Any]]]) -> Iterator[str]:
    """Say how evidence grows with the number of releases, and when the lowest state is lost."""
    for name, grown in releases.items():
        parts = []
        is_of_draws = len(draws_of(grown[-1]["systems"])) == 1
        for one in grown:
            percent, between = limits(one["evidence_percent"])
            often = OFTEN.get(len(one["systems"]), f"{len(one['systems'])} times")
            often = often if is_of_draws else f"as {listed(one['systems'])}"
            parts.append(f"{often}, {DASH if percent == DASH else f'{percent} % {between}'}")
        yield RELEASED.format(name, "; ".join(parts))
        lost = [len(one["systems"]) for one in grown if one["within_low"] is False]
        if grown[0]["within_low"] and lost:
            yield LOST.format(lost[0])


def _steps(systems: Collection[Mapping[str, Any]], not_tried: Iterable[str]) -> list[str]:
    """What to do next, in the order of STEPS: each step once, with the most speakers."""
    states = {one["state"] for one in systems}
    persons = {code: 0 for code in not_tried if states != {"open"} or code not in STRONGER}
    for one in systems:
        persons[one["state"]] = 0
        for step in one["next"]:
            known = persons.get(step["code"], 0)
            persons[step["code"]] = max(known, step.get("persons", 0))
    wanted = persons.get("more_persons", 0)
    about = f"about {float(f'{wanted:.2g}'):,.0f}" if wanted <= MANY else f"more than {MANY:,}"
    steps = (text.format(persons=about) for code, text in STEPS.items() if code in persons)
    return list(dict.fromkeys(steps))[:MOST]


def _is_of_no_use(warning: Mapping[str, Any], systems: Mapping[str, Any]) -> bool:
    """Whether a warning asks for a stronger attacker on a system that is not protected anyway."""
    if warning["code"] != "no_training_speech":
        return False
    return systems.get(warning["system"], {}).get("state") == "open"


def _warning(warning: Mapping[str, Any]) -> str:
    words = {
        key: ", ".join(value) if isinstance(value, list) else value
        for key, value in warning.items()
    }
    return WARNINGS[warning["code"]].format(**words)
