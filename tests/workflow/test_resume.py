"""A run that is killed at any moment goes on where it was; finished jobs are not repeated."""

import os
import random
import signal
import time
from collections import Counter

import pytest
from nightly.measure_faults import send, start
from support.runs import HANG_SECONDS, finished_jobs, processes_of, voiceprivacy, wait_for_jobs

pytestmark = pytest.mark.long
KILLS = 4


def jobs_of(folder):
    return Counter(rule for run in finished_jobs(folder) for rule in run)


def test_a_run_killed_at_random_moments_gives_the_same_numbers_and_repeats_nothing(
    tiny_run, same_folder
):
    expected = jobs_of(tiny_run)
    seed = int.from_bytes(os.urandom(4), "big")
    draw = random.Random(seed)
    # In finished jobs.
    apart = 0.95 * expected.total() / KILLS
    runs = []
    for number in range(KILLS):
        runs.append(start(same_folder))
        wait_for_jobs(apart * (number + draw.random()), runs[-1], same_folder)
        time.sleep(draw.uniform(0, 4))  # a job takes one second or two
        # All of it, or Snakemake alone, whose jobs live on.
        send(runs[-1], signal.SIGKILL, everybody=draw.random() < 0.5)
        runs[-1].wait(timeout=HANG_SECONDS)
    killed = [run for run in runs if run.returncode != 0]
    assert len(killed) > KILLS / 2, f"seed {seed}: only {len(killed)} kills"
    status = start(same_folder).wait(timeout=HANG_SECONDS)
    assert status == 0, (same_folder / "output").read_text()
    for name in ("metrics.tsv", "report/tables/comparison.tsv", "trials/tiny/all.tsv"):
        own, other = (folder / "results" / name for folder in (same_folder, tiny_run))
        assert own.read_bytes() == other.read_bytes(), f"seed {seed}"
    assert jobs_of(same_folder) - expected == Counter(), f"seed {seed}: repeated"
    # What killed runs started writes in vain, but it writes.
    deadline = time.monotonic() + HANG_SECONDS
    while any(processes_of(run.pid) for run in runs):
        assert time.monotonic() < deadline
        time.sleep(0.2)
    left = {path.name for path in (same_folder / "results").rglob(".*")}
    assert left <= {".snakemake_timestamp"}, f"seed {seed}: half-written files remain"
    again = voiceprivacy(same_folder, "run", "--configfile", "config.yaml")
    assert "Nothing to be done" in again.stderr + again.stdout
