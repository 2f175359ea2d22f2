"""Words for the facts of a verdict: the only module that makes sentences of them.

Codes and numbers come in (privacy/verdict/verdict.py), text goes out.
"""

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from voiceprivacy.errors import counted
from voiceprivacy.report.typeset import listed
from voiceprivacy.vocabulary import DASH, ORIGINAL, THRESHOLDS, draws_of

CONTROL, UNPROTECTED = "control", "unprotected"
UNPROTECTED_SPEECH = "unprotected speech"
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
        "By one recording, it is not shown to leave less evidence than unprotected speech does.",
    ),
    LITTLE: (
        "little better",
        "By one recording, less evidence is left than in unprotected speech, but more than half of"
        " it may remain.",
    ),
    CLEARLY: (
        "clearly better",
        "At least half of the evidence in one recording is gone, by the lower limit.",
    ),
}
QUESTION = "May it be released as anonymous?"
ANSWERS = {  # by the state of a system, the worst first
    "open": "no",
    "unclear": "not proven, so treat it as not protected",
    "low": "these attackers find little against it",
}
WORST_FIRST = list(ANSWERS)
OF_SETS = "The worst answer of each system in {} sets."
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
    "How often the attacker's first guess among 20 speakers is right, from one recording. It is"
    " counted on speakers of whom the attacker did not learn. Chance: 5 %. Where a recording is"
    " compared with fewer than 20 speakers, scores of other recordings serve for the others.",
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
LIMITS_HOLD = (
    "In about 95 of 100 such evaluations they hold the true value for all speakers like these. The"
    " evaluated ones are a random sample of them. The limits say nothing about other kinds of"
    " speakers, languages or recordings."
)
TERMS = {  # what else is on the first view, and what it means
    "evidence": "What attackers find. 0 %: nothing. 100 %: enough to re-identify every speaker.",
    "95 % limits": f"In brackets. {LIMITS_HOLD} Each number is that of its worst trial list,"
    " with the largest upper limit of all lists. The worst of several lists is above the true value"
    " more often: in a simulation of eight lists it was 13.5 % for a true 10 %.",
    "all tests together": "The limits that decide on \u201cnot protected\u201d are wider than those"
    " in brackets: they are corrected for the number of lists, measures and systems.",
    "SHA-256": "Its beginning, over the SHA-256 and paths of all protected recordings"
    " (provenance.json). It says which speech was evaluated.",
    "re-identified": "The attacker's first guess among all enrolled speakers is right, from all"
    " recordings of a speaker together. Or recordings of this speaker get scores with each other"
    " that differ significantly from those of two speakers.",
}
# How often the first guess among 20 speakers is right in the test of shipped anonymisers, in
# percent: docs/internals/measured.md.
SHIPPED = {"b2": 100, "b2r": 99, "b2r_vpc2022": 93, "stt_tts_piper": 15}
STRENGTH = (
    "In unprotected speech their first guess among 20 speakers is right in {} of the recordings.{}"
    " For comparison: in the project's own test, on other speech, other attackers were right in {}"
    " of the recordings that shipped anonymisers protect."
)
ON_EVERY_LIST = " They find at least {} % of its evidence on every list."
NO_STRENGTH = "They were not tried on unprotected speech, so their strength is not known."
BY = {
    "one_recording": "from one recording",
    "all_recordings": "from all recordings of a speaker",
    "linkage": "by linking recordings with each other",
}
LINKED = "links recordings of one speaker with each other"
WHOSE = ", which alone does not show whose they are"
TESTED = {  # where a file has the limits that decide, corrected for all tests together
    "one_recording": "tested_percent",
    "all_recordings": "tested_all_recordings_percent",
    "linkage": "tested_linkage_percent",
}
OR_THE_LIST = {
    "targets_below": ", or the trial list shows it: own speakers score below others",
    "other_sessions": ", or the trial list shows it: sessions alone tell targets from nontargets",
}
NO_ONE_ABOVE = (
    "{}: with {} recordings or more of each of {} speakers, no speaker is recognised (first of 20)"
    " in more than {} % of them (95 %)."
)
OPEN_PERCENT = THRESHOLDS["open_percent"]  # by default
AT_LEAST, TOGETHER = " (at least {} %)", ", all tests together"
NEAREST = (
    "Recordings whose nearest one is of the same speaker (or whose farthest one is, if these are"
    " more)"
)
NOT_DECISIVE = "{}: one recording does not decide: all tests together, its lower limit is {} %."
UPPER_LIMITS = {  # reasons that are said together
    "upper_limit_one_recording": "one recording",
    "upper_limit_all_recordings": "all recordings",
    "upper_limit_linkage": "linkage",
}
REASONS = {  # of an inconclusive system, the most telling first
    "missing": "speakers or trials of unprotected speech are missing",
    "failing_attack": "an attack fails on it",
    "persons_exposed": "speakers are re-identified more often than by chance, but what other"
    " speakers leave is not shown",
    "persons_linked": "recordings of single speakers are linked with each other",
    "recordings_linked": "the nearest or the farthest recording is of the same speaker more often"
    " than by chance",
    "targets_below": "protected recordings are less like their own speaker than like others, so the"
    " list may be to blame",
    "strangers_alone": "many recordings are clearly of another speaker, so files may be mixed up",
    "other_sessions": "sessions alone tell targets from nontargets, so it may be sessions that are"
    " compared",
    "equal_scores": "all scores of a list are equal",
    "list_missing": "a list has no scores of it",
    "few_persons": "a list has fewer than 4 speakers who are compared with their own recordings",
    "no_nontargets": "a list has no trials between speakers who are enrolled and tried",
    "no_one_recording": "no list could be measured",
    "no_unprotected": "unprotected speech was not attacked by its attackers",
    "weak_attackers": "on a list, the attackers find too little even in unprotected speech",
    **dict.fromkeys(UPPER_LIMITS, "upper limits are too high for {}"),
    "no_all_recordings": "all recordings of a speaker were not measured",
    "no_linkage": "linkage was not measured",
    "few_learnt_persons": "no attacker was trained on this speech of enough speakers",
    "leak_not_learnt": "no attacker trained on enough speakers finds a leak that is planted in it",
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
    "targets_below": "check how the nontargets of the trial list were chosen",
    "strangers_alone": "listen to protected recordings beside their originals: files may be mixed"
    " up",
    "other_sessions": "choose targets and nontargets from the same sessions",
    "no_linkage": "score released recordings against each other (rr)",
    "no_unprotected": "score unprotected speech (original, oo) by the attackers of the system",
    "weak_attackers": "use a stronger attacker",
    "few_learnt_persons": LEARN,
    "leak_not_learnt": "train the attacker on more speakers and recordings, until it finds the"
    " planted leak: `voiceprivacy new-run --train DIR`",
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
    "of_itself": "{trials} trials of {list} compare a recording with itself. They have no part in"
    " the verdict.",
    "spoken_anew": "{system} speaks recognised words anew. Encoders hear words, too: words alone"
    " gave 3.1 to 3.4 % evidence in a test, above the 2 % of low remaining risk.",
    "unknown_speakers": "{attack} is not judged on lists whose speakers are unknown: write"
    " {{corpus}} into the path of its scores, or name `speakers: MAP.tsv` beside it.",
}
SHARES = {"leak_5": "one recording in twenty", "leak_20": "one recording in five"}
NOTICED = "If {} of {} had been left unprotected, this evaluation would have noticed."
NOT_NOTICED = (
    "If {} of {} had been left unprotected, this evaluation would not have noticed. The speakers"
    " are too few to notice a leak of that size, so it does not show that there is none."
)
NOR = "It would not have noticed {}: the speakers are too few for a leak of that size."
NO_LEAK = {  # why no known leak was tried
    "scores_elsewhere": "Known leaks cannot be tried on scores that were made elsewhere.",
    "few_recordings": "There are too few recordings to try a known leak.",
    "no_system": "",  # what is not protected, or not measured, is said already
}
PLANTED = "Of a planted leak ({planted:g} % of the evidence), trained attackers find"
NOT_ENOUGH = ", which is too little"
HELD_OUT = "held-out speakers: p = {:.2g}"
EXTRACTORS = "Whether a trained extractor learns is not tried."
RELEASED = "{}: evidence in one recording that is released {}."
OFTEN = {1: "once", 2: "twice"}
LOST = "With {} releases, the upper limits are too high for low remaining risk."
SINCE = "{} (%; in brackets: 95 % limits of the difference, speaker by speaker)"
CHANGE_COLUMNS = ("", RIGHT.short, LAW[0].short, "difference", "")
LESS, SAME, MORE = "less than before", "no significant change", "more than before"
SAME_EVIDENCE = "The evidence is exactly what it was."
NO_CHANGE = "Nothing has changed."
NOT_COMPARED = "Not compared: {}."
MISHEARD = "The recogniser mishears {} % of unprotected words: its word errors say little."
MISHEARD_PERCENT = 50
MOST = 3  # reasons and steps that are shown
MANY = 1000  # speakers; how many more than these would do, no small set can tell


