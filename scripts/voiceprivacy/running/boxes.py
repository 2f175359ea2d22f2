"""Other people's programs in a box of bubblewrap: what they see, and how much they may use.

A program sees the system's libraries, the Python that runs us and its own, our scripts and models,
what its command and its entry name, and copies of the recordings (running.handed_over). It can
write to one folder, has no network and sees no other process. prlimit keeps what each of its
processes takes.
"""

import functools
import glob
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from voiceprivacy.errors import BadInput
from voiceprivacy.inout.placeholders import expand, ours
from voiceprivacy.models import fetching
from voiceprivacy.running import containers
from voiceprivacy.running.handed_over import GIVEN, HOME, SHOWN_HOME
from voiceprivacy.vocabulary import RESOURCES, SCRIPTS

MEMORY_MB, FILE_MB = 4000, 4096  # of a process, of a file
SYSTEM = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/nix/store", "/gnu/store"]
OF_ETC = ["alternatives", "fonts", "java", "ld.so.cache", "ld.so.conf.d", "localtime", "R"]
OF_PYTHON = ["bin", "include", "lib", "lib64", "share", "pyvenv.cfg"]
# Never as a whole, nor what holds them: other people's files, or what no program of ours needs.
TOO_WIDE = ["/boot", "/etc", "/home", "/media", "/mnt", "/opt", "/root", "/srv"]
TOO_WIDE += ["/tmp", "/var/tmp"]  # noqa: S108
NEVER = ("/dev/", "/proc/", "/run/", "/sys/")
VARIABLES = {"CUDA_DEVICE_ORDER", "CUDA_VISIBLE_DEVICES", "LANG", "PYTHONHASHSEED", "TZ"}
BEGINNINGS = ("LC_", "OMP_", "MKL_", "OPENBLAS_", "NUMBA_NUM_", "NUMEXPR_", "KMP_", "GOMP_")
SEARCHED = {"PATH", "LD_LIBRARY_PATH", "PYTHONPATH", fetching.VARIABLE}  # here: for no container


class Box(NamedTuple):
    """A box: ``folder`` can be written to; without an ``image`` its system is this machine's."""

    folder: Path
    reads: Sequence[Path] = ()
    memory_mb: int = MEMORY_MB
    threads: int = 1
    gpu: bool = False
    image: Path | None = None


def of_entry(
    options: Mapping[str, Any], words: Sequence[str], folder: Path, *, threads: int
) -> Box | None:
    """The box of a command (its words) or a function, by its entry; None if that wants none."""
    if not (options.get("sandbox") or "container" in options):
        return None
    reads = []
    for name in [*options.get("inputs", []), *options.get("reads", [])]:
        reads.append(Path(os.path.abspath(os.path.expanduser(ours(expand(name))))))
        if not reads[-1].exists() or _is_too_wide(reads[-1], folder):
            fault = "is not there, or holds the run or other people's files"
            raise BadInput(f"inputs, reads: {name}: {fault}")
    image = Path(ours(options["container"])).absolute() if "container" in options else None
    reads += [] if image else _named(words, folder)
    memory_mb, gpu = options.get("mem_mb", MEMORY_MB), bool(options.get("gpu", 0))
    return Box(folder, reads, memory_mb, threads, gpu, image)


def _named(words: Sequence[str], folder: Path) -> Iterator[Path]:
    """What a command names; the first file is its program, whose folder comes along."""
    has_program = False
    for word in words if "/" in "".join(words[:1]) else words[1:]:
        for path in map(Path, map(os.path.abspath, filter(None, (word, word.partition("=")[2])))):
            if os.path.exists(path) and not _is_too_wide(path, folder):
                yield path
                if path.is_file() and not has_program and not _is_too_wide(path.parent, folder):
                    yield path.parent
                has_program = has_program or path.is_file()


def _is_too_wide(path: Path, folder: Path) -> bool:
    """Whether a folder holds the run, a home, or what belongs to the machine or to others."""
    real, held = (
        path.resolve(),
        [Path.cwd(), Path(os.path.expanduser("~")), folder, *map(Path, TOO_WIDE)],
    )
    holds = path.is_dir() and any(one.resolve().is_relative_to(real) for one in held)
    return holds or f"{real}/".startswith(NEVER)


