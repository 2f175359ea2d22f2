"""Disclosure against an attacker's effort: what the attacks of a run found, and what they took.

Conventions
-----------
* Evidence is D_ECE in percent of the largest that an attacker of the run finds on unprotected
  speech of the same list: under OO, or within the release for linkage. One reference for all
  attackers makes their points comparable.
* Limits are those of D_ECE (95 %, over speakers), divided by that reference as if it were known.
* A value outside of its limits, which are corrected for bias, is shown at the nearest of them.
* The curve of an anonymiser is what an attacker finds who spends so much at most: the most evidence
  of all attacks that take no more.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import mean
from typing import NamedTuple

from voiceprivacy.inout.tables import number, read_rows
from voiceprivacy.report.figures import draws_in
from voiceprivacy.report.metrics import Number
from voiceprivacy.report.releases import one_release
from voiceprivacy.report.uncertainty import Shown, metric_limits, shown
from voiceprivacy.vocabulary import (
    ABSENT,
    ORIGINAL,
    UNDEFINED,
    WITHIN_RELEASE,
    EffortPoint,
    TrialList,
    attacker_name,
)

EFFORTS = {  # field of EffortPoint: the axis
    "cpu_s": "processor time of the attacker [s]",
    "training_h": "training speech [h]",
    "enrolment_s": "speech that enrols [s]",
}
STILL, PERHAPS, NO_MORE = "still falls", "may still fall", "does not fall further"


class Finding(NamedTuple):
    """What an attack found: the first fields of an EffortPoint after its attacker."""

    evidence_percent: float
    ci_low: float | str
    ci_high: float | str
    dece_bit: float


def findings_of(
    numbers: Iterable[Number], trial_list: TrialList
) -> dict[tuple[str, str, str, str], Finding]:
    """What each attack on a list found: {(anonymiser, extractor, back-end, condition): Finding}."""
    dece = [
        line
        for line in numbers
        if line.metric == "dece_bit"
        and (line.corpus, line.trials) == trial_list
        and line.value != UNDEFINED
    ]
    largest = {}
    for is_linkage in (False, True):
        unprotected = [
            float(line.value)
            for line in dece
            if line.anonymiser == ORIGINAL and (line.condition in WITHIN_RELEASE) == is_linkage
        ]
        largest[is_linkage] = max(unprotected, default=0.0)
    evidence = {}
    for line in dece:
        reference = largest[line.condition in WITHIN_RELEASE]
        if line.anonymiser == ORIGINAL or reference <= 0:
            continue
        one = shown(float(line.value), metric_limits(line))
        low, high = one.limits or (None, None)
        key = (line.anonymiser, line.extractor, line.backend, line.condition)
        evidence[key] = Finding(
            100 * one.value / reference,
            ABSENT if low is None else 100 * low / reference,
            ABSENT if high is None else 100 * high / reference,
            one.value,
        )
    return evidence


def read_efforts(path: str | Path) -> dict[str, list[EffortPoint]]:
    """Read the points of a list: {anonymiser: points}; draws of one are one release."""
    rows = _read(path)
    draws = draws_in(point.anonymiser for point in rows)
    attacks: dict[tuple[str, ...], list[EffortPoint]] = {}
    for point in rows:
        attack = (draws[point.anonymiser].system, *point[1:4])
        attacks.setdefault(attack, []).append(point)
    points: dict[str, list[EffortPoint]] = {}
    for (system, *_), of_draws in attacks.items():
        points.setdefault(system, []).append(_release(system, of_draws))
    return points


def _release(system: str, draws: Sequence[EffortPoint]) -> EffortPoint:
    """An attack on one release, from the same on draws of it; effort is that on one, too."""
    if len(draws) == 1:
        return draws[0]
    evidence = one_release([Shown(draw.evidence_percent, interval(draw)) for draw in draws])
    low, high = evidence.limits or (ABSENT, ABSENT)
    means = {name: mean(getattr(draw, name) for draw in draws) for name in ("dece_bit", *EFFORTS)}
    return draws[0]._replace(
        anonymiser=system, evidence_percent=evidence.value, ci_low=low, ci_high=high, **means
    )


def _read(path: str | Path) -> list[EffortPoint]:
    points = []
    for line, row in read_rows(path, list(EffortPoint._fields)):
        point = EffortPoint(
            row["anonymiser"],
            row["condition"],
            row["extractor"],
            row["backend"],
            number(row["evidence_percent"], path, line),
            _limit(row["ci_low"], path, line),
            _limit(row["ci_high"], path, line),
            *(number(row[name], path, line) for name in ("dece_bit", *EFFORTS)),
        )
        points.append(point)
    return points


def _limit(text, path, line):
    return ABSENT if text == ABSENT else number(text, path, line)


def drawn_at(points: Iterable[EffortPoint], effort: str) -> dict[EffortPoint, float]:
    """Where points stand on a logarithmic axis; those that take nothing stand at its left end.

    That is at a tenth of the least effort of the others.
    """
    points = list(points)
    least = min((getattr(one, effort) for one in points if getattr(one, effort) > 0), default=1.0)
    return {one: getattr(one, effort) or least / 10 for one in points}


def best_so_far(points: Sequence[EffortPoint], effort: str) -> list[tuple[EffortPoint, float]]:
    """The curve of an anonymiser: points by effort, and the most evidence up to each."""
    curve = []
    for one in sorted(points, key=lambda point: getattr(point, effort)):
        affordable = [other for other in points if getattr(other, effort) <= getattr(one, effort)]
        curve.append((one, max(other.evidence_percent for other in affordable)))
    return curve


def falls(points: Sequence[EffortPoint]) -> str:
    """Whether protection still falls at the costliest attacks, by processor time.

    It still falls where the most evidence is found by an attack whose lower limit lies above what
    all attacks of half its processor time find; it may where only the values say so.
    """
    strongest = max(points, key=lambda point: point.evidence_percent)
    cheaper = [one.evidence_percent for one in points if one.cpu_s <= strongest.cpu_s / 2]
    dearer = [one for one in points if one.cpu_s > 2 * strongest.cpu_s]
    if dearer:
        return NO_MORE
    limit = strongest.ci_low
    is_sure = bool(cheaper) and not isinstance(limit, str) and limit > max(cheaper)
    return STILL if is_sure else PERHAPS


def attack_name(point: EffortPoint) -> str:
    """Who attacks, and how."""
    return f"{attacker_name(point.extractor, point.backend)}, {point.condition.upper()}"


def interval(point: EffortPoint) -> tuple[float, float] | None:
    """The limits of the evidence; None where they are not known."""
    if isinstance(point.ci_low, str) or isinstance(point.ci_high, str):
        return None
    return point.ci_low, point.ci_high
