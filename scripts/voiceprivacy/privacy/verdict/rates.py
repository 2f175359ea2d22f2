"""Rates over random sets of speakers, with replicates.

Conventions
-----------
``drawn`` (B + 1, S) says how often each speaker is drawn: the first row once each, for the value,
the others for the replicates.
"""

from typing import NamedTuple

import numpy as np

from voiceprivacy.privacy import Counts, Floats


class Rate(NamedTuple):
    """A rate from 0 to 1, its replicates (B,), and why it is NaN or how it was extrapolated."""

    value: float
    replicates: Floats
    reason: str = ""


def with_everybody(n_speakers: int, weights: Counts | None) -> Counts:
    """Numbers of draws (B + 1, S) from those of the replicates (B, S), None for no replicates."""
    once = np.ones((1, n_speakers), dtype=np.int64)
    return once if weights is None else np.concatenate([once, weights])


def undefined(reason: str, drawn: Counts) -> Rate:
    """A rate that a list cannot say, and why."""
    return Rate(np.nan, np.full(len(drawn) - 1, np.nan), reason)


def settled(rates: Floats, reason: str = "") -> Rate:
    """Rate from its value and replicates (B + 1,), which are moved until their median is the value.

    The value is unbiased over random sets. Replicates, whose sets hold some speakers twice, are
    not. In simulations of linkability plain percentiles held the truth in 55 to 97 %, moved ones in
    91 to 99 %.
    """
    value, replicates = rates[0], rates[1:]
    usable = replicates[~np.isnan(replicates)]
    if len(usable):
        replicates = np.clip(replicates + value - np.median(usable), 0, 1)
    return Rate(float(value), replicates, reason)


def share(part: Floats, total: Floats) -> Floats:
    """Part of a total; NaN where nobody is drawn."""
    with np.errstate(invalid="ignore"):
        return part / total
