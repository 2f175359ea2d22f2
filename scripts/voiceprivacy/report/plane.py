"""Privacy against utility, read from verdict.json for a chart and a picture.

Conventions
-----------
* Evidence left in percent, under the strongest attack, against one measure of utility. Both axes
  are turned so that good is upwards and to the right.
* The front joins the systems that no other one beats in both. Everything to the left of it and
  below it is beaten by a system on it.
* Points of a ``sweep`` are joined by a line in the order of the option's values.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from voiceprivacy.catalogue import METRICS
from voiceprivacy.inout import foreign
from voiceprivacy.inout.files import BadInput
from voiceprivacy.inout.json_files import read_json
from voiceprivacy.report.uncertainty import Shown
from voiceprivacy.vocabulary import NO_BREAK, ORIGINAL, UNDEFINED, average_folder

COMPETES, CONTROL, UNPROTECTED = "competes", "control", "unprotected"
EVIDENCE = "evidence_left_percent"
EVIDENCE_AXIS = "evidence left [%], ↑ more privacy"
ALL = 100.0  # percent of the evidence are left in unprotected speech
# Where the axis ends at the latest: limits of a ratio of few speakers reach thousands of percent.
MOST_DRAWN = 150.0
GOES_ON = "arrow: goes on beyond the axis"
MARGIN_LEFT, MARGIN_RIGHT = 0.12, 0.3  # of the range of utility: names stand there
# A name stands outside of the front, unless another point is as near as this, in parts of ranges.
NEAR_X, NEAR_Y = 0.3, 0.07
SIDES = ("top right", "bottom left", "bottom right", "top left")


class PlanePoint(NamedTuple):
    """A system; ``on_front`` is the share of draws in which it is on the front, if it competes."""

    system: str
    evidence: Shown
    utility: Shown
    on_front: float | None
    role: str

    @property
    def drawn(self) -> Shown:
        """The evidence as far as it is drawn."""
        limits = self.evidence.limits
        if limits:
            limits = min(limits[0], MOST_DRAWN), min(limits[1], MOST_DRAWN)
        return self.evidence._replace(value=min(self.evidence.value, MOST_DRAWN), limits=limits)


class Plane(NamedTuple):
    """One measure of utility of a set; ``front`` and ``sweeps`` name systems that are points."""

    metric: str
    better: str
    points: dict[str, PlanePoint]
    front: list[str]
    sweeps: dict[str, list[str]]

    @property
    def title(self) -> str:
        """What people call the measure."""
        return METRICS[self.metric].title if self.metric in METRICS else self.metric

    @property
    def axis(self) -> str:
        """The words at the axis of utility."""
        label = METRICS[self.metric].label if self.metric in METRICS else self.metric
        return f"{label}, → more utility"

    @property
    def utility_range(self) -> tuple[float, float]:
        """From left to right: more utility is to the right."""
        ends: list[float] = []
        for point in self.points.values():
            ends += [point.utility.value, *(point.utility.limits or ())]
        width = max(ends) - min(ends) or 1.0
        left, right = MARGIN_LEFT * width, MARGIN_RIGHT * width
        if self.better == "higher":
            return min(ends) - left, max(ends) + right
        return max(ends) + left, min(ends) - right

    @property
    def evidence_range(self) -> tuple[float, float]:
        """From below to the top: little evidence is on top."""
        ends = [ALL]
        for point in self.points.values():
            ends += [point.drawn.value, *(point.drawn.limits or ())]
        return max(ends) + 6, -8.0

    @property
    def evidence_axis(self) -> str:
        """The words at the axis of evidence."""
        return f"{EVIDENCE_AXIS} ({GOES_ON})" if self.beyond else EVIDENCE_AXIS

    @property
    def beyond(self) -> list[PlanePoint]:
        """The points that go on beyond the axis, themselves or their limits."""
        return [point for point in self.points.values() if point.drawn != point.evidence]

    def name_sides(self) -> dict[str, str]:
        """On which side of its point each name stands: those of near points do not overlap."""
        left, right = self.utility_range
        below, above = self.evidence_range
        sides: dict[str, str] = {}

        def is_near(one: PlanePoint, other: PlanePoint) -> bool:
            across = (one.utility.value - other.utility.value) / (right - left)
            up = (one.evidence.value - other.evidence.value) / (above - below)
            return abs(across) < NEAR_X and abs(up) < NEAR_Y

        def from_the_right(system: str) -> float:
            return (right - self.points[system].utility.value) / (right - left)

        for system in sorted(self.points, key=from_the_right):
            near = [other for other in sides if is_near(self.points[system], self.points[other])]
            taken = {sides[other] for other in near}
            sides[system] = next((side for side in SIDES if side not in taken), SIDES[0])
        return sides

    def staircase(self) -> tuple[list[float], list[float]]:
        """Utility and evidence of the corners of the front, from little evidence to much."""
        x: list[float] = []
        y: list[float] = []
        for system in self.front:
            point = self.points[system]
            if x:  # what the last system keeps, with the evidence of this one
                x.append(x[-1])
                y.append(point.drawn.value)
            x.append(point.utility.value)
            y.append(point.drawn.value)
        return x, y


def read_planes(path: str | Path, name: str) -> list[Plane]:
    """The planes of a set of verdict.json, in order of preference; none of an older version.

    Parameters
    ----------
    path : verdict.json
    name : of the set, as in paths

    Raises
    ------
    BadInput : it is no verdict of this version
    """
    content = read_json(path)
    try:
        for set_name, fields in content["sets"].items():
            if average_folder(set_name) == name:
                return planes_of(fields)
    except (BadInput, *foreign.UNEXPECTED) as error:
        raise BadInput(f"{path}: not a verdict of this version ({error!r})") from None
    return []


def planes_of(fields: Mapping[str, Any]) -> list[Plane]:
    """The planes of one set of verdict.json; those on which no system competes are left out."""
    utility = fields.get("utility", {"measures": {}})
    planes = []
    for metric, drawn in utility["measures"].items():
        points = _points(fields, drawn)
        if any(point.role == COMPETES for point in points.values()):
            sweeps = {
                source: [system for system in systems if system in points]
                for source, systems in utility.get("sweeps", {}).items()
            }
            front = [system for system in drawn["front"] if system in points]
            planes.append(Plane(metric, drawn["better"], points, front, sweeps))
    return planes


def _points(fields, drawn):
    points = {}
    for system, numbers in drawn["systems"].items():
        evidence = [ALL] * 3
        if system != ORIGINAL:
            evidence = fields["systems"][system][EVIDENCE]
        if UNDEFINED in (evidence, numbers["value"]):
            continue
        share = numbers["on_front"]
        role = COMPETES
        if system == ORIGINAL or system in fields["controls"]:
            role = UNPROTECTED if system == ORIGINAL else CONTROL
        elif share == UNDEFINED:
            continue  # nothing can be said of it
        on_front = None if share == UNDEFINED else float(share)
        points[system] = PlanePoint(
            system, _shown(evidence), _shown(numbers["value"]), on_front, role
        )
    return points


def _shown(limits: Sequence[Any]) -> Shown:
    value, low, high = (float(number) for number in limits)
    return Shown(value, (low, high) if high > low else None)


def on_front_text(share: float | None) -> str:
    """How often a system is on the front, in words; empty if it does not compete."""
    if share is None:
        return ""
    percent = f"{100 * share:.0f}{NO_BREAK}%"
    if share >= 0.995:
        percent = f"over 99{NO_BREAK}%" if share < 1 else f"100{NO_BREAK}%"
    elif share < 0.005:
        percent = f"under 1{NO_BREAK}%"
    return f"on the front in {percent} of the draws"
