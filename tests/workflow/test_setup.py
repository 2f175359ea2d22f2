"""What is missing on a machine is said in one line, before anything is made."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def make_venv(folder, python, *, disk_mb="1"):
    return subprocess.run(
        ["sh", ROOT / "envs" / "make_venv.sh", python, folder / ".venv"],
        capture_output=True,
        text=True,
        cwd=folder,
        env={**os.environ, "VOICEPRIVACY_DISK_MB": disk_mb},
    )


def fake_python(folder, script):
    path = folder / "python-of-this-test"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


OLD = 'case "$*" in *print*) echo 3.8;; *"< (3, 11)"*) exit 1;; esac'
WITHOUT_VENV = f'case "$*" in *"import venv"*) exit 1;; *) exec {sys.executable} "$@";; esac'


@pytest.mark.parametrize(
    ("script", "message"),
    [(OLD, "is Python 3.8; 3.11 or newer is needed"), (WITHOUT_VENV, "has no venv module")],
)
def test_an_unfit_python_is_one_clear_line(tmp_path, script, message):
    finished = make_venv(tmp_path, fake_python(tmp_path, script))
    assert finished.returncode == 2
    assert finished.stderr.count("\n") == 1
    assert message in finished.stderr
    assert not (tmp_path / ".venv").exists()


def test_a_missing_python_is_one_clear_line(tmp_path):
    finished = make_venv(tmp_path, "python-that-is-not-there")
    assert finished.returncode == 2
    assert finished.stderr.startswith("error: python-that-is-not-there: not found")
    assert finished.stderr.count("\n") == 1


def test_no_room_on_the_disk_is_one_clear_line(tmp_path):
    finished = make_venv(tmp_path, sys.executable, disk_mb="999999999")
    assert finished.returncode == 2
    assert "MB free on this disk; the installation needs 999999999 MB" in finished.stderr
    assert finished.stderr.count("\n") == 1
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
    variables = {name: value for name, value in os.environ.items() if name not in of_this_run} | {
        "HOME": home
    }
    variables |= {"XDG_CACHE_HOME": chosen} if chosen else {}
    command = ["make", "--silent", "--eval", "show: ; @echo $$XDG_CACHE_HOME", "show"]
    finished = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=variables)
    assert finished.stdout == f"{cache}\n", finished.stderr
