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

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.special import stdtr, stdtrit

from voiceprivacy.privacy.verdict.evidence import (
    Evidence,
    all_recordings,
    leaves_less,
    one_recording,
    right_of,
)
from voiceprivacy.privacy.verdict.persons import Guesses, first_guesses
from voiceprivacy.privacy.verdict.score_table import Attack, Scored, Scores, Trial
from voiceprivacy.privacy.verdict.trials import NotMeasured, trials_of
from voiceprivacy.vocabulary import ORIGINAL

FORMAT = 1  # of verdict.json
OPEN, LOW, UNCLEAR = "open", "low", "unclear"
ONE, ALL, LINKAGE = "one_recording", "all_recordings", "linkage"
MEASURES = (ONE, ALL, LINKAGE)
LEVEL = 0.025  # of one-sided tests, as 95 % limits have it
NAMED_FROM = 41  # persons; of fewer, a name tells too much by chance
FAILING_SHARE = 0.01  # of scores that are equal or not finite, beside those of unprotected speech


class Thresholds(NamedTuple):
    """What states are made from, in percent of the evidence: the section verdict of a config.

    ``least_points`` is a difference that counts, ``learnt_persons`` a number of persons.
    """

    open_percent: float = 10.0
    low_percent: float = 2.0
    low_all_recordings_percent: float = 5.0
    unprotected_percent: float = 50.0
    least_points: float = 2.0
    learnt_persons: int = 100

    def low(self, measure: str) -> float:
        """The largest upper limit that ``low`` allows."""
        return self.low_percent if measure == ONE else self.low_all_recordings_percent


class Known(NamedTuple):
    """What a run knows beside scores; nothing is known of scores that were made elsewhere.

    ``learnt`` is {system: from how many persons an attacker of its speech learnt}; None where that
    is unknown. ``controls`` are systems whose effect is known: they are not compared with others.
    """

    learnt: Mapping[str, int] | None = None
    controls: Sequence[str] = ()
    shows_names: bool = False


USUAL, NOTHING_KNOWN = Thresholds(), Known()


class _Judged(NamedTuple):
    """One system: {measure: {list: Evidence}}, and what belongs to it."""

    evidence: dict[str, dict[str, Evidence]]
    guesses: dict[str, Guesses]
    missing_persons: set[tuple[str, str]]  # list, person
    missing_trials: list[int]  # of each list
    failing: dict[str, None]  # attackers
    codes: set[str]


def verdict_of(
    scores: Scores, *, thresholds: Thresholds = USUAL, known: Known = NOTHING_KNOWN
) -> dict[str, Any]:
    """Judge all systems of a set.

    Returns
    -------
    dict : as ``sets[NAME]`` of verdict.json
    """
    judged = {
        system: _Judged({measure: {} for measure in MEASURES}, {}, set(), [], {}, set())
        for system in scores.systems()
    }
    for name, attacks in scores.attacks().items():
        _judge_list(scores, name, attacks, judged)
    original = judged.pop(ORIGINAL, None)
    tested = _holm({name: _p_open(one, thresholds) for name, one in judged.items()})
    facts = {
        name: _facts(name, one, original, *tested[name], thresholds, known)
        for name, one in judged.items()
    }
    unprotected = None
    if original:
        is_open = _p_open(original, thresholds) <= LEVEL
        unprotected = _facts(ORIGINAL, original, None, is_open, LEVEL, thresholds, known)
    warnings = []
    for name, one in judged.items():
        warnings += [{"code": "failing_attack", "system": name, "attack": a} for a in one.failing]
    competing = {name: one for name, one in judged.items() if name not in known.controls}
    tried = sorted(set(_all_attacks(scores)))
    return {
        "systems": facts,
        "unprotected": unprotected,
        "controls": sorted(known.controls),
        "better": _better(competing, thresholds),
        "attacks": [{"attacker": name, "condition": condition} for name, condition in tried],
        "not_tried": _not_tried(tried),
        "warnings": warnings,
    }


