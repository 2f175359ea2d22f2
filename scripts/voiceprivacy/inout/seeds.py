"""Random draws that depend on a seed and on names only.

They never depend on the order of files, on jobs, on shards, or on Python's hash().

A seed is a number that a config says openly, or it comes from a secret: 256 random bits in a file
that only its owner can read. A secret is drawn once, and cannot be found by trying.
"""

import hashlib
import hmac
import os
import re
import secrets
from pathlib import Path

import numpy as np

from voiceprivacy.inout.files import BadInput, FilePath, read_lines

SECRET_BYTES = 32
LARGEST = 2**63 - 1  # of a seed in a config, and of one that comes from a secret


def derive(seed: int, *names: str) -> int:
    """Make an independent seed from a seed and any number of names.

    Parameters
    ----------
    seed : int
    names : str
        What the draw is for, such as a part, a run or a speaker.

    Returns
    -------
    int in [0, 2**32), which every library's generator takes
    """
    return int.from_bytes(_digest(seed, names)[:4], "big")  # RandomState takes 32 bits


def generator(seed: int, *names: str) -> np.random.Generator:
    """Numpy random generator of (seed, names)."""
    return np.random.default_rng(int.from_bytes(_digest(seed, names), "big"))


def _digest(seed: int, names: tuple[str, ...]) -> bytes:
    # \0 stands in no name: ("ab", "c") and ("a", "bc") draw differently.
    return hashlib.sha256("\0".join([str(seed), *names]).encode()).digest()


def read_secret(path: FilePath) -> bytes:
    """Read the secret in a file.

    Raises
    ------
    BadInput : the file is missing, or holds something else
    """
    lines = read_lines(path)
    if len(lines) != 1 or not re.fullmatch(f"[0-9a-f]{{{2 * SECRET_BYTES}}}", lines[0]):
        raise BadInput(
            f"{path}: holds no secret: expected {2 * SECRET_BYTES} digits of 0-9 and a-f"
        )
    return bytes.fromhex(lines[0])


def secret_in(path: FilePath, drawn: bytes | None = None) -> bytes:
    """Read the secret in a file, which is made where it is missing, with ``drawn`` or a new one."""
    path = Path(path)
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        written = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
        written.touch(mode=0o600)
        secret = drawn or secrets.token_bytes(SECRET_BYTES)
        written.write_text(f"{secret.hex()}\n", encoding="ascii")
        try:  # jobs draw at the same time: the first one wins, and a file is never half there
            os.link(written, path)
        except FileExistsError:
            pass
        finally:
            written.unlink()
    return read_secret(path)


def derive_secretly(secret: bytes, *names: str) -> int:
    """Make an independent seed from a secret and any number of names.

    Returns
    -------
    int in [0, LARGEST] : more than the 32 bits of ``derive``, all of which can be tried out
    """
    digest = hmac.digest(secret, "\0".join(names).encode(), "sha256")
    return int.from_bytes(digest, "big") & LARGEST
