"""A program in a box gets nothing that it was not given, keeps its limits, and leaves nothing.

The attempts stand in tests/support/box_attempts.py. As root (CI) all of it is done twice: root's
boxes, whose programs are another user, and those of an ordinary user.
"""

import contextlib
import ctypes
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import soundfile
from support import box_attempts, needs

from voiceprivacy.anonymise import plugins
from voiceprivacy.inout.files import RESOURCES, SCRIPTS, BadInput
from voiceprivacy.inout.tables import Utterance
from voiceprivacy.running import boxes, handed_over, limits, processes, programs, syscalls

ROOT = Path(__file__).parents[3]
AS_USER = ROOT / "tests" / "support" / "as_user.sh"
USER_OF_BOX, ORDINARY_USER = "61184", "61185"
TOKEN = "VOICEPRIVACY_TEST_TOKEN"
LIBC = ctypes.CDLL(None)


def reason_for_no_box():
    """Why this machine makes no boxes; in CI that is an error."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(boxes.BOX_USER, USER_OF_BOX)
        return boxes.why_not()


boxed = needs.program("bubblewrap", reason_for_no_box)


@pytest.fixture(autouse=True)
def user_of_the_box(monkeypatch):
    monkeypatch.setenv(boxes.BOX_USER, USER_OF_BOX)


# The boundary.


@pytest.fixture(scope="module")
def host(tmp_path_factory):
    """Files, sockets and processes of the host, and what came of all attempts to get at them."""
    folder = tmp_path_factory.mktemp("host").resolve()
    with contextlib.ExitStack() as stack:
        patch = stack.enter_context(pytest.MonkeyPatch.context())
        patch.setenv(boxes.BOX_USER, USER_OF_BOX)
        patch.setenv(TOKEN, "token")
        world = files_of(folder)
        patch.setenv("HOME", world["home"])
        patch.chdir(world["directory"])
        world |= sockets_of(folder, stack) | others_of(folder, stack)
        utterance = Utterance("s0_0", "s0", "f", Path(world["original"]), 0.5)
        scratch = Path(world["scratch"])
        (folder / "world.json").write_text(json.dumps(world))
        command = f"{sys.executable} team/box_attempts.py {folder}/world.json {scratch}/said.json"
        anonymiser = {"command": command, "sandbox": True, "reads": [f"{folder}/declared"]}
        given = plugins.protect(
            anonymiser, [utterance], seed=0, threads=1, scratch=scratch, minutes=5
        )
        inside = json.loads((scratch / "said.json").read_text())
        lives = box_attempts.read(f"/proc/{world['pid']}/cmdline") != b""
        yield SimpleNamespace(
            world=world, inside=inside, lives=lives, given=given, outside=outside_of(world, folder)
        )


def files_of(folder):
    """The run's folder, a home, a team's program and what is declared for it."""
    names = {
        "secret_in_home": "home/secret",
        "config": "run/config.yaml",
        "others_result": "run/results/audio/other/s0_0.flac",
        "beside_original": "corpus/secret.txt",
        "declared": "declared/model.bin",
        "program": "run/team/box_attempts.py",
    }
    world = {name: str(folder / path) for name, path in names.items()}
    for path in world.values():
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text("secret")
    shutil.copy(box_attempts.__file__, world["program"])
    soundfile.write(folder / "corpus" / "s0_0.flac", 0.1 * np.sin(np.arange(8000)), 16000)
    scratch = folder / "run" / "results" / "scratch"
    scratch.mkdir()
    packages = Path(np.__file__).parents[1]
    return world | {
        "only_controls": False,
        "copy_speech": str(RESOURCES / "plugins" / "copy_speech.py"),
        "home": str(folder / "home"),
        "directory": str(folder / "run"),
        "scratch": str(scratch),
        "original": str(folder / "corpus" / "s0_0.flac"),
        "speech": str(scratch / "given" / "input" / "s0_0.flac"),
        "new_beside_original": str(folder / "corpus" / "new"),
        "new_in_home": str(folder / "home" / "new"),
        "new_in_working_directory": str(folder / "run" / "new"),
        "new_in_results": str(folder / "run" / "results" / "new"),
        "new_beside_program": str(folder / "run" / "team" / "new.py"),
        "new_in_declared": str(folder / "declared" / "new"),
        "interpreter": os.path.realpath(sys.executable),
        "new_in_packages": str(packages / "voiceprivacy_test.pth"),
        "scripts": str(SCRIPTS / "anonymise_part.py"),
        "new_in_scripts": str(SCRIPTS / "sitecustomize.py"),
        "bytecode_of_scripts": str(SCRIPTS / "voiceprivacy" / "__pycache__" / "new.pyc"),
        "resources": str(RESOURCES / "controls.yaml"),
        "hostname": socket.gethostname(),
    }


def sockets_of(folder, stack):
    """Servers at every place where a machine has them."""
    paths = {
        "socket_in_tmp": f"/tmp/voiceprivacy_test_{os.getpid()}",
        "socket_in_home": str(folder / "home" / "socket"),
        "socket_beside_program": str(folder / "run" / "team" / "socket"),
        "socket_in_run": f"/run/voiceprivacy_test_{os.getpid()}",
    }
    addresses = [path for path in paths.values() if os.access(os.path.dirname(path), os.W_OK)]
    for address in [*addresses, f"\0voiceprivacy{os.getpid()}"]:
        server = stack.enter_context(socket.socket(socket.AF_UNIX))
        server.bind(address)
        server.listen()
        if address[0] == "/":
            stack.callback(os.unlink, address)
    tcp = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
    udp = stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
    udp.bind(("127.0.0.1", 0))
    threading.Thread(target=answer, args=(udp,), daemon=True).start()
    return paths | {
        "abstract": f"voiceprivacy{os.getpid()}",
        "tcp": tcp.getsockname()[1],
        "udp": udp.getsockname()[1],
    }


def answer(server):
    with contextlib.suppress(OSError):
        while True:
            server.sendto(b"x", server.recvfrom(1)[1])


def others_of(folder, stack):
    """Pipes, a terminal, a process, and what processes share."""
    for name in ("home/fifo", "run/team/fifo"):
        os.mkfifo(folder / name)
    for descriptor in (pair := os.openpty()):
        stack.callback(os.close, descriptor)
    marker = f"voiceprivacy{os.getpid()}"
    sleeper = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(900)", marker])
    stack.enter_context(sleeper)
    stack.callback(sleeper.kill)
    shared = Path(f"/dev/shm/{marker}")
    shared.write_text("secret")
    stack.callback(shared.unlink)
    # A name of its own: root's and a user's tests run at the same time.
    box_attempts.call(240, 180, marker.encode(), os.O_CREAT | os.O_RDWR, 0o600, None)
    stack.callback(box_attempts.call, 241, 181, marker.encode())
    return {
        "fifo": str(folder / "home" / "fifo"),
        "fifo_beside_program": str(folder / "run" / "team" / "fifo"),
        "terminal": os.ttyname(pair[1]),
        "pid": sleeper.pid,
        "marker": marker,
        "shared_memory": str(shared),
        "queue": marker,
        "inherited": str(folder / "home" / "secret"),
    }


def outside_of(world, folder):
    """What comes of those attempts that succeed without a box."""
    (folder / "world.json").write_text(json.dumps(world | {"only_controls": True}))
    with open(world["inherited"]) as file:
        subprocess.run(
            [sys.executable, world["program"], folder / "world.json", folder / "said.json"],
            check=True,
            pass_fds=[file.fileno()],
            cwd=world["directory"],
            stdout=subprocess.DEVNULL,
        )
    return json.loads((folder / "said.json").read_text())


@boxed
@pytest.mark.parametrize("name", sorted(box_attempts.ATTEMPTS))
def test_in_the_box_nothing_is_got(host, name):
    assert host.inside[name].startswith("refused: ")


@boxed
@pytest.mark.parametrize(
    "name", sorted(name for name, (_, control) in box_attempts.ATTEMPTS.items() if control)
)
def test_without_the_box_it_is(host, name):
    assert host.outside[name] == "GOT it"


@boxed
def test_the_program_did_its_work_and_the_host_is_as_it_was(host):
    assert host.given["s0_0"].is_file()
    assert not Path(host.world["new_in_packages"]).exists()
    assert not Path(host.world["new_in_scripts"]).exists()
    assert host.lives


def test_there_are_enough_attempts():
    assert len(box_attempts.ATTEMPTS) >= 200


# Whoever starts it.


@boxed
@pytest.mark.skipif(os.geteuid() != 0, reason="root only can be another user")
def test_all_of_this_as_an_ordinary_user():
    words = ["-m", "pytest", "-q", "-p", "no:cacheprovider", __file__]
    # Not tmp_path: its parents are root's only, and names of sockets are short.
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        os.chmod(folder, 0o777)
        done = subprocess.run(
            ["sh", AS_USER, ORDINARY_USER, sys.base_prefix, sys.executable, *words],
            env={
                "PATH": os.environ["PATH"],
                "HOME": "/nonexistent",
                "TMPDIR": folder,
                "PYTHONDONTWRITEBYTECODE": "1",
                "VOICEPRIVACY_ALL_PROGRAMS": "1",  # nothing is skipped for want of boxes
            },
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert " passed" in done.stdout


@boxed
@pytest.mark.skipif(os.geteuid() != 0, reason="of root only")
@pytest.mark.parametrize(
    ("name", "message"),
    [
        (None, "needs another user"),
        ("0", "is root"),
        ("root", "is root"),
        ("no_such_user", "no user 'no_such_user'"),
    ],
)
def test_root_itself_runs_nothing_in_a_box(tmp_path, monkeypatch, name, message):
    monkeypatch.delenv(boxes.BOX_USER)
    if name is not None:
        monkeypatch.setenv(boxes.BOX_USER, name)
    boxes.why_not.cache_clear()
    with pytest.raises(BadInput, match=message):
        in_box(tmp_path, "touch ran")
    assert not list(tmp_path.rglob("ran"))


@pytest.mark.parametrize("missing", ["bwrap", "prlimit"])
def test_a_machine_without_boxes_says_so_and_runs_nothing(tmp_path, monkeypatch, missing):
    monkeypatch.setattr(
        boxes.shutil, "which", lambda name, **_: None if name == missing else f"/usr/bin/{name}"
    )
    boxes.why_not.cache_clear()
    message = f"sandbox: true cannot be kept on this machine: {missing} .* must be installed"
    with pytest.raises(BadInput, match=message):
        in_box(tmp_path, "touch ran")
    assert not list(tmp_path.rglob("ran"))
    boxes.why_not.cache_clear()


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_the_filter_of_calls_is_whole_steps_that_jump_within_it(machine):
    program = syscalls.filter_of(machine, gpu=False)
    steps = [program[start : start + 8] for start in range(0, len(program), 8)]
    assert len(program) == 8 * len(steps) < 8 * 4096
    for number, step in enumerate(steps):
        if step[0] != syscalls.RETURN:
            assert number + 1 + max(step[2], step[3]) < len(steps)
    assert len(syscalls.filter_of(machine, gpu=True)) < len(program)


# What it may use.


def in_box(folder, shell, *, memory_mb=500, minutes=1.0, words=None, **fields):
    """Run a shell's text in a box; its folder."""
    scratch = folder / "scratch"
    scratch.mkdir(exist_ok=True)
    words = words or ["bash", "-c", shell]
    box = boxes.Box(scratch, memory_mb=memory_mb, **fields)
    programs.run(words, name="it", threads=1, minutes=minutes, box=box)
    return scratch


