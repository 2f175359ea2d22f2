"""Scores of every row against every column."""

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Text: TypeAlias = NDArray[np.str_]


class ScoreMatrix(NamedTuple):
    """Scores (R, C) of rows against columns.

    Pairs of equal source are to be left out. The source is the utterance that a segment was cut
    from; by default it is the id itself.
    """

    rows: Text
    columns: Text
    row_speakers: Text
    column_speakers: Text
    scores: NDArray[np.floating]
    row_sources: Text
    column_sources: Text
