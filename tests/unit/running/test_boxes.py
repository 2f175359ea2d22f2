"""A program in a box: what it reads, writes and reaches, its limits, and what it leaves."""

import os
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from support import needs
from support.runs import has_command

from voiceprivacy.errors import BadInput
from voiceprivacy.running import boxes, processes, programs
from voiceprivacy.vocabulary import RESOURCES, SCRIPTS

AS_USER = Path(__file__).parents[2] / "support" / "as_user.sh"
TOKEN = "VOICEPRIVACY_TEST_TOKEN"
boxed = needs.program("bubblewrap", boxes.why_not)


def run(tmp_path, words, *, is_boxed=True, minutes=1.0, **fields):
    """Run a command in a box, or without one; its folder."""
    scratch = tmp_path / "scratch"
    scratch.mkdir(exist_ok=True)
    options = {"sandbox": is_boxed, **fields}
    box = boxes.of_entry(options, words, scratch, threads=1) if is_boxed else None
    programs.run(words, name="it", threads=1, minutes=minutes, box=box)
    return scratch


def in_box(tmp_path, shell, **options):
    """Run a line of shell in a box; its folder."""
    return run(tmp_path, ["sh", "-c", shell], **options)


with_and_without = pytest.mark.parametrize("is_boxed", [pytest.param(True, marks=boxed), False])


# Files, network, processes.


@boxed
def test_it_reads_nothing_that_it_was_not_given(tmp_path, monkeypatch):
    names = ["home/secret", "run/config.yaml", "run/results/other", "models/mine"]
    seen = ["run/nac/weights", "model/m", "models/base/weights"]
    paths = [tmp_path / name for name in (*names, *seen)]
    for path in paths:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("secret")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("VOICEPRIVACY_MODELS", str(tmp_path / "models"))
    monkeypatch.chdir(tmp_path / "run")
    given = f"for path in {' '.join(map(str, paths))} /etc/shadow /root/.bashrc; do"
    given += ' cat "$path" > /dev/null 2>&1 && echo "$path"; done > said; true'
    (tmp_path / "run/nac/run.sh").write_text(f"cd {tmp_path}/scratch; {given}")
    words = ["sh", "nac/run.sh"]
    scratch = run(tmp_path, words, reads=[str(tmp_path / "model")], inputs=[])
    read = (scratch / "said").read_text().split()
    assert read == [str(tmp_path / name) for name in seen]


@boxed
def test_it_writes_to_its_own_folder_only(tmp_path, in_tmp_path):
    (tmp_path / "model").mkdir()
    folders = ["/", "/tmp", "/usr", "/etc", "/root", tmp_path, tmp_path / "model", SCRIPTS]
    folders += [RESOURCES, Path(sys.prefix), tmp_path / "scratch" / "given", Path.home()]
    (tmp_path / "scratch" / "given").mkdir(parents=True)
    said = f"{tmp_path}/scratch/said"
    tries = [f"touch {folder}/new_of_box && echo {folder} >> {said}" for folder in folders]
    shell = "; ".join([*tries, f"touch $HOME/a /dev/shm/b {said}"])
    scratch = in_box(tmp_path, shell, reads=[str(tmp_path / "model")])
    assert (scratch / "said").read_text() == ""
    assert not [folder for folder in folders if Path(folder, "new_of_box").exists()]
    assert not Path("/dev/shm/b").exists()
    assert sorted(path.name for path in scratch.iterdir()) == ["given", "said"]


REACH = """
import socket, sys
said = []
for kind, address in ((socket.AF_INET, ("127.0.0.1", int(sys.argv[1]))),
                      (socket.AF_UNIX, chr(0) + sys.argv[2])):
    try:
        socket.socket(kind).connect(address)
        said.append(address)
    except OSError:
        pass
said += [name for _, name in socket.if_nameindex() if name != "lo"]
print(*said, file=open(sys.argv[3] + "/said", "w"))
"""


@with_and_without
def test_it_has_no_network(tmp_path, is_boxed):
    """Without a box the same program reaches both servers."""
    name = f"voiceprivacy_{os.getpid()}"
    (tmp_path / "scratch").mkdir()
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket(socket.AF_UNIX) as other:
        other.bind(f"\0{name}")
        other.listen()
        port = str(server.getsockname()[1])
        words = [sys.executable, "-c", REACH, port, name, str(tmp_path / "scratch")]
        run(tmp_path, words, is_boxed=is_boxed)
    said = (tmp_path / "scratch" / "said").read_text()
    assert said == "\n" if is_boxed else "127.0.0.1" in said and name in said


