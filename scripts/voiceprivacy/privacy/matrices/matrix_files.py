"""Score matrices in npz files."""

import numpy as np

from voiceprivacy.errors import BadInput
from voiceprivacy.inout.arrays import check_floats, check_text, read_npz, refuse_twice, write_npz
from voiceprivacy.inout.files import FilePath
from voiceprivacy.privacy.rows import ScoreMatrix

TEXTS_OF_MATRIX = [name for name in ScoreMatrix._fields if name != "scores"]


def read_matrix(path: FilePath) -> ScoreMatrix:
    """Read a ScoreMatrix from npz; BadInput says what does not fit."""
    arrays = read_npz(path, ["rows", "columns", "row_speakers", "column_speakers", "scores"])
    check_floats(path, "scores", arrays["scores"])
    check_text(path, **{name: arrays[name] for name in TEXTS_OF_MATRIX if name in arrays})
    shape = (len(arrays["rows"]), len(arrays["columns"]))
    if arrays["scores"].shape != shape:
        raise BadInput(
            f"{path}: scores have the shape {arrays['scores'].shape}, rows and columns say {shape}"
        )
    for row, column in np.argwhere(np.isnan(arrays["scores"]))[:1]:
        pair = f"'{arrays['rows'][row]}' and '{arrays['columns'][column]}'"
        raise BadInput(f"{path}: scores hold NaN, such as that of {pair}")
    arrays.setdefault("row_sources", arrays["rows"])
    arrays.setdefault("column_sources", arrays["columns"])
    for side, length in zip(("row", "column"), shape, strict=True):
        for name in (f"{side}_speakers", f"{side}_sources"):
            if len(arrays[name]) != length:
                raise BadInput(
                    f"{path}: {name} has {len(arrays[name])} entries for {length} {side}s"
                )
    _check_ids(path, arrays)
    return ScoreMatrix(**{name: arrays[name] for name in ScoreMatrix._fields})


def write_matrix(path: FilePath, matrix: ScoreMatrix) -> None:
    """Write a ScoreMatrix as npz."""
    write_npz(path, matrix._asdict())


def _check_ids(path, arrays):
    """An id occurs once on either side; the same ids on both sides have the same speakers."""
    for ids in ("rows", "columns"):
        refuse_twice(path, arrays[ids], ids)
    row_order, column_order = np.argsort(arrays["rows"]), np.argsort(arrays["columns"])
    if not np.array_equal(arrays["rows"][row_order], arrays["columns"][column_order]):
        return
    of_rows = arrays["row_speakers"][row_order]
    of_columns = arrays["column_speakers"][column_order]
    if len(other := np.flatnonzero(of_rows != of_columns)):
        name, one, another = (
            array[other[0]] for array in (arrays["rows"][row_order], of_rows, of_columns)
        )
        raise BadInput(
            f"{path}: '{name}' has the speaker '{one}' as a row, '{another}' as a column"
        )
