"""The wheel: the workflow installed once, its clone gone, in a folder that nobody may write to."""

import json
import os
import re
import shutil
import stat
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest
import yaml
from support import runs
from support.conda_stand_in import build_channel, install_command

from voiceprivacy.vocabulary import SOURCES

pytestmark = pytest.mark.long
TREE = ("Snakefile", "config", "envs", "scripts", "workflow", "pyproject.toml")
BESIDE = ("LICENSE", "README.md")  # of the metadata
GIT = ("git", "-c", "user.name=Tester", "-c", "user.email=tester@example.org")
ANONYMISERS = {
    "b2": {
        "command": runs.B2,
        "inputs": ["{scripts}/anonymise_mcadams.py"],
    }
}
EXTRACTORS = {"ecapa": {"model": "{resources}/ecapa_small"}}
# As root, permissions hold nobody back: there the folder is mounted so that nobody can write to it.
MOUNTED = 'mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" && shift && exec "$@"'


def call(*words, folder=runs.ROOT, **environment):
    return runs.succeeded(runs.call_in(folder, words, environment)).stdout


@pytest.fixture(scope="module")
def clone(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel") / "clone"
    for name in (*TREE, *BESIDE):
        ignored = shutil.ignore_patterns("__pycache__")
        copy = shutil.copy if (runs.ROOT / name).is_file() else shutil.copytree
        folder.mkdir(exist_ok=True)
        copy(
            runs.ROOT / name,
            folder / name,
            **({"ignore": ignored} if copy is shutil.copytree else {}),
        )
    for words in (["init", "--quiet"], ["add", "."], ["commit", "--quiet", "--message", "all"]):
        call(*GIT, *words, folder=folder)
    return folder


def write_run(folder):
    runs.make_kaldi_directory(folder / "data" / "tiny")
    config = {"anonymisers": ANONYMISERS, "extractors": EXTRACTORS, "report": {"bootstrap": 0}}
    # What is measured with a model of the wheel: of one utterance, because it takes seconds.
    config["utility"] = runs.WITHOUT_MEASURES | {"quality": {"type": "quality", "utterances": 1}}
    return runs.write_config(folder, **config)


@pytest.fixture(scope="module")
def finished(clone):
    folder = clone.parent / "run"
    config = write_run(folder)
    words = ["scripts/main.py", "run", "--cores", "2", "--configfile", config]
    call(sys.executable, clone / words[0], *words[1:], folder=folder)
    return folder


@pytest.fixture(scope="module")
def wheel(clone, finished):
    """The wheel; its clone is gone. The commit that it was made of stands in its name's place."""
    folder = clone.parent
    call(sys.executable, "-m", "uv", "build", "--wheel", "--out-dir", folder / "dist", clone)
    shutil.rmtree(clone)
    return next((folder / "dist").glob("*.whl"))


def install(folder, *words):
    """A virtual environment without pip, and what uv installs there: its bin."""
    call(sys.executable, "-m", "venv", "--without-pip", folder)
    python = folder / "bin" / "python"
    call(sys.executable, "-m", "uv", "pip", "install", "--python", python, *words)
    return folder / "bin"


@pytest.fixture(scope="module")
def base(wheel):
    """Without the extra: numpy and scipy."""
    return install(wheel.parents[1] / "base", wheel)


@pytest.fixture(scope="module")
def installed(wheel):
    """With what the workflow needs, which is lent by the environment of the tests."""
    binaries = install(wheel.parents[1] / "whole", "--no-deps", wheel)
    (packages,) = binaries.parent.glob("lib/*/site-packages")
    (packages / "lent.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
    return binaries


@pytest.fixture(scope="module")
def voiceprivacy(installed):
    """A function that calls the command in a folder; nothing can be written to its packages."""
    (packages,) = installed.parent.glob("lib/*/site-packages")
    before = []
    if os.geteuid() == 0:
        before = ["unshare", "--mount", "--propagation", "private", "sh", "-c", MOUNTED, "sh"]
        before.append(packages)
    else:
        for path in [packages, *packages.rglob("*")]:
            path.chmod(path.stat().st_mode & ~(stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH))
    refused = runs.call_in(packages, [*before, "touch", packages / "voiceprivacy" / "new"], {})
    assert refused.returncode != 0

    def command(folder, *words, **environment):
        return runs.call_in(folder, [*before, installed / "voiceprivacy", *words], environment)

    return command


def test_the_tree_lies_in_the_wheel_as_in_a_checkout_and_nothing_else_does(wheel):
    tracked = call("git", "ls-files", *TREE, folder=runs.ROOT).splitlines()
    own = {"__init__.py", "api.pyi", "commit.json", "py.typed"}
    names = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    inside = {name.removeprefix("voiceprivacy/") for name in names}
    assert set(tracked) <= inside
    assert {name for name in inside if not (runs.ROOT / name).exists()} == own


def test_the_extras_are_what_the_lock_is_made_of(wheel):
    (metadata,) = [name for name in zipfile.ZipFile(wheel).namelist() if "METADATA" in name]
    text = zipfile.ZipFile(wheel).read(metadata).decode()
    lines = re.findall(r"^Requires-Dist: ([^;\n]+?)(?:; extra == '(\w+)')?$", text, re.MULTILINE)
    needed = {extra: {name.strip() for name, own in lines if own == extra} for _, extra in lines}
    assert {re.split("[<>=]", name)[0] for name in needed[""]} == {"numpy", "scipy"}
    pins = [line for line in (runs.ROOT / "envs/requirements.in").read_text().splitlines() if line]
    assert needed["run"] == {*pins[1:]}
    assert needed["exchange"] < needed["run"] and len(needed["exchange"]) == 5


SCORES = "enrolment\ttrial\tlabel\tscore\na\tb\ttarget\t2\na\tc\ttarget\t1\na\td\tnontarget\t0\n"


def test_scores_need_numpy_and_scipy_only_and_the_rest_says_what_is_missing(base, tmp_path):
    (tmp_path / "scores.tsv").write_text(SCORES)
    words = ["--scores", "scores.tsv", "--metrics", "out.json"]
    call(base / "voiceprivacy", "assess", "zebra", *words, folder=tmp_path)
    imported = "from voiceprivacy import zebra; print(zebra(target=[2, 1], nontarget=[0]).dece_bit)"
    said = float(call(base / "python", "-c", imported, folder=tmp_path))
    assert said == json.loads((tmp_path / "out.json").read_text())["dece_bit"]
    assert call(base / "python", "-m", "voiceprivacy", "--version").startswith("voiceprivacy 0.")
    assert "new-run" in call(base / "voiceprivacy", "completion", "bash")
    refused = runs.call_in(tmp_path, [base / "voiceprivacy", "run", "-n"], {})
    assert refused.returncode == 2 and refused.stderr.count("\n") == 1
    assert "is not installed: install the wheel with the extra" in refused.stderr
    unknown = runs.call_in(tmp_path, [base / "voiceprivacy", "fetch-models", "no_such"], {})
    assert unknown.returncode == 2 and "there are resemblyzer, " in unknown.stderr


def test_results_are_exchanged_without_snakemake_and_torch(wheel, finished, tmp_path):
    exchange = install(tmp_path / "exchange", f"voiceprivacy[exchange] @ {wheel.as_uri()}")
    command = exchange / "voiceprivacy"
    words = ["--repository", tmp_path / "board", "--laboratory", "A", "--revision", "2026"]
    call(command, "export-result", *words, "--public", folder=finished)
    (result,) = (tmp_path / "board" / "results" / "b2" / "2026").rglob("*.json")
    assert json.loads(result.read_text())["utility"]
    assert "no findings" in call(command, "check-result", "board", folder=tmp_path)
    call(command, "leaderboard", "board", folder=tmp_path)
    assert result.stem in (tmp_path / "site" / "systems" / "b2.html").read_text()
    config = yaml.safe_load((finished / "config.yaml").read_text())
    (tmp_path / "attacker.yaml").write_text(yaml.safe_dump(config | {"anonymisers": {}}))
    (tmp_path / "speech" / "b2" / "2026" / "clean").mkdir(parents=True)
    words = ["--repository", "board", "--config", "attacker.yaml", "--output", "run.yaml"]
    pattern = "speech/{system}/{revision}/{set}"
    said = call(command, "add-attacker", *words, "--speech", pattern, folder=tmp_path)
    assert "1 system. Then:" in said


# Whoever calls the functions so; the last line is wrong.
TYPED = """import numpy as np
from voiceprivacy import ranks, verdict, verification, zebra
from voiceprivacy.api import BadInput, Zebra

columns = {"enrolment": ["a"], "trial": ["b"], "label": ["target"], "score": np.ones(1)}
one: Zebra = zebra(columns, speakers={"a": "anna"})
two: float = verification(target=[1.0, 2.0], nontarget=np.zeros(3)).eer_percent
three = ranks(np.eye(2), test_speakers=["a", "b"], template_speakers=["a", "b"]).p.mean()
four: dict[str, str] = verdict({"original": {"oo": columns}}, {"a": "anna"}).states
five: str = one.intervals["dece_bit"].n_speakers
"""


def test_type_checkers_know_what_goes_in_and_what_comes_out(base, tmp_path):
    (tmp_path / "mine.py").write_text(TYPED)
    words = ["--strict", "--python-executable", base / "python", "mine.py"]
    checked = runs.call_in(tmp_path, [sys.executable, "-m", "mypy", *words], {})
    (finding, summary) = checked.stdout.splitlines()
    assert finding.startswith("mine.py:10: error") and '"int"' in finding
    assert summary.startswith("Found 1 error")


def test_a_run_goes_on_with_the_wheel_and_repeats_nothing(voiceprivacy, finished):
    config = ["--configfile", finished / "config.yaml"]
    planned = runs.succeeded(voiceprivacy(finished, "run", "-n", *config))
    assert "Nothing to be done" in planned.stdout + planned.stderr


def test_the_demo_is_planned_in_an_empty_folder_by_somebody_without_a_home(voiceprivacy, tmp_path):
    environment = {"HOME": "/proc/nowhere", "XDG_CACHE_HOME": ""}
    runs.succeeded(voiceprivacy(tmp_path, "demo", "-n", **environment))
    assert {path.name for path in tmp_path.iterdir()} <= {".snakemake", "results"}


def test_a_run_of_the_wheel_gives_the_numbers_of_the_clone_and_says_its_commit(
    voiceprivacy, finished, tmp_path
):
    config = write_run(tmp_path)
    valid = runs.succeeded(voiceprivacy(tmp_path, "validate", "--config", config))
    assert "0 errors" in valid.stdout + valid.stderr
    runs.succeeded(voiceprivacy(tmp_path, "run", "--cores", "2", "--configfile", config))
    for name in ("results/metrics.tsv", "results/report/tables/comparison.tsv"):
        assert (tmp_path / name).read_bytes() == (finished / name).read_bytes()
    assert (tmp_path / "results/report/index.html").exists()
    then, now = (
        json.loads((folder / "results/provenance.json").read_text())
        for folder in (finished, tmp_path)
    )
    for name in ("version", "git_commit", "git_state"):
        assert now[name] == then[name]
    models = [
        {path: digest for path, digest in one["sha256"].items() if not path.startswith(SOURCES)}
        for one in (then, now)
    ]
    assert models[0] == models[1], "but for people's files, which lie in another folder"
    assert now["git_state"] == "clean" and re.fullmatch("[0-9a-f]{40}", now["git_commit"])


def test_a_rule_in_an_environment_of_conda_finds_the_package(voiceprivacy, tmp_path):
    environments = [runs.ROOT / "envs" / "torch.yaml"]
    build_channel(tmp_path / "channel", environments)
    install_command(tmp_path / "base", tmp_path / "channel")
    config = write_run(tmp_path)
    target = "results/checks/tiny.tsv"
    words = ["--sdm", "conda", "--cores", "1", "--configfile", config]
    path = os.pathsep.join([str(tmp_path / "base" / "bin"), os.environ["PATH"]])
    runs.succeeded(voiceprivacy(tmp_path, "run", target, *words, PATH=path))
    assert (tmp_path / target).exists()
    (called,) = Path(tmp_path, ".snakemake", "conda").glob("*/called")
    assert "-m voiceprivacy.jobs.validate_corpus" in called.read_text()
