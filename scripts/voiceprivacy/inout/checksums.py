"""SHA-256 of what was read or written, as provenance.json and a repository of results list it."""

import hashlib

from voiceprivacy.inout.files import FilePath


def sha256(content: bytes) -> str:
    """SHA-256 of bytes, as hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()


def sha256_of(path: FilePath) -> str:
    """SHA-256 of a file."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