def python(text):
    return [sys.executable, "-c", text]


GREEDY = {
    "fork bomb": ("f() { f | f & }; f; sleep 170", "more than 512 processes|processor time"),
    "processes": ("for i in $(seq 800); do sleep 170 & done; wait", "more than 512 processes"),
    "memory": (
        python("a = []\nwhile True: a.append(bytearray(b'x' * 10**7))"),
        "more than 500 MB of memory",
    ),
    "memory of many": (
        python(
            "import os, time\nfor _ in range(30):\n    if os.fork() == 0:\n"
            "        a = bytearray(b'x' * 4 * 10**7); time.sleep(170)\ntime.sleep(170)"
        ),
        "more than 500 MB of memory",
    ),
    "disk": (
        "for i in $(seq 100); do head -c 30M /dev/zero > $SCRATCH/$i; done; sleep 170",
        "wrote more than 200 MB",
    ),
    "deleted files": (
        python(
            "import os, time\nfor n in range(100):\n    f = open(os.environ['HOME'] + '/x', 'wb')\n"
            "    os.unlink(f.name); f.write(bytes(3 * 10**7)); f.flush(); os.dup(f.fileno())\n"
            "time.sleep(170)"
        ),
        "wrote more than 200 MB",
    ),
    # Linux ends it at the limit; where its shell lives until the next look, the watchdog says so.
    "one file": ("head -c 300M /dev/zero > $HOME/x", "exit code|SIGXFSZ|wrote more than 200 MB"),
    "many files": (
        python(
            "import os, time\nfor n in range(10**7): os.mknod(f'{os.environ[\"HOME\"]}/{n}')\n"
            "time.sleep(170)"
        ),
        "wrote more than 3000 files",
    ),
    "shared memory": ("head -c 400M /dev/zero > /dev/shm/x", "exit code"),
    "processor time": ("sleep 170", "processor time"),
    "time": ("sleep 600", "ran longer than its runtime"),
    "a huge log": ("yes | head -c 100M; exit 3", "exit code 3"),
    "the end of all": ("kill -9 -1", "was killed|exit code"),
    "the end of its parent": ("kill -9 $PPID; sleep 170", "ran longer|exit code|was killed"),
}


