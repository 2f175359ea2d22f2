"""Other people's programs in a box: what they may see, and what is taken back from them.

bubblewrap builds the box from a list of what is allowed, in namespaces of its own:

* system libraries (SYSTEM, OF_ETC), the Python that runs us and the one that a command names;
* our scripts and resources; the files that the command names, and what ``reads`` adds;
* copies of the recordings, one folder that can be written to, and shared memory of its own;
* a few variables, a few devices, no network, no capability, and of system calls what
  voiceprivacy.running.syscalls leaves.

What is not on the list does not exist in the box. It ends with its first process. Root starts it as
another user, and only if there is one (VOICEPRIVACY_BOX_USER).
"""

import contextlib
import functools
import glob
import os
import pwd
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from voiceprivacy.inout.files import RESOURCES, SCRIPTS, BadInput, expand, ours
from voiceprivacy.running import containers, limits, syscalls
from voiceprivacy.running.handed_over import GIVEN, HOME, environments, readable

BOX_USER = "VOICEPRIVACY_BOX_USER"  # name or number
MEMORY_MB = 4000
DISK_MB, DISK_PER_SPEECH = 4096, 20  # what a box may write: so much, and so often its recordings
SHARED_MEMORY = "/dev/shm"  # nosec B108  # a private one in every box, for semaphores

SHOWN_HOME = "/box"  # short, since sockets in it have short names

SYSTEM = [
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/nix/store",
    "/gnu/store",
]
OF_ETC = [
    *("alternatives", "ca-certificates", "crypto-policies", "fonts", "java", "ld.so.cache"),
    *("ld.so.conf", "ld.so.conf.d", "localtime", "mime.types", "OpenCL", "perl", "pki/ca-trust"),
    *("pki/tls/certs", "protocols", "R", "services", "ssl/certs", "ssl/openssl.cnf", "timezone"),
]
CPUS = "/sys/devices/system/cpu"  # how many there are, and what they can
DEVICES = ["null", "zero", "full", "random", "urandom"]
OF_GPU = ["/dev/nvidia*", "/sys/bus/pci", "/sys/devices"]

VARIABLES = {"CUDA_DEVICE_ORDER", "CUDA_VISIBLE_DEVICES", "LANG", "PYTHONHASHSEED", "TZ"}
BEGINNINGS = ("LC_", "OMP_", "MKL_", "OPENBLAS_", "NUMBA_NUM_", "NUMEXPR_", "KMP_", "GOMP_")
SEARCHED = ("PATH", "LD_LIBRARY_PATH", "PYTHONPATH")  # of these the folders that are in the box


class Box(NamedTuple):
    """A box for one program.

    Attributes
    ----------
    folder : path
        The only one that the program can write to.
    reads : list of path
        Files and folders that it may read besides what every box has.
    memory_mb : int
    threads : int
        How many processors it may keep busy for all of its runtime.
    gpu : bool
        Whether it gets the devices of the graphics cards.
    image : path, optional
        The system that it runs in, an image for apptainer; else that of this machine.
    """

    folder: Path
    reads: Sequence[Path] = ()
    memory_mb: int = MEMORY_MB
    threads: int = 1
    gpu: bool = False
    image: Path | None = None


class Start(NamedTuple):
    """How a program in a box is started, and what it may use."""

    words: list[str]
    variables: dict[str, str]
    descriptors: list[int]
    folder: Path
    limits: limits.Limits
    group: Path | None


def of_entry(
    options: Mapping[str, Any], words: Sequence[str], folder: Path, *, threads: int
) -> Box | None:
    """The box of a command (its words) or a function; None if its entry wants none.

    Parameters
    ----------
    options : dict
        Its entry in the config: sandbox, and perhaps reads, inputs, mem_mb, gpu and container (an
        image, in which the words of its command mean something).
    words : list of str
    folder : path
    threads : int
    """
    if not (options.get("sandbox") or "container" in options):
        return None
    reads = [ours(expand(name)) for name in [*options.get("inputs", []), *options.get("reads", [])]]
    image = Path(ours(options["container"])).absolute() if "container" in options else None
    return Box(
        folder,
        readable([] if image else words, reads, folder=folder),
        memory_mb=options.get("mem_mb", MEMORY_MB),
        threads=threads,
        gpu=bool(options.get("gpu", 0)),
        image=image,
    )