class Notes(NamedTuple):
    """The answer to the question of a set, and sentences below its table; one that is empty is not
    shown."""

    answer: str
    why: list[str]
    strength: str
    control: str
    releases: list[str]
    not_tried: str
    warnings: list[str]
    check: str
    steps: list[str]


def called(system: str) -> str:
    """What people read of a system: unprotected speech is no anonymiser."""
    return UNPROTECTED_SPEECH if system == ORIGINAL else system


def limits(values: Sequence[float] | None) -> tuple[str, str]:
    """A value in percent and its limits as text; evidence below 0 % is shown as 0.

    Limits are rounded outwards: 2.4 is above a threshold of 2, so as "2" it would say otherwise.
    """
    if values is None:
        return DASH, ""
    value, low, high = (max(number, 0) for number in values)
    return f"{value:.0f}", f"[{math.floor(low)}, {math.ceil(high)}]"


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
        " -> ".join(DASH if math.isnan(number) else f"{max(number, 0):.0f}" for number in own)
        for own in (right, evidence)
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
        answer=answer({name: own["state"] for name, own in systems.items()}),
        why=[*_why(systems, facts["unprotected"]), *what_is_said(facts), *_better(facts["better"])],
        strength=_strength(facts),
        control=leaks_noticed(facts),
        releases=[*_released(facts.get("releases", {}))],  # files of 0.2.0 had none at first
        not_tried=f"{attacks[:1].upper()}{attacks[1:]}." if attacks else "",
        warnings=[_warning(one) for one in facts["warnings"] if not _is_of_no_use(one, systems)],
        check=NAMES.format(names) if names else "",
        steps=_steps(systems.values(), facts["not_tried"]),
    )


