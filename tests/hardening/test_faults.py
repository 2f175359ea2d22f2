"""Trouble around the program: full disks, plug-ins that hang, two runs at once."""

import contextlib
import os
import re
import shlex
import signal
import subprocess
import sys
import time

import pytest
from support import world
from support.calls import module, with_package
from support.runs import in_a_group, is_gone, processes_of, wait_for
from support.spoilers import edit

from voiceprivacy.errors import BadInput
from voiceprivacy.running import programs

BABBLE = "[print('a' * 1000) for _ in range(200_000)]"
HANG_SECONDS = 600
HANG = f"import time; time.sleep({HANG_SECONDS})"
NOTE = f"import os; open('half', 'w').write(str(os.getpid())); os.rename('half', 'child'); {HANG}"
CHILD = f"[sys.executable, '-c', {NOTE!r}]"
SPAWNED = f"""
import time
from voiceprivacy.running.pools import in_processes

with in_processes(time.sleep, 2 * [{HANG_SECONDS}], processes=2) as results:
    list(results)
"""
FORKED = f"""
from voiceprivacy.attack.extractors.networks import embed_manifest
from voiceprivacy.inout.manifests import Utterance
from voiceprivacy.running.command import run

class Sleeper:
    def __init__(self, folder, *, device):
        pass

    def embed_utterance(self, utterance):
        if utterance.utterance == "long":
            {NOTE}

utterances = [Utterance(name, "s", "f", "u.wav", 1.0) for name in ("short", "long")]
run(lambda: embed_manifest(utterances, folder="model", threads=2, make=Sleeper))
"""


@contextlib.contextmanager
def disk(folder, options):
    (folder / "out").mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", "out"]
    mounted = subprocess.run(mount, capture_output=True, text=True)
    if mounted.returncode:
        pytest.skip(f"a disk cannot be mounted here: {mounted.stderr.strip()}")
    try:
        yield folder / "out"
    finally:
        subprocess.run(["umount", "-l", "out"], cwd=folder, check=True)


@pytest.mark.parametrize(
    ("command", "old", "new"),
    [
        ("McAdams", "out --output-manifest out.tsv", "out/wav --output-manifest out/out.tsv"),
        ("scoring", "--scores out.tsv", "--scores out/scores.tsv"),
        ("ready embeddings", "--embeddings out.npz", "--embeddings out/e.npz"),
        ("similarity", "--metrics out.json", "--metrics out/m.json"),
    ],
)
def test_a_full_disk_is_one_line(folder, monkeypatch, capfd, command, old, new):
    monkeypatch.setitem(world.COMMANDS, command, world.COMMANDS[command].replace(old, new))
    with disk(folder, "size=200k") as out:
        with contextlib.suppress(OSError):
            (out / "others").write_bytes(bytes(2**20))
        assert world.call(command) == 1
        assert {path.name for path in out.rglob("*") if path.is_file()} == {"others"}
    said = capfd.readouterr().err.splitlines()
    (error,) = [line for line in said if line.startswith("error: ")]
    assert "out/" in error and re.search("No space left on device|is the disk full", error)


def test_a_folder_that_cannot_be_written_is_one_line(folder, monkeypatch, capfd):
    """A read-only disk: root may write into folders without the permission."""
    changed = world.COMMANDS["scoring"].replace("--scores out.tsv", "--scores out/scores.tsv")
    monkeypatch.setitem(world.COMMANDS, "scoring", changed)
    with disk(folder, "ro"):
        assert world.call("scoring") == 2
    assert capfd.readouterr().err == "error: out/scores.tsv: Read-only file system\n"


@pytest.mark.parametrize(
    "command", ["a plug-in's command", "a plug-in's function", "an extractor's command"]
)
def test_a_plug_in_that_hangs_is_ended_with_what_it_started(folder, monkeypatch, capfd, command):
    for name in ("plug.py", "mine.py", "embed.py"):
        hang = f"import subprocess, sys, time; subprocess.Popen({CHILD}); {HANG}"
        edit("# here", hang)(folder / name)
    good = world.COMMANDS[command]

    def call(minutes):
        monkeypatch.setitem(world.COMMANDS, command, f"{good} --runtime {minutes}")
        assert world.call(command) == 2
        said = f"ran longer than its runtime of {minutes} minutes and was ended"
        assert said in capfd.readouterr().err

    ended_while_it_hung(call, folder / "child")
    wait_for(lambda: is_gone((folder / "child").read_text()))
    assert not [path for path in folder.iterdir() if path.name.startswith((".", "out"))]


