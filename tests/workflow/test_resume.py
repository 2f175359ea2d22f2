"""A run that is killed at any moment goes on where it was: the same numbers, and finished jobs are not repeated."""

import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from runs import ROOT, make_kaldi_directory, snakemake, write_config

pytestmark = pytest.mark.long
KILLS = 10
HANG_SECONDS = 900
B2R = "python {scripts}/anonymise_mcadams.py --alpha 0.7 0.9 --level speaker"
FINISHED = re.compile(r"^Finished jobid: \d+ \(Rule: (\w+)\)", re.MULTILINE)


def make_run_folder(folder, model):
    make_kaldi_directory(folder / "data" / "tiny")
    shutil.copytree(model, folder / "model")
    write_config(folder, anonymisers={"b2r": {"command": B2R, "shards": 2}})


def start_resume(folder):
    """Start `make resume` as a person would, with this Python's Snakemake, in a process group of its own."""
    arguments = f"--snakefile {ROOT}/Snakefile --directory {folder} --configfile {folder}/config.yaml"
    make = ["make", "-f", ROOT / "Makefile", "-o", ".venv/installed", f"BIN={Path(sys.executable).parent}", "CORES=2"]
    with open(folder / "output", "w") as output:
        return subprocess.Popen(
            [*make, f"ARGS={arguments}", "resume"],
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd=ROOT,
            start_new_session=True,
        )


def kill(process, *, orphans):
    """Kill -9 a run: all of it, or Snakemake alone, so that its jobs live on and write."""
    if orphans:
        found = subprocess.run(
            ["pgrep", "-g", str(process.pid), "-f", "snakemake --snakefile"], capture_output=True, text=True
        )
        for identity in found.stdout.split():
            os.kill(int(identity), signal.SIGKILL)
    else:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait(timeout=60)


def finished_jobs(folder):
    return Counter(FINISHED.findall((folder / "output").read_text()))


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory, model_folder):
    """The folder of a run that nobody killed, its seconds, and the seconds of a start that finds nothing to do."""
    folder = tmp_path_factory.mktemp("undisturbed")
    make_run_folder(folder, model_folder)
    began = time.monotonic()
    assert start_resume(folder).wait(timeout=HANG_SECONDS) == 0, (folder / "output").read_text()
    jobs, seconds = finished_jobs(folder), time.monotonic() - began
    began = time.monotonic()
    assert start_resume(folder).wait(timeout=HANG_SECONDS) == 0
    return folder, jobs, seconds, time.monotonic() - began


def test_a_run_killed_at_ten_random_moments_gives_the_same_numbers_and_repeats_nothing(
    undisturbed, tmp_path, model_folder
):
    folder, expected, seconds, start_seconds = undisturbed
    make_run_folder(tmp_path, model_folder)
    seed = int.from_bytes(os.urandom(4), "big")
    draw = random.Random(seed)
    jobs, kills = Counter(), 0
    while kills < KILLS:
        run = start_resume(tmp_path)
        time.sleep(start_seconds + draw.uniform(0, 2 * seconds / KILLS))
        if run.poll() is not None:
            break
        kill(run, orphans=draw.random() < 0.5)
        jobs += finished_jobs(tmp_path)
        kills += 1
    assert kills > KILLS / 2, f"seed {seed}: only {kills} kills"
    assert start_resume(tmp_path).wait(timeout=HANG_SECONDS) == 0, (tmp_path / "output").read_text()
    jobs += finished_jobs(tmp_path)
    for name in ("metrics.tsv", "report/tables/comparison.tsv", "trials/tiny/all.tsv"):
        assert (tmp_path / "results" / name).read_bytes() == (folder / "results" / name).read_bytes(), f"seed {seed}"
    assert jobs - expected == Counter(), f"seed {seed}: repeated"
    left = [path for path in (tmp_path / "results").rglob(".*") if path.name != ".snakemake_timestamp"]
    assert not left, f"seed {seed}: half-written files remain"
    again = snakemake(tmp_path, "--cores", "1", "--configfile", tmp_path / "config.yaml")
    assert "Nothing to be done" in again.stderr + again.stdout