def worst_states(sets: Iterable[Mapping[str, str]]) -> dict[str, str]:
    """The worst state of each system in any set: {system: state}, from {system: state} of sets."""
    worst: dict[str, str] = {}
    for states in sets:
        for name, state in states.items():
            worst[name] = min(state, worst.get(name, state), key=WORST_FIRST.index)
    return worst


def answer(states: Mapping[str, str]) -> str:
    """The answer to the question, for all systems or by system: from {system: state}."""
    worst_first = sorted(states, key=lambda name: (WORST_FIRST.index(states[name]), name))
    groups = _grouped({name: (ANSWERS[states[name]],) for name in worst_first})
    if len(groups) == 1:
        [(_, (same,))] = groups
        return f"{same[:1].upper()}{same[1:]}."
    answers = (f"{listed(names)}: {own}." for names, (own,) in groups)
    return " ".join(answers) or "Nothing was judged, so treat it as not protected."


def _strength(facts: Mapping[str, Any]) -> str:
    """How strong the attackers are: what they find in unprotected speech, and others elsewhere."""
    unprotected = facts["unprotected"]
    if not unprotected or not unprotected[RIGHT.key]:
        return NO_STRENGTH
    value, between = limits(unprotected[RIGHT.key])
    lowest = facts.get("unprotected_at_least_percent")  # files of 0.2.0 had none at first
    on_every_list = "" if lowest is None else ON_EVERY_LIST.format(math.floor(max(lowest, 0)))
    shipped = listed([f"{percent} % ({name})" for name, percent in SHIPPED.items()])
    return STRENGTH.format(f"{value} % {between}", on_every_list, shipped)


def _why(systems: Mapping[str, Any], unprotected: Mapping[str, Any] | None) -> Iterator[str]:
    states = {
        state: {name: one for name, one in systems.items() if one["state"] == state}
        for state in ("open", "low", "unclear")
    }
    yield from _decided(states["open"])
    if low := states["low"]:
        most = max(one["evidence_percent"][2] for one in low.values())
        most = math.ceil(10 * max(most, 0)) / 10  # rounded down it would not be the most
        where = "in one recording of the worst list"
        yield f"{listed(list(low))}: these attackers find at most {most:g} % {where}."
    for names, codes in _grouped({name: tuple(own["reasons"]) for name, own in systems.items()}):
        if codes:
            yield f"{listed(names)}: inconclusive, because {why_inconclusive(codes)}."
    for name, one in systems.items():
        if lower := _undecided(one):
            yield NOT_DECISIVE.format(name, lower)
    yield from _speakers(systems, unprotected)
    yield from leaks_found(systems)  # last: a terminal has no room for everything