@boxed
@pytest.mark.parametrize("kind", GREEDY)
def test_a_greedy_program_is_ended_and_named(tmp_path, monkeypatch, kind):
    monkeypatch.setattr(boxes, "DISK_MB", 200)
    monkeypatch.setattr(limits, "FILES", 3000)
    if kind == "processor time":  # a machine with others on it gives little of it
        monkeypatch.setattr(limits, "_cpu_s", lambda pid: 99.0)
    program, message = GREEDY[kind]
    shell = program if isinstance(program, str) else ""
    words = None if shell else program
    minutes = 0.1 if kind == "time" or "parent" in kind else 3
    began = time.monotonic()
    shell = shell.replace("$SCRATCH", str(tmp_path / "scratch"))
    with pytest.raises(programs.Failed, match=message):
        in_box(tmp_path, shell, words=words, minutes=minutes)
    assert time.monotonic() - began < 150
    assert not (tmp_path / "scratch" / "home").exists()


@boxed
def test_the_log_says_what_the_limits_are_and_who_keeps_them(tmp_path, capfd):
    in_box(tmp_path, "true", memory_mb=123)
    said = capfd.readouterr().err
    assert "box: 123 MB of memory, 60 s of processor time, 4096 MB of disk, kept by " in said


def test_a_control_group_is_made_where_one_may_be(tmp_path, monkeypatch):
    """Of a made-up tree: there is none to be had where this was written."""
    parent = tmp_path / "user.slice"
    own = parent / "job.scope"
    own.mkdir(parents=True)
    (parent / "cgroup.subtree_control").write_text("cpu memory pids\n")
    (own / "cgroup.subtree_control").write_text("\n")
    (parent / "cgroup.procs").touch()
    monkeypatch.setattr(limits, "_own_group", lambda: own)
    removed = []
    monkeypatch.setattr(limits, "_remove", removed.append)
    allowed = limits.Limits(memory_mb=7, disk_mb=1, threads=3, cpu_s=None)
    with limits.control_group(allowed) as group:
        assert group is not None and group.parent == parent
        assert (group / "memory.max").read_text() == str(7 * 2**20)
        assert (group / "memory.swap.max").read_text() == "0"
        assert (group / "pids.max").read_text() == "4096"
        assert (group / "cpu.max").read_text() == "300000 100000"
        joined = [*limits.joining(group), "sh", "-c", "echo $$"]
        said = subprocess.run(joined, capture_output=True, text=True, check=True).stdout
        assert (group / "cgroup.procs").read_text() == said
        assert not limits._was_out_of_memory(group)
        (group / "memory.events").write_text("low 0\noom_kill 2\n")
        assert limits._was_out_of_memory(group)
    assert removed == [group]
    (parent / "cgroup.subtree_control").write_text("cpu\n")
    with limits.control_group(allowed) as group:
        assert group is None


