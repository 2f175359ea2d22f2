"""The profile for clusters on a real SLURM of one node: the same numbers as here, trouble noticed and overcome."""

import contextlib
import os
import re
import shutil
import subprocess
import threading

import pytest
import slurm
from runs import ROOT, make_kaldi_directory, snakemake, write_config

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif("VOICEPRIVACY_SLURM" not in os.environ and bool(slurm.missing()), reason=str(slurm.missing())),
]
PROFILE = ["--workflow-profile", ROOT / "workflow" / "profiles" / "slurm"]
ONE_SMALL_NODE = [*PROFILE, "--slurm-status-command", "squeue", "--cores", "2", "--resources", "mem_mb=8000"]
REVERSED = """
def anonymise(samples, sample_rate, *, utterance, speaker, seed):
    return samples[::-1]
"""
ALWAYS_FAILS = """
import pathlib

def anonymise(samples, sample_rate, *, utterance, speaker, seed):
    with pathlib.Path(__file__).with_suffix(".calls").open("a") as calls:
        calls.write(utterance + "\\n")
    raise RuntimeError("no such voice")
"""
ONCE = """
import os, pathlib, subprocess

def anonymise(samples, sample_rate, *, utterance, speaker, seed):
    mark = pathlib.Path(__file__).with_suffix(".mark")
    if not mark.exists():
        mark.touch()
        subprocess.run(COMMAND, shell=True, check=True)
        __import__("time").sleep(120)
    return samples[::-1]
"""
CANCELLED = ONCE.replace("COMMAND", repr("scancel --full --signal=KILL $SLURM_JOB_ID"))
DRAINS = ONCE.replace("COMMAND", repr("scontrol update nodename=$SLURMD_NODENAME state=drain reason=test"))


@pytest.fixture(scope="module", autouse=True)
def cluster(tmp_path_factory):
    """With VOICEPRIVACY_SLURM set, a machine that cannot start one fails the tests instead of skipping them."""
    assert slurm.missing() is None
    with slurm.cluster(tmp_path_factory.mktemp("slurm")):
        yield
    assert not slurm.of_this_cluster() and not slurm.CONFIGURATION.exists()


def make_run_folder(folder, model, **functions):
    make_kaldi_directory(folder / "data" / "tiny")
    shutil.copytree(model, folder / "model")
    for name, text in functions.items():
        (folder / f"{name}.py").write_text(text)
    return write_config(folder, anonymisers={name: {"function": f"{name}.py:anonymise"} for name in functions})


def test_the_numbers_of_a_cluster_are_those_of_one_machine(tmp_path, model_folder):
    configs = [make_run_folder(tmp_path / place, model_folder, mine=REVERSED) for place in ("here", "there")]
    here = snakemake(tmp_path / "here", "--cores", "2", "--configfile", configs[0])
    there = snakemake(tmp_path / "there", *ONE_SMALL_NODE, "--configfile", configs[1])
    assert (here.returncode, there.returncode) == (0, 0), there.stderr
    metrics = [(tmp_path / place / "results" / "metrics.tsv").read_bytes() for place in ("here", "there")]
    assert metrics[0] == metrics[1]
    jobs = int(re.search(r"(\d+) of \1 steps \(100%\) done", there.stderr + there.stdout).group(1))
    submitted = there.stderr.count("has been submitted with SLURM jobid")
    assert 5 <= submitted <= jobs / 3


def test_a_failing_job_is_reported_and_a_killed_one_and_a_lost_node_are_overcome(tmp_path, model_folder):
    plug_ins = {"failing": ALWAYS_FAILS, "killed": CANCELLED, "drained": DRAINS}
    config = make_run_folder(tmp_path, model_folder, **plug_ins)
    wanted = [f"results/audio/tiny/trial/{name}/manifest.tsv" for name in plug_ins]
    with repaired_node():
        finished = snakemake(
            tmp_path, *wanted, *ONE_SMALL_NODE, "--group-components", "anonymise=1", "--configfile", config
        )
    output = finished.stderr + finished.stdout
    assert finished.returncode != 0
    assert not (tmp_path / wanted[0]).exists()
    assert all((tmp_path / path).exists() for path in wanted[1:]), output
    assert all((tmp_path / f"{name}.mark").exists() for name in ("killed", "drained"))
    assert "Trying to restart job" in output
    calls = (tmp_path / "failing.calls").read_text().split()
    assert len(calls) == len(set(calls)), "what a person has to mend was tried again"
    summary = output[output.rindex("anonymise_part failed") :]
    assert re.search(r"error: utterance '\w+-\d': failing.py:anonymise: RuntimeError: no such voice", summary), output
    assert "killed" not in summary and "drained" not in summary


@contextlib.contextmanager
def repaired_node():
    """A node that starts to drain goes down, which kills its job, and is back a little later."""
    over = threading.Event()
    watch = threading.Thread(target=_repair, args=[over])
    watch.start()
    try:
        yield
    finally:
        over.set()
        watch.join()


def _repair(over):
    while not over.wait(1):
        name, state = subprocess.check_output(["sinfo", "-h", "-o", "%n %T"], text=True).split()
        if "drain" in state:
            for new in ("down", "resume"):
                subprocess.run(["scontrol", "update", f"nodename={name}", f"state={new}", "reason=test"], check=True)
                over.wait(3)
