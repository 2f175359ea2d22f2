"""Jobs on machines that share no disk: what they need comes from a store, and goes there.

Each group of jobs runs in a folder of its own, which is empty before. The store is all that they
share, besides the sources: what a config names lies on every machine. It is a folder, or S3, which
a server on this machine stands for. What single jobs read, support.declared looks at.
"""

import contextlib
import os
import re
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path
from urllib.request import Request, urlopen

import pytest
import soundfile
from support import needs
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
    needs.program("rsync"),
]
S3_PACKAGES = Path(sys.prefix) / "s3"  # make .venv/installed-s3
BUCKET = "voiceprivacy"
B2R = "python {scripts}/anonymise_mcadams.py --alpha 0.7 0.9 --level speaker"
# What runs, in a folder that is new: the job's script, its exit code and its folder as its id.
SUBMIT = """#!/bin/sh
cd "$(mktemp -d {nodes}/XXXXXX)"
sh "$1" > log 2>&1
echo "$?-$(basename "$PWD")"
"""
STATUS = '#!/bin/sh\ncase "$1" in 0-*) echo success ;; *) echo failed ;; esac\n'
# To start a job takes longer than most jobs: these travel together.
TOGETHER = {
    "speech": ["validate_corpus", "prepare_part", "list_trials", "describe_corpora"],
    "voices": ["anonymise_shard", "gather_manifests"],
    "attack": [
        *("extract_embeddings_of_both_parts", "score_original", "score_system", "score_matrices"),
        *("assess_scores", "assess_scores_of_original", "assess_ranks", "assess_matrices"),
        "assess_inference",
    ],
    "numbers": ["collect_metrics", "compare_anonymisers", "write_verdict"],
    "page": ["plot_tiny__all__random__cosine", "plot_run", "embed_audio", "write_report"],
}
# What says when, where and by which commit, and what is for a disk: checksums, the plan.
OF_ONE_RUN = {"index.html", "provenance.json", "methods.md", "methods.tex", "speed.tsv"}
OF_A_DISK = {"stamps.tsv", "checksums.tsv", "plan.json", "format"}
ENDINGS = (".sha256", ".checksums.tsv")
FOLDERS = {"logs", "benchmarks", "sources"}


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
def expected(sources, tmp_path_factory):
    """The results of a run on one machine."""
    folder = tmp_path_factory.mktemp("shared")
    configure(folder, sources)
    finished = snakemake(folder, "--cores", "2", "--configfile", "config.yaml")
    assert finished.returncode == 0, finished.stderr
    return folder / "results"


@pytest.fixture(scope="module")
def elsewhere(sources, tmp_path_factory):
    """A function that runs a checkout with jobs in folders of their own, and the checkout."""
    top = tmp_path_factory.mktemp("elsewhere")
    folder, nodes = top / "checkout", top / "nodes"
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
        *("--shared-fs-usage", "none", "--job-deploy-sources"),
    ]
    groups = [f"{rule}={group}" for group, rules in TOGETHER.items() for rule in rules]
    together = ["--group-components", "voices=2", "page=3", "--groups", *groups]

    def run(*words, alone=False, **environment):
        command = [sys.executable, "scripts/run.py", *options, *([] if alone else together)]
        return call_in(folder, [*command, *words], environment)

    return run, folder


@pytest.fixture
def in_folder(elsewhere):
    """A function that runs it with a folder as the store, and the results there."""
    run, folder = elsewhere
    store = folder.with_name("store")
    where = ("--default-storage-provider", "fs", "--default-storage-prefix", store)
    return lambda **how: run(*where, **how), store / "results"


@pytest.fixture
def in_s3(elsewhere, tmp_path):
    """A function that runs it with a bucket of S3 as the store, and the address of the results."""
    run, _ = elsewhere
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    server, path = f"http://127.0.0.1:{port}", {"PYTHONPATH": str(S3_PACKAGES)}
    secrets = ("SNAKEMAKE_STORAGE_S3_ACCESS_KEY", "SNAKEMAKE_STORAGE_S3_SECRET_KEY")
    where = [
        *("--default-storage-provider", "s3", "--storage-s3-endpoint-url", server),
        *("--default-storage-prefix", f"s3://{BUCKET}/run1"),
    ]
    command = [sys.executable, "-m", "moto.server", "-p", str(port)]
    with (
        open(tmp_path / "log", "w") as log,
        subprocess.Popen(command, env=os.environ | path, stdout=log, stderr=log) as serving,
    ):
        try:
            wait_for(port)
            words = dict.fromkeys(secrets, "x") | path
            yield lambda *targets: run(*where, *targets, **words), f"{server}/{BUCKET}/run1/results"
        finally:
            serving.kill()


def wait_for(port):
    """Wait until a server answers."""
    for _ in range(300):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
            return
        time.sleep(0.1)
    raise TimeoutError(port)


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


def page_of(results):
    """The page without the commit, and without what jobs cost, which nobody knows of a store."""
    page = (results / "report" / "index.html").read_text(encoding="utf-8")
    page = re.sub(r"(<th[^>]*>git (?:commit|state)</th>\s*<td>)[^<]*", r"\1", page)
    return re.sub(r"<details>\s*<summary>Time and memory of .*?</details>\s*", "", page, flags=re.S)


def test_jobs_without_a_shared_disk_make_what_others_make(expected, in_folder):
    run, stored = in_folder
    # Codes of people are drawn once, in any run: here the same.
    stored.mkdir(parents=True)
    shutil.copy2(expected / "codes.key", stored)
    finished = run()
    assert finished.returncode == 0, finished.stderr
    own, there = made(expected), made(stored)
    assert own["metrics.tsv"] == there["metrics.tsv"]
    assert [name for name in own if own[name] != there.get(name)] == []
    assert page_of(stored) == page_of(expected)
    again = run()
    assert again.returncode == 0 and "Nothing to be done" in again.stderr


@pytest.mark.skipif(not S3_PACKAGES.is_dir(), reason="make .venv/installed-s3 is not done")
def test_results_in_s3_are_those_of_one_machine(expected, in_s3):
    run, address = in_s3
    targets = ["results/metrics.tsv", "results/verdict.json"]
    finished = run(*targets)
    assert finished.returncode == 0, finished.stderr
    for name in ("metrics.tsv", "verdict.json"):
        asked = Request(f"{address}/{name}", headers={"Authorization": "of nobody"})
        with urlopen(asked) as there:
            assert there.read() == (expected / name).read_bytes()
    again = run(*targets)
    assert again.returncode == 0 and "Nothing to be done" in again.stderr


def test_a_job_without_a_shared_disk_that_fails_says_why(sources, in_folder):
    """Its log is in the store, and is fetched; the edited source is noticed before."""
    run, _ = in_folder
    trials = sources / "data" / "trials"
    trials.write_text(trials.read_text().replace("nontarget", "perhaps", 1))
    failed = run(alone=True)
    assert failed.returncode != 0
    assert "validate_corpus failed" in failed.stderr
    assert "trials" in failed.stderr and "perhaps" in failed.stderr
