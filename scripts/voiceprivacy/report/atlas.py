"""The disclosure atlas: how many bits of who speaks each channel gives away, system by system.

Conventions
-----------
* A channel's disclosure is that of the rank of the true speaker (``disclosure_bit``, Backstrom et
  al., 2025), by the attacker that hears it. Limits are its own (95 %, over speakers).
* Channels overlap: what two of them disclose is not the sum of both. What they disclose together
  is measured on their fused scores (privacy/atlas/fusion.py).
"""

import math
from collections.abc import Iterable, Mapping
from typing import Any

from voiceprivacy.inout.files import BadInput, FilePath
from voiceprivacy.inout.rows import limits_of, read_typed, typed_rows
from voiceprivacy.report.metrics import Number
from voiceprivacy.report.uncertainty import Shown, metric_limits, shown
from voiceprivacy.vocabulary import (
    ABSENT,
    DISCLOSURE,
    GAIN,
    GAP,
    MEASURES_OF_CHANNELS,
    TOGETHER,
    UNDEFINED,
    AtlasPoint,
    ChannelsPoint,
    Heard,
    NumberKey,
    TrialList,
)

BITS, TEMPLATES = "disclosure_bit", "n_templates"
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
        low, high = (told.limits[0], min(told.limits[1], most)) if told.limits else (None, None)
        points.append(AtlasPoint(*one[:3], told.value, low, high, most))
    return points


def read_atlas(path: FilePath) -> list[AtlasPoint]:
    """Read the points of a list.

    Raises
    ------
    BadInput : a field is missing or is no number
    """
    return read_typed(AtlasPoint, path)


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


def bits(point: AtlasPoint | ChannelsPoint) -> Shown:
    """A number of bits with its limits."""
    return Shown(point.value, limits_of(point.ci_low, point.ci_high))


# Several channels together.


def together_of(fusion: Mapping[str, Any], anonymiser: str, condition: str) -> list[ChannelsPoint]:
    """The numbers of what the channels of a system disclose together, from its JSON.

    Every set comes first, then what each channel adds to all others, then the gap. Of too few
    speakers there are none.
    """
    if UNDEFINED in fusion:
        return []
    most = math.log2(fusion["n_templates"])

    def point(measure: str, channels: str, given: str, estimate: Mapping) -> ChannelsPoint:
        limits = (estimate["low"], estimate["high"])
        names = (anonymiser, condition, measure, channels, given or ABSENT)
        return ChannelsPoint(*names, estimate["bit"], *limits, most)

    everything = TOGETHER.join(gain["channel"] for gain in fusion["in_order"])
    return [
        *(point(DISCLOSURE, name, "", bits) for name, bits in fusion["sets"].items()),
        *(
            point(GAIN, gain["channel"], gain["given"], gain["gain"])
            for gain in fusion["given_others"]
        ),
        point(GAP, everything, "", fusion["gap"]),
    ]


def read_together(path: FilePath) -> list[ChannelsPoint]:
    """Read the numbers of several channels on a list.

    Raises
    ------
    BadInput : a field is missing or is no number, a measure that there is not
    """
    points = []
    for line, point in typed_rows(ChannelsPoint, path):
        if point.measure not in MEASURES_OF_CHANNELS:
            known = ", ".join(MEASURES_OF_CHANNELS)
            raise BadInput(f"{path}, line {line}: measure {point.measure!r} is none of {known}")
        points.append(point)
    return points


def sets_shown(points: Iterable[ChannelsPoint]) -> list[tuple[str, ...]]:
    """Each channel alone, then the first two, the first three ... and all; ordered as NAMES."""
    known = set(TOGETHER.join(point.channels for point in points).split(TOGETHER))
    channels = [channel for channel in NAMES if channel in known]
    alone = [(channel,) for channel in channels]
    return [*alone, *(tuple(channels[:n]) for n in range(2, len(channels) + 1))]


def disclosures(
    points: Iterable[ChannelsPoint],
) -> dict[tuple[str, str], dict[tuple[str, ...], ChannelsPoint]]:
    """{(anonymiser, condition): {set of channels: what it discloses}}, in the table's order."""
    systems: dict[tuple[str, str], dict[tuple[str, ...], ChannelsPoint]] = {}
    for point in points:
        if point.measure == DISCLOSURE:
            of_system = systems.setdefault((point.anonymiser, point.condition), {})
            of_system[tuple(point.channels.split(TOGETHER))] = point
    return systems
