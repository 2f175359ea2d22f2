"""The disclosure atlas: how many bits of who speaks each channel gives away, system by system.

Conventions
-----------
* A channel's disclosure is that of the rank of the true speaker (``disclosure_bit``, Backstrom et
  al., 2025), by the attacker that hears it. Limits are its own (95 %, over speakers).
* Channels overlap: what two of them disclose is not the sum of both.
"""

import math
from collections.abc import Iterable, Mapping

from voiceprivacy.errors import BadInput
from voiceprivacy.inout.files import FilePath
from voiceprivacy.inout.typed_tables import read_labelled
from voiceprivacy.plan.rows import Heard
from voiceprivacy.privacy.rows import Disclosure
from voiceprivacy.report.metrics import Number
from voiceprivacy.report.rows import AtlasPoint, ExposedPoint
from voiceprivacy.report.uncertainty import metric_limits, shown
from voiceprivacy.vocabulary import NumberKey, TrialList

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
    known = {line.key: line for line in numbers}
    points = []
    for one in heard:
        attack = (one.heard_in, one.extractor, one.backend, one.heard_under)
        bits = known.get(NumberKey(*trial_list, *attack, BITS))
        if bits is None:
            continue
        told = shown(float(bits.value), metric_limits(bits))
        most = math.log2(float(known[bits.key._replace(metric=TEMPLATES)].value))
        # Limits of a normal approximation can lie beyond what a rank can disclose.
        low, high = (told.limits[0], min(told.limits[1], most)) if told.limits else (None, None)
        points.append(AtlasPoint(*one[:3], told.value, low, high, most))
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


def points_of_speakers(heard: Mapping[Heard, FilePath]) -> list[ExposedPoint]:
    """What every channel discloses of every speaker, from the rank_speakers tables of a run.

    Parameters
    ----------
    heard : {channel of a system: table of who hears it}

    Raises
    ------
    BadInput : a table lists no speaker, or a field is no number
    """
    points = []
    for one, path in heard.items():
        listed = read_labelled(Disclosure, path)
        if not listed:
            raise BadInput(f"{path}: lists no speaker")
        for own in listed.get(one.heard_under, []):
            limits = (own.shrunken_low_bit, own.shrunken_high_bit)
            bits = shown(own.shrunken_disclosure_bit, limits).value
            points.append(ExposedPoint(*one[:3], own.speaker, bits, *limits))
    return points
