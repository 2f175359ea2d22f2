"""Are the numbers the same after runs were killed, or were out of disk or memory?

    python tests/nightly/measure_faults.py --killed 200 --full 50 --starved 50

A tiny run is disturbed ten times at random moments and then left alone. Its metrics and verdict
have to be those of a run that nobody disturbed, byte for byte. A fault is one of

* killed: SIGKILL or SIGTERM for all processes or for the main one alone, or a cut of power. Of a
  cut it is simulated that what was written last is lost: files of the last second are empty.
* full: the disk (a tmpfs of its own; needs root) has little room left.
* starved: no process gets more memory than so much.

A refusal that names a damaged file counts as right if the run is right without that file.
"""

import argparse
import contextlib
import filecmp
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT / "tests")]

from support.runs import write_tiny_run  # noqa: E402

IN_A_RUN = 10  # faults, until it is left alone
LIMIT_S = 900
COMPARED = ("results/metrics.tsv", "results/verdict.json")
NAMED = re.compile(r"results/[\w/.-]+")


def start(folder: Path, *, memory: int | None = None) -> subprocess.Popen:
    """Start a run in a process group of its own; ``memory`` bytes for each process."""

    def limit() -> None:
        if memory:
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))

    words = [sys.executable, str(ROOT / "scripts/main.py"), "run", "--cores", "2"]
    words += ["--configfile", "config.yaml", "--seed-file", "secret"]
    with open(folder / "output", "w") as output:
        how = {"stdout": output, "stderr": output, "start_new_session": True, "preexec_fn": limit}
        return subprocess.Popen(words, cwd=folder, **how)


def finish(process: subprocess.Popen) -> int:
    """Wait for a run, and end whatever it has left."""
    try:
        return process.wait(timeout=LIMIT_S)
    finally:
        send(process, signal.SIGKILL, everybody=True)


def send(process: subprocess.Popen, number: int, *, everybody: bool) -> None:
    """Send a signal to a run: to all of its group, or to the main process alone."""
    with contextlib.suppress(ProcessLookupError):
        (os.killpg if everybody else os.kill)(process.pid, number)


def kill(folder: Path, draw: random.Random, seconds: float) -> str:
    """Disturb a run once, at some moment; what was done."""
    process = start(folder)
    time.sleep(draw.uniform(0, seconds))
    kind = draw.choice(["kill all", "kill one", "terminate all", "terminate one", "power"])
    number = signal.SIGTERM if kind.startswith("terminate") else signal.SIGKILL
    send(process, number, everybody="one" not in kind)
    process.wait(timeout=LIMIT_S)
    time.sleep(draw.uniform(0, 0.5))  # processes that outlive the main one
    send(process, signal.SIGKILL, everybody=True)
    if kind == "power":
        lose_last_writes(folder / "results")
    return kind


def lose_last_writes(results: Path) -> None:
    """Empty the files of the last second, as a disk may that was not told to keep them."""
    newest = time.time() - 1
    for path in results.rglob("*"):
        if path.is_file() and not path.is_symlink() and path.stat().st_mtime > newest:
            os.truncate(path, 0)


def fill(folder: Path, draw: random.Random, seconds: float) -> str:
    """Start a run on a disk with little room, and give the room back."""
    room = draw.uniform(0, 3e6)
    status = os.statvfs(folder)
    ballast = folder / "ballast"
    with open(ballast, "wb") as file:
        file.write(bytes(max(0, int(status.f_bavail * status.f_frsize - room))))
    finish(start(folder))
    ballast.unlink()
    return "full"


def starve(folder: Path, draw: random.Random, seconds: float) -> str:
    finish(start(folder, memory=int(draw.uniform(0.2e9, 1.5e9))))
    return "starved"


def leave_alone(folder: Path) -> list[str]:
    """Run until it is finished: the files that had to be removed because it refused them."""
    removed: list[str] = []
    while finish(start(folder)) != 0:
        said = (folder / "output").read_text(errors="replace")
        named = [name for name in NAMED.findall(said) if (folder / name).is_file()]
        named = [name for name in named if "/logs/" not in name and name not in removed]
        if not named or len(removed) > 50:
            raise SystemExit(f"{folder}: does not go on, and names no file:\n{said[-3000:]}")
        (folder / named[0]).unlink()
        removed.append(named[0])
    return removed


@contextlib.contextmanager
def small_disk(folder: Path):
    """A disk in memory of its own for a folder."""
    folder.mkdir()
    mounted = ["mount", "-t", "tmpfs", "-o", "size=60m", "tmpfs", str(folder)]
    subprocess.run(mounted, check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("killed", "full", "starved"):
        parser.add_argument(f"--{name}", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    kinds = {"killed": kill, "full": fill, "starved": starve}
    with tempfile.TemporaryDirectory() as work:
        undisturbed = Path(work, "undisturbed")
        write_tiny_run(undisturbed)
        began = time.monotonic()
        if finish(start(undisturbed)) != 0:
            raise SystemExit((undisturbed / "output").read_text())
        seconds = time.monotonic() - began
        different = 0
        for name, disturb in kinds.items():
            left, n_run = getattr(arguments, name), 0
            while left > 0:
                folder = Path(work, f"{name}{n_run}")
                disk = small_disk(folder) if name == "full" else contextlib.nullcontext()
                with disk:
                    write_tiny_run(folder)
                    draw = random.Random(f"{arguments.seed} {name} {n_run}")
                    n_faults = min(left, IN_A_RUN)
                    done = Counter(disturb(folder, draw, seconds / 3) for _ in range(n_faults))
                    removed = leave_alone(folder)
                    same, *_ = filecmp.cmpfiles(undisturbed, folder, COMPARED, shallow=False)
                faults = ", ".join(f"{count} {kind}" for kind, count in sorted(done.items()))
                is_same = len(same) == len(COMPARED)
                outcome = "the same" if is_same else "DIFFERENT"
                print(f"{name}: {faults}: {outcome}; {len(removed)} files removed", flush=True)
                different += not is_same
                left, n_run = left - IN_A_RUN, n_run + 1
                if name != "full":
                    shutil.rmtree(folder)
    sys.exit(1 if different else 0)


if __name__ == "__main__":
    main()