@boxed
def test_it_sees_no_other_process_and_few_variables(tmp_path, monkeypatch):
    monkeypatch.setenv(TOKEN, "token")
    with subprocess.Popen(["sleep", "60"]) as other:
        shell = f"ls -d /proc/[0-9]* > {tmp_path}/scratch/seen; env > {tmp_path}/scratch/env;"
        scratch = in_box(tmp_path, f"{shell} kill {other.pid}; id -u > {tmp_path}/scratch/id")
        assert other.poll() is None
        other.kill()
    assert len((scratch / "seen").read_text().split()) < 6
    assert TOKEN not in (scratch / "env").read_text()
    assert (scratch / "id").read_text().strip() == "65534"  # whoever starts it, root too


# Limits.

GREEDY = {
    "memory": ("x = bytearray(600 * 2**20)", "exit code 1"),
    "killed": ("import os; os.kill(os.getpid(), 9)", r"killed by signal 9, SIGKILL \(out of"),
    "file": ("open('FOLDER/x', 'wb').write(bytes(3 * 2**20))", "exit code 1"),
    "time": ("import time; time.sleep(77)", "ran longer than its runtime"),
}


@boxed
@pytest.mark.parametrize("kind", GREEDY)
def test_a_greedy_program_is_ended(tmp_path, monkeypatch, kind):
    code, message = GREEDY[kind]
    monkeypatch.setattr(boxes, "FILE_MB", 2)
    words = [sys.executable, "-S", "-c", code.replace("FOLDER", str(tmp_path / "scratch"))]
    with pytest.raises(programs.Failed, match=message):
        run(tmp_path, words, minutes=0.02 if kind == "time" else 1, mem_mb=500)


def test_an_exit_code_of_its_own_is_no_signal_for_sure():
    """Git ends with 129 where it is called wrongly."""
    with pytest.raises(programs.Failed, match=r"git ended with exit code 129, as if killed by sig"):
        programs.run(["sh", "-c", "exit 129"], name="git", threads=1)


@boxed
def test_limits_are_those_of_its_entry(tmp_path, capfd):
    with pytest.raises(BadInput, match="exit code 3"):
        in_box(tmp_path, "ulimit -d; ulimit -f; ulimit -t; exit 3", mem_mb=123, minutes=2)
    said = capfd.readouterr().err.split("\n")
    assert said[0] == "box: 123 MB of memory for each process, no network"
    assert list(map(int, said[1:4])) == [123 * 1024, boxes.FILE_MB * 2048, 121]
    with pytest.raises(BadInput, match="exit code 3"):
        in_box(tmp_path, "ulimit -d; exit 3", mem_mb=123, gpu=1)
    said = capfd.readouterr().err.split("\n")
    assert said[:2] == ["box: no limit of memory for each process, no network", "unlimited"]


@pytest.mark.parametrize("missing", ["bwrap", "prlimit"])
def test_a_machine_without_boxes_says_so_and_runs_nothing(tmp_path, monkeypatch, missing):
    there = {"bwrap", "prlimit"} - {missing}
    monkeypatch.setattr(boxes.shutil, "which", lambda name, **_: name if name in there else None)
    boxes.why_not.cache_clear()
    with pytest.raises(BadInput, match=f"sandbox: true is not available here: {missing}"):
        in_box(tmp_path, "touch ran")
    assert not list(tmp_path.rglob("ran"))
    boxes.why_not.cache_clear()


@boxed
@pytest.mark.skipif(os.geteuid() != 0, reason="root only can be another user")
def test_all_of_this_as_an_ordinary_user():
    words = ["-m", "pytest", "-q", "-p", "no:cacheprovider", __file__]
    # Not tmp_path: its parents are root's only, and names of sockets are short.
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        os.chmod(folder, 0o777)
        environment = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "TMPDIR": folder}
        environment["PYTHONDONTWRITEBYTECODE"] = "1"
        environment["VOICEPRIVACY_ALL_PROGRAMS"] = "1"  # nothing is skipped for want of boxes
        done = subprocess.run(
            ["sh", AS_USER, "61185", sys.base_prefix, sys.executable, *words],
            env=environment,
            cwd=AS_USER.parents[2],
            capture_output=True,
            text=True,
        )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert " passed" in done.stdout


# What it leaves.


@boxed
def test_its_home_is_removed_and_what_is_no_plain_file_is_refused(tmp_path):
    scratch = in_box(tmp_path, "mkfifo $HOME/pipe; mkdir $HOME/a; touch $TMPDIR/a")
    assert list(scratch.iterdir()) == []
    for number, kind in enumerate(("ln -s /etc/passwd", "mkfifo")):
        (scratch / f"sub{number}").mkdir(parents=True)
        with pytest.raises(BadInput, match=f"left what is not read: sub{number}/x"):
            in_box(tmp_path, f"{kind} {scratch}/sub{number}/x")
        (scratch / f"sub{number}/x").unlink(missing_ok=True)


