"""Privacy against utility, read from verdict.json for a chart and a picture.

Conventions
-----------
* Evidence left in percent, under the strongest attack, against one measure of utility. Both axes
  are turned so that good is upwards and to the right.
* The front joins the systems that no other one beats in both. Everything to the left of it and
  below it is beaten by a system on it.
* Points of a ``sweep`` are joined by a line in the order of the option's values.
"""

import math
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
FEW_POINTS = 8
# Sizes in parts of the axes of a narrow drawing (a phone, a column of a paper).
CHARACTER, LINE, MARK = 0.026, 0.056, 0.03
# In which direction a name is looked for first: outside of the front, and to its sides.
DIRECTIONS = (45, 225, 315, 135, 0, 180, 90, 270, 20, 200, 340, 160, 70, 250, 290, 110)  # degrees
RINGS = 40  # distances that are tried, half a line apart


Position = tuple[float, float]  # across, up


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

    @property
    def is_crowded(self) -> bool:
        """Whether so many systems are drawn that broad limits would hide them."""
        return len(self.points) > FEW_POINTS

    def names_at(self) -> dict[str, tuple[Position, Position]]:
        """Where each name stands, and where the line to its mark ends, in units of the axes.

        Sizes are those of narrow drawings: wherever there is more room, names have more, too.
        """
        (left, right), (below, above) = self.utility_range, self.evidence_range
        across, up = right - left, above - below

        def in_units(x: float, y: float) -> Position:
            return left + x * across, below + y * up

        marks = {
            system: ((point.utility.value - left) / across, (point.drawn.value - below) / up)
            for system, point in self.points.items()
        }
        return {
            system: (in_units(*middle), in_units(*edge_of_name(system, middle, marks[system])))
            for system, middle in separate_names(marks).items()
        }

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


def separate_names(marks: Mapping[str, Position]) -> dict[str, Position]:
    """Middles of names beside their marks, so that neither covers another; from 0 to 1, as marks.

    Each name takes the nearest free position, those at the right and at the top first. Where none
    is free, it takes the one beside its mark.
    """
    boxes = [(x, y, MARK, MARK) for x, y in marks.values()]
    middles = {}
    for name in sorted(marks, key=lambda name: (-marks[name][0], -marks[name][1], name)):
        size = (CHARACTER * len(name), LINE)
        near = [(*middle, *size) for middle in _positions(marks[name], size)]
        free = (box for box in near if _is_inside(box) and not _overlaps(box, boxes))
        boxes.append(next(free, near[0]))
        middles[name] = boxes[-1][:2]
    return {name: middles[name] for name in marks}


def edge_of_name(name: str, middle: Position, mark: Position) -> Position:
    """Where a line from a mark meets the box of its name; from 0 to 1, as marks."""
    across, up = mark[0] - middle[0], mark[1] - middle[1]
    shares = [1.0]
    if across:
        shares.append(CHARACTER * len(name) / 2 / abs(across))
    if up:
        shares.append(LINE / 2 / abs(up))
    return middle[0] + min(shares) * across, middle[1] + min(shares) * up


def _positions(mark, size):
    """Middles of a name around its mark, the nearest first."""
    (x, y), (width, height) = mark, size
    for ring in range(RINGS):
        away = (MARK + ring * LINE) / 2
        for degrees in DIRECTIONS:
            right, up = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
            yield x + right * (width / 2 + away), y + up * (height / 2 + away)


def _is_inside(box):
    x, y, width, height = box
    return width / 2 <= x <= 1 - width / 2 and height / 2 <= y <= 1 - height / 2


def _overlaps(box, others):
    x, y, width, height = box
    return any(
        abs(x - other[0]) < (width + other[2]) / 2 and abs(y - other[1]) < (height + other[3]) / 2
        for other in others
    )


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