def leaks_found(systems: Mapping[str, Any]) -> Iterator[str]:
    """Say in one line what attackers of systems that are not open find of planted leaks."""
    controls = {
        name: own["control"]
        for name, own in systems.items()
        if own.get("control") and own["state"] != "open"  # files of 0.2.0 had none at first
    }
    parts = []
    for name, control in controls.items():
        if control["evidence_percent"]:
            value, between = limits(control["evidence_percent"])
            percent = f"{value} % {between}" if value != DASH else between
            p_value = control["held_out_p_value"]
            held_out = "" if p_value is None else f" ({HELD_OUT.format(p_value)})"
            lacks = "" if control["leak"] == "leak_learnt" else NOT_ENOUGH
            parts.append(f"{percent} in {name}{held_out}{lacks}")
    planted = max((one["planted_percent"] or 0 for one in controls.values()), default=0)
    sentences = [f"{PLANTED.format(planted=planted)} {'; '.join(parts)}."] if parts else []
    sentences += [EXTRACTORS] if any(one["trains_extractor"] for one in controls.values()) else []
    if sentences:
        yield " ".join(sentences)


def _decided(systems: Mapping[str, Any]) -> Iterator[str]:
    """By what systems are shown not to be protected, with the limits that decide."""
    kinds = {
        name: (
            *one["by"],
            _is_any_recognised(one),
            # files of 0.2.0 had none of both at first
            "".join(words for code, words in OR_THE_LIST.items() if code in one.get("doubts", ())),
            one.get("may_be_sex", False),
        )
        for name, one in systems.items()
    }
    for names, (*ways, is_any_recognised, but, may_be_sex) in _grouped(kinds):
        limits = {way: _at_least([systems[name] for name in names], way) for way in ways}
        who = "of which sex speakers are, perhaps no more," if may_be_sex else "who speaks"
        does = f"finds {who} {listed([BY[way] + limits[way] for way in ways])}"
        if ways == ["linkage"]:
            does, but = LINKED + limits["linkage"], but if is_any_recognised else WHOSE + but
        yield f"{listed(names)}: the attacker {does}{TOGETHER * any(limits.values())}{but}."


def _at_least(systems: Sequence[Mapping[str, Any]], way: str) -> str:
    """The lower limits that decide, of systems in their order; empty where a file has none."""
    known = [system.get(TESTED[way]) for system in systems]
    if not all(known):
        return ""
    return AT_LEAST.format(listed([f"{math.floor(limits[1])}" for limits in known if limits]))


def _is_any_recognised(system: Mapping[str, Any]) -> bool:
    """Whether more speakers are re-identified than by chance."""
    return bool(system["exposed"] and system["exposed"]["beyond_chance"])


def _undecided(system: Mapping[str, Any]) -> str:
    """The lower limit that decides, where the one that is shown would show no protection."""
    shown, decides = system["evidence_percent"], system["tested_percent"]
    if "one_recording" in system["by"] or not shown or shown[1] < OPEN_PERCENT:
        return ""
    return f"{math.floor(max(decides[1], 0))}"


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
        counts[UNPROTECTED_SPEECH] = (own["persons"], own["of"], False)
    parts = []
    for names, (persons, n_tested, by_chance) in _grouped(counts):
        chance = ", as many as by chance" if by_chance else ""
        parts.append(f"{listed(names)} {persons} of {n_tested} speakers{chance}")
    if parts:
        yield f"Re-identified on the worst list: {'; '.join(parts)}."
    not_tested = max((own["not_tested"] for own in known.values()), default=0)
    if not_tested:
        yield f"{counted(not_tested, 'other')} had too few recordings or trials."
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
    for name, one in systems.items():
        highest = one.get("no_one_above")  # files of 0.2.0 had none at first
        if highest and one["state"] != "open":
            percent = math.ceil(highest["percent"])
            yield NO_ONE_ABOVE.format(name, highest["recordings"], highest["persons"], percent)


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
        yield f"{NEAREST}: {', '.join(parts)}."


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
    digit = 10 ** max(len(str(wanted)) - 2, 0)  # two digits, rounded up
    about = f"about {math.ceil(wanted / digit) * digit:,}"
    if wanted > MANY:
        about = f"more than {MANY:,}"
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
