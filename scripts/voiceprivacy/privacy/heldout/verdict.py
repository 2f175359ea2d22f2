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

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.special import stdtr, stdtrit

from voiceprivacy.privacy.heldout.evidence import (
    Evidence,
    all_recordings,
    leaves_less,
    one_recording,
    right_of,
)
from voiceprivacy.privacy.heldout.persons import first_guesses
from voiceprivacy.privacy.heldout.score_table import Attack, Scored, ScoreTable
from voiceprivacy.privacy.heldout.trials import NotMeasured, trials_of
from voiceprivacy.vocabulary import ORIGINAL

OPEN, LOW, UNCLEAR = "open", "low", "unclear"
ONE, ALL, LINKAGE = "one_recording", "all_recordings", "linkage"
MEASURES = (ONE, ALL, LINKAGE)
LEVEL = 0.025  # of one-sided tests, as 95 % limits have it
NAMED_FROM = 41  # persons; of fewer, a name tells too much by chance
FAILING_SHARE = 0.01  # of scores that are equal or not finite, beside those of unprotected speech


class Thresholds(NamedTuple):
    """What states are made from, in percent of the evidence; ``least_points`` of a difference."""

    open: float = 10.0
    low_one: float = 2.0
    low_all: float = 5.0
    unprotected: float = 50.0
    least_points: float = 2.0
    learnt_persons: int = 100


class Known(NamedTuple):
    """What a run knows of its attackers; nothing is known of scores that were made elsewhere.

    ``learnt`` is {attack: persons whose protected speech it learnt from}; None where it is unknown.
    """

    learnt: Mapping[tuple[str, str], int] | None = None
    shows_names: bool = False


USUAL, NOTHING_KNOWN = Thresholds(), Known()


class _Judged(NamedTuple):
    """One system: {measure: {list: Evidence}}, and what belongs to it."""

    evidence: dict[str, dict[str, Evidence]]
    guesses: dict[str, Any]
    missing_persons: int
    missing_trials: int
    failing: list[str]
    codes: set[str]


def verdict_of(
    table: ScoreTable, *, thresholds: Thresholds = USUAL, known: Known = NOTHING_KNOWN
) -> dict[str, Any]:
    """Judge all systems of a set.

    Returns
    -------
    dict : as ``sets[NAME]`` of verdict.json
    """
    judged = {system: _judge(table, system) for system in table.systems()}
    original = judged.pop(ORIGINAL, None)
    p_values = {name: _p_open(one, thresholds) for name, one in judged.items()}
    tested = _holm(p_values)
    facts = {
        name: _facts(one, original, *tested[name], thresholds, known)
        for name, one in judged.items()
    }
    warnings = []
    for name, one in judged.items():
        warnings += [{"code": "failing_attack", "system": name, "attack": a} for a in one.failing]
    return {
        "systems": facts,
        "unprotected": _facts(original, None, False, LEVEL, thresholds, known)
        if original
        else None,
        "better": _better(judged, thresholds),
        "attacks": _attacks(table),
        "not_tried": _not_tried(table, known),
        "warnings": warnings,
    }


def _judge(table: ScoreTable, system: str) -> _Judged:
    evidence: dict[str, dict[str, Evidence]] = {measure: {} for measure in MEASURES}
    judged = _Judged(evidence, {}, 0, 0, [], set())
    missing_persons: set[str] = set()
    missing_trials = 0
    for name in table.scores:
        reference = table.reference(name)
        scored = table.scored(name, system)
        missing_trials += _missing_trials(scored, reference)
        missing_persons |= _persons(table, reference) - _persons(
            table, scored.trials if scored else ()
        )
        if scored is None:
            judged.codes.add("list_missing")
            continue
        trials = trials_of(_rows(scored), table.speaker_of)
        measures = [(ONE, one_recording, trials), (ALL, all_recordings, trials)]
        if linked := table.scored(name, system, linkage=True):
            released = trials_of(_rows(linked), table.speaker_of)
            measures.append((LINKAGE, one_recording, released))
        for measure, function, judged_trials in measures:
            try:
                evidence[measure][name] = function(judged_trials)
            except NotMeasured as error:
                judged.codes.add(error.code)
        if name in evidence[ONE]:
            judged.guesses[name] = first_guesses(trials, evidence[ONE][name])
        judged.failing.extend(_failing(table, name, system, scored))
    return judged._replace(missing_persons=len(missing_persons), missing_trials=missing_trials)


def _rows(scored: Scored) -> dict[str, Any]:
    return {
        "enrolment": [enrolment for enrolment, _ in scored.trials],
        "trial": [trial for _, trial in scored.trials],
        "label": scored.labels,
        "scores": scored.scores,
    }


