"""What a picture draws: curves of one or several anonymisers, read back from their TSV files."""

from pathlib import Path
from typing import NamedTuple

import numpy as np

from voiceprivacy.inout.files import BadInput, read_json
from voiceprivacy.inout.tables import number, read_rows

# The curve of a training, read back for pictures.

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


# Tables with a line for every speaker, read back for pictures and for the page: the zoo, and who is at risk.

ZOO = [
    "label",
    "speaker",
    "n_target",
    "n_impostor",
    "mean_target_llr",
    "mean_impostor_llr",
    "corner",
    "p_value",
    "animal",
    "doddington",
]
EXPOSURES = [
    "label",
    "speaker",
    "n_target",
    "n_nontarget",
    "dece_bit",
    "worst_case_log10",
    "deid_percent",
]
MISSING = ("undefined", "-")


def read_speakers(path, columns):
    """Read a table with a line for every condition and speaker.

    Parameters
    ----------
    path : TSV with these columns, label and speaker first
    columns : ZOO or EXPOSURES

    Returns
    -------
    {label: {speaker: {column: value}}} : numbers where they are some, None where undefined, else the words

    Raises
    ------
    BadInput : a speaker occurs twice, or nothing is there
    """
    found = {}
    for line, row in read_rows(path, columns):
        label, speaker = row.pop("label"), row.pop("speaker")
        of_label = found.setdefault(label, {})
        if speaker in of_label:
            raise BadInput(f"{path}:{line}: {label} {speaker} occurs twice")
        of_label[speaker] = {
            column: _value(column, text, path, line) for column, text in row.items()
        }
    if not found:
        raise BadInput(f"{path}: lists no speaker")
    return found


def span_of_means(zoo, mean):
    """The range of a mean LLR over all conditions, and 0, the point of zero evidence, with a margin.

    Parameters
    ----------
    zoo : {condition: {speaker: {mean: float, None where undefined}}}
    mean : str

    Returns
    -------
    (low, high)
    """
    means = [of[mean] for speakers in zoo.values() for of in speakers.values()]
    means = [0.0, *(of for of in means if of is not None)]
    margin = 0.08 * (max(means) - min(means)) or 1.0
    return min(means) - margin, max(means) + margin


def _value(column, text, path, line):
    if column in ("corner", "animal", "doddington"):
        return text
    return None if text in MISSING else number(text, path, line)


MATRICES = ("oo", "op", "pp")
SIMILARITIES = ["matrix", "row_speaker", "column_speaker", "similarity"]


def read_curves(path, columns):
    """Read a curves TSV (label and number ``columns``) as {label: {column: array (P,)}}, in the file's order."""
    curves = {}
    for line, row in read_rows(path, ["label", *columns]):
        curve = curves.setdefault(row["label"], {column: [] for column in columns})
        for column in columns:
            curve[column].append(number(row[column], path, line))
    if not curves:
        raise BadInput(f"{path}: holds no curve")
    return {
        label: {column: np.array(values) for column, values in curve.items()}
        for label, curve in curves.items()
    }


def read_systems(*, anonymisers, curves, metrics, columns):
    """Read curves and metrics of several anonymisers, one file of each per anonymiser.

    Returns
    -------
    {anonymiser/condition: {column: array}}, {anonymiser/condition: {metric: value}} : in the order of the arguments;
    ``limits`` beside the metrics is {metric: (low, high)}, from the file of intervals beside the metrics file if there
    is one

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
        numbers, limits = read_json(metrics_path), read_limits(metrics_path)
        for label, curve in read_curves(curve_path, columns).items():
            if not isinstance(numbers, dict) or not isinstance(numbers.get(label), dict):
                raise BadInput(
                    f"{metrics_path}: has no metrics of '{label}', which {curve_path} draws"
                )
            curve_of[f"{anonymiser}/{label}"] = curve
            metrics_of[f"{anonymiser}/{label}"] = numbers[label] | {"limits": limits.get(label, {})}
    return curve_of, metrics_of


def read_limits(metrics_path):
    """Intervals {condition: {metric: (low, high)}} of a metrics file from its sibling; empty where there is none.

    Only of numbers that are those of the metrics file: a file of intervals may be left over from an earlier run.
    """
    path = Path(metrics_path).with_suffix(".intervals.json")
    if not path.exists():
        return {}
    numbers = read_json(metrics_path)
    return {
        condition: {
            metric: (interval["ci_low"], interval["ci_high"])
            for metric, interval in intervals.items()
            if interval["value"] == numbers.get(condition, {}).get(metric)
            and not isinstance(interval["ci_low"], str)
        }
        for condition, intervals in read_json(path).items()
    }


def read_similarities(path, *, genders):
    """Read the similarity matrices of one anonymiser.

    Parameters
    ----------
    path : TSV: matrix row_speaker column_speaker similarity (a number or undefined); matrix is oo, op or pp
    genders : {speaker: gender}

    Returns
    -------
    list of S speakers by gender and name, {oo, op, pp: masked array (S, S)} : undefined cells are masked

    Raises
    ------
    BadInput : a speaker without gender, a cell that is missing or occurs twice
    """
    cells = {}
    for line, row in read_rows(path, SIMILARITIES):
        *cell, text = row.values()
        if cell[0] not in MATRICES:
            raise BadInput(f"{path}:{line}: matrix '{cell[0]}' is not one of {', '.join(MATRICES)}")
        if tuple(cell) in cells:
            raise BadInput(f"{path}:{line}: {' '.join(cell)} occurs twice")
        cells[tuple(cell)] = np.ma.masked if text == "undefined" else number(text, path, line)
    speakers = sorted({speaker for cell in cells for speaker in cell[1:]})
    for speaker in speakers:
        if speaker not in genders:
            raise BadInput(f"{path}: speaker '{speaker}' is not in the manifest")
    speakers.sort(key=lambda speaker: (genders[speaker], speaker))
    return speakers, {matrix: _square(path, matrix, speakers, cells) for matrix in MATRICES}


def _square(path, matrix, speakers, cells):
    values = np.ma.masked_all((len(speakers), len(speakers)))
    for row, row_speaker in enumerate(speakers):
        for column, column_speaker in enumerate(speakers):
            cell = (matrix, row_speaker, column_speaker)
            if cell not in cells:
                raise BadInput(f"{path}: has no similarity of {' '.join(cell)}")
            values[row, column] = cells[cell]
    return values
