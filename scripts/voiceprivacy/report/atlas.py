"""The disclosure atlas: how many bits of who speaks each channel gives away, system by system.

Conventions
-----------
* A channel's disclosure is that of the rank of the true speaker (``disclosure_bit``, Backstrom et
  al., 2025), by the attacker that hears it. Limits are its own (95 %, over speakers).
* Channels overlap: what two of them disclose is not the sum of both.
* What is left is a channel's disclosure in percent of the same channel's in unprotected speech. It
  is told where the lower limit of that lies above zero by LEAST_BIT: else there was nothing to
  remove.
"""

import math
from collections.abc import Iterable, Sequence
from pathlib import Path

from voiceprivacy.inout.tables import number, read_rows
from voiceprivacy.report.metrics import Number
from voiceprivacy.report.uncertainty import Shown, metric_limits, shown
from voiceprivacy.vocabulary import (
    ABSENT,
    ORIGINAL,
    UNDEFINED,
    AtlasPoint,
    Heard,
    NumberKey,
    TrialList,
)

BITS, TEMPLATES = "disclosure_bit", "n_templates"
LEAST_BIT = 0.05
NAMES = {  # of channels, as they are shown
    "voice": "voice",
    "pitch": "pitch",
    "contour": "intonation",
    "phones": "sounds",
    "timing": "timing",
    "background": "background",
    "style": "style",
    "words": "words",
}


def points_of(
    numbers: Iterable[Number], trial_list: TrialList, heard: Iterable[Heard]
) -> list[AtlasPoint]:
    """What each channel discloses on a list; a channel without a number is left out."""
    known = {line.key: line for line in numbers if line.metric in (BITS, TEMPLATES)}
    points = []
    for one in heard:
        attack = (one.heard_in, one.extractor, one.backend, one.heard_under)
        bits = known.get(NumberKey(*trial_list, *attack, BITS))
        templates = known.get(NumberKey(*trial_list, *attack, TEMPLATES))
        if bits is None or templates is None or bits.value == UNDEFINED:
            continue
        told = shown(float(bits.value), metric_limits(bits))
        most = math.log2(float(templates.value))
        # Limits of a normal approximation can lie beyond what a rank can disclose.
        low, high = (told.limits[0], min(told.limits[1], most)) if told.limits else (ABSENT, ABSENT)
        points.append(AtlasPoint(*one[:3], told.value, low, high, most))
    return points


def read_atlas(path: str | Path) -> list[AtlasPoint]:
    """Read the points of a list.

    Raises
    ------
    BadInput : a field is missing or is no number
    """
    points = []
    for line, row in read_rows(path, list(AtlasPoint._fields)):
        low, high = (
            ABSENT if row[name] == ABSENT else number(row[name], path, line)
            for name in ("ci_low", "ci_high")
        )
        value, most = (number(row[name], path, line) for name in ("value", "most_bit"))
        names = (row["anonymiser"], row["condition"], row["channel"])
        points.append(AtlasPoint(*names, value, low, high, most))
    return points


def by_system(points: Iterable[AtlasPoint]) -> dict[tuple[str, str], dict[str, AtlasPoint]]:
    """{(anonymiser, condition): {channel: point}}, in the order of the table."""
    systems: dict[tuple[str, str], dict[str, AtlasPoint]] = {}
    for point in points:
        systems.setdefault((point.anonymiser, point.condition), {})[point.channel] = point
    return systems


def channels_of(points: Iterable[AtlasPoint]) -> list[str]:
    """The channels of a table, in the order of NAMES."""
    known = {point.channel for point in points}
    return [channel for channel in NAMES if channel in known]


def bits(point: AtlasPoint) -> Shown:
    """A channel's disclosure with its limits."""
    if isinstance(point.ci_low, str) or isinstance(point.ci_high, str):
        return Shown(point.value, None)
    return Shown(point.value, (point.ci_low, point.ci_high))


def left_percent(point: AtlasPoint, points: Sequence[AtlasPoint]) -> float | None:
    """What is left of a channel; None where unprotected speech surely discloses nothing by it."""
    for other in points:
        if (other.anonymiser, other.channel) == (ORIGINAL, point.channel):
            least = bits(other).limits or (other.value, other.value)
            return 100 * point.value / other.value if least[0] > LEAST_BIT else None
    return None