def _judge_list(
    scores: Scores,
    name: str,
    attacks: Mapping[str, Sequence[Attack]],
    judged: Mapping[str, _Judged],
) -> None:
    """Judge the systems of one list, unprotected speech first: it says which trials there are."""
    speaker_of = scores.speakers(name)
    reference: set[Trial] = set()
    if ORIGINAL not in attacks:
        for system in attacks:
            scored = scores.scored(name, system)
            reference |= {*scored.trials} if scored else set()
    usual: dict[str, float] = {}  # shares of useless scores of unprotected speech
    for system, one in judged.items():
        scored = scores.scored(name, system) if system in attacks else None
        complete = {*scored.trials} if scored else set()
        if system == ORIGINAL:
            reference = complete
        if scored is None:
            one.codes.add("list_missing")
        else:
            shares = _useless_shares(scored)
            if system == ORIGINAL:
                usual = shares
            unusual = [a for a in shares if shares[a] > usual.get(a, 0.0) + FAILING_SHARE]
            one.failing.update(dict.fromkeys(unusual if system != ORIGINAL else ()))
            unscored = np.flatnonzero(np.isnan(scored.scores).any(axis=1))
            complete -= {scored.trials[row] for row in unscored}
            _measure(one, scores, name, system, scored)
        one.missing_trials.append(len(reference - complete))
        own = _persons(scored.trials if scored else (), speaker_of)
        one.missing_persons.update(
            (name, person) for person in _persons(reference, speaker_of) - own
        )


def _measure(one: _Judged, scores: Scores, name: str, system: str, scored: Scored) -> None:
    """Measure the evidence of a system on a list, and who is guessed."""
    speaker_of = scores.speakers(name)
    trials = trials_of(_rows(scored), speaker_of)
    measures = [(ONE, one_recording, trials), (ALL, all_recordings, trials)]
    if linked := scores.scored(name, system, linkage=True):
        measures.append((LINKAGE, one_recording, trials_of(_rows(linked), speaker_of)))
    else:
        one.codes.add("no_linkage")
    for measure, function, of_measure in measures:
        try:
            one.evidence[measure][name] = function(of_measure)
        except NotMeasured as error:
            one.codes.add(error.code)
    if name in one.evidence[ONE]:
        one.guesses[name] = first_guesses(trials, one.evidence[ONE][name])


def _rows(scored: Scored) -> dict[str, Any]:
    enrolment, trial = zip(*scored.trials, strict=True)
    return {"enrolment": enrolment, "trial": trial, "scores": scored.scores}


def _persons(trials: Iterable[Trial], speaker_of: Mapping[str, str]) -> set[str]:
    """The persons who have target trials."""
    return {speaker_of[one] for one, other in trials if speaker_of[one] == speaker_of[other]}


def _useless_shares(scored: Scored) -> dict[str, float]:
    """{attacker: largest share of its scores that are equal to others or not finite}."""
    shares: dict[str, float] = {}
    for (attacker, _), column in zip(scored.attacks, scored.scores.T, strict=True):
        known = column[~np.isnan(column)]
        share = 1 - len(np.unique(known[np.isfinite(known)])) / max(1, len(known))
        shares[attacker] = max(share, shares.get(attacker, 0.0))
    return shares


# States.


def _p_open(judged: _Judged, thresholds: Thresholds) -> float:
    """The p-value of having at least so much evidence, over all lists and measures."""
    p_values = []
    for lists in judged.evidence.values():
        p_values += [one.p_above(thresholds.open_percent) for one in lists.values()]
    return min(1.0, len(p_values) * min(p_values)) if p_values else 1.0


