"""How much a program in a box may use: memory, processes, processor time, disk.

Where this process may make control groups (cgroup v2, "delegated" by systemd or a container), Linux
itself keeps memory and processes. Elsewhere a watchdog looks at the box again and again and ends
it: what is taken between two looks is not held back. Disk is always looked at.

Units: memory and disk in bytes, unless a name says _mb (2**20 bytes); processor time in seconds.
"""

import contextlib
import os
import shutil
import stat
import subprocess
import threading
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from voiceprivacy.running.processes import descendants

MB = 2**20
PROCESSES = 512  # of a box, its own three among them
TASKS = 4096  # processes and their threads, which Linux counts
FILES = 200_000  # in the folder of a box
OPEN_FILES = 1024  # of a process
LOOK_S, LOOK_AT_DISK_S = 0.1, 1.0
# Below this share of the machine's memory or of the disk everything else would suffer, too.
LOWEST_SHARE, LOWEST_BYTES = 0.02, 256 * MB
PAGE = os.sysconf("SC_PAGE_SIZE")
CONTROLLERS = {"memory", "pids"}


class Limits(NamedTuple):
    """What a box may use; ``cpu_s`` is None where nothing limits its time."""

    memory_mb: int
    disk_mb: int
    threads: int
    cpu_s: float | None

    def words(self, *, gpu: bool) -> list[str]:
        """The words that start a program with what Linux limits for every process.

        Virtual memory is a multiple: a program reserves more than it uses, with a GPU far more.
        """
        data = [] if gpu else [f"--data={(2 * self.memory_mb + 2048) * MB}"]
        cpu = [] if self.cpu_s is None else [f"--cpu={int(self.cpu_s) + 1}"]
        return [
            "prlimit",
            "--core=0",
            f"--nofile={OPEN_FILES}",
            f"--nproc={TASKS}",
            f"--fsize={self.disk_mb * MB}",
            "--memlock=8388608",
            *data,
            *cpu,
            "--",
        ]

    def told(self, group: Path | None) -> str:
        """The limits in words, and who keeps them."""
        keeper = f"a watchdog ({PROCESSES} processes)"
        if group is not None:
            keeper = f"the control group {group.name} ({TASKS} threads)"
        time_limit = "" if self.cpu_s is None else f", {self.cpu_s:.0f} s of processor time"
        return (
            f"{self.memory_mb} MB of memory{time_limit}, {self.disk_mb} MB of disk,"
            f" kept by {keeper}; no network"
        )


# Control groups.


@contextlib.contextmanager
def control_group(limits: Limits) -> Iterator[Path | None]:
    """A control group with the limits, or None; all that is in it ends with the block."""
    for parent in _parents():
        group = parent / f"voiceprivacy-{uuid.uuid4().hex}"
        try:
            group.mkdir()
        except OSError:
            continue
        try:
            if _fill(group, limits):
                yield group
                return
        finally:
            _remove(group)
    yield None


def joining(group: Path) -> list[str]:
    """The words that start a program within a control group."""
    return ["/bin/sh", "-c", 'echo $$ >"$0" && exec "$@"', str(group / "cgroup.procs")]


def _parents() -> list[Path]:
    """Where a control group may be made: in that of this process, or beside it."""
    own = _own_group()
    parents = []
    for folder in [] if own is None else [own, own.parent]:
        with contextlib.suppress(OSError):
            enabled = set((folder / "cgroup.subtree_control").read_text().split())
            if enabled >= CONTROLLERS and os.access(folder / "cgroup.procs", os.W_OK):
                parents.append(folder)
    return parents


def _own_group() -> Path | None:
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/mountinfo").read_text().splitlines():
            mounted, _, kind = line.partition(" - ")
            if kind.startswith("cgroup2 "):
                for group in Path("/proc/self/cgroup").read_text().splitlines():
                    if group.startswith("0::/"):
                        return Path(mounted.split()[4], group[len("0::/") :])
    return None


def _fill(group: Path, limits: Limits) -> bool:
    """Write the limits; whether they hold, and a process of ours can enter."""
    values = {
        "memory.max": limits.memory_mb * MB,
        "memory.oom.group": 1,
        "memory.swap.max": 0,
        "pids.max": TASKS,
        "cpu.max": f"{limits.threads * 100_000} 100000",
    }
    for name, value in values.items():
        with contextlib.suppress(OSError):  # cpu and swap are not everywhere
            (group / name).write_text(str(value))
    entered = subprocess.run([*joining(group), "true"], capture_output=True, check=False)
    kept = (group / "memory.max").read_text().strip() == str(limits.memory_mb * MB)
    return kept and entered.returncode == 0


def _remove(group: Path) -> None:
    for _ in range(100):
        with contextlib.suppress(OSError):
            (group / "cgroup.kill").write_text("1")
        try:
            group.rmdir()
            return
        except OSError:  # its last process is about to end
            time.sleep(0.02)