def test_a_program_that_does_not_listen_to_sigterm_is_killed(tmp_path, monkeypatch):
    monkeypatch.setattr(programs, "GRACE_S", 0.5)
    mark = tmp_path / "deaf"
    ignore = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)"
    deaf = f"{ignore}; open('{mark}', 'w').close(); {HANG}"

    def call(minutes):
        with pytest.raises(BadInput, match="ran longer than its runtime"):
            programs.run([sys.executable, "-c", deaf], name="deaf", threads=1, minutes=minutes)

    ended_while_it_hung(call, mark)


def ended_while_it_hung(call, mark):
    """Let a program mark and hang, for ever more minutes until it got as far on a slow machine."""
    for minutes in (0.05, 0.5, 4):
        began = time.monotonic()
        call(minutes)
        assert time.monotonic() - began < HANG_SECONDS
        if mark.exists():
            return
    raise AssertionError(f"{mark} was never made")


def test_gigabytes_of_output_make_a_small_log_of_the_beginning_and_the_end(capfd):
    """Of hundreds of megabytes; how much a program can say in some seconds, nobody knows."""
    code = f"import sys; print('begin'); {BABBLE}; print('the reason'); sys.exit(1)"
    with pytest.raises(BadInput, match="exit code 1"):
        programs.run([sys.executable, "-c", code], name="babble", threads=1)
    said = capfd.readouterr().err
    assert programs.LOG_BYTES <= len(said) < programs.LOG_BYTES + 100_000
    assert "MB of output are left out here; it ends with]" in said
    assert said.startswith("begin\n") and said.endswith("the reason\n\n")


def test_sigterm_ends_a_command_its_plug_in_and_its_leftovers(folder):
    edit("# here", NOTE)(folder / "plug.py")
    job, *arguments = shlex.split(world.COMMANDS["a plug-in's command"])
    command = subprocess.Popen([sys.executable, *module(job), *arguments], env=with_package())
    wait_for((folder / "child").exists)
    command.send_signal(signal.SIGTERM)
    assert command.wait(HANG_SECONDS / 2) == 143
    wait_for(lambda: is_gone((folder / "child").read_text()))
    assert not [path for path in folder.iterdir() if path.name.startswith((".", "out"))]


@contextlib.contextmanager
def started(program, folder):
    """A Python program with a pool of processes, in a group of its own; it writes to a file."""
    with open(folder / "said", "w") as said:
        how = {"stdout": said, "stderr": said, "env": with_package(), "cwd": folder}
        with in_a_group([sys.executable, "-c", program], **how) as command:
            yield command


@pytest.mark.parametrize("program", [SPAWNED, FORKED], ids=["spawned", "forked"])
def test_the_processes_of_a_command_end_when_it_is_killed(tmp_path, program):
    """As by a machine that is out of memory: nobody tells them, and they would hold theirs on."""
    with started(program, tmp_path) as command:
        wait_for(lambda: len(processes_of(command.pid)) > 2 or command.poll() is not None)
        assert command.poll() is None, (tmp_path / "said").read_text()
        command.kill()
        command.wait()
        wait_for(lambda: not processes_of(command.pid))


def test_a_command_ends_when_one_of_its_processes_is_killed_while_another_works(tmp_path):
    with started(FORKED, tmp_path) as command:
        wait_for(lambda: (tmp_path / "child").exists() or command.poll() is not None)
        known = {str(command.pid), (tmp_path / "child").read_text()}
        wait_for(lambda: len(set(processes_of(command.pid)) - known) == 1)
        time.sleep(0.5)  # it has begun to wait for work: until then this test finds nothing
        (idle,) = set(processes_of(command.pid)) - known
        os.kill(int(idle), signal.SIGKILL)
        assert command.wait(HANG_SECONDS / 2) == 2
        said = (tmp_path / "said").read_text()
        assert "error: a process that computed embeddings was killed" in said
