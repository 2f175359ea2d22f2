"""Rows of tables of the atlas; their fields are the columns."""

from typing import NamedTuple


class AtlasPoint(NamedTuple):
    """What a channel of a system discloses of who speaks, by the rank of the true speaker.

    ``most_bit`` is log2 of the gallery's size, more than which no rank discloses. Limits that are
    not known are -.
    """

    anonymiser: str
    condition: str
    channel: str
    value: float
    ci_low: float | None
    ci_high: float | None
    most_bit: float


class ExposedPoint(NamedTuple):
    """What a channel of a system discloses of one speaker, in bits, with its limits.

    It is drawn towards what all speakers disclose; limits hold for all speakers of a channel.
    """

    anonymiser: str
    condition: str
    channel: str
    speaker: str
    value: float
    ci_low: float
    ci_high: float