@contextlib.contextmanager
def starting(
    words: list[str],
    box: Box,
    *,
    minutes: float | None,
    variables: Mapping[str, str],
) -> Iterator[Start]:
    """How to start a program in a box; afterwards nothing of it runs, and its folder is clean.

    Parameters
    ----------
    words : list of str
        The program and its arguments.
    box : Box
    minutes : float or None
        For how long it may run; its processor time is as long for each of its threads.
    variables : dict
        Added to its environment.

    Raises
    ------
    BadInput : no box can be made on this machine
    """
    if reason := why_not():
        raise BadInput(f"sandbox: true cannot be kept on this machine: {reason}")
    folder = box.folder.resolve()
    allowed = limits.Limits(
        memory_mb=box.memory_mb,
        disk_mb=DISK_MB + DISK_PER_SPEECH * _size(folder / GIVEN) // limits.MB,
        threads=box.threads,
        cpu_s=None if minutes is None else 60 * minutes * box.threads,
    )
    with contextlib.ExitStack() as stack:
        group = stack.enter_context(limits.control_group(allowed))
        given = _of_every_box(words, folder)
        inside = [*allowed.words(gpu=box.gpu), *words]
        start, descriptors = _words(inside, given, box._replace(folder=folder))
        for descriptor in descriptors:
            stack.callback(os.close, descriptor)
        (folder / HOME).mkdir(exist_ok=True)
        _give(folder)
        yield Start(
            [*(limits.joining(group) if group else []), *start],
            _variables(variables, [*given, *box.reads], box),
            descriptors,
            folder,
            allowed,
            group,
        )


def contained(
    words: Sequence[str], box: Box, *, minutes: float | None, variables: Mapping[str, str]
) -> tuple[list[str], dict[str, str]]:
    """How apptainer runs a program of the box's image: its words, and its environment.

    Raises
    ------
    BadInput : apptainer is not installed
    """
    assert box.image is not None
    folder = box.folder.resolve()
    cpu_s = None if minutes is None else 60 * minutes * box.threads
    allowed = limits.Limits(box.memory_mb, DISK_MB, box.threads, cpu_s)
    (folder / HOME).mkdir(exist_ok=True)
    inside = containers.command(
        words,
        box.image,
        folder=folder,
        home=folder / HOME,
        reads=[*filter(Path.exists, [folder / GIVEN]), *box.reads],
        shown_home=SHOWN_HOME,
        gpu=box.gpu,
    )
    own = containers.environment(_variables(variables, [], box))
    return [*allowed.words(gpu=box.gpu), *inside], own


def _of_every_box(words: Sequence[str], folder: Path) -> list[Path]:
    program = shutil.which(words[0])
    system = [Path("/etc", name) for name in OF_ETC] + [Path(CPUS)]
    return [*system, *environments(program, folder), SCRIPTS, RESOURCES]


def _words(inside: list[str], given: Sequence[Path], box: Box) -> tuple[list[str], list[int]]:
    """bubblewrap's words for a box with what every box is given, and the files to inherit open."""
    user = _user()
    descriptors = [syscalls.filter_file(gpu=box.gpu)]
    outer = ["--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts"]
    outer += ["--unshare-cgroup-try", "--die-with-parent", "--new-session", "--hostname", "box"]
    outer += ["--cap-drop", "ALL", "--seccomp", str(descriptors[0])]
    if user is None:
        outer += ["--unshare-user", "--disable-userns"]
        ids, drop = (os.getuid(), os.getgid()), []
    else:
        # Real root mounts, since another user does not get through /root to a Python there.
        for capability in ("CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP"):
            outer += ["--cap-add", capability]
        ids = user
        drop = ["setpriv", f"--reuid={user[0]}", f"--regid={user[1]}", "--clear-groups"]
        drop += ["--inh-caps=-all", "--ambient-caps=-all", "--bounding-set=-all", "--"]
    mounts, files = _Mounts(box), _made_files(ids)
    mounts.add_system()
    for path in given:
        mounts.add(path)
    for path in box.reads:
        mounts.add(path, is_others=True)
    mounts.add_devices()
    for name, text in files.items():
        descriptors.append(_in_memory(text))
        mounts.add_file(name, descriptors[-1])
    return ["bwrap", *outer, *mounts.words(), "--", *drop, *inside], descriptors


