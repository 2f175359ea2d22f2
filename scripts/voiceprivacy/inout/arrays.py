"""Embeddings and score matrices: npz files without pickles, the only place that reads or writes them."""

import math
import struct
import tokenize
import zipfile
import zlib
from typing import NamedTuple

import numpy as np

from voiceprivacy.inout.files import BadInput, refuse_endless, whole_or_absent

UNREADABLE = (
    *(ValueError, OSError, EOFError, AttributeError, TypeError, KeyError, IndexError, SyntaxError),
    *(
        RecursionError,
        OverflowError,
        NotImplementedError,
        RuntimeError,
    ),  # of zipfile and of numpy's header parser
    *(zipfile.BadZipFile, zlib.error, struct.error, tokenize.TokenError),
)
HEADERS = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
SWELLS, SMALL = (
    200,
    2**20,
)  # an array may unpack to so many times its size in the file; a mebibyte to anything below


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
    _check_floats(path, scores=arrays["scores"])
    _check_text(
        path,
        **{
            name: of
            for name, of in arrays.items()
            if name in ScoreMatrix._fields and name != "scores"
        },
    )
    shape = (len(arrays["rows"]), len(arrays["columns"]))
    if arrays["scores"].shape != shape:
        raise BadInput(
            f"{path}: scores have the shape {arrays['scores'].shape}, rows and columns say {shape}"
        )
    if np.isnan(arrays["scores"]).any():
        raise BadInput(f"{path}: scores hold NaN")
    arrays.setdefault("row_sources", arrays["rows"])
    arrays.setdefault("column_sources", arrays["columns"])
    for side, length in zip(("row", "column"), shape, strict=True):
        for name in (f"{side}_speakers", f"{side}_sources"):
            if len(arrays[name]) != length:
                raise BadInput(
                    f"{path}: {name} has {len(arrays[name])} entries for {length} {side}s"
                )
    return ScoreMatrix(**{name: arrays[name] for name in ScoreMatrix._fields})


def write_matrix(path, matrix):
    """Write a ScoreMatrix as npz."""
    write_npz(path, matrix._asdict())


def read_embeddings(path):
    """Read Embeddings from npz."""
    arrays = read_npz(path, ["ids", "embeddings"])
    ids, embeddings = arrays["ids"], arrays["embeddings"]
    _check_text(path, ids=ids)
    _check_floats(path, embeddings=embeddings)
    if embeddings.ndim != 2 or len(ids) != len(embeddings) or 0 in embeddings.shape:
        raise BadInput(f"{path}: {len(ids)} ids for embeddings of shape {embeddings.shape}")
    if len(set(ids.tolist())) != len(ids):
        raise BadInput(f"{path}: an id occurs twice")
    usable = np.isfinite(embeddings).all(axis=1) & (
        np.abs(embeddings).max(axis=1) <= np.finfo(np.float32).max
    )
    if not usable.all():
        raise BadInput(
            f"{path}: the embedding of '{ids[~usable][0]}' is not finite in single precision"
        )
    return Embeddings(ids, embeddings)


def write_embeddings(path, embeddings):
    """Write Embeddings as npz."""
    write_npz(path, embeddings._asdict())


def read_npz(path, required):
    """Read any npz that has the required arrays: {name: array}.

    What the file announces is compared with what it holds before any memory is taken for it.
    """
    refuse_endless(path)
    try:
        with zipfile.ZipFile(path) as file:
            for member in file.infolist():
                _check_member(file, member)
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
    except (FileNotFoundError, NotADirectoryError):
        raise BadInput(f"{path}: not found") from None
    except UNREADABLE as error:
        raise BadInput(
            f"{path}: not an npz file ({' '.join(str(error).split()) or type(error).__name__})"
        ) from None
    for name in required:
        if not isinstance(arrays.get(name), np.ndarray):
            raise BadInput(f"{path}: has no array '{name}'")
    return arrays


def _check_text(path, **arrays):
    """Ids are one-dimensional arrays of text."""
    for name, array in arrays.items():
        if array.ndim != 1 or array.dtype.kind != "U":
            raise BadInput(f"{path}: {name} must be text (N,), not {array.dtype} {array.shape}")


def _check_floats(path, **arrays):
    """Numbers are real."""
    for name, array in arrays.items():
        if array.dtype.kind not in "fiu":
            raise BadInput(f"{path}: {name} must be numbers, not {array.dtype}")


def _check_member(file, member):
    """Refuse (ValueError) an array whose header announces other bytes than there are, or that swells when unpacked."""
    if member.file_size > SWELLS * max(member.compress_size, SMALL):
        raise ValueError(
            f"{member.filename} unpacks to {member.file_size} bytes: write it with numpy.savez"
        )
    with file.open(member) as stream:
        version = np.lib.format.read_magic(stream)
        if version not in HEADERS:
            raise ValueError(f"{member.filename} is of version {version}")
        shape, _, dtype = HEADERS[version](stream)
        announced = math.prod(shape) * dtype.itemsize
        there = member.file_size - stream.tell()
    if dtype.hasobject:
        raise ValueError(f"{member.filename} holds pickled objects")
    if announced != there or min(shape, default=0) < 0:
        raise ValueError(f"{member.filename} announces {announced} bytes and holds {there}")


def write_npz(path, arrays):
    """Write {name: array} as npz."""
    with whole_or_absent(path) as temporary:
        np.savez(temporary, **arrays)
