"""SHA-256 of what was read or written, as provenance.json and a repository of results list it."""

import hashlib
from pathlib import Path

from voiceprivacy.inout.files import BadInput, FilePath, read_lines

CHECKSUMS = "SHA256SUMS"  # as sha256sum writes it; beside weights that came from somebody else


def sha256(content: bytes) -> str:
    """SHA-256 of bytes, as hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()


def sha256_of(path: FilePath) -> str:
    """SHA-256 of a file."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def refuse_changed(path: Path, content: bytes) -> None:
    """Refuse (BadInput) a file whose SHA-256 is not the one that a list beside it says."""
    digest = sha256(content)
    if any(listed != digest for listed in _listed(path)):
        raise BadInput(
            f"{path}: is not the file that {path.with_name(CHECKSUMS)} names (its SHA-256 differs):"
            f" get it again, or take {CHECKSUMS} away if the change is yours"
        )


def _listed(path):
    """What a list beside a file says of it: its SHA-256, or nothing."""
    checksums = path.with_name(CHECKSUMS)
    lines = read_lines(checksums) if checksums.exists() else []
    names = ([path.name], [f"*{path.name}"])
    return [line.split()[0] for line in lines if line.split()[1:] in names]


def is_listed(path: Path) -> bool:
    """Whether a list beside a file says its SHA-256."""
    return bool(_listed(path))
