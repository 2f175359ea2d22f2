"""What a program in a box is given to read, and what is taken back from it.

* Given: the files that its command names, what its entry in the config names, the Python that runs
  it, and copies of the recordings.
* Taken back: plain files. Everything else is removed before anybody follows, opens or runs it.
"""

import contextlib
import os
import pwd
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from voiceprivacy.inout.files import BadInput, counted, printable
from voiceprivacy.inout.tables import Utterance, write_manifest

HOME, GIVEN = "home", "given"  # in the folder of a box; given cannot be written to

# Never as a whole: other people's files, or what no program of ours needs.
TOO_WIDE = {"/", "/boot", "/etc", "/home", "/media", "/mnt", "/opt", "/root", "/srv", "/var"}
NEVER = ("/dev", "/proc", "/run", "/sys", "/var/run")

DEEPEST = 8  # folders in folders
SPARSE_BYTES, SPARSE_SHARE = 64 * 2**20, 1 / 8  # of a file that is large and nearly all holes


def readable(words: Sequence[str], reads: Iterable[str] = (), *, folder: Path) -> list[Path]:
    """What a command needs besides what every box has.

    The first file that it names is the program, whose folder comes along: a program has its modules
    beside it. Other files and folders that it names come alone, and so does what its entry names.

    Parameters
    ----------
    words : list of str
        The program and its arguments.
    reads : list of str
        What its entry in the config names.
    folder : path
        The folder of the box.

    Raises
    ------
    BadInput : something of ``reads`` does not exist, or is more than a box may see
    """
    paths = [_declared(name, folder) for name in reads]
    program = shutil.which(words[0]) if words and "/" not in words[0] else None
    if program:
        paths.append(Path(program))
    has_program = False
    for word in words if program is None else words[1:]:
        path = _named(word)
        if path is None or (path.is_dir() and _is_too_wide(path, folder)):
            continue
        paths.append(path)
        if path.is_file() and not has_program:
            has_program = True
            beside = path.resolve().parent
            if path.parent.resolve() == beside and not _is_too_wide(beside, folder):
                paths.append(path.parent)
    return paths


def _named(word: str) -> Path | None:
    """The file or folder that a word, or the value in --name=value, names."""
    for text in (word, word.partition("=")[2]):
        with contextlib.suppress(OSError, ValueError):
            path = Path(os.path.abspath(text))
            if text and (path.is_file() or path.is_dir()) and not _is_never(path):
                return path
    return None


def _declared(name: str, folder: Path) -> Path:
    path = Path(os.path.abspath(os.path.expanduser(name)))
    if not (path.is_file() or path.is_dir()):
        raise BadInput(f"reads: {name}: not found, or neither a file nor a folder")
    if _is_never(path) or (path.is_dir() and _is_too_wide(path, folder)):
        raise BadInput(
            f"reads: {name}: holds more than a program in a box may see"
            " (the run, a home, other people's files): name what it needs"
        )
    return path


def _is_never(path: Path) -> bool:
    real = path.resolve()
    return any(real.is_relative_to(folder) for folder in NEVER)


def _is_too_wide(folder: Path, scratch: Path) -> bool:
    """Whether a folder holds the run, a home, or what anybody may have put there."""
    folder = folder.resolve()
    holds = [Path.cwd(), scratch.resolve(), Path(os.path.expanduser("~")).resolve()]
    with contextlib.suppress(KeyError):
        holds.append(Path(pwd.getpwuid(os.getuid()).pw_dir))
    is_shared = bool(folder.stat().st_mode & stat.S_ISVTX)  # /tmp and the like
    return str(folder) in TOO_WIDE or is_shared or any(p.is_relative_to(folder) for p in holds)


def environments(program: str | None, folder: Path) -> list[Path]:
    """The folders of the Python that runs us, and of the one that a command's program is.

    A virtual environment leads to the Python that it was made from, a link to where it ends.
    """
    roots: dict[Path, None] = {}
    waiting = [Path(sys.executable), Path(sys.base_prefix, "bin", "python3")]
    waiting += [Path(os.path.abspath(program))] if program else []
    seen = set()
    while waiting:
        executable = waiting.pop()
        if executable in seen:
            continue
        seen.add(executable)
        if executable.is_symlink():
            waiting.append(Path(os.path.abspath(executable.parent / executable.readlink())))
        if executable.exists() and executable.resolve() != executable:
            waiting.append(executable.resolve())
        root = executable.parent.parent
        if executable.parent.name == "bin" and _is_environment(root):
            roots[root] = None
            waiting += _made_from(root)
    paths = []
    for root in [*roots, Path(sys.prefix)]:
        if root.is_dir() and _is_too_wide(root, folder):  # made in somebody's home, or in the run's
            inner = ["bin", "include", "lib", "lib64", "share", "pyvenv.cfg"]
            paths += [root / name for name in inner if (root / name).exists()]
        else:
            paths.append(root)
    return paths