# What it leaves.

LEFT = {
    "link": ("ln -s /etc/passwd a", "a: is a link"),
    "link to a folder": ("ln -s / a", "a: is a link"),
    "dangling link": ("ln -s nowhere a", "a: is a link"),
    "hard link": ("echo > a; ln a b", "a: has several names"),
    "pipe": ("mkfifo a", "a: is a pipe"),
    "socket": (
        python("import socket; socket.socket(socket.AF_UNIX).bind('/box/../SCRATCH/a')"),
        "a: is a pipe, a socket or a device",
    ),
    "program with its owner's rights": ("cp /bin/true a; chmod 4755 a", "a: runs with the rights"),
    "program with its group's rights": ("cp /bin/true a; chmod 2755 a", "a: runs with the rights"),
    "holes": ("truncate -s 2G a", r"a: is mostly holes \(sparse\)"),
    "escape in a name": ("touch $'a\\e[31m'", "characters that do not print"),
    "line in a name": ("touch $'a\\nb'", "characters that do not print"),
    "name that is not UTF-8": ("touch $'\\xff'", "characters that do not print"),
    "depth": ("for i in $(seq 40); do mkdir a; cd a; done", "is too deep"),
    "great depth": (
        python(
            "import os\nos.chdir('SCRATCH')\nfor _ in range(3000): os.mkdir('a'); os.chdir('a')"
        ),
        "is too deep",
    ),
}


