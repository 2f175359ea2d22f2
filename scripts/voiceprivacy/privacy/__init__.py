"""Privacy metrics of scores and of score matrices, and how uncertain they are.

``scores`` holds metrics of trial lists, ``matrices`` those of whole score matrices, ``uncertainty``
intervals and comparisons, ``law`` the criteria of data-protection law, ``verdict`` what is made of
all of them. The aliases below are the types of arrays that the room's functions take.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.float64]  # scores or LLRs, higher = more likely the same speaker
Floats = NDArray[np.float64]  # any other numbers: error rates, shares, replicates
Counts = NDArray[np.int64]
Flags = NDArray[np.bool_]
Names = NDArray[np.str_]
Number = float | str  # of a metric; text where it is undefined, or a tag
Metrics = dict[str, Number]  # {metric: value}
Classes = Mapping[str, Any]  # {"target": scores (T,), "nontarget": scores (N,)}
