"""The profile for clusters on a real SLURM of one node: the same numbers, trouble overcome."""

import contextlib
import re
import threading
from pathlib import Path

import pytest
from support import needs, slurm
from support.runs import LOSES, ROOT, make_kaldi_directory, snakemake, succeeded, write_config

pytestmark = [pytest.mark.long, needs.program("slurm", slurm.why_not)]
PROFILE = ["--workflow-profile", ROOT / "workflow" / "profiles" / "slurm"]
ONE_SMALL_NODE = [*PROFILE, "--slurm-status-command", "squeue", "--cores", "2"]
ONE_SMALL_NODE += ["--resources", "mem_mb=8000"]
ONCE = """
import pathlib, subprocess, time

def anonymise(samples, sample_rate, *, utterance, speaker, seed):
    mark = pathlib.Path(__file__).with_suffix(".mark")
    if not mark.exists():
        mark.touch()
        subprocess.run(COMMAND, shell=True, check=True)
        time.sleep(1200)
        mark.with_suffix(".survived").touch()
    return samples[::-1]
"""
CANCELLED = ONCE.replace("COMMAND", repr("scancel --full --signal=KILL $SLURM_JOB_ID"))
DRAINS = ONCE.replace(
    "COMMAND", repr("scontrol update nodename=$SLURMD_NODENAME state=drain reason=test")
)


@pytest.fixture(scope="module", autouse=True)
def cluster(tmp_path_factory):
    """With VOICEPRIVACY_SLURM set, a machine that cannot start one fails the tests."""
    assert slurm.why_not() is None
    with slurm.cluster(tmp_path_factory.mktemp("slurm")):
        yield
    assert not slurm.of_this_cluster() and not slurm.CONFIGURATION.exists()


def test_the_numbers_of_a_cluster_are_those_of_one_machine(same_folder, tiny_run):
    config = same_folder / "config.yaml"
    done = succeeded(snakemake(same_folder, *ONE_SMALL_NODE, "--configfile", config))
    for name in ("results/metrics.tsv", "results/verdict.json"):
        assert (same_folder / name).read_bytes() == (tiny_run / name).read_bytes()
    jobs = int(re.search(r"(\d+) of \1 steps \(100%\) done", done.stderr + done.stdout).group(1))
    submitted = done.stderr.count("has been submitted with SLURM jobid")
    assert 5 <= submitted <= jobs / 2


def test_a_failing_job_is_reported_and_a_killed_one_is_overcome(tmp_path):
    finished = anonymise(tmp_path, failing=LOSES, killed=CANCELLED)
    output = finished.stderr + finished.stdout
    assert finished.returncode != 0
    assert not manifest_of(tmp_path, "failing").exists()
    assert manifest_of(tmp_path, "killed").exists(), output
    assert (tmp_path / "killed.mark").exists() and not (tmp_path / "killed.survived").exists()
    assert "Trying to restart job" in output
    last = output[output.rindex("Error in group") :]
    log = "results/logs/anonymise_part/tiny/trial/failing.log"
    assert log in last and "killed" not in last, output
    reason = r"error: utterance '\w+-\d': failing.py:anonymise: RuntimeError: no such voice"
    assert re.search(reason, (tmp_path / log).read_text())


def test_a_node_that_goes_away_is_overcome(tmp_path):
    """Alone: whatever else runs on the node goes away with it."""
    with repaired_node():
        finished = anonymise(tmp_path, drained=DRAINS)
    output = finished.stderr + finished.stdout
    assert finished.returncode == 0, output
    assert manifest_of(tmp_path, "drained").exists() and (tmp_path / "drained.mark").exists()
    assert not (tmp_path / "drained.survived").exists()
    assert "Trying to restart job" in output


def anonymise(folder, **plug_ins):
    """Run plug-ins (name and code) on the trial part, each in a submitted job of its own."""
    make_kaldi_directory(folder / "data" / "tiny")
    for name, text in plug_ins.items():
        (folder / f"{name}.py").write_text(text)
    functions = {name: {"function": f"{name}.py:anonymise"} for name in plug_ins}
    config = write_config(folder, anonymisers=functions, extractors={"e": {"command": "true"}})
    alone = ["--group-components", "anonymise=1", "--configfile", config]
    targets = [manifest_of(Path(), name) for name in plug_ins]
    return snakemake(folder, *targets, *ONE_SMALL_NODE, *alone)


def manifest_of(folder, name):
    return folder / "results" / "audio" / "tiny" / "trial" / name / "manifest.tsv"


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
        if "drain" in slurm.state():
            for new in ("down", "resume"):
                slurm.set_state(new)
                over.wait(3)