def _holm(p_values: Mapping[Any, float]) -> dict[Any, tuple[bool, float]]:
    """{name: whether it is shown, and the level at which it was tested} by Holm's method."""
    tested, all_shown = {}, True
    ordered = sorted(p_values, key=lambda name: (p_values[name], name))
    for rank, name in enumerate(ordered):
        level = LEVEL / (len(ordered) - rank)
        all_shown = all_shown and p_values[name] <= level
        tested[name] = all_shown, level
    return tested


def _facts(
    system: str,
    judged: _Judged,
    original: _Judged | None,
    is_open: bool,
    level: float,
    thresholds: Thresholds,
    known: Known,
) -> dict[str, Any]:
    """What verdict.json holds of one system; ``level`` is that of its tests."""
    n_tests = sum(map(len, judged.evidence.values()))
    confidence = 1 - 2 * level / max(1, n_tests)
    found_by: dict[str, list[str]] = {}
    for measure, lists in judged.evidence.items():
        for name, one in lists.items():
            if is_open and one.low(confidence) >= thresholds.open_percent:
                found_by.setdefault(measure, []).append(name)
    reasons = _unmet(system, judged, original, thresholds, known)
    state = OPEN if found_by else UNCLEAR if reasons else LOW
    worst = _worst_list(judged, found_by, confidence)
    on_worst = {measure: lists.get(worst) for measure, lists in judged.evidence.items()}
    single, pooled = on_worst[ONE], on_worst[ALL]
    n_persons = len(judged.missing_persons)
    return {
        "state": state,
        "by": list(found_by),
        "worst_list": worst or None,
        "evidence_percent": _limits(single),
        "tested_percent": _limits(single, confidence),
        "evidence_all_recordings_percent": _limits(pooled),
        "linkage_percent": _limits(on_worst[LINKAGE]),
        "right_of_20_percent": _right_of_20(single),
        "less_than_unprotected_points": _less_than(judged, original, worst),
        "recordings": int(pooled.recordings) if pooled else None,
        "exposed": _exposed(judged.guesses.get(worst), known),
        "missing": {"persons": n_persons, "trials": sum(judged.missing_trials)},
        "reasons": [] if state == OPEN else reasons,
        "next": _next(judged, reasons, thresholds) if state != OPEN else [],
    }


def _limits(evidence: Evidence | None, confidence: float = 0.95) -> list[float] | None:
    if evidence is None:
        return None
    return [evidence.percent, evidence.low(confidence), evidence.high(confidence)]


def _right_of_20(evidence: Evidence | None) -> list[float] | None:
    limits = _limits(evidence)
    return [right_of(percent) for percent in limits] if limits else None


def _worst_list(judged: _Judged, found_by: Mapping[str, list[str]], confidence: float) -> str:
    """The list with the largest lower limit where the state is open, else upper limit."""
    values: dict[str, float] = {}
    for measure, lists in judged.evidence.items():
        for name, one in lists.items():
            if found_by and name not in found_by.get(measure, ()):
                continue
            value = one.low(confidence) if found_by else one.high()
            values[name] = max(value, values.get(name, value))
    return max(sorted(values), key=values.__getitem__) if values else ""


def _unmet(
    system: str, judged: _Judged, original: _Judged | None, thresholds: Thresholds, known: Known
) -> list[str]:
    """The codes of all conditions of ``low`` that a system does not meet."""
    codes = set(judged.codes)
    for measure, lists in judged.evidence.items():
        if not lists:
            codes.add(f"no_{measure}")
        if any(one.high() > thresholds.low(measure) for one in lists.values()):
            codes.add(f"upper_limit_{measure}")
    if any(guesses.p_value <= LEVEL or guesses.exposed for guesses in judged.guesses.values()):
        codes.add("persons_exposed")
    if judged.missing_persons or any(judged.missing_trials):
        codes.add("missing")
    if judged.failing:
        codes.add("failing_attack")
    if original is None:
        codes.add("no_unprotected")
    elif not _is_strong(original, thresholds):
        codes.add("weak_attackers")
    if known.learnt is None:
        codes.add("scores_elsewhere")
    elif known.learnt.get(system, 0) < thresholds.learnt_persons:
        codes.add("few_learnt_persons")
    return sorted(codes)