class _Mounts:
    """The list of what bubblewrap shows, in its words; everything else does not exist."""

    def __init__(self, box: Box):
        self.box, self.folder = box, box.folder
        self.start = os.getcwd()
        self.shown: set[str] = set()  # files and folders, with all below them
        self.made: set[str] = {"/"}
        self.list: list[str] = []

    def add_system(self) -> None:
        """Programs and libraries of the system, some of which are links."""
        for name in SYSTEM:
            if os.path.islink(name):
                self.list += ["--symlink", os.readlink(name), name]
                self.shown.add(name)
            elif os.path.isdir(name):
                self.add(Path(name))

    def add(self, path: Path, *, is_others: bool = False) -> None:
        """Something to read, under the name that it has and under the one that links lead to."""
        real = os.path.realpath(path)
        for name in dict.fromkeys([os.path.abspath(path), real]):
            if os.path.exists(real) and not self._is_shown(name):
                self._make_parents(name)
                self.list += ["--ro-bind", real, name]
                self.shown.add(name)
                if is_others:
                    self._cover_special(real, name)

    def add_devices(self) -> None:
        """The few devices, shared memory, and the cards where they are wanted."""
        paths = [f"/dev/{name}" for name in DEVICES]
        for pattern in OF_GPU if self.box.gpu else []:
            paths += sorted(glob.glob(pattern))
        for path in paths:
            self._make_parents(path)
            self.list += ["--dev-bind" if path.startswith("/dev/") else "--ro-bind", path, path]
        for name, target in (("fd", ""), ("stdin", "/0"), ("stdout", "/1"), ("stderr", "/2")):
            self.list += ["--symlink", f"/proc/self/fd{target}", f"/dev/{name}"]
        self.list += ["--size", str(self.box.memory_mb * limits.MB // 2), "--perms", "1777"]
        self.list += ["--tmpfs", SHARED_MEMORY]

    def add_file(self, name: str, descriptor: int) -> None:
        """A file that only the box has."""
        self._make_parents(name)
        self.list += ["--perms", "0444", "--file", str(descriptor), name]

    def words(self) -> list[str]:
        """All of them, and the one folder that can be written to; / itself cannot."""
        for empty in ("/proc", "/run", "/tmp", "/var/tmp", self.start):  # nosec B108
            self._make_parents(f"{empty}/.")
        self._make_parents(str(self.folder))
        folder, given = str(self.folder), str(self.folder / GIVEN)
        last = ["--proc", "/proc", "--bind", folder, folder, "--ro-bind-try", given, given]
        last += ["--bind-try", str(self.folder / HOME), SHOWN_HOME]
        return [*self.list, *last, "--remount-ro", "/", "--chdir", self.start]

    def _is_shown(self, name: str) -> bool:
        return any(str(path) in self.shown for path in [Path(name), *Path(name).parents])

    def _make_parents(self, name: str) -> None:
        """Folders that hold what is shown, for everybody: bubblewrap's own are its user's only."""
        for parent in reversed(Path(name).parents if not name.endswith("/.") else _and_own(name)):
            if str(parent) not in self.made and not self._is_shown(str(parent)):
                self.made.add(str(parent))
                self.list += ["--perms", "0755", "--dir", str(parent)]

    def _cover_special(self, real: str, name: str) -> None:
        """Cover sockets and pipes: a mount that cannot be written to does not close them."""
        waiting = [real]
        while waiting:
            with contextlib.suppress(OSError), os.scandir(waiting.pop()) as files:
                for file in files:
                    if file.is_dir(follow_symlinks=False):
                        waiting.append(file.path)
                    elif not (file.is_symlink() or file.is_file(follow_symlinks=False)):
                        inside = os.path.join(name, os.path.relpath(file.path, real))
                        self.list += ["--ro-bind", os.devnull, inside]


def _and_own(name: str) -> list[Path]:
    return [Path(name), *Path(name).parents]


def _made_files(ids: tuple[int, int]) -> dict[str, str]:
    uid, gid = ids
    return {
        "/etc/passwd": f"box:x:{uid}:{gid}::{SHOWN_HOME}:/bin/sh\n",
        "/etc/group": f"box:x:{gid}:\n",
        "/etc/hosts": "127.0.0.1 localhost box\n::1 localhost box\n",
        "/etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
    }


def _in_memory(text: str) -> int:
    descriptor = os.memfd_create("file")
    os.write(descriptor, text.encode())
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


def _variables(added: Mapping[str, str], reads: Sequence[Path], box: Box) -> dict[str, str]:
    """The environment of a program in a box."""
    variables = {}
    for name, value in {**os.environ, **added}.items():
        if name in VARIABLES or name.startswith(BEGINNINGS):
            variables[name] = value
        elif name in SEARCHED and box.image is None:
            variables[name] = _searched(value, reads)
    own = dict.fromkeys(("HOME", "TMPDIR", "NUMBA_CACHE_DIR"), SHOWN_HOME)
    return {**variables, **own, "PYTHONDONTWRITEBYTECODE": "1"}


def _searched(value: str, reads: Sequence[Path]) -> str:
    """Of a list of folders those that are in the box."""
    shown = [*map(Path, SYSTEM), *map(Path, map(os.path.abspath, reads))]
    folders = []
    for name in value.split(os.pathsep):
        if os.path.isabs(name) and any(Path(name).is_relative_to(path) for path in shown):
            folders.append(name)
    return os.pathsep.join(folders)


@functools.cache
def why_not() -> str | None:
    """Why no box can be made here; None if one can.

    Raises
    ------
    BadInput : root has no other user to be
    """
    if not syscalls.is_known_machine():
        return "system calls of this kind of machine are not known"
    missing = [name for name in ("bwrap", "prlimit", "setpriv") if not shutil.which(name)]
    if missing:
        return f"{' and '.join(missing)} (packages bubblewrap, util-linux) must be installed"
    # Any folder that exists: nothing is written.
    words, descriptors = _words(["true"], [], Box(SCRIPTS, memory_mb=1))
    try:
        trial = subprocess.run(
            words, capture_output=True, text=True, check=False, pass_fds=descriptors
        )
    finally:
        for descriptor in descriptors:
            os.close(descriptor)
    if trial.returncode == 0:
        return None
    return " ".join(trial.stderr.split()) or f"exit code {trial.returncode}"


def _user() -> tuple[int, int] | None:
    """The user and the group of a box that root starts; None where we are not root."""
    if os.geteuid() != 0:
        return None
    name = os.environ.get(BOX_USER, "")
    if not name:
        raise BadInput(
            f"sandbox: true as root needs another user for the program: set {BOX_USER} to a name or"
            " a number of one that owns nothing (useradd --system voiceprivacy-box)"
        )
    try:
        user = pwd.getpwuid(int(name)) if name.isdecimal() else pwd.getpwnam(name)
        ids = user.pw_uid, user.pw_gid
    except KeyError:
        if not name.isdecimal():
            raise BadInput(f"{BOX_USER}: there is no user '{name}'") from None
        ids = int(name), int(name)
    if 0 in ids:
        raise BadInput(f"{BOX_USER}: '{name}' is root")
    return ids


def _give(folder: Path) -> None:
    """Let the user of the box write to its folder, where that is another one."""
    if user := _user():
        for path in [folder, *folder.rglob("*")]:
            os.chown(path, *user, follow_symlinks=False)


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
