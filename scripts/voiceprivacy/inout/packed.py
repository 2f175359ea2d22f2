"""Packed tables, which laboratories exchange: their bytes depend on their rows only."""

import gzip
import zlib
from collections.abc import Iterable, Iterator

from voiceprivacy.errors import BadInput
from voiceprivacy.inout.checksums import sha256
from voiceprivacy.inout.files import FilePath, lines_of, refuse_endless
from voiceprivacy.inout.tables import fields_of
from voiceprivacy.inout.writing import whole_or_absent

MOST_UNPACKED = 50_000_000  # bytes of a packed table: half a million trials
BYTE_OF_SYSTEM, UNKNOWN_SYSTEM = 9, 255  # of gzip's header (RFC 1952)


def write_packed(path: FilePath, columns: list[str], rows: Iterable[Iterable[str]]) -> str:
    """Write a packed table whose bytes depend on its rows only; its SHA-256, unpacked.

    Python 3.11 says in the header on which system it was packed, and 3.13 does not. Two
    laboratories that add the same list must add the same file, or git cannot merge them.
    """
    content = "".join("\t".join(row) + "\n" for row in [columns, *rows]).encode()
    packed = bytearray(gzip.compress(content, compresslevel=9, mtime=0))
    packed[BYTE_OF_SYSTEM] = UNKNOWN_SYSTEM
    with whole_or_absent(path) as temporary:
        temporary.write_bytes(packed)
    return sha256(content)


def read_packed(path: FilePath, columns: list[str]) -> Iterator[tuple[int, list[str]]]:
    """Yield (line number, fields) of a TSV that write_packed has written."""
    yield from fields_of(path, lines_of(path, unpacked(path)), columns)


def unpacked(path: FilePath) -> bytes:
    """All bytes of a packed file; BadInput where it is damaged or unpacks to more than 50 MB."""
    refuse_endless(path)
    try:
        with gzip.open(path) as file:
            content = file.read(MOST_UNPACKED + 1)
    except FileNotFoundError:
        raise BadInput(f"{path}: not found") from None
    except (OSError, EOFError, zlib.error) as error:
        raise BadInput(f"{path}: cannot be unpacked ({error})") from None
    if len(content) > MOST_UNPACKED:
        raise BadInput(f"{path}: unpacks to more than {MOST_UNPACKED / 1e6:.0f} MB")
    return content
