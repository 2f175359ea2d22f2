"""What a picture draws: curves of one or several anonymisers, read back from their TSV files."""

import numpy as np

from voiceprivacy.files import BadInput, read_json
from voiceprivacy.tables import number, read_rows


def read_curves(path, columns):
    """Read a curves TSV (label and number ``columns``) as {label: {column: array (P,)}}, in the file's order."""
    curves = {}
    for line, row in read_rows(path, ["label", *columns]):
        curve = curves.setdefault(row["label"], {column: [] for column in columns})
        for column in columns:
            curve[column].append(number(row[column], path, line))
    if not curves:
        raise BadInput(f"{path}: holds no curve")
    return {label: {column: np.array(values) for column, values in curve.items()} for label, curve in curves.items()}


def read_systems(*, anonymisers, curves, metrics, columns):
    """Read curves and metrics of several anonymisers, one file of each per anonymiser.

    Returns
    -------
    {anonymiser/condition: {column: array}}, {anonymiser/condition: {metric: value}} : in the order of the arguments

    Raises
    ------
    BadInput : not one file per anonymiser, or a curve without metrics
    """
    if not len(anonymisers) == len(curves) == len(metrics):
        raise BadInput(
            f"{len(anonymisers)} anonymisers, {len(curves)} curves and {len(metrics)} metrics: give one of each"
        )
    curve_of, metrics_of = {}, {}
    for anonymiser, curve_path, metrics_path in zip(anonymisers, curves, metrics, strict=True):
        numbers = read_json(metrics_path)
        for label, curve in read_curves(curve_path, columns).items():
            if not isinstance(numbers, dict) or not isinstance(numbers.get(label), dict):
                raise BadInput(f"{metrics_path}: has no metrics of '{label}', which {curve_path} draws")
            curve_of[f"{anonymiser}/{label}"] = curve
            metrics_of[f"{anonymiser}/{label}"] = numbers[label]
    return curve_of, metrics_of
