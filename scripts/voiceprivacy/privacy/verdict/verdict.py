"""The verdict on every system, as facts: states, limits, persons, what is missing and what to do.

States
------
* ``open``: the attackers find at least 10 % of the evidence, by one recording, by all recordings of
  a person, or by linkage. Corrected for the number of lists and measures (Bonferroni) and of
  systems (Holm).
* ``low``: on every list the upper limits are small, and nothing that could hide evidence is open
  (``reasons`` is empty).
* ``unclear``: everything else. ``reasons`` has a code for each condition of ``low`` that is unmet.

null means not measured; its code is one of the reasons.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain, permutations
from typing import Any, NamedTuple

import numpy as np
from scipy.special import stdtr, stdtrit

from voiceprivacy.privacy.uncertainty.multiple import LEVEL, bonferroni, holm
from voiceprivacy.privacy.verdict.doubts import OTHER_SESSIONS, doubts_of, is_of_other_sessions
from voiceprivacy.privacy.verdict.evidence import (
    Evidence,
    all_recordings,
    leaves_less,
    linkage,
    one_recording,
)
from voiceprivacy.privacy.verdict.linked import Linked, linked_facts, linked_in, nearest_facts
from voiceprivacy.privacy.verdict.persons import (
    Guesses,
    exposed_facts,
    first_guesses,
    is_any_exposed,
)
from voiceprivacy.privacy.verdict.recognised import Recognised, first_guesses_of, highest_facts
from voiceprivacy.privacy.verdict.score_table import Scored, ScoreTable, joined
from voiceprivacy.privacy.verdict.trials import NotMeasured, trials_of
from voiceprivacy.vocabulary import LEAKS, NARROW_BAND, ORIGINAL, THRESHOLDS

FORMAT = 1  # of verdict.json
OPEN, LOW, UNCLEAR = "open", "low", "unclear"
ONE, ALL, LINKAGE = "one_recording", "all_recordings", "linkage"
MEASURES = (ONE, ALL, LINKAGE)
NUMBERS_OF_RELEASES = (1, 2, 5, 10)
LEAK_LEARNT, LEAK_NOT_LEARNT = "leak_learnt", "leak_not_learnt"  # whether attackers learn
SHOWN = {"persons_exposed", "persons_linked", "recordings_linked"}
RIGHT_BY_SEX_PERCENT = 10  # first guesses among 20 persons of two sexes, however many are of each
FAILING_SHARE = 0.01  # of scores that are equal or not finite, beside those of unprotected speech


class Thresholds(NamedTuple):
    """What states are made from, in percent of the evidence: the section verdict of a config.

    ``least_points`` is a difference that counts, ``learnt_persons`` a number of persons.
    """

    open_percent: float = float(THRESHOLDS["open_percent"])
    low_percent: float = float(THRESHOLDS["low_percent"])
    low_all_recordings_percent: float = float(THRESHOLDS["low_all_recordings_percent"])
    unprotected_percent: float = float(THRESHOLDS["unprotected_percent"])
    least_points: float = float(THRESHOLDS["least_points"])
    learnt_persons: int = THRESHOLDS["learnt_persons"]

    def low(self, measure: str) -> float:
        """The largest upper limit that ``low`` allows."""
        return self.low_percent if measure == ONE else self.low_all_recordings_percent


class Known(NamedTuple):
    """What a run knows beside scores; nothing is known of scores that were made elsewhere.

    ``learnt`` is {system: from how many persons an attacker of its speech learnt}; None where that
    is unknown. ``controls`` are systems whose effect is known: they are not compared with others.
    ``leaks`` are known leaks to try: {name: percent of the recordings}. ``releases`` are systems
    that protect the same recordings and are released together: {name: {system: anonymiser}}.
    ``unheard`` are systems whose speech has a narrow band, while their attackers learnt from wide
    ones. ``planted`` is {system: what an attacker who learnt finds of a planted leak, as
    ``control`` of verdict.json}. ``mixed`` are lists that compare speakers of both sexes.
    """

    learnt: Mapping[str, int] | None = None
    controls: Sequence[str] = ()
    shows_names: bool = False
    leaks: Mapping[str, float] = LEAKS
    releases: Mapping[str, Mapping[str, str]] = {}
    unheard: Sequence[str] = ()
    planted: Mapping[str, Mapping[str, Any]] = {}
    mixed: Sequence[str] = ()


USUAL, NOTHING_KNOWN = Thresholds(), Known()


class _Judged(NamedTuple):
    """One system, and what belongs to it."""

    evidence: dict[tuple[str, str], Evidence]  # of a measure and a list
    guesses: dict[str, Guesses]  # of a list
    recognised: dict[str, Recognised]  # of a list
    linked: dict[str, Linked]  # of a list
    doubts: dict[str, set[str]]  # of a list
    unprotected: dict[str, Evidence]  # of a list, for the attackers of the system
    missing: dict[str, int]
    failing: dict[str, dict[str, str]]  # warnings of attackers
    codes: set[str]


def _nothing_judged():
    return _Judged({}, {}, {}, {}, {}, {}, {"persons": 0, "trials": 0}, {}, set())


def verdict_of(
    scores: ScoreTable,
    *,
    thresholds: Thresholds = USUAL,
    known: Known = NOTHING_KNOWN,
    evidence: dict | None = None,
    recognised: dict | None = None,
) -> dict[str, Any]:
    """Judge all systems of a set.

    Parameters
    ----------
    evidence : dict, optional
        Gets {system: {(measure, list): Evidence}}.
    recognised : dict, optional
        Gets {system: {list: Recognised}}.

    Returns
    -------
    dict : as ``sets[NAME]`` of verdict.json
    """
    judged = {system: _nothing_judged() for system in scores.systems()}
    for name in scores.scores:
        _judge_list(scores, name, judged)
    if evidence is not None:
        evidence.update((name, one.evidence) for name, one in judged.items())
    if recognised is not None:
        recognised.update((name, one.recognised) for name, one in judged.items())
    original = judged.pop(ORIGINAL, None)
    p_open = np.array([_p_open(one, thresholds) for one in judged.values()])
    levels = LEVEL / (len(p_open) - np.argsort(np.argsort(p_open, kind="stable")))
    tested = zip(judged, holm(p_open) <= LEVEL, levels.tolist(), strict=True)
    facts = {
        name: _facts(name, judged[name], original, is_open, level, thresholds, known)
        for name, is_open, level in tested
    }
    competing = {name: one for name, one in judged.items() if name not in known.controls}
    systems = [*chain.from_iterable(own.values() for own in scores.scores.values())]
    tried = [{condition for _, condition in own} for own in systems]
    return {
        "systems": facts,
        "unprotected": original
        and _facts(ORIGINAL, original, None, True, LEVEL, thresholds, known),
        "unprotected_at_least_percent": original
        and min(
            (one.low() for (measure, _), one in original.evidence.items() if measure == ONE),
            default=None,
        ),
        "controls": sorted(known.controls),
        "better": _better(competing, thresholds),
        "leaks": _leaks(scores, competing, facts, thresholds, known) if known.leaks else None,
        "releases": {
            name: _releases(scores, versions, thresholds)
            for name, versions in known.releases.items()
        },
        "attacks": [
            {"attacker": name, "condition": condition}
            for name, condition in sorted(set().union(*systems))
        ],
        "not_tried": [
            f"condition_{name}"
            for name in ("op", "pp", "rr")
            if not all({name, "oo"} & own for own in tried)  # unprotected speech has oo alone
        ],
        "warnings": [
            *chain.from_iterable(one.failing.values() for one in judged.values()),
            *(
                {"code": "of_itself", "list": name, "trials": len(trials)}
                for name, trials in sorted(scores.of_itself.items())
            ),
        ],
    }


def _judge_list(scores, name, judged):
    """Judge the systems of one list; unprotected speech, if it is there, says what is usual."""
    attacks, speaker_of = scores.scores[name], scores.speakers(name)
    complete = [ORIGINAL] if ORIGINAL in attacks else attacks
    tried = [scores.columns(name, system).values() for system in complete]
    reference = set().union(*chain.from_iterable(tried))
    persons = _persons(reference, speaker_of)
    sessions = scores.sessions(name, reference)
    of_all = set()  # doubts of the list itself
    if sessions and is_of_other_sessions(reference, speaker_of, sessions):
        of_all.add(OTHER_SESSIONS)
    original = judged.get(ORIGINAL)
    usual = {}  # shares of useless scores of unprotected speech
    linkable = set()  # persons whom linkage compares with themselves there
    for system, one in judged.items():
        scored, linked = (scores.scored(name, system, linkage=own) for own in (False, True))
        shares = _useless_shares(scored, linked)
        if one is original:
            unprotected, usual = scored, shares
            linkable = _persons(linked.trials, speaker_of)
        for kind, share in shares.items():
            attack, is_linkage = kind
            # Where unprotected speech was not linked, equal scores may be rounded ones.
            if share > usual.get(kind, float(is_linkage)) + FAILING_SHARE:
                warning = {"code": "failing_attack", "system": system, "attack": attack}
                one.failing[attack] = warning
        one.missing["trials"] += len(reference.difference(scored.trials))
        missing = persons - _persons(scored.trials, speaker_of)
        if linked.trials:
            n_tried = Counter(speaker_of[tried] for tried in {tried for _, tried in scored.trials})
            repeated = {person for person in persons if n_tried[person] > 1}
            missing |= (linkable or repeated) - _persons(linked.trials, speaker_of)
        one.missing["persons"] += len(missing)
        _measure(one, name, scored, linked, speaker_of, len(scores.scores))
        if (LINKAGE, name) in one.evidence:
            one.linked[name] = linked_in(*linked[:2], speaker_of, len(scores.scores))
        is_protected = scored.trials and one is not original
        if is_protected:
            one.doubts[name] = of_all
        if is_protected and original and (ONE, name) in original.evidence:
            one.doubts[name] = of_all | doubts_of(scored, unprotected, speaker_of)
            evidence = original.evidence[ONE, name]
            try:
                one.unprotected[name] = _of_attackers(scored, unprotected, evidence, speaker_of)
            except NotMeasured as error:
                one.codes.add(str(error))


def _of_attackers(scored, unprotected, evidence, speaker_of):
    """The evidence in unprotected speech for those who attack a system, too.

    Who attacks unprotected speech and not the system says nothing of the system.

    Raises
    ------
    NotMeasured : no_unprotected, weak_attackers
    """
    attackers = {attacker for attacker, _ in scored.attacks}
    same = [attacker in attackers for attacker, _ in unprotected.attacks]
    if all(same):
        return evidence
    if not any(same):
        raise NotMeasured("no_unprotected")
    try:
        return one_recording(trials_of(unprotected.trials, unprotected.scores[:, same], speaker_of))
    except NotMeasured:  # all scores are equal
        raise NotMeasured("weak_attackers") from None


def _measure(one, name, scored, linked, speaker_of, n_lists=1):
    """Measure the evidence of a system on a list, and who is guessed, one of ``n_lists`` lists."""
    # A pair of recordings has no direction: in lists that name persons in order, the first ones
    # would be tried against no one, and offsets would hide them.
    both_ways = [*linked.trials, *(pair[::-1] for pair in linked.trials)]
    kinds = [
        (scored.trials, scored.scores, "list_missing", {ONE: one_recording, ALL: all_recordings}),
        (both_ways, np.tile(linked.scores, (2, 1)), "no_linkage", {LINKAGE: linkage}),
    ]
    for ids, scores, lacking, measures in kinds:
        if not ids:
            one.codes.add(lacking)
            continue
        trials = trials_of(ids, scores, speaker_of)
        for measure, function in measures.items():
            try:
                evidence = one.evidence[measure, name] = function(trials)
            except NotMeasured as error:
                one.codes.add(str(error))
                continue
            if measure == ONE:
                one.guesses[name] = first_guesses(trials, evidence, n_lists)
                one.recognised[name] = first_guesses_of(trials)


def _persons(trials, speaker_of):
    """The persons who have target trials."""
    return {speaker_of[one] for one, other in trials if speaker_of[one] == speaker_of[other]}


def _useless_shares(scored, linked):
    """{(attacker, whether it links): largest share of scores that are equal or not finite}."""
    shares = {}
    for is_linkage, own in ((False, scored), (True, linked)):
        for (attacker, _), column in zip(own.attacks, own.scores.T, strict=True):
            share = 1 - len(np.unique(column[np.isfinite(column)])) / max(1, len(column))
            kind = attacker, is_linkage
            shares[kind] = max(share, shares.get(kind, 0.0))
    return shares


# States.


def _p_open(judged, thresholds):
    """The p-value of having at least so much evidence, over all lists and measures."""
    return bonferroni([one.p_above(thresholds.open_percent) for one in judged.evidence.values()])


def _facts(system, judged, original, is_open, level, thresholds, known):
    """What verdict.json holds of one system; ``level`` is that of its tests."""
    confidence = 1 - 2 * level / max(1, len(judged.evidence))
    low = {key: one.low(confidence) for key, one in judged.evidence.items()}
    shown = {key: low[key] for key in low if is_open and low[key] >= thresholds.open_percent}
    reasons = _unmet(system, judged, original, thresholds, known)
    state = OPEN if shown else UNCLEAR if reasons else LOW
    worst = {measure: _worst_list(measure, judged.evidence, shown) for measure in MEASURES}
    single, pooled, _ = map(judged.evidence.get, worst.items())
    usual, decisive = (
        {
            measure: _of_worst(_limits_of_lists(measure, judged.evidence, own), name)
            for measure, name in worst.items()
        }
        for own in (0.95, confidence)
    )
    right = {name: one.percent() for name, one in judged.recognised.items()}
    return {
        "state": state,
        "by": [measure for measure in MEASURES if measure in {key[0] for key in shown}],
        "may_be_sex": bool(shown)
        and {name for _, name in shown} <= {*known.mixed}
        and not (worst[ONE] in right and right[worst[ONE]][1] > RIGHT_BY_SEX_PERCENT),
        "worst_list": worst[ONE],
        "evidence_percent": usual[ONE],
        "tested_percent": decisive[ONE],
        "tested_all_recordings_percent": decisive[ALL],
        "tested_linkage_percent": decisive[LINKAGE],
        "evidence_all_recordings_percent": usual[ALL],
        "linkage_percent": usual[LINKAGE],
        "right_of_20_percent": _of_worst(right, worst[ONE]),
        "no_one_above": highest_facts(judged.recognised),
        "less_than_unprotected_points": _less_than(single, judged.unprotected.get(worst[ONE])),
        "recordings": pooled and pooled.recordings,
        "exposed": exposed_facts(judged.guesses, shows_names=known.shows_names),
        "linked": linked_facts(judged.linked, shows_names=known.shows_names),
        "nearest": nearest_facts(judged.linked),
        "doubts": sorted(set().union(*judged.doubts.values())),
        "control": known.planted.get(system),
        "missing": judged.missing,
        "reasons": [] if shown else reasons,
        "next": [] if shown else _next(judged, reasons, thresholds),
    }


def _worst_list(measure, evidence, shown):
    """The list with the largest lower limit that is ``shown``, else the largest upper limit."""
    values = {key: low for key, low in shown.items() if key[0] == measure} or {
        key: one.high() for key, one in evidence.items() if key[0] == measure
    }
    return max(sorted(values), key=values.get, default=(measure, None))[1]


def _of_worst(limits, worst):
    """Value and lower limit of the worst list, and the largest upper limit of all lists."""
    if worst not in limits:
        return None
    value, low, _ = limits[worst]
    return [value, low, max(high for _, _, high in limits.values())]


def _limits_of_lists(measure, evidence, confidence):
    """{list: evidence by a measure in percent, and its limits}."""
    return {
        name: _limits(one, confidence) for (own, name), one in evidence.items() if own == measure
    }


def _limits(evidence, confidence=0.95):
    return evidence and [evidence.percent, evidence.low(confidence), evidence.high(confidence)]


def _unmet(system, judged, original, thresholds, known):
    """The codes of all conditions of ``low`` that a system does not meet."""
    measured = {measure for measure, _ in judged.evidence}
    learnt = math.inf if known.learnt is None else known.learnt.get(system, 0)
    strengths = {name: one.low() for name, one in judged.unprotected.items()}
    # Where nothing was measured in unprotected speech, its reasons are the reasons.
    is_blind = {name for _, name in judged.evidence} - strengths.keys() or not strengths
    why = original.codes if original and is_blind else set()
    unmet = _found(judged) | {
        "missing": any(judged.missing.values()),
        "failing_attack": judged.failing,
        "no_unprotected": original is None or "list_missing" in why,
        "weak_attackers": "equal_scores" in why
        or any(low < thresholds.unprotected_percent for low in strengths.values()),
        "scores_elsewhere": known.learnt is None,
        "few_learnt_persons": learnt < thresholds.learnt_persons,
        LEAK_NOT_LEARNT: known.planted.get(system, {}).get("leak") == LEAK_NOT_LEARNT,
        NARROW_BAND: system in known.unheard,
    }
    unmet |= {f"no_{measure}": measure not in measured for measure in MEASURES}
    unmet |= dict.fromkeys(chain.from_iterable(judged.doubts.values()), True)
    unmet |= {
        f"upper_limit_{measure}": True
        for (measure, _), one in judged.evidence.items()
        if one.high() > thresholds.low(measure)
    }
    of_both = why & {"few_persons", "no_nontargets"}
    return sorted(judged.codes | of_both | {code for code in unmet if unmet[code]})


def _found(judged):
    """Which tests of persons and of recordings find something: {code: whether}."""
    linked, neighbours = linked_facts(judged.linked), nearest_facts(judged.linked)
    return {
        "persons_exposed": is_any_exposed(judged.guesses),
        "persons_linked": bool(linked and linked["persons"]),
        "recordings_linked": bool(neighbours and neighbours["beyond_chance"]),
    }


def _less_than(safer, worse):
    """How much less a list leaves than unprotected speech: points and 95 % limits."""
    if not safer or not worse:
        return None
    difference, error = leaves_less(safer, worse)
    margin = error * stdtrit(safer.n_persons - 1, 1 - LEVEL)
    return [difference, difference - margin, difference + margin]


def _next(judged, reasons, thresholds):
    """What to do about each reason, with numbers where more persons would do."""
    wanted = 0
    for (measure, _), one in judged.evidence.items():
        value, limit = max(one.percent, 0.0), thresholds.low(measure)
        if one.high() > limit > value:
            # Where nothing is found, upper limits fall like 1 / persons, else with their root.
            factor = ((one.high() - value) / (limit - value)) ** 2
            if one.low() <= 0:
                factor = one.high() / limit
            wanted = max(wanted, math.ceil(one.n_persons * factor))
    # Narrower limits are no help where persons are exposed or linked.
    is_helped = wanted and not {*reasons} & SHOWN
    steps = [{"code": "more_persons", "persons": wanted}] if is_helped else []
    # Linkage that was scored and cannot be measured has another reason, which says what to do.
    unscored = {"no_linkage"} - judged.codes
    return steps + [
        {"code": code}
        for code in reasons
        if code not in unscored and not code.startswith("upper_limit")
    ]


def _better(judged, thresholds):
    """Pairs [safer, less safe] that are shown on no list to be the other way round."""
    p_values = {
        (safer, worse): _p_less(judged[safer], judged[worse], thresholds)
        for safer, worse in permutations(judged, 2)
    }
    corrected = holm([*p_values.values()])
    return [
        list(pair)
        for pair, p_value in zip(p_values, corrected, strict=True)
        if p_value <= LEVEL and p_values[pair[::-1]] > LEVEL
    ]


def _p_less(safer, worse, thresholds):
    """The p-value of a system leaving less than another by the least points, on any list."""
    p_values = []
    for key in safer.evidence.keys() & worse.evidence.keys():
        if key[0] != LINKAGE:
            difference, error = leaves_less(safer.evidence[key], worse.evidence[key])
            t = (difference - thresholds.least_points) / max(error, 1e-12)
            p_values.append(stdtr(safer.evidence[key].n_persons - 1, -t))
    return bonferroni(p_values)


def _leaks(scores, competing, facts, thresholds, known):
    """Which known leaks the order test finds in the safest system that is not open.

    Of an open system it is known already that its recordings give their speakers away.
    """
    percents = {
        name: facts[name]["evidence_percent"][0]
        for name in competing
        if facts[name]["state"] != OPEN and facts[name]["evidence_percent"]
    }
    if not percents:
        return {"system": None, "reason": "no_system", "tried": []}
    system = min(percents, key=lambda name: (facts[name]["state"] != LOW, percents[name]))
    leaky = {name: _nothing_judged() for name in known.leaks}
    numbers = dict.fromkeys(known.leaks, 0)
    for name in scores.scores:
        scored = scores.scored(name, system)
        unprotected = [scores.unprotected(name, system, attack) for attack in scored.attacks]
        if None in unprotected:
            return {"system": system, "reason": "scores_elsewhere", "tried": []}
        for leak, percent in known.leaks.items():
            mixed, n_leaked = scored.leaked(percent, unprotected)
            numbers[leak] += n_leaked
            if n_leaked:
                linked = Scored([], np.empty((0, 0)), [])
                _measure(leaky[leak], name, mixed, linked, scores.speakers(name))
    better = _better({"": competing[system], **leaky}, thresholds)
    worst = (ONE, facts[system]["worst_list"])
    tried = [
        {
            "leak": leak,
            "recordings": numbers[leak],
            "evidence_percent": _limits(own.evidence.get(worst)),
            "found": ["", leak] in better,
        }
        for leak, own in leaky.items()
        if own.evidence
    ]
    return {"system": system, "reason": None if tried else "few_recordings", "tried": tried}


def _releases(scores, versions, thresholds):
    """What is left of several releases of the same recordings, the first 1, 2, 5, 10 and all."""
    numbers = [number for number in NUMBERS_OF_RELEASES if number < len(versions)]
    return [
        _released(scores, dict([*versions.items()][:number]), thresholds)
        for number in [*numbers, len(versions)]
    ]


def _released(scores, versions, thresholds):
    """What is left of all these versions together; null where lists could not be measured."""
    judged = _nothing_judged()
    for name in scores.scores:
        single, linked = (
            joined(
                [
                    (anonymiser, scores.scored(name, system, linkage=is_linkage))
                    for system, anonymiser in versions.items()
                ]
            )
            for is_linkage in (False, True)
        )
        _measure(judged, name, single, linked, scores.speakers(name), len(scores.scores))
        if (LINKAGE, name) in judged.evidence:
            judged.linked[name] = linked_in(*linked[:2], scores.speakers(name), len(scores.scores))
    of_one = [one for (measure, _), one in judged.evidence.items() if measure == ONE]
    within_low: bool | None = all(
        one.high() <= thresholds.low(measure) for (measure, _), one in judged.evidence.items()
    )
    within_low = within_low and not any(_found(judged).values())
    if within_low and len(judged.evidence) < len(MEASURES) * len(scores.scores):
        within_low = None  # what was not measured may be above
    return {
        "systems": [*versions],
        "evidence_percent": _limits(max(of_one, key=lambda one: one.high(), default=None)),
        "within_low": within_low,
    }
