"""Programs that leave descendants behind: how all of them are told and ended.

A process group ends with its leader, but a program that calls setsid leaves it, and one that forks
twice has no parent any more. Linux gives such orphans to the nearest ancestor that has asked for
them (PR_SET_CHILD_SUBREAPER). So everything that a program has started stays below this process,
and is ended from the top: whoever is our own child cannot vanish before we have looked, and its
children become ours. Elsewhere than on Linux only the process group is ended.
"""

import contextlib
import ctypes
import functools
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

PR_SET_CHILD_SUBREAPER = 36
SWEEP_S = 10  # how long a sweep goes on: what is not gone by then waits for a disk
ON_LINUX = sys.platform == "linux"

_lock = threading.Lock()
_blocks = 0  # that are open, in all threads
_before: set[int] = set()  # our children when the first of them began


@contextlib.contextmanager
def ending_all() -> Iterator[None]:
    """End everything that was started within the block, and whatever it has started.

    Of several blocks at the same time the last one does it: an orphan does not say whose it was.
    """
    global _blocks, _before
    if not ON_LINUX:
        yield
        return
    with _lock:
        if _blocks == 0:
            ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
            _before = set(children(os.getpid()))
        _blocks += 1
    try:
        yield
    finally:
        with _lock:
            _blocks -= 1
            if _blocks == 0:
                _sweep(_before)


def _sweep(spared: set[int]) -> None:
    """End all descendants but some children and theirs."""
    spared = spared | {process.pid for process in multiprocessing.active_children() if process.pid}
    end = time.monotonic() + SWEEP_S
    while time.monotonic() < end:
        left = [child for child in children(os.getpid()) if child not in spared]
        if not left:
            return
        # Stopped first, so that nothing forks faster than we go down.
        for number in (signal.SIGSTOP, signal.SIGKILL):
            for pid in left if number == signal.SIGKILL else descendants(left):
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, number)
        for pid in left:
            _reap(pid)
        time.sleep(0.001)


def _reap(pid: int) -> None:
    """Take note that a child has ended, so that it leaves the table of processes."""
    with contextlib.suppress(ChildProcessError):
        for _ in range(100):
            if os.waitpid(pid, os.WNOHANG) != (0, 0):
                return
            time.sleep(0.001)


def descendants(pids: list[int]) -> list[int]:
    """Some processes, and all that these have started and that still run or are not reaped."""
    reached: dict[int, None] = dict.fromkeys(pids)
    waiting = list(pids)
    while waiting:
        for child in children(waiting.pop()):
            if child not in reached:
                reached[child] = None
                waiting.append(child)
    return list(reached)


def children(pid: int) -> list[int]:
    """The children of a process, of all its threads; none if it is gone."""
    if not _lists_children():
        return _children_by_parent(pid)
    pids: list[int] = []
    with contextlib.suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):
            with contextlib.suppress(OSError):
                pids += map(int, Path(f"/proc/{pid}/task/{thread}/children").read_text().split())
    return pids


@functools.cache
def _lists_children() -> bool:
    """Whether this Linux says it at once (CONFIG_PROC_CHILDREN)."""
    return os.path.exists(f"/proc/{os.getpid()}/task/{os.getpid()}/children")


def _children_by_parent(pid: int) -> list[int]:
    """The children of a process, found among all processes."""
    pids = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, IndexError):
            # After the name, which may hold any bytes: state, parent.
            fields = (folder / "stat").read_bytes().rpartition(b")")[2].split()
            if int(fields[1]) == pid:
                pids.append(int(folder.name))
    return pids
