"""Embeddings and other arrays: npz files without pickles, read and written here only."""

import lzma
import math
import os
import struct
import tokenize
import zipfile
import zlib
from collections.abc import Iterable
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from voiceprivacy.errors import BadInput
from voiceprivacy.inout.files import FilePath, refuse_endless
from voiceprivacy.inout.foreign import composed
from voiceprivacy.inout.writing import whole_or_absent

Text: TypeAlias = NDArray[np.str_]

# What zipfile, zlib, numpy and its parser of headers raise on files that somebody has spoilt.
UNREADABLE = (
    ValueError,
    OSError,
    EOFError,
    AttributeError,
    TypeError,
    KeyError,
    IndexError,
    SyntaxError,
    RecursionError,
    OverflowError,
    NotImplementedError,
    RuntimeError,
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    tokenize.TokenError,
)
LARGEST = 1e150  # of the numbers of a model
HEADERS = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
# An array may unpack to so many times its size in the file; anything up to a mebibyte may. All
# arrays together may do so only as far as memory for any file goes.
LARGEST_SWELLING = 200
SMALL_BYTES = 2**20
LARGEST_SWELLING_OF_ALL = 20
SMALL_BYTES_OF_ALL = 100 * 2**20
COMPRESSIONS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # that numpy writes


class Embeddings(NamedTuple):
    """Ids (N,) and raw embeddings (N, D) float32, one row per utterance."""

    ids: Text
    embeddings: NDArray[np.float32]


def read_embeddings(path: FilePath) -> Embeddings:
    """Read Embeddings from npz; BadInput says what does not fit."""
    arrays = read_npz(path, ["ids", "embeddings"])
    ids, embeddings = arrays["ids"], arrays["embeddings"]
    check_text(path, ids=ids)
    ids = np.array([*map(composed, ids.tolist())], dtype=ids.dtype)  # it makes no name longer
    check_floats(path, "embeddings", embeddings)
    if embeddings.ndim != 2 or len(ids) != len(embeddings) or 0 in embeddings.shape:
        raise BadInput(f"{path}: {len(ids)} ids for embeddings of shape {embeddings.shape}")
    refuse_twice(path, ids, "ids")
    # Others may write double precision: what single precision cannot hold is refused.
    finite = np.isfinite(embeddings).all(axis=1)
    small_enough = np.abs(embeddings).max(axis=1) <= np.finfo(np.float32).max
    unusable = ids[~(finite & small_enough)]
    if len(unusable):
        raise BadInput(
            f"{path}: the embedding of '{unusable[0]}' is not finite in single precision"
        )
    if not embeddings.any():
        raise BadInput(f"{path}: all embeddings are zero: their extractor has learnt nothing")
    return Embeddings(ids, embeddings)


def read_embeddings_of(path: FilePath, utterances: Iterable[str]) -> Embeddings:
    """Read the Embeddings of these utterances, in their order, from a file that may hold more.

    Raises
    ------
    BadInput : the file does not fit, or has none of one of them
    """
    ids, embeddings = read_embeddings(path)
    row_of = {name: row for row, name in enumerate(ids.tolist())}
    rows = []
    for name in utterances:
        if name not in row_of:
            raise BadInput(f"{path}: has no embedding of '{name}'")
        rows.append(row_of[name])
    return Embeddings(ids[rows], embeddings[rows])


def write_embeddings(path: FilePath, embeddings: Embeddings) -> None:
    """Write Embeddings as npz."""
    write_npz(path, embeddings._asdict())


def read_npz(path: FilePath, required: list[str]) -> dict[str, NDArray]:
    """Read any npz that has the required arrays: {name: array}.

    What the file announces is compared with what it holds before any memory is taken for it.
    """
    refuse_endless(path)
    try:
        with zipfile.ZipFile(path) as file:
            _check_sizes(path, file.infolist())
            for member in file.infolist():
                _check_member(file, member)
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
    except (FileNotFoundError, NotADirectoryError):
        raise BadInput(f"{path}: not found") from None
    except UNREADABLE as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise BadInput(f"{path}: not an npz file ({reason})") from None
    for name in required:
        if not isinstance(arrays.get(name), np.ndarray):
            raise BadInput(f"{path}: has no array '{name}'")
    return arrays


def write_npz(path: FilePath, arrays: dict[str, Any], *, compressed: bool = False) -> None:
    """Write {name: array} as npz.

    ``compressed`` pays for replicates, in which values recur; of embeddings it saves nothing.
    """
    write = np.savez_compressed if compressed else np.savez
    with whole_or_absent(path) as temporary, open(temporary, "wb") as file:
        write(file, **arrays)  # to a path, numpy would add .npz


def refuse_twice(path: FilePath, ids: Text, name: str) -> None:
    """Refuse (BadInput) an array of ids, called so, in which one occurs twice."""
    names, counts = np.unique(ids, return_counts=True)
    if counts.max(initial=1) > 1:
        raise BadInput(f"{path}: '{names[counts.argmax()]}' occurs twice among the {name}")


def is_real(array: NDArray, shape: tuple[int, ...]) -> bool:
    """Whether an array holds real numbers in this shape, whose squares are finite too."""
    is_numbers = array.dtype.kind in "fiu" and array.shape == shape
    return is_numbers and bool((np.abs(array.astype(np.float64)) < LARGEST).all())


def check_text(path: FilePath, **arrays: NDArray) -> None:
    """Refuse (BadInput) ids that are no one-dimensional arrays of text."""
    for name, array in arrays.items():
        if array.ndim != 1 or array.dtype.kind != "U":
            raise BadInput(f"{path}: {name} must be text (N,), not {array.dtype} {array.shape}")


def check_floats(path: FilePath, name: str, array: NDArray) -> None:
    """Refuse (BadInput) numbers that are not real."""
    if array.dtype.kind not in "fiu":
        raise BadInput(f"{path}: {name} must be numbers, not {array.dtype}")


def _check_sizes(path, members):
    """Refuse (ValueError) arrays that unpack to much more than the file, or that share a name."""
    unpacked, on_disk = sum(member.file_size for member in members), os.path.getsize(path)
    if unpacked > max(LARGEST_SWELLING_OF_ALL * on_disk, SMALL_BYTES_OF_ALL):
        raise ValueError(f"unpacks to {unpacked} bytes: write it with numpy.savez")
    if len({member.filename for member in members}) < len(members):
        raise ValueError("two arrays have one name")


def _check_member(file: zipfile.ZipFile, member: zipfile.ZipInfo) -> None:
    """Refuse (ValueError) an array that swells, or whose header announces other bytes."""
    if member.compress_type not in COMPRESSIONS:
        raise ValueError(f"{member.filename} is compressed in another way than numpy's")
    if member.file_size > LARGEST_SWELLING * max(member.compress_size, SMALL_BYTES):
        raise ValueError(
            f"{member.filename} unpacks to {member.file_size} bytes: write it with numpy.savez"
        )
    with file.open(member) as stream:
        # The header alone is read: it says how much memory the array would take.
        version = np.lib.format.read_magic(stream)
        if version not in HEADERS:
            raise ValueError(f"{member.filename} is of version {version}")
        shape, _, dtype = HEADERS[version](stream)
        announced = math.prod(shape) * dtype.itemsize
        present = member.file_size - stream.tell()
    if dtype.hasobject:
        raise ValueError(f"{member.filename} holds pickled objects")
    if announced != present or min(shape, default=0) < 0:
        raise ValueError(f"{member.filename} announces {announced} bytes and holds {present}")
