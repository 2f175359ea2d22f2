"""Jobs on machines that share no disk: what they need comes from a store, and goes there.

Each job runs in a folder of its own, which is empty before. The folder of a store is the only one
that all see, besides that of the sources: what a config names lies on every machine.
"""

import shutil
import subprocess
import sys

import pytest
import soundfile
from support.models import untrained_xvector
from support.runs import (
    ROOT,
    WITHOUT_MEASURES,
    call_in,
    make_kaldi_directory,
    snakemake,
    write_config,
)

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(not shutil.which("rsync"), reason="rsync copies to and from the store"),
]
B2R = "python {scripts}/anonymise_mcadams.py --alpha 0.7 0.9 --level speaker"
# What runs, in a folder that is new: the job's script, its exit code and its folder as its id.
SUBMIT = """#!/bin/sh
cd "$(mktemp -d {nodes}/XXXXXX)"
sh "$1" > log 2>&1
echo "$?-$(basename "$PWD")"
"""
STATUS = '#!/bin/sh\ncase "$1" in 0-*) echo success ;; *) echo failed ;; esac\n'
# What says when, where and by which commit, and what is for a disk: checksums, the plan.
OF_ONE_RUN = {"index.html", "provenance.json", "methods.md", "methods.tex", "speed.tsv"}
OF_A_DISK = {"stamps.tsv", "checksums.tsv", "plan.json", "format"}
ENDINGS = (".sha256", ".checksums.tsv")
FOLDERS = {"logs", "benchmarks", "sources", "effort"}


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    """Speech of which some has to be converted, and a model."""
    folder = tmp_path_factory.mktemp("sources")
    make_kaldi_directory(folder / "data")
    for path in sorted((folder / "data" / "wav").glob("anna*")):
        samples, _ = soundfile.read(path)
        soundfile.write(path, samples, 22050)
    (folder / "model").mkdir()
    untrained_xvector(folder / "model")
    return folder


def configure(folder, sources):
    return write_config(
        folder,
        corpora={"tiny": {"kaldi": str(sources / "data")}},
        extractors={"random": {"model": str(sources / "model")}},
        anonymisers={"b2r": {"command": B2R, "shards": 2}},
        utility=WITHOUT_MEASURES,
    )


def checkout(folder):
    """Our files in a repository of their own: Snakemake brings to a job what git knows."""
    tracked = subprocess.check_output(["git", "ls-files", "-z"], cwd=ROOT, text=True)
    for name in filter(None, tracked.split("\0")):
        if not name.startswith(("tests/", "docs/")):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    for words in (["init", "--quiet"], ["add", "--all"]):
        subprocess.run(["git", *words], cwd=folder, check=True)


@pytest.fixture(scope="module")
def elsewhere(sources, tmp_path_factory):
    """A function that runs a checkout with jobs in folders of their own; the store is beside it."""
    top = tmp_path_factory.mktemp("elsewhere")
    folder, nodes, store = top / "checkout", top / "nodes", top / "store"
    checkout(folder)
    nodes.mkdir()
    for name, text in (("submit", SUBMIT.format(nodes=nodes)), ("status", STATUS)):
        (top / name).write_text(text)
        (top / name).chmod(0o755)
    config = configure(folder, sources)
    options = [
        *("--configfile", config.name, "--jobs", "2"),
        *("--executor", "cluster-generic", "--seconds-between-status-checks", "1"),
        *("--cluster-generic-submit-cmd", top / "submit"),
        *("--cluster-generic-status-cmd", top / "status"),
        *("--default-storage-provider", "fs", "--default-storage-prefix", store),
        *("--shared-fs-usage", "none", "--job-deploy-sources"),
    ]

    def run(*words):
        return call_in(folder, [sys.executable, "scripts/run.py", *options, *words], {})

    return run, store / "results"


def made(results):
    """{file: content} of what a run made, without what differs from run to run."""
    return {
        str(path.relative_to(results)): path.read_bytes()
        for path in results.rglob("*")
        if path.is_file()
        and path.name not in OF_ONE_RUN | OF_A_DISK
        and not path.name.endswith(ENDINGS)
        and not FOLDERS.intersection(path.relative_to(results).parts)
    }


def test_jobs_without_a_shared_disk_make_what_others_make(sources, elsewhere, tmp_path):
    run, stored = elsewhere
    configure(tmp_path, sources)
    shared = snakemake(tmp_path, "--cores", "2", "--configfile", "config.yaml")
    assert shared.returncode == 0, shared.stderr
    # Codes of people are drawn once, in any run: here the same.
    stored.mkdir(parents=True)
    shutil.copy2(tmp_path / "results" / "codes.key", stored)
    finished = run()
    assert finished.returncode == 0, finished.stderr
    expected, there = made(tmp_path / "results"), made(stored)
    assert expected["metrics.tsv"] == there["metrics.tsv"]
    assert [name for name in expected if expected[name] != there.get(name)] == []
    assert (stored / "report" / "index.html").exists()
    again = run()
    assert again.returncode == 0 and "Nothing to be done" in again.stderr


def test_a_job_without_a_shared_disk_that_fails_says_why(sources, elsewhere):
    """Its log is in the store, and is fetched; the edited source is noticed before."""
    run, _ = elsewhere
    trials = sources / "data" / "trials"
    trials.write_text(trials.read_text().replace("nontarget", "perhaps", 1))
    failed = run()
    assert failed.returncode != 0
    assert "validate_corpus failed" in failed.stderr
    assert "trials" in failed.stderr and "perhaps" in failed.stderr