@boxed
@pytest.mark.parametrize("kind", LEFT)
def test_what_is_no_plain_file_is_refused_and_removed(tmp_path, kind):
    program, message = LEFT[kind]
    scratch = tmp_path / "scratch"
    shell = f"cd {scratch}; {program}" if isinstance(program, str) else ""
    words = None if shell else [w.replace("SCRATCH", str(scratch)) for w in program]
    if words and "socket" in kind:
        words = [word.replace("/box/../", "") for word in words]
    with pytest.raises(BadInput, match=message):
        in_box(tmp_path, shell, words=words)
    left = [path for path in scratch.rglob("*") if not path.is_dir()]
    assert all(path.is_file() and path.lstat().st_nlink == 1 for path in left)
    shutil.rmtree(scratch)


@boxed
def test_a_folder_without_rights_is_read_and_removed(tmp_path):
    shell = (
        f"cd {tmp_path}/scratch; mkdir -p a/b $HOME/c; echo 1 > a/b/c; chmod 0 a/b/c a/b a $HOME/c"
    )
    scratch = in_box(tmp_path, shell)
    assert (scratch / "a" / "b" / "c").read_text() == "1\n"
    assert (scratch / "a" / "b" / "c").stat().st_uid == os.geteuid()
    assert not (scratch / "home").exists()


@boxed
def test_nothing_planted_reaches_a_later_step(tmp_path):
    """Modules, paths, libraries and bytecode that Python or the linker would take along."""
    names = "sitecustomize.py usercustomize.py numpy.py x.pth x.so .pyrc pyvenv.cfg conftest.py"
    shell = f"for d in {tmp_path}/scratch $HOME; do cd $d; for n in {names}; do"
    shell += " echo 'raise SystemExit(9)' > $n; done; mkdir -p __pycache__ .local/lib; done"
    scratch = in_box(tmp_path, shell)
    assert not (scratch / "home").exists()
    again = [sys.executable, "-P", "-c", "import numpy, voiceprivacy"]
    environment = {**os.environ, "PYTHONPATH": str(SCRIPTS)}
    subprocess.run(again, check=True, cwd=scratch, env=environment)


# Nothing outlives it.

DAEMON = """
import os, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.execv(sys.executable, [sys.executable, "-c", "import time; time.sleep(77)", sys.argv[1]])
    os._exit(0)
os.wait()
"""


def running(marker):
    """How many processes have a word in their command line."""
    count = 0
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            count += marker.encode() in path.read_bytes().split(b"\0")
    return count


