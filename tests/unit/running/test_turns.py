"""A folder's turn: a kernel's lock that ends with its process, whatever Snakemake has left."""

import os
import subprocess
import sys

import pytest

from voiceprivacy.running import turns

RUN = """
import sys
from pathlib import Path
from voiceprivacy.running import turns

if not turns.take():
    sys.exit("not free")
Path(".snakemake/locks").mkdir(exist_ok=True)
Path(".snakemake/locks/0.input.lock").write_text("a")
print("begun", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def alive(tmp_path, in_tmp_path, monkeypatch):
    """A run in the working directory, which lives until it is killed."""
    assert not turns.unlock_after_a_kill() and list(tmp_path.iterdir()) == []  # there is no lock
    monkeypatch.setattr(turns, "_held", [])
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    command = [sys.executable, "-c", RUN, "x\ny\x1b[2J", b"caf\xe9.yaml"]
    with subprocess.Popen(command, env=environment, text=True, **pipes) as process:
        assert process.stdout.readline() == "begun\n"
        yield process
        process.kill()
    for file in turns._held:
        file.close()


def locks(folder):
    return list((folder / ".snakemake/locks").iterdir())


def test_a_living_run_keeps_its_lock_and_is_named_in_one_line(tmp_path, alive):
    assert not turns.unlock_after_a_kill()
    assert len(locks(tmp_path)) == 1
    assert f"locked by process {alive.pid} on " in turns.holder()
    assert turns.holder().isprintable()


def test_a_killed_run_has_no_lock_though_nobody_waited_for_it(tmp_path, alive):
    alive.kill()
    os.waitid(os.P_PID, alive.pid, os.WEXITED | os.WNOWAIT)  # now it is a zombie
    assert turns.unlock_after_a_kill()
    assert locks(tmp_path) == []


def test_where_the_disk_has_no_such_locks_a_person_has_to_unlock(tmp_path, alive, monkeypatch):
    def flock(*_):
        raise OSError("not supported")

    alive.kill()
    alive.wait()
    monkeypatch.setattr("fcntl.flock", flock)
    assert not turns.unlock_after_a_kill()
    assert len(locks(tmp_path)) == 1
    assert "--unlock" in turns.holder()
