"""A folder's lock: removed only where the note beside it proves that who made it is dead."""

import json
import os
import subprocess
import sys

import pytest
from snakemake.persistence.file import FilePersistence

from voiceprivacy.running import locks

MAKE_LOCK = """
import os, sys
from pathlib import Path
from voiceprivacy.running import locks
class Persistence:
    def __init__(self):
        self._lockfile = {}
    def _write_locks(self, kind, keys):
        path = Path(".snakemake/locks", f"0.{kind}.lock")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(keys)
        self._lockfile[kind] = str(path)
locks.note_locks(Persistence)
locks.note_locks(Persistence)  # a second time changes nothing
persistence = Persistence()
persistence._write_locks("input", "a")
persistence._write_locks("output", "b")
print("locked", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def holder(tmp_path, monkeypatch):
    """A process that has locked the working directory, and lives until its input is closed."""
    monkeypatch.chdir(tmp_path)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(
        [sys.executable, "-c", MAKE_LOCK],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
    ) as process:
        assert process.stdout.readline() == "locked\n"
        yield process
        process.kill()


def left():
    return sorted(path.name for path in locks.FOLDER.iterdir())


def edit_note(**fields):
    (path,) = locks.FOLDER.glob(locks.NOTES)
    path.write_text(json.dumps(json.loads(path.read_text()) | fields))


def test_snakemakes_class_has_the_method_that_is_noted():
    assert callable(FilePersistence._write_locks)


def test_a_folder_without_a_lock_is_left_alone(tmp_path):
    assert locks.unlock_if_dead(tmp_path) is None
    assert list(tmp_path.iterdir()) == []


def test_a_lock_of_a_living_process_stays_and_its_holder_is_named(tmp_path, holder):
    assert locks.unlock_if_dead(tmp_path) is None
    assert left() == ["0.input.lock", "0.output.lock", f"holder-{holder.pid}.json"]
    assert f"locked by process {holder.pid} on " in locks.held_by()


def test_a_lock_of_a_dead_process_is_removed_and_that_is_said(tmp_path, holder):
    holder.kill()
    holder.wait()
    assert f"process {holder.pid}" in locks.unlock_if_dead(tmp_path)
    assert left() == []


def test_a_process_that_nobody_waited_for_is_dead(tmp_path, holder):
    holder.kill()
    os.waitid(os.P_PID, holder.pid, os.WEXITED | os.WNOWAIT)  # now it is a zombie
    assert locks.unlock_if_dead(tmp_path)


@pytest.mark.parametrize(
    "fields",
    [
        {"host": "elsewhere"},
        {"boot": "another-start-of-this-machine"},
        {"namespace": "pid:[1]"},  # a container of the same machine
        {"pid": os.getpid(), "started": locks._started(os.getpid())},
        {"pid": "../self"},
        {"pid": None},
        {"locks": {"0.input.lock": [1, 2]}},
        {"locks": []},
    ],
    ids=" ".join,
)
def test_what_the_note_does_not_prove_stays_locked(tmp_path, holder, fields):
    holder.kill()
    holder.wait()
    edit_note(**fields)
    assert locks.unlock_if_dead(tmp_path) is None
    assert {"0.input.lock", "0.output.lock"} <= set(left())
    assert "--unlock" in locks.held_by()


def test_a_number_that_was_given_again_is_another_process(tmp_path, holder):
    holder.kill()
    holder.wait()
    edit_note(pid=os.getpid())
    assert locks.unlock_if_dead(tmp_path)


def test_a_lock_that_somebody_else_made_since_stays(tmp_path, holder):
    holder.kill()
    holder.wait()
    (locks.FOLDER / "1.output.lock").write_text("c\n")
    assert locks.unlock_if_dead(tmp_path) is None
    (locks.FOLDER / "1.output.lock").unlink()
    (locks.FOLDER / "0.output.lock").unlink()
    (locks.FOLDER / "0.output.lock").write_text("b")  # of the same name, but another file
    os.utime(locks.FOLDER / "0.output.lock", ns=(1, 1))
    assert locks.unlock_if_dead(tmp_path) is None


@pytest.mark.parametrize("text", ["", "[]", '{"pid": 1', "\0"])
def test_a_note_that_is_none_proves_nothing(tmp_path, monkeypatch, text):
    monkeypatch.chdir(tmp_path)
    locks.FOLDER.mkdir(parents=True)
    (locks.FOLDER / "0.input.lock").write_text("a\n")
    (locks.FOLDER / "holder-1.json").write_text(text)
    assert locks.unlock_if_dead(tmp_path) is None
    assert "left no note" in locks.held_by()


def test_a_holders_command_is_one_line(tmp_path, holder):
    edit_note(command="x\ny\x1b[2J")
    assert locks.held_by().isprintable()