def _is_environment(root: Path) -> bool:
    is_python = any(root.glob("lib/python3*/os.py"))
    return is_python or (root / "pyvenv.cfg").is_file() or (root / "conda-meta").is_dir()


def _made_from(root: Path) -> list[Path]:
    """The Python that a virtual environment was made from."""
    with contextlib.suppress(OSError, UnicodeDecodeError):
        for line in (root / "pyvenv.cfg").read_text(encoding="utf-8").splitlines():
            name, _, value = line.partition("=")
            if name.strip() == "home":
                return [Path(value.strip(), "python3")]
    return []


def hand_over(utterances: Sequence[Utterance], folder: Path, kind: str = "input") -> Path:
    """Give recordings to a box: copies, named after their utterances, and a manifest of them.

    A copy has nobody else's files beside it, and nothing leads from it to the original.

    Parameters
    ----------
    utterances : list of Utterance
    folder : path
        The folder of the box, which shows what is given to it, but lets nobody change it.
    kind : str
        What they are; the name of their manifest.

    Returns
    -------
    path : the manifest, with absolute paths
    """
    speech = folder / GIVEN / kind
    speech.mkdir(parents=True)
    copies = []
    for utterance in utterances:
        path = speech / f"{utterance.utterance}{utterance.path.suffix}"
        shutil.copyfile(utterance.path, path)
        copies.append(utterance._replace(path=path))
    manifest = folder / GIVEN / "manifests" / f"{kind}.tsv"
    manifest.parent.mkdir(exist_ok=True)
    write_manifest(manifest, copies)
    return manifest


def take_back(folder: Path) -> list[str]:
    """Make a folder safe that a program in a box has filled: only plain files stay.

    Links lead elsewhere when they are followed, pipes and devices are never read to their end, a
    program with another's rights is one for everybody, and a file of many names is one file.

    Returns
    -------
    list of str : what was removed, in words
    """
    removed: list[str] = []
    _remove(folder / HOME)
    waiting = [folder]
    while waiting:
        directory = waiting.pop()
        os.chmod(directory, 0o755)  # nosec B103  # it may have been left without any
        for path in sorted(directory.iterdir()):
            status = path.lstat()
            if reason := _unsafe(path, status, folder):
                removed.append(f"{path.relative_to(folder)}: {reason}")
                _remove(path)
                continue
            if os.geteuid() == 0:
                os.chown(path, 0, 0, follow_symlinks=False)
            if stat.S_ISDIR(status.st_mode):
                waiting.append(path)
            else:
                os.chmod(path, 0o644)
    return removed


def _unsafe(path: Path, status: os.stat_result, folder: Path) -> str | None:
    """Why a file of somebody else's program is not read; None if it may be."""
    if printable(path.name) != path.name:  # nor is what is not UTF-8
        return "its name has characters that do not print"
    mode = status.st_mode
    if stat.S_ISDIR(mode):
        too_deep = len(path.relative_to(folder).parts) > DEEPEST
        return "is too deep" if too_deep else None
    if not stat.S_ISREG(mode):
        return "is a link" if stat.S_ISLNK(mode) else "is a pipe, a socket or a device"
    if status.st_nlink > 1:
        return "has several names (hard links)"
    if mode & (stat.S_ISUID | stat.S_ISGID):
        return "runs with the rights of its owner"
    on_disk = status.st_blocks * 512
    if status.st_size > SPARSE_BYTES and on_disk < SPARSE_SHARE * status.st_size:
        return "is mostly holes (sparse)"
    return None


def _remove(path: Path) -> None:
    """Remove whatever it is, however deep, and whatever rights it was left with."""
    if path.is_symlink() or not path.is_dir():
        path.unlink(missing_ok=True)
        return
    remove = ["rm", "-rf", "--"]
    for words in (remove, ["chmod", "-R", "u+rwX", "--"], remove):
        subprocess.run([*words, str(path)], capture_output=True, check=False)
        if not path.exists():
            return
    raise BadInput(f"{path}: cannot be removed; a program in a box has left it")


def refuse(removed: Sequence[str], name: str) -> None:
    """Refuse what a program has left, if something of it had to be removed."""
    if removed:
        n_more = len(removed) - 1
        more = f", and {counted(n_more, 'more file')}" if n_more else ""
        raise BadInput(f"{name} left what is not read: {removed[0]}{more}")