def _was_out_of_memory(group: Path) -> bool:
    with contextlib.suppress(OSError):
        for line in (group / "memory.events").read_text().splitlines():
            if line.startswith("oom_kill ") and line != "oom_kill 0":
                return True
    return False


# The watchdog.


class Watchdog:
    """Looks at a box until ``stop``, and ends it where it uses more than its limits.

    Parameters
    ----------
    process : subprocess.Popen
        The first process of the box.
    folder : path
        The one that it writes to.
    limits : Limits
    group : path or None
        Its control group, which keeps memory and processes.
    """

    def __init__(self, process: subprocess.Popen, folder: Path, limits: Limits, group: Path | None):
        self._reason: str | None = None
        self._process, self._folder, self._limits, self._group = process, folder, limits, group
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def stop(self) -> str | None:
        """End the watch: what the box used too much of, in words, or None."""
        self._stopped.set()
        self._thread.join()
        if self._reason is None and self._group and _was_out_of_memory(self._group):
            self._reason = _too_much_memory(self._limits)
        return self._reason

    def _watch(self) -> None:
        next_look_at_disk = 0.0
        while not self._stopped.wait(LOOK_S):
            pids = descendants([self._process.pid])
            self._reason = self._of_processes(pids)
            if self._reason is None and time.monotonic() >= next_look_at_disk:
                began = time.monotonic()
                self._reason = _of_disk(self._folder, pids, self._limits)
                # A folder of many files takes long: looking is at most a tenth of the time.
                took = time.monotonic() - began
                next_look_at_disk = began + took + max(LOOK_AT_DISK_S, 10 * took)
            if self._reason is not None:
                self._process.kill()  # the box ends with it
                return

    def _of_processes(self, pids: list[int]) -> str | None:
        if self._group is None:
            if len(pids) > PROCESSES:
                return f"started more than {PROCESSES} processes"
            if _memory(pids, self._limits.memory_mb * MB):
                return _too_much_memory(self._limits)
            if _is_machine_full():
                return "left the machine without memory"
        if self._limits.cpu_s is not None and sum(map(_cpu_s, pids)) > self._limits.cpu_s:
            return f"used more than {self._limits.cpu_s:.0f} s of processor time"
        return None


def _too_much_memory(limits: Limits) -> str:
    return f"used more than {limits.memory_mb} MB of memory (raise 'mem_mb' of its entry)"


def _memory(pids: list[int], most: int) -> bool:
    """Whether processes use more than ``most`` bytes; what they share counts once."""
    if sum(map(_resident, pids)) <= most:
        return False
    return sum(map(_proportional, pids)) > most  # slower to read


def _resident(pid: int) -> int:
    with contextlib.suppress(OSError, IndexError):
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE
    return 0


def _proportional(pid: int) -> int:
    """Memory of a process and its share of what it has in common with others (PSS)."""
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    return _resident(pid)


def _is_machine_full() -> bool:
    values = {}
    for line in Path("/proc/meminfo").read_text().splitlines()[:10]:
        name, _, value = line.partition(":")
        values[name] = int(value.split()[0]) * 1024
    return values["MemAvailable"] < min(LOWEST_BYTES, LOWEST_SHARE * values["MemTotal"])


def _cpu_s(pid: int) -> float:
    """Processor time of a process and of the children that it has waited for."""
    with contextlib.suppress(OSError, IndexError):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    return 0.0


def _of_disk(folder: Path, pids: list[int], limits: Limits) -> str | None:
    used, n_files = _disk(folder)
    used += _deleted(pids)
    if used > limits.disk_mb * MB:
        return f"wrote more than {limits.disk_mb} MB (with more 'shards' each writes less)"
    if n_files > FILES:
        return f"wrote more than {FILES} files"
    disk = shutil.disk_usage(folder)
    if disk.free < min(LOWEST_BYTES, LOWEST_SHARE * disk.total):
        return "left the disk without room"
    return None


def _disk(folder: Path) -> tuple[int, int]:
    """Bytes and number of the files below a folder."""
    used, n_files = 0, 0
    waiting = [str(folder)]
    while waiting and n_files <= FILES:
        with contextlib.suppress(OSError), os.scandir(waiting.pop()) as files:
            for file in files:
                n_files += 1
                with contextlib.suppress(OSError):
                    status = file.stat(follow_symlinks=False)
                    used += status.st_blocks * 512
                    if stat.S_ISDIR(status.st_mode):
                        waiting.append(file.path)
    return used, n_files


def _deleted(pids: list[int]) -> int:
    """Bytes of files that have no name any more and are still open."""
    sizes: dict[tuple[int, int], int] = {}
    for pid in pids:
        with contextlib.suppress(OSError):
            for number in os.listdir(f"/proc/{pid}/fd"):
                with contextlib.suppress(OSError):
                    status = os.stat(f"/proc/{pid}/fd/{number}")
                    if stat.S_ISREG(status.st_mode) and status.st_nlink == 0:
                        sizes[status.st_dev, status.st_ino] = status.st_blocks * 512
    return sum(sizes.values())