@pytest.mark.parametrize("is_boxed", [pytest.param(True, marks=boxed), False])
@pytest.mark.parametrize("way", ["setsid", "setsid of a shell", "double fork"])
def test_no_daemon_outlives_its_program(tmp_path, is_boxed, way):
    """Three ways, fifty times each, with a box and without."""
    for number in range(50):
        marker = f"daemon_{os.getpid()}_{number}"
        words = {
            "setsid": ["setsid", "--fork", "sh", "-c", "sleep 77", marker],
            "setsid of a shell": ["sh", "-c", "setsid sh -c 'sleep 77' $0 & exit 0", marker],
            "double fork": [sys.executable, "-S", "-c", DAEMON, marker],
        }[way]
        if is_boxed:
            in_box(tmp_path, "", words=words)
        else:
            programs.run(words, name="it", threads=1)
        assert running(marker) == 0


@pytest.mark.parametrize("is_boxed", [pytest.param(True, marks=boxed), False])
def test_no_daemon_outlives_a_runtime(tmp_path, is_boxed):
    marker = f"late_{os.getpid()}"
    words = [sys.executable, "-c", DAEMON + "time.sleep(77)", marker]
    with pytest.raises(BadInput, match="ran longer than its runtime"):
        if is_boxed:
            in_box(tmp_path, "", words=words, minutes=0.02)
        else:
            programs.run(words, name="it", threads=1, minutes=0.02)
    assert running(marker) == 0


def test_children_of_before_are_spared_and_zombies_are_reaped():
    before = subprocess.Popen(["sleep", "60"])
    children = processes.children(os.getpid())
    zombies = "for i in 1 2 3; do setsid --fork true; done; sleep 0.2"
    programs.run(["sh", "-c", zombies], name="it", threads=1)
    assert before.poll() is None
    assert processes.children(os.getpid()) == children
    before.kill()
    before.wait()


# What it is given.


@boxed
def test_a_program_brings_its_folder_and_nothing_else_of_the_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("nac/run.sh", "nac/model/weights", "other/secret", "loose.txt", "alone.sh"):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text("cat nac/model/weights loose.txt; ls; ls other; true\n")
    folder = tmp_path / "scratch"
    words = ["sh", "nac/run.sh", "--list=loose.txt", "other/none", "."]
    reads = handed_over.readable(words, folder=folder)
    assert set(reads) == {
        Path(shutil.which("sh")),
        *map(Path.absolute, [Path("nac/run.sh"), Path("nac"), Path("loose.txt")]),
    }
    assert Path("alone.sh").absolute() in handed_over.readable(["./alone.sh"], folder=folder)
    assert tmp_path not in handed_over.readable(["./alone.sh"], folder=folder)


@pytest.mark.parametrize(
    "name",
    [".", "..", "/", "/etc", "/home", "/tmp", "/run", "/proc/self", "/dev/null", "~", "none"],
)
def test_too_much_or_nothing_is_refused_in_reads(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BadInput, match="reads: "):
        handed_over.readable(["true"], [name], folder=tmp_path / "scratch")


@boxed
def test_environments_elsewhere_are_seen(tmp_path, monkeypatch):
    """A virtual environment made from ours, outside of the working directory, and a conda one."""
    made = tmp_path / "elsewhere" / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", made], check=True)
    conda = tmp_path / "conda" / "envs" / "nac"
    (conda / "conda-meta").mkdir(parents=True)
    (conda / "bin").mkdir()
    (conda / "lib").mkdir()
    (conda / "lib" / "libmine.txt").write_text("mine")
    (conda / "bin" / "tool").write_text(f"#!/bin/sh\ncat {conda}/lib/libmine.txt >&2\n")
    (conda / "bin" / "tool").chmod(0o755)
    (tmp_path / "run").mkdir()
    monkeypatch.chdir(tmp_path / "run")
    code = "import sys, json; assert sys.prefix.endswith('elsewhere/venv')"
    in_box(tmp_path, "", words=[str(made / "bin" / "python"), "-c", code])
    in_box(tmp_path, "", words=[str(conda / "bin" / "tool")])
    monkeypatch.setenv("PATH", f"{conda}/bin:{os.environ['PATH']}")
    in_box(tmp_path, "", words=["tool"])