DAEMON = """
import os, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.execv(sys.executable, [sys.executable, "-c", "import time; time.sleep(77)", sys.argv[1]])
    os._exit(0)
os.wait()
"""


WAYS = {"setsid": ["setsid", "--fork", "sh", "-c", "sleep 77"]}
WAYS["double fork"] = [sys.executable, "-S", "-c", DAEMON]


@with_and_without
@pytest.mark.parametrize("way", WAYS)
def test_no_daemon_outlives_its_program(tmp_path, is_boxed, way):
    """Three times each, with a box and without: some are seen only sometimes."""
    for number in range(3):
        marker = f"daemon_{os.getpid()}_{number}"
        run(tmp_path, [*WAYS[way], marker], is_boxed=is_boxed)
        assert not has_command(marker)


@with_and_without
def test_no_daemon_outlives_a_runtime(tmp_path, is_boxed):
    marker = f"late_{os.getpid()}"
    words = [sys.executable, "-c", DAEMON + "time.sleep(77)", marker]
    with pytest.raises(BadInput, match="ran longer than its runtime"):
        run(tmp_path, words, is_boxed=is_boxed, minutes=0.02)
    assert not has_command(marker)


def test_children_of_before_are_spared_and_zombies_are_reaped():
    before = subprocess.Popen(["sleep", "60"])
    children = processes.children(os.getpid())
    zombies = "for i in 1 2 3; do setsid --fork true; done; sleep 0.2"
    programs.run(["sh", "-c", zombies], name="it", threads=1)
    assert before.poll() is None
    assert processes.children(os.getpid()) == children
    before.kill()
    before.wait()


@pytest.mark.skipif(not processes.ON_LINUX, reason="other systems have no /proc")
def test_children_are_found_beside_a_process_whose_name_is_no_text():
    renamed = "import ctypes; ctypes.CDLL(None).prctl(15, b'\\xff)', 0, 0, 0); print(); input()"
    words = [sys.executable, "-c", renamed]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        child.stdout.readline()
        children = processes._children_by_parent(os.getpid())
        child.communicate(b"\n")
    assert child.pid in children


# What it is given.


def test_a_program_brings_its_folder_and_nothing_else_of_the_run(tmp_path, in_tmp_path):
    for name in ("nac/run.sh", "nac/model/weights", "other/secret", "loose.txt", "alone.sh"):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).touch()

    def reads(*words):
        box = boxes.of_entry({"sandbox": True}, words, tmp_path / "scratch", threads=1)
        return [str(path.relative_to(tmp_path)) for path in box.reads]

    words = ("sh", "nac/run.sh", "--list=loose.txt", "other/none", ".", "/dev/null", "\0")
    assert reads(*words) == ["nac/run.sh", "nac", "loose.txt"]
    assert reads("./alone.sh") == ["alone.sh"]
    assert reads() == []


@pytest.mark.parametrize("name", [".", "/", "/etc", "/proc/self", "~", "none"])
def test_too_much_or_nothing_is_refused_in_reads(tmp_path, in_tmp_path, name):
    options = {"sandbox": True, "reads": [name]}
    with pytest.raises(BadInput, match="reads: "):
        boxes.of_entry(options, ["true"], tmp_path / "scratch", threads=1)


@boxed
def test_environments_elsewhere_are_seen(tmp_path, monkeypatch):
    """A virtual environment made from ours, outside of the working directory, and a conda one."""
    made = tmp_path / "elsewhere" / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", made], check=True)
    conda = tmp_path / "conda" / "envs" / "nac"
    for folder in (conda / "conda-meta", conda / "bin", conda / "lib", tmp_path / "run"):
        folder.mkdir(parents=True)
    (conda / "lib" / "libmine.txt").write_text("mine")
    (conda / "bin" / "tool").write_text(f"#!/bin/sh\ncat {conda}/lib/libmine.txt >&2\n")
    (conda / "bin" / "tool").chmod(0o755)
    monkeypatch.chdir(tmp_path / "run")
    code = "import sys, json; assert sys.prefix.endswith('elsewhere/venv')"
    run(tmp_path, [str(made / "bin" / "python"), "-c", code])
    run(tmp_path, [str(conda / "bin" / "tool")])
    monkeypatch.setenv("PATH", f"{conda}/bin:{os.environ['PATH']}")
    run(tmp_path, ["tool"])