def _is_strong(original: _Judged, thresholds: Thresholds) -> bool:
    lists = original.evidence[ONE].values()
    return bool(lists) and min(one.low() for one in lists) >= thresholds.unprotected_percent


def _less_than(judged: _Judged, original: _Judged | None, name: str) -> list[float] | None:
    """How much less a list leaves than unprotected speech: points and 95 % limits."""
    safer = judged.evidence[ONE].get(name)
    worse = original.evidence[ONE].get(name) if original else None
    if safer is None or worse is None:
        return None
    difference, error = leaves_less(safer, worse)
    margin = float(stdtrit(safer.n_persons - 1, 1 - LEVEL)) * error
    return [difference, difference - margin, difference + margin]


def _exposed(guesses: Any, known: Known) -> dict[str, Any] | None:
    """How many persons' first guess is right."""
    if guesses is None:
        return None
    shows = known.shows_names and guesses.n_persons_judged >= NAMED_FROM
    return {
        "persons": guesses.n_right,
        "of": guesses.n_persons_judged,
        "not_tested": guesses.not_tested,
        "beyond_chance": bool(guesses.p_value <= LEVEL),
        "named": sorted(guesses.exposed) if shows else [],
    }


def _next(judged: _Judged, reasons: Sequence[str], thresholds: Thresholds) -> list[dict[str, Any]]:
    """What to do about each reason, with numbers where more persons would do."""
    steps: list[dict[str, Any]] = []
    wanted = 0
    for measure, lists in judged.evidence.items():
        for one in lists.values():
            room = thresholds.low(measure) - max(one.percent, 0.0)
            if (
                one.high() > thresholds.low(measure) and room > 0
            ):  # errors fall with the root of persons
                factor = ((one.high() - max(one.percent, 0.0)) / room) ** 2
                wanted = max(wanted, int(np.ceil(one.n_persons * factor)))
    if wanted:
        steps.append({"code": "more_persons", "persons": wanted})
    steps += [{"code": code} for code in reasons if not code.startswith("upper_limit")]
    return steps


def _better(judged: Mapping[str, _Judged], thresholds: Thresholds) -> list[list[str]]:
    """Pairs [safer, less safe] that are shown on no list to be the other way round."""
    p_values: dict[tuple[str, str], float] = {}
    for safer in judged:
        for worse in judged:
            if safer != worse:
                p_values[safer, worse] = _p_less(judged[safer], judged[worse], thresholds)
    tested = _holm(p_values)
    return [
        [safer, worse]
        for (safer, worse), (is_shown, _) in sorted(tested.items())
        if is_shown and p_values[worse, safer] > LEVEL
    ]


def _p_less(safer: _Judged, worse: _Judged, thresholds: Thresholds) -> float:
    """The p-value of a system leaving less than another by the least points, on any list."""
    p_values = []
    for measure in (ONE, ALL):
        for name in safer.evidence[measure].keys() & worse.evidence[measure].keys():
            pair = safer.evidence[measure][name], worse.evidence[measure][name]
            difference, error = leaves_less(*pair)
            t = (difference - thresholds.least_points) / max(error, 1e-12)
            p_values.append(float(stdtr(pair[0].n_persons - 1, -t)))
    return min(1.0, len(p_values) * min(p_values)) if p_values else 1.0


def _all_attacks(scores: Scores) -> Iterator[Attack]:
    for systems in scores.attacks().values():
        for attacks in systems.values():
            yield from attacks


def _not_tried(tried: Sequence[Attack]) -> list[str]:
    """Codes of conditions that a serious adversary would try, and that are not here."""
    conditions = {condition for _, condition in tried}
    return [f"condition_{name}" for name in ("op", "pp", "rr") if name not in conditions]
