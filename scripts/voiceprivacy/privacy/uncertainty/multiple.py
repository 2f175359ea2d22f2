"""P-values that are looked at together.

References
----------
Holm, A simple sequentially rejective multiple test procedure, Scandinavian Journal of Statistics 6,
1979.
"""

import numpy as np
from numpy.typing import ArrayLike

from voiceprivacy.privacy import Floats


def holm(p_values: ArrayLike) -> Floats:
    """P-values (N,) after Holm's correction, array (N,).

    The smallest one times N, the next times N - 1, ...; none below one before it, none above 1.
    """
    p_values = np.asarray(p_values)
    order = np.argsort(p_values)
    rising = np.maximum.accumulate(p_values[order] * np.arange(len(order), 0, -1))
    return np.minimum(rising, 1)[np.argsort(order)]
