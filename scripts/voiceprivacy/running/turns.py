"""One run at a time in a folder: a lock of the kernel's, which ends with its process.

Snakemake's own lock is files, which stay when it is killed. A run that holds the kernel's lock and
finds such files knows that the run before is dead. Where a disk has no such locks (some of a
cluster's), a person says --unlock.
"""

import contextlib
import fcntl
import os
import platform
import shlex
import sys
from pathlib import Path
from typing import IO

from voiceprivacy.errors import printable

LOCK = Path(".snakemake", "voiceprivacy", "turn")
_held: list[IO[str]] = []  # until this process ends


def take() -> bool:
    """Take the turn of the working directory: False where another run has it, or none can tell."""
    if _held:
        return True
    with contextlib.ExitStack() as unless_taken:
        try:
            LOCK.parent.mkdir(parents=True, exist_ok=True)
            file = unless_taken.enter_context(LOCK.open("a+", encoding="utf-8"))
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        unless_taken.pop_all()
    file.truncate(0)
    who = f"process {os.getpid()} on {platform.node()} ({shlex.join(sys.argv)})"
    file.write(printable(who))  # names of files may be no UTF-8
    file.flush()
    _held.append(file)
    return True


def unlock_after_a_kill() -> bool:
    """Remove what a killed run left of Snakemake's lock; False where that run may be alive."""
    left = list(Path(".snakemake", "locks").glob("*.lock"))
    if not left or not take():
        return False
    for path in left:
        path.unlink(missing_ok=True)
    return True


def holder() -> str:
    """Who has the turn, and what to do, in one line."""
    who = "another run"
    with contextlib.suppress(OSError):
        who = LOCK.read_text(encoding="utf-8") or who
    return printable(
        f"{Path.cwd()}: locked by {who}: wait for it, or add --unlock if it is dead,"
        " then give this command again"
    )