def start(
    words: Sequence[str], box: Box, *, minutes: float | None, variables: Mapping[str, str]
) -> tuple[list[str], dict[str, str]]:
    """The words and the environment that start a program in a box.

    Raises
    ------
    BadInput : no box can be made on this machine, or apptainer is not installed
    """
    folder = box.folder.resolve()
    (folder / HOME).mkdir(exist_ok=True)
    limits = ["prlimit", "--core=0", f"--fsize={FILE_MB * 2**20}"]
    if not box.gpu:  # for which far more is reserved than used
        limits.append(f"--data={box.memory_mb * 2**20}")
    if minutes is not None:
        limits.append(f"--cpu={int(60 * minutes * box.threads) + 1}")
    wanted = VARIABLES if box.image else VARIABLES | SEARCHED
    given = {**os.environ, **variables}
    shown = {name: given[name] for name in given if name in wanted or name.startswith(BEGINNINGS)}
    shown |= dict.fromkeys(("TMPDIR", "NUMBA_CACHE_DIR"), SHOWN_HOME)
    if box.image:
        inside = containers.command(words, box.image, folder, reads=box.reads, gpu=box.gpu)
        return limits + inside, containers.environment(shown)
    if reason := why_not():
        raise BadInput(f"sandbox: true is not available here: {reason}")
    shown |= {"HOME": SHOWN_HOME, "USER": "box", "PYTHONDONTWRITEBYTECODE": "1"}
    return [*limits, *_bwrap(folder, _shown(words[0], box), gpu=box.gpu), *words], shown


def _shown(program: str, box: Box) -> list[Path]:
    """All that a box shows for reading: of a Python, the environments that links lead through."""
    paths = [*map(Path, SYSTEM), *(Path("/etc", name) for name in OF_ETC), SCRIPTS, RESOURCES]
    paths += map(Path, ["/sys/bus/pci", "/sys/devices"] if box.gpu else ["/sys/devices/system/cpu"])
    models = os.path.abspath(fetching.folder())
    paths += [Path(models, model) for model in fetching.pinned_models()]
    programs = (sys.executable, f"{sys.base_prefix}/bin/python3", shutil.which(program))
    for path in map(Path, map(os.path.abspath, filter(None, programs))):
        for _ in range(9):  # links
            root = path.parent.parent
            signs = [*root.glob("lib/python3*"), *root.glob("conda-meta")]
            is_python = path.parent.name == "bin" and signs
            paths += [root / part for part in OF_PYTHON] if is_python else [path]
            target = path.parent / path.readlink() if path.is_symlink() else path.resolve()
            path = Path(os.path.abspath(target))
    return [*paths, *box.reads]


def _bwrap(folder: Path, paths: list[Path], *, gpu: bool) -> list[str]:
    words = ["bwrap", "--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL"]
    words += ["--uid", "65534", "--gid", "65534", "--proc", "/proc", "--dev", "/dev"]
    shown: list[Path] = []
    for path in sorted({*paths, *(path.resolve() for path in paths)}):
        if path.exists() and not any(path.is_relative_to(other) for other in shown):
            shown.append(path)
            words += ["--ro-bind", str(path), str(path)]
    for card in glob.glob("/dev/nvidia*") if gpu else []:
        words += ["--dev-bind", card, card]
    given, start = str(folder / GIVEN), os.getcwd()
    words += ["--dir", start, "--bind", str(folder), str(folder), "--ro-bind-try", given, given]
    words += ["--bind", str(folder / HOME), SHOWN_HOME, "--remount-ro", "/", "--chdir", start]
    return [*words, "--"]


@functools.cache
def why_not() -> str | None:
    """Why no box can be made here; None if one can."""
    if missing := [name for name in ("bwrap", "prlimit") if not shutil.which(name)]:
        return f"{' and '.join(missing)} (packages bubblewrap, util-linux) must be installed"
    words = ["bwrap", "--unshare-all", "--uid", "65534", "--ro-bind", "/", "/", "--proc", "/proc"]
    trial = subprocess.run([*words, "true"], capture_output=True, text=True, check=False)
    return None if trial.returncode == 0 else " ".join(trial.stderr.split()) or "bwrap fails"
