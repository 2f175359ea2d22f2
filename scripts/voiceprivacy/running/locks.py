"""Who holds a folder's lock, and unlocking what a dead process of this machine left.

Snakemake locks the outputs of a run by files in .snakemake/locks, which stay when it is killed. So
each run of ours notes beside them which process made them. A lock is removed without asking only if
such a note names exactly its file, this machine, and a process that is dead: a number alone says
little, because numbers are given again, so its start counts too.
"""

import contextlib
import fcntl
import json
import os
import platform
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from voiceprivacy.inout.files import printable, whole_or_absent

FOLDER = Path(".snakemake", "locks")
NOTES = "holder-*.json"


def note_locks(persistence: Any) -> None:
    """Have Snakemake's class that writes locks note who did.

    The note lies in the folder that Snakemake removes when it unlocks. Where this Snakemake has no
    such method, nothing is noted, and nothing unlocked without asking.
    """
    write: Callable[..., None] | None = getattr(persistence, "_write_locks", None)
    if write is None or getattr(write, "notes", False):
        return

    def write_and_note(self: Any, *arguments: Any) -> None:
        write(self, *arguments)
        with contextlib.suppress(OSError, AttributeError):  # then a person has to unlock
            _note([Path(path) for path in self._lockfile.values()])

    write_and_note.notes = True  # type: ignore[attr-defined]
    persistence._write_locks = write_and_note


def _note(locks: list[Path]) -> None:
    holder = _this_process()
    if holder is None or not locks:
        return
    holder |= {"command": " ".join(sys.argv), "locks": {path.name: _state(path) for path in locks}}
    with whole_or_absent(locks[0].parent / f"holder-{os.getpid()}.json") as temporary:
        temporary.write_text(json.dumps(holder), encoding="utf-8")


def unlock_if_dead(directory: Path) -> str | None:
    """Unlock a folder whose lock only dead processes of this machine hold.

    Returns
    -------
    str or None : what was done; None if nothing was
    """
    folder = directory / FOLDER
    if not any(folder.glob("*.lock")):
        return None
    with contextlib.ExitStack() as stack:
        try:
            stack.enter_context(_one_at_a_time(directory))
        except OSError:  # a disk without locks: a person has to unlock
            return None
        locks = {path.name: _state(path) for path in folder.glob("*.lock")}
        notes = _notes(folder)
        if not locks or not all(map(_is_dead, notes.values())):
            return None
        noted: dict[str, list[int]] = {}
        for holder in notes.values():
            noted |= holder["locks"]
        if any(noted.get(name) != state for name, state in locks.items()):
            return None
        for path in [folder / name for name in locks] + list(notes):
            path.unlink(missing_ok=True)
    numbers = ", ".join(str(holder["pid"]) for holder in notes.values())
    return (
        f"The run before (process {numbers}) was killed: its lock is removed, and this one goes on."
    )


def held_by(directory: Path = Path()) -> str:
    """Who holds the lock of a folder, and what to do, in one line."""
    where = f"{directory.absolute()}: locked by"
    advice = "add --unlock if it is dead, then give this command again"
    for holder in _notes(directory / FOLDER).values():
        who = f"process {holder['pid']} on {holder['host']} ({holder['command']})"
        return printable(f"{where} {who}: wait for it, or {advice}")
    return f"{where} a run that left no note of itself: wait for it, or {advice}"


def _notes(folder: Path) -> dict[Path, dict[str, Any]]:
    """The notes of a folder that can be read as such."""
    notes = {}
    for path in sorted(folder.glob(NOTES)):
        with contextlib.suppress(OSError, ValueError):
            holder = json.loads(path.read_text(encoding="utf-8"))
            if isinstance(holder, dict) and isinstance(holder.get("locks"), dict):
                notes[path] = {"pid": "?", "host": "?", "command": "?"} | holder
    return notes


def _this_process() -> dict[str, Any] | None:
    """This machine and this process; None where the system does not tell (it is not Linux)."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        namespace = os.readlink("/proc/self/ns/pid")
        started = _started(os.getpid())
    except OSError:
        return None
    machine = {"host": platform.node(), "boot": boot, "namespace": namespace}
    return machine | {"pid": os.getpid(), "started": started}


def _is_dead(holder: dict[str, Any]) -> bool:
    """Whether a note names this machine since its last start, and a process that has ended."""
    ours = _this_process()
    if ours is None or any(
        holder.get(name) != ours[name] for name in ("host", "boot", "namespace")
    ):
        return False
    try:
        return _started(holder["pid"]) != holder["started"]
    except FileNotFoundError:
        return True
    except (OSError, KeyError, ValueError, TypeError):
        return False


def _started(pid: int) -> int:
    """When a process started, in clock ticks since the machine did; a zombie has ended.

    Raises
    ------
    FileNotFoundError : there is no such process
    """
    status = Path(f"/proc/{int(pid)}/stat").read_text(errors="replace")
    fields = status.rpartition(")")[2].split()  # the name before may hold anything
    if fields[0] in "ZX":
        raise FileNotFoundError(pid)
    return int(fields[19])


def _state(path: Path) -> list[int]:
    """What tells a file from another one of its name."""
    try:
        status = path.stat()
    except OSError:
        return []
    return [status.st_ino, status.st_mtime_ns]


@contextlib.contextmanager
def _one_at_a_time(directory: Path) -> Iterator[None]:
    """Else two runs that start together: one would remove the lock that the other just made."""
    path = directory / ".snakemake" / "voiceprivacy" / "unlocking"
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
