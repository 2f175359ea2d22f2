"""The curve of a training, read back for pictures."""

from typing import NamedTuple

import numpy as np

from voiceprivacy.files import BadInput
from voiceprivacy.tables import number, read_rows

COLUMNS = ["epoch", "loss", "right_percent", "held_out_eer_percent", "learning_rate", "seconds"]


class Curve(NamedTuple):
    """Numbers of every epoch, arrays (E,); ``held_out_eer_percent`` is empty where no speakers were held out."""

    epoch: np.ndarray
    loss: np.ndarray
    held_out_eer_percent: np.ndarray


def read_curve(path):
    """Read training.tsv of a model: Curve."""
    found = {name: [] for name in Curve._fields}
    for line, row in read_rows(path, COLUMNS):
        for name, values in found.items():
            if row[name] != "-":
                values.append(number(row[name], path, line))
    if not found["epoch"]:
        raise BadInput(f"{path}: lists no epoch")
    return Curve(**{name: np.array(values) for name, values in found.items()})
