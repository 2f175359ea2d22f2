"""Seeds from a secret: 256 random bits in a file that only its owner can read.

A secret is drawn once, and cannot be found by trying. A seed in a config is open.
"""

import contextlib
import errno
import hmac
import os
import re
import secrets
from pathlib import Path

from voiceprivacy.errors import BadInput
from voiceprivacy.inout.files import FilePath, read_lines
from voiceprivacy.seeds import LARGEST

SECRET_BYTES = 32
NO_LINKS = (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS)  # says a disk, as one that Windows formats


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
        secret = drawn or secrets.token_bytes(SECRET_BYTES)
        with contextlib.suppress(FileExistsError):  # jobs draw at the same time: the first one wins
            _write_secret(path, f"{secret.hex()}\n".encode())
    return read_secret(path)


def _write_secret(path: Path, content: bytes) -> None:
    """Write a file that is not there yet and never half there; FileExistsError if it is."""
    written = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    written.touch(mode=0o600)
    try:
        written.write_bytes(content)
        os.link(written, path)
    except FileExistsError:
        raise
    except OSError as error:
        if error.errno not in NO_LINKS:
            raise
        # Such a disk can only make the file, and write it at once.
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(content)
    finally:
        written.unlink()


def derive_secretly(secret: bytes, *names: str) -> int:
    """Make an independent seed from a secret and any number of names.

    Returns
    -------
    int in [0, LARGEST] : more than the 32 bits of ``derive``, all of which can be tried out
    """
    digest = hmac.digest(secret, "\0".join(names).encode(), "sha256")
    return int.from_bytes(digest, "big") & LARGEST