def _persons(table: ScoreTable, trials: Any) -> set[str]:
    """The persons who have target trials."""
    speakers = table.speaker_of
    return {speakers[trial[0]] for trial in trials if speakers[trial[0]] == speakers[trial[1]]}


def _missing_trials(scored: Scored | None, reference: set) -> int:
    """How many trials lack a score of some attack."""
    if scored is None:
        return len(reference)
    complete = {
        trial
        for trial, row in zip(scored.trials, scored.scores, strict=True)
        if not np.isnan(row).any()
    }
    return len(reference - complete)


def _failing(table: ScoreTable, name: str, system: str, scored: Scored) -> list[str]:
    """Attackers with equal or non-finite scores on a system that unprotected speech has not."""
    shares: dict[str, float] = {}
    if system != ORIGINAL and (original := table.scored(name, ORIGINAL)):
        for (attacker, _), column in zip(original.attacks, original.scores.T, strict=True):
            shares[attacker] = _useless_share(column)
    failing = []
    for (attacker, _), column in zip(scored.attacks, scored.scores.T, strict=True):
        if _useless_share(column) > shares.get(attacker, 0.0) + FAILING_SHARE:
            failing.append(attacker)
    return list(dict.fromkeys(failing)) if system != ORIGINAL else []


def _useless_share(scores: np.ndarray) -> float:
    scores = scores[~np.isnan(scores)]
    finite = scores[np.isfinite(scores)]
    return 1 - len(np.unique(finite)) / max(1, len(scores))


# States.


def _p_open(judged: _Judged, thresholds: Thresholds) -> float:
    """The p-value of having at least so much evidence, over all lists and measures."""
    p_values = []
    for lists in judged.evidence.values():
        p_values += [one.p_above(thresholds.open) for one in lists.values()]
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
            if is_open and one.low(confidence) >= thresholds.open:
                found_by.setdefault(measure, []).append(name)
    reasons = _unmet(judged, original, thresholds, known)
    state = OPEN if found_by else UNCLEAR if reasons else LOW
    worst = _worst_list(judged, found_by, confidence)
    on_worst = {measure: lists.get(worst) for measure, lists in judged.evidence.items()}
    single, pooled = on_worst[ONE], on_worst[ALL]
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
        "recordings": pooled.recordings if pooled else None,
        "exposed": _exposed(judged.guesses.get(worst), known),
        "missing": {"persons": judged.missing_persons, "trials": judged.missing_trials},
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
    judged: _Judged, original: _Judged | None, thresholds: Thresholds, known: Known
) -> list[str]:
    """The codes of all conditions of ``low`` that a system does not meet."""
    codes = set(judged.codes)
    limits = {ONE: thresholds.low_one, ALL: thresholds.low_all, LINKAGE: thresholds.low_all}
    for measure, lists in judged.evidence.items():
        if not lists:
            codes.add(f"no_{measure}")
        if any(one.high() > limits[measure] for one in lists.values()):
            codes.add(f"upper_limit_{measure}")
    if any(guesses.p_value <= LEVEL or guesses.exposed for guesses in judged.guesses.values()):
        codes.add("persons_exposed")
    if judged.missing_persons or judged.missing_trials:
        codes.add("missing")
    if judged.failing:
        codes.add("failing_attack")
    if original is None:
        codes.add("no_unprotected")
    elif not _is_strong(original, thresholds):
        codes.add("weak_attackers")
    if known.learnt is None:
        codes.add("scores_elsewhere")
    elif max(known.learnt.values(), default=0) < thresholds.learnt_persons:
        codes.add("few_learnt_persons")
    return sorted(codes)


def _is_strong(original: _Judged, thresholds: Thresholds) -> bool:
    lists = original.evidence[ONE].values()
    return bool(lists) and min(one.low() for one in lists) >= thresholds.unprotected


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
    """How many persons are found in at least half of their recordings."""
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
    limits = {ONE: thresholds.low_one, ALL: thresholds.low_all, LINKAGE: thresholds.low_all}
    wanted = 0
    for measure, lists in judged.evidence.items():
        for one in lists.values():
            room = limits[measure] - max(one.percent, 0.0)
            if one.high() > limits[measure] and room > 0:  # errors fall with the root of persons
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


def _attacks(table: ScoreTable) -> list[dict[str, str]]:
    attacks: set[Attack] = set()
    for systems in table.scores.values():
        attacks = attacks.union(*systems.values())
    return [{"attacker": name, "condition": condition} for name, condition in sorted(attacks)]


def _not_tried(table: ScoreTable, known: Known) -> list[str]:
    """Codes of attacks that a serious adversary would run, and that are not here."""
    conditions = {attack["condition"] for attack in _attacks(table)}
    codes = [f"condition_{name}" for name in ("op", "pp", "rr") if name not in conditions]
    if known.learnt is not None and not known.learnt:
        codes.append("semi_informed")
    return codes
