"""Embeddings and score matrices: npz files without pickles, the only place that reads or writes them."""

import zipfile
from typing import NamedTuple

import numpy as np

from voiceprivacy.files import BadInput, whole_or_absent


class Embeddings(NamedTuple):
    """Ids (N,) and raw embeddings (N, D) float32, one row per utterance."""

    ids: np.ndarray
    embeddings: np.ndarray


class ScoreMatrix(NamedTuple):
    """Scores (R, C) of rows against columns.

    Pairs of equal source (the utterance that a segment was cut from; the id itself by default) are to be left out.
    """

    rows: np.ndarray
    columns: np.ndarray
    row_speakers: np.ndarray
    column_speakers: np.ndarray
    scores: np.ndarray
    row_sources: np.ndarray
    column_sources: np.ndarray


def read_matrix(path):
    """Read a ScoreMatrix from npz."""
    arrays = read_npz(path, ["rows", "columns", "row_speakers", "column_speakers", "scores"])
    shape = (len(arrays["rows"]), len(arrays["columns"]))
    if arrays["scores"].shape != shape:
        raise BadInput(f"{path}: scores have the shape {arrays['scores'].shape}, rows and columns say {shape}")
    if np.isnan(arrays["scores"]).any():
        raise BadInput(f"{path}: scores hold NaN")
    arrays.setdefault("row_sources", arrays["rows"])
    arrays.setdefault("column_sources", arrays["columns"])
    for side, length in zip(("row", "column"), shape, strict=True):
        for name in (f"{side}_speakers", f"{side}_sources"):
            if len(arrays[name]) != length:
                raise BadInput(f"{path}: {name} has {len(arrays[name])} entries for {length} {side}s")
    return ScoreMatrix(**{name: arrays[name] for name in ScoreMatrix._fields})


def write_matrix(path, matrix):
    """Write a ScoreMatrix as npz."""
    write_npz(path, matrix._asdict())


def read_embeddings(path):
    """Read Embeddings from npz."""
    arrays = read_npz(path, ["ids", "embeddings"])
    ids, embeddings = arrays["ids"], arrays["embeddings"]
    if embeddings.ndim != 2 or len(ids) != len(embeddings):
        raise BadInput(f"{path}: {len(ids)} ids for embeddings of shape {embeddings.shape}")
    if len(set(ids.tolist())) != len(ids):
        raise BadInput(f"{path}: an id occurs twice")
    if not np.isfinite(embeddings).all():
        bad = ids[~np.isfinite(embeddings).all(axis=1)][0]
        raise BadInput(f"{path}: the embedding of '{bad}' is not finite")
    return Embeddings(ids, embeddings)


def write_embeddings(path, embeddings):
    """Write Embeddings as npz."""
    write_npz(path, embeddings._asdict())


def read_npz(path, required):
    """Read any npz that has the required arrays: {name: array}."""
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
    except (FileNotFoundError, NotADirectoryError):
        raise BadInput(f"{path}: not found") from None
    except (ValueError, OSError, EOFError, AttributeError, zipfile.BadZipFile) as error:
        raise BadInput(f"{path}: not an npz file ({error})") from None
    for name in required:
        if name not in arrays:
            raise BadInput(f"{path}: has no array '{name}'")
    return arrays


def write_npz(path, arrays):
    """Write {name: array} as npz."""
    with whole_or_absent(path) as temporary:
        np.savez(temporary, **arrays)
