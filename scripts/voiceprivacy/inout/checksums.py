"""SHA-256 of what was read or written, as provenance.json and a repository of results list it."""

import hashlib
from pathlib import Path

from voiceprivacy.errors import BadInput
from voiceprivacy.inout.files import FilePath, read_bytes, read_lines

CHECKSUMS = "SHA256SUMS"  # as sha256sum writes it; beside weights that came from somebody else


def sha256(content: bytes) -> str:
    """SHA-256 of bytes, as hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()


def sha256_of(path: FilePath) -> str:
    """SHA-256 of a file."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def read_unchanged(path: Path) -> bytes:
    """All bytes of a file; BadInput where a list beside it says another SHA-256."""
    content = read_bytes(path)
    digest = sha256(content)
    if any(expected != digest for expected in listed(path)):
        raise BadInput(
            f"{path}: is not the file that {path.with_name(CHECKSUMS)} names (its SHA-256 differs):"
            f" get it again, or take {CHECKSUMS} away if the change is yours"
        )
    return content


def listed(path: Path) -> list[str]:
    """What a list beside a file says of it: its SHA-256, or nothing."""
    checksums = path.with_name(CHECKSUMS)
    digests = []
    for line in read_lines(checksums) if checksums.exists() else []:
        digest, *named = line.split(maxsplit=1)[:2] or [""]
        # A star says that it was read as bytes; others write ./ and capital digits.
        if "".join(named).strip().removeprefix("*").removeprefix("./") == path.name:
            digests.append(digest.lower())
    return digests
