"""Other people's programs in a box: no network, no other processes, one folder to write to.

They can read whatever their user can.

bubblewrap makes the box where it is installed, else unshare of util-linux (Linux 5.12 or newer).
Both need the user namespaces that most systems allow. This file is also the program that runs
inside unshare's box first, with the standard library only:

    python -I box.py FOLDER -- PROGRAM ARGUMENTS...
"""

import ctypes
import os
import shutil
import subprocess
import sys
from pathlib import Path

SHARED_MEMORY = "/dev/shm"  # nosec B108  # a private one in every box, for semaphores
UNSHARED = [
    "--user",
    "--map-root-user",
    "--mount",
    "--net",
    "--ipc",
    "--pid",
    "--fork",
    "--kill-child",
    "--mount-proc",
]
BUBBLEWRAP = [
    "bwrap",
    *("--ro-bind", "/", "/"),
    *("--dev-bind", "/dev", "/dev"),
    *("--tmpfs", SHARED_MEMORY),
    *("--proc", "/proc"),
    "--unshare-all",
    "--die-with-parent",
    *("--cap-drop", "ALL"),
]

# Constants of Linux that Python's standard library does not have.
SYS_MOUNT_SETATTR = 442  # the same on all architectures but alpha
AT_FDCWD, AT_RECURSIVE = -100, 0x8000
MOUNT_ATTR_RDONLY = 1
MS_BIND, MS_REC = 0x1000, 0x4000
PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS = 24, 38
CAPABILITIES = range(64)  # more than any Linux has

LIBC = ctypes.CDLL(None, use_errno=True)


def words_of(words: list[str], *, writable: str | Path) -> list[str]:
    """The words that start a program in a box of which it may change one folder only.

    Parameters
    ----------
    words : list of str
        The program and its arguments.
    writable : path
    """
    folder = str(Path(writable).resolve())
    if shutil.which("bwrap"):
        return [*BUBBLEWRAP, "--bind", folder, folder, "--", *words]
    return ["unshare", *UNSHARED, "--", sys.executable, "-I", __file__, folder, "--", *words]


def folders(writable: str | Path) -> dict[str, str]:
    """Environment of a program in a box: where temporary files and compiled functions may go."""
    return dict.fromkeys(("TMPDIR", "NUMBA_CACHE_DIR"), str(Path(writable).resolve()))


def why_not(folder: str | Path) -> str | None:
    """Why no box can be made here; None if one can."""
    try:
        trial = subprocess.run(
            words_of(["true"], writable=folder), capture_output=True, text=True, check=False
        )
    except FileNotFoundError:
        return "neither bwrap (bubblewrap) nor unshare (util-linux) is installed"
    if trial.returncode == 0:
        return None
    return " ".join(trial.stderr.split()) or f"exit code {trial.returncode}"


def main() -> None:
    """Inside unshare's box: make everything but one folder read-only, and start the program."""
    writable, _, *words = sys.argv[1:]
    directory = os.getcwd()
    folder = writable.encode()
    # A mount of its own for the folder: what is read-only is a mount, never a folder of one.
    _check(LIBC.mount(folder, folder, None, MS_BIND | MS_REC, None), "mount")
    _check(LIBC.mount(b"tmpfs", SHARED_MEMORY.encode(), b"tmpfs", 0, None), "mount")
    _set_read_only("/", True)
    _set_read_only(writable, False)
    _set_read_only(SHARED_MEMORY, False)
    os.chdir(directory)  # the folder as it is mounted now
    for capability in CAPABILITIES:  # with one of them, mounts could be changed back
        LIBC.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)
    _check(LIBC.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "prctl")
    os.execvp(words[0], words)


def _set_read_only(path: str, read_only: bool) -> None:
    """Make all that is mounted at a folder and below read-only, or writable again."""
    # struct mount_attr: attributes to set, to clear, propagation, user namespace.
    attributes = (ctypes.c_uint64 * 4)()
    attributes[0 if read_only else 1] = MOUNT_ATTR_RDONLY
    size = ctypes.c_size_t(ctypes.sizeof(attributes))
    status = LIBC.syscall(
        SYS_MOUNT_SETATTR, AT_FDCWD, path.encode(), AT_RECURSIVE, attributes, size
    )
    _check(status, "mount_setattr")


def _check(status: int, call: str) -> None:
    if status != 0:
        sys.exit(f"sandbox: {call}: {os.strerror(ctypes.get_errno())}")


if __name__ == "__main__":
    main()
