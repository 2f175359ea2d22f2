"""Seeds from a secret: 256 random bits in a file that only its owner can read.

A secret is drawn once, and cannot be found by trying. A seed in a config is open.
"""

import hmac
import os
import re
import secrets
from pathlib import Path

from voiceprivacy.errors import BadInput
from voiceprivacy.inout.files import FilePath, read_lines
from voiceprivacy.seeds import LARGEST

SECRET_BYTES = 32


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
