"""Privacy against utility of the systems of a corpus, for a chart and a picture.

Conventions
-----------
* Evidence is that of verdict.json for one recording, in percent: 0 is none, 100 re-identifies
  everybody. Below 0 the attacker does worse than by chance. This is shown as 0, as in the table of
  the verdict.
* Utility is the mean over all utterances of the corpus, by one measure.
* Both axes are turned so that good is upwards and to the right.
"""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from voiceprivacy.catalogue import is_headline, row_of, utility_preference
from voiceprivacy.catalogue.metric import Metric
from voiceprivacy.inout.files import FilePath
from voiceprivacy.report.measured import Utility, read_utility
from voiceprivacy.report.uncertainty import Shown, shown_number
from voiceprivacy.report.verdict import facts_of
from voiceprivacy.vocabulary import ABSENT, ORIGINAL, UNDEFINED

COMPETES, CONTROL, UNPROTECTED = "competes", "control", "unprotected"
EVIDENCE_AXIS = "evidence of who speaks [%], ↑ more privacy"
EVIDENCE_RANGE = (100.0, -8.0)  # from below to the top: little evidence is on top
MARGIN = 0.12  # of the range of utility


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
    def row(self) -> Metric:
        """What is known of the measure."""
        return row_of(self.metric)

    @property
    def axis(self) -> str:
        """The words at the axis of utility."""
        return f"{self.row.label}, → more utility"

    @property
    def utility_range(self) -> tuple[float, float]:
        """From left to right: more utility is to the right."""
        ends: list[float] = []
        for point in self.points.values():
            ends += [point.utility.value, *(point.utility.limits or ())]
        margin = MARGIN * (max(ends) - min(ends) or 1.0)
        low, high = min(ends) - margin, max(ends) + margin
        return (low, high) if self.better == "higher" else (high, low)

    def utility_text(self, system: str) -> str:
        """The utility of a system with its limits, as the tables have it."""
        return self.points[system].utility.text(f"{{:z.{self.row.digits}f}}".format)


def read_planes(verdict: FilePath, metrics: FilePath, name: str) -> list[Plane]:
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
    with facts_of(verdict) as sets:
        evidence = _evidence_of(sets[name]) if name in sets else {}
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
            systems[line.anonymiser] = shown_number(line.metric_line)
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
        value, low, high = (max(0.0, number) for number in own["evidence_percent"])
        evidence[system] = role, Shown(value, (low, high))
    return evidence
