"""P-values that are looked at together.

References
----------
Holm, A simple sequentially rejective multiple test procedure, Scandinavian Journal of Statistics 6,
1979.
"""

from collections.abc import Mapping, Sequence
from itertools import chain, islice

import numpy as np
from numpy.typing import ArrayLike

from voiceprivacy.privacy import Floats

LEVEL = 0.025  # of one-sided tests, as 95 % limits have it


def bonferroni(p_values: Sequence[float]) -> float:
    """The p-value of them together: the smallest one times their number, at most 1."""
    return min(1.0, max(1, len(p_values)) * min(p_values, default=1.0))


def holm(p_values: ArrayLike) -> Floats:
    """P-values (N,) after Holm's correction, array (N,).

    The smallest one times N, the next times N - 1, ...; none below one before it, none above 1.
    """
    p_values = np.asarray(p_values)
    order = np.argsort(p_values)
    rising = np.maximum.accumulate(p_values[order] * np.arange(len(order), 0, -1))
    return np.minimum(rising, 1)[np.argsort(order)]


def significant(
    p_values: Mapping[str, Mapping[str, float]], level: float
) -> dict[str, dict[str, float]]:
    """P-values that are at most ``level`` after Holm's correction over all groups together.

    Parameters
    ----------
    p_values : {group: {name: p-value}}

    Returns
    -------
    {group: {name: p-value after the correction}}
    """
    corrected = iter(holm([*chain.from_iterable(own.values() for own in p_values.values())]))
    return {
        group: {
            name: float(p_value)
            for name, p_value in zip(own, islice(corrected, len(own)), strict=True)
            if p_value <= level
        }
        for group, own in p_values.items()
    }
