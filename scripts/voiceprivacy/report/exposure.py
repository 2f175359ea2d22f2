"""Most exposed speakers, by channel of speech.

Conventions
-----------
* What a channel discloses of a speaker is drawn towards what it discloses of all, with limits that
  hold for all speakers of that channel at once, and not over channels (matrices/exposure.py).
* Speakers are in the order of the channel that discloses most of them; MOST of them are shown.
"""

from collections.abc import Iterable
from typing import NamedTuple

from voiceprivacy.inout.files import FilePath
from voiceprivacy.inout.typed_tables import read_typed
from voiceprivacy.report.atlas import NAMES
from voiceprivacy.report.mailed import NAMED, Codes, code_of
from voiceprivacy.report.rows import ExposedPoint
from voiceprivacy.report.uncertainty import Shown

MOST = 10


class Exposed(NamedTuple):
    """The most exposed speakers of a system: ``bits`` are {speaker: {channel: number}}."""

    channels: list[str]
    bits: dict[str, dict[str, Shown]]


def most_bit(systems: Iterable[Exposed]) -> float:
    """The largest number of several systems, which ends a scale that they share; 0.01 at least."""
    largest = 0.01
    for each in systems:
        for by_channel in each.bits.values():
            largest = max(largest, *(bits.value for bits in by_channel.values()))
    return largest


def read_exposed(path: FilePath, codes: Codes = NAMED) -> dict[tuple[str, str], Exposed]:
    """The most exposed speakers of each system: {(anonymiser, condition): Exposed}.

    Parameters
    ----------
    path : TSV of ExposedPoint
    codes : what stands for the names of speakers

    Raises
    ------
    BadInput : a field is missing or is no number; a speaker has no code
    """
    systems: dict[tuple[str, str], list[ExposedPoint]] = {}
    for point in read_typed(ExposedPoint, path):
        own = point._replace(speaker=code_of(point.speaker, codes))
        systems.setdefault(point[:2], []).append(own)
    return {system: _most_exposed(points) for system, points in systems.items()}


def _most_exposed(points: Iterable[ExposedPoint]) -> Exposed:
    bits: dict[str, dict[str, Shown]] = {}
    for point in points:
        limits = (point.ci_low, point.ci_high)
        bits.setdefault(point.speaker, {})[point.channel] = Shown(point.value, limits)
    most = {name: max(shown.value for shown in by.values()) for name, by in bits.items()}
    names = sorted(bits, key=lambda name: (-most[name], name))[:MOST]
    known = set().union(*(bits[name] for name in names))
    return Exposed(
        [channel for channel in NAMES if channel in known], {name: bits[name] for name in names}
    )
