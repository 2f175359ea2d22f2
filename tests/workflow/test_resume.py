"""A run that is killed at any moment goes on where it was; finished jobs are not repeated."""

import contextlib
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from support.runs import HANG_SECONDS, ROOT, finished_jobs, processes_of, snakemake

pytestmark = pytest.mark.long
KILLS = 4


def start_resume(folder):
    """Start `make resume` as a person would, with this Snakemake, in a group of its own."""
    where = f"--snakefile {ROOT}/Snakefile --directory {folder}"
    make = ["make", "-f", ROOT / "Makefile", "-o", ".venv/installed", "CORES=2"]
    make += [f"BIN={Path(sys.executable).parent}"]
    make += [f"ARGS={where} --configfile {folder}/config.yaml", "resume"]
    shutil.rmtree(folder / ".snakemake" / "log", ignore_errors=True)  # those of runs before
    with open(folder / "output", "w") as output:
        streams = {"stdout": output, "stderr": subprocess.STDOUT}
        return subprocess.Popen(make, **streams, cwd=ROOT, start_new_session=True)


def kill(process, *, orphans):
    """Kill -9 a run, unless it is over: all of it, or Snakemake alone, whose jobs live on."""
    with contextlib.suppress(ProcessLookupError):
        if orphans:
            command = ["pgrep", "-g", str(process.pid), "-f", "main.py run"]
            listed = subprocess.run(command, capture_output=True, text=True)
            for identity in listed.stdout.split():
                os.kill(int(identity), signal.SIGKILL)
        else:
            os.killpg(process.pid, signal.SIGKILL)
    process.wait(timeout=HANG_SECONDS)


def jobs_of(folder):
    """The finished jobs of the last run that began."""
    return Counter([[], *finished_jobs(folder)][-1])


def test_a_run_killed_at_random_moments_gives_the_same_numbers_and_repeats_nothing(
    tiny_run, same_folder
):
    expected = jobs_of(tiny_run)
    seed = int.from_bytes(os.urandom(4), "big")
    draw = random.Random(seed)
    # In finished jobs.
    apart = 0.95 * expected.total() / KILLS
    moments = [apart * (number + draw.random()) for number in range(KILLS)]
    jobs, runs = Counter(), []
    for moment in moments:
        runs.append(start_resume(same_folder))
        wait_until_finished(moment - jobs.total(), runs[-1], same_folder)
        time.sleep(draw.uniform(0, 4))  # a job takes one second or two
        kill(runs[-1], orphans=draw.random() < 0.5)
        jobs += jobs_of(same_folder)
    killed = [run for run in runs if run.returncode != 0]
    assert len(killed) > KILLS / 2, f"seed {seed}: only {len(killed)} kills"
    status = start_resume(same_folder).wait(timeout=HANG_SECONDS)
    assert status == 0, (same_folder / "output").read_text()
    jobs += jobs_of(same_folder)
    for name in ("metrics.tsv", "report/tables/comparison.tsv", "trials/tiny/all.tsv"):
        own, other = (folder / "results" / name for folder in (same_folder, tiny_run))
        assert own.read_bytes() == other.read_bytes(), f"seed {seed}"
    assert jobs - expected == Counter(), f"seed {seed}: repeated"
    wait_for_orphans(runs)
    left = {path.name for path in (same_folder / "results").rglob(".*")}
    assert left <= {".snakemake_timestamp"}, f"seed {seed}: half-written files remain"
    again = snakemake(same_folder, "--cores", "1", "--configfile", same_folder / "config.yaml")
    assert "Nothing to be done" in again.stderr + again.stdout


def wait_until_finished(count, run, folder):
    """Wait until a run has begun to work and has finished so many jobs, or all that there were."""
    deadline = time.monotonic() + HANG_SECONDS
    while run.poll() is None and jobs_of(folder).total() < max(count, 1):
        assert time.monotonic() < deadline
        time.sleep(0.02)


def wait_for_orphans(runs):
    """Wait until nothing that killed runs started is left: it writes in vain, but it writes."""
    deadline = time.monotonic() + HANG_SECONDS
    while any(processes_of(run.pid) for run in runs):
        assert time.monotonic() < deadline
        time.sleep(0.2)
