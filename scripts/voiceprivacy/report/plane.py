"""Privacy against utility of the systems of a corpus, for a chart and a picture.

Conventions
-----------
* Evidence is that of verdict.json for one recording, in percent: 0 is none, 100 re-identifies
  everybody. Below 0 the attacker does worse than by chance. This is shown as 0, as in the table of
  the verdict.
* Utility is the mean over all utterances of the corpus, by one measure.
* Both axes are turned so that good is upwards and to the right.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from voiceprivacy.catalogue import METRICS, is_headline, utility_preference
from voiceprivacy.inout import foreign
from voiceprivacy.inout.files import BadInput
from voiceprivacy.inout.json_files import read_json
from voiceprivacy.report.sections import Utility, read_utility
from voiceprivacy.report.uncertainty import Shown, shown_number
from voiceprivacy.report.verdict import FORMAT
from voiceprivacy.vocabulary import ABSENT, ORIGINAL, UNDEFINED

COMPETES, CONTROL, UNPROTECTED = "competes", "control", "unprotected"
EVIDENCE_AXIS = "evidence of who speaks [%], ↑ more privacy"
EVIDENCE_RANGE = (100.0, -8.0)  # from below to the top: little evidence is on top
MARGIN_LEFT, MARGIN_RIGHT = 0.12, 0.3  # of the range of utility: names are written there
FEW_POINTS = 8
# Sizes in parts of the axes of a narrow drawing (a phone, a column of a paper).
CHARACTER, LINE, MARK = 0.026, 0.056, 0.03
# In which direction a name is looked for first.
DIRECTIONS = (45, 225, 315, 135, 0, 180, 90, 270, 20, 200, 340, 160, 70, 250, 290, 110)  # degrees
RINGS = 40  # distances that are tried, half a line apart
NEAR_RINGS = 6  # a name stays so near to its mark, also where it covers limits

Position = tuple[float, float]  # across, up
Box = tuple[float, float, float, float]  # its middle, its width and height


class Threshold(NamedTuple):
    """A line across the drawing, and the words at its right end, below it or above it."""

    percent: float
    words: str
    is_below: bool


# The usual thresholds of the verdict. Of a system that is not protected both limits lie below the
# first line, unless it is by another measure. Of one with a low remaining risk both lie above the
# second line.
THRESHOLDS = (Threshold(10.0, "not protected", True), Threshold(2.0, "low", False))


class PlanePoint(NamedTuple):
    """A system; ``role`` is COMPETES, CONTROL or UNPROTECTED."""

    system: str
    evidence: Shown
    utility: Shown
    role: str


class Plane(NamedTuple):
    """One measure of utility of a corpus: {system: PlanePoint}; ``better`` is higher or lower."""

    metric: str
    better: str
    points: dict[str, PlanePoint]

    @property
    def title(self) -> str:
        """What people call the measure."""
        return METRICS[self.metric].title if self.metric in METRICS else self.metric

    @property
    def label(self) -> str:
        """The same with the unit."""
        return METRICS[self.metric].label if self.metric in METRICS else self.metric

    @property
    def axis(self) -> str:
        """The words at the axis of utility."""
        return f"{self.label}, → more utility"

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
    def is_crowded(self) -> bool:
        """Whether so many systems are drawn that broad limits would hide them."""
        return len(self.points) > FEW_POINTS

    def utility_text(self, system: str) -> str:
        """The utility of a system with its limits, as the tables have it."""
        digits = METRICS[self.metric].digits if self.metric in METRICS else 2
        return self.points[system].utility.text(f"{{:z.{digits}f}}".format)

    def names_at(self) -> dict[str, tuple[Position, Position]]:
        """Where each name stands, and where the line to its mark ends, in units of the axes.

        Sizes are those of narrow drawings: wherever there is more room, names have more, too.
        """
        (left, right), (below, above) = self.utility_range, EVIDENCE_RANGE
        across, up = right - left, above - below

        def in_units(x: float, y: float) -> Position:
            return left + x * across, below + y * up

        marks, limits = {}, []
        for system, point in self.points.items():
            x, y = _shares(point.utility, left, right), _shares(point.evidence, below, above)
            marks[system] = x.value, y.value
            limits += _boxes_of_limits(x, y)
        names = separate_names(marks, taken=_words_of_thresholds(), limits=limits)
        return {
            system: (in_units(*middle), in_units(*edge_of_name(system, middle, marks[system])))
            for system, middle in names.items()
        }


def separate_names(
    marks: Mapping[str, Position], *, taken: Iterable[Box] = (), limits: Sequence[Box] = ()
) -> dict[str, Position]:
    """Middles of names beside their marks, so that neither covers another; from 0 to 1, as marks.

    Names at the right and at the top are placed first. Each takes the nearest free position, if
    possible one that covers no limits. Where none is free, it takes the one beside its mark.

    Parameters
    ----------
    marks : {name: position}
    taken : boxes that no name may cover
    limits : boxes of intervals
    """
    boxes = [*taken, *((x, y, MARK, MARK) for x, y in marks.values())]
    middles = {}
    for name in sorted(marks, key=lambda name: (-marks[name][0], -marks[name][1], name)):
        size = (CHARACTER * len(name), LINE)
        near = [(*middle, *size) for middle in _positions(marks[name], size)]
        free = (box for box in near if _is_free(box, boxes))
        clear = (
            box
            for box in near[: NEAR_RINGS * len(DIRECTIONS)]
            if _is_free(box, boxes) and not _overlaps(box, limits)
        )
        boxes.append(next(clear, None) or next(free, near[0]))
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


def _shares(number, start, end):
    """A number and its limits as shares of an axis."""
    limits = [(limit - start) / (end - start) for limit in number.limits or ()]
    return Shown((number.value - start) / (end - start), tuple(limits) or None)


def _boxes_of_limits(x, y):
    """The boxes, as thin as lines, of the limits of a point."""
    if x.limits:
        yield sum(x.limits) / 2, y.value, abs(x.limits[1] - x.limits[0]), 0.0
    if y.limits:
        yield x.value, sum(y.limits) / 2, 0.0, abs(y.limits[1] - y.limits[0])


def _words_of_thresholds():
    """The boxes of the words of all thresholds."""
    below, above = EVIDENCE_RANGE
    for threshold in THRESHOLDS:
        up = (threshold.percent - below) / (above - below)
        width = CHARACTER * len(threshold.words)
        yield 1 - width / 2, up + (-LINE if threshold.is_below else LINE) / 2, width, LINE


def _positions(mark, size):
    """Middles of a name around its mark, the nearest first."""
    (x, y), (width, height) = mark, size
    for ring in range(RINGS):
        away = (MARK + ring * LINE) / 2
        for degrees in DIRECTIONS:
            right, up = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
            yield x + right * (width / 2 + away), y + up * (height / 2 + away)


def _is_free(box, others):
    """Whether a box lies inside the drawing and covers no other one."""
    x, y, width, height = box
    is_inside = width / 2 <= x <= 1 - width / 2 and height / 2 <= y <= 1 - height / 2
    return is_inside and not _overlaps(box, others)


def _overlaps(box, others):
    x, y, width, height = box
    return any(
        abs(x - other[0]) < (width + other[2]) / 2 and abs(y - other[1]) < (height + other[3]) / 2
        for other in others
    )


def read_planes(verdict: str | Path, metrics: str | Path, name: str) -> list[Plane]:
    """The planes of a corpus, in order of preference.

    Parameters
    ----------
    verdict : verdict.json
    metrics : metrics/utility/CORPUS.tsv, which knows which way is better
    name : of the corpus

    Raises
    ------
    BadInput : it is no verdict of this version
    """
    content = read_json(verdict)
    try:
        if content["format"] != FORMAT:
            raise BadInput(f"format {content['format']}")
        evidence = _evidence_of(content["sets"][name]) if name in content["sets"] else {}
    except (BadInput, *foreign.UNEXPECTED) as error:
        raise BadInput(f"{verdict}: not a verdict of this version ({error!r})") from None
    return planes_of(evidence, read_utility([metrics]))


def planes_of(
    evidence: Mapping[str, tuple[str, Shown]], measured: Iterable[Utility]
) -> list[Plane]:
    """A plane for each measure by which one chooses, without those where no system competes.

    Parameters
    ----------
    evidence : {system: (role, evidence in percent)}
    measured : the lines of a corpus
    """
    measures: dict[tuple[str, str], dict[str, Shown]] = {}
    for line in measured:
        # A number without a better way, such as that of words, is only the weight of another.
        is_mean = line.trials == ABSENT and line.better != ABSENT and line.value != UNDEFINED
        if is_mean and is_headline(line.metric):
            systems = measures.setdefault((line.metric, line.better), {})
            systems[line.anonymiser] = shown_number(line.metric_line, {})
    planes = []
    for metric, better in sorted(measures, key=lambda measure: utility_preference(measure[0])):
        utility = measures[metric, better]
        points = {
            system: PlanePoint(system, percent, utility[system], role)
            for system, (role, percent) in evidence.items()
            if system in utility
        }
        if any(point.role == COMPETES for point in points.values()):
            planes.append(Plane(metric, better, points))
    return planes


def _evidence_of(facts: Mapping[str, Any]) -> dict[str, tuple[str, Shown]]:
    """{system: (role, evidence)} of one set, unprotected speech first, without what is unknown."""
    evidence = {}
    for system, own in {ORIGINAL: facts["unprotected"], **facts["systems"]}.items():
        if own is None or own["evidence_percent"] is None:
            continue
        role = CONTROL if system in facts["controls"] else COMPETES
        role = UNPROTECTED if system == ORIGINAL else role
        evidence[system] = role, _shown(own["evidence_percent"])
    return evidence


def _shown(limits: Sequence[float]) -> Shown:
    value, low, high = (max(0.0, number) for number in limits)
    return Shown(value, (low, high))
