"""Other people's programs in a box: no network, no other processes, and nothing to write to but their own folder.

They can read whatever their user can.

bubblewrap makes the box where it is installed, else unshare of util-linux (Linux 5.12 or newer); both need the user
namespaces that most systems allow. This file is also the program that runs inside first, with the standard library:

    python -I sandbox.py FOLDER -- PROGRAM ARGUMENTS...
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
SYS_MOUNT_SETATTR = 442  # the same on all architectures but alpha
AT_FDCWD, AT_RECURSIVE = -100, 0x8000
MOUNT_ATTR_RDONLY = 1
MS_BIND, MS_REC = 0x1000, 0x4000
PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS = 24, 38


def words_of(words, *, writable):
    """The words that start a program (list of words) in a box of which it may change one folder only."""
    writable = str(Path(writable).resolve())
    if shutil.which("bwrap"):
        views = [
            "--ro-bind",
            "/",
            "/",
            "--dev-bind",
            "/dev",
            "/dev",
            "--tmpfs",
            SHARED_MEMORY,
            "--proc",
            "/proc",
        ]
        return [
            "bwrap",
            *views,
            "--bind",
            writable,
            writable,
            "--unshare-all",
            "--die-with-parent",
            "--cap-drop",
            "ALL",
            "--",
            *words,
        ]
    return ["unshare", *UNSHARED, "--", sys.executable, "-I", __file__, writable, "--", *words]


def folders(writable):
    """Environment of a program in a box: where it finds room for temporary files and compiled functions."""
    return dict.fromkeys(("TMPDIR", "NUMBA_CACHE_DIR"), str(Path(writable).resolve()))


def why_not(folder):
    """Why no box can be made here; None if one can."""
    try:
        tried = subprocess.run(words_of(["true"], writable=folder), capture_output=True, text=True)
    except FileNotFoundError:
        return "neither bwrap (bubblewrap) nor unshare (util-linux) is installed"
    return (
        None
        if tried.returncode == 0
        else " ".join(tried.stderr.split()) or f"exit code {tried.returncode}"
    )


def main():
    writable, _, *words = sys.argv[1:]
    directory = os.getcwd()
    _succeed(
        LIBC.mount(writable.encode(), writable.encode(), None, MS_BIND | MS_REC, None), "mount"
    )
    _succeed(LIBC.mount(b"tmpfs", SHARED_MEMORY.encode(), b"tmpfs", 0, None), "mount")
    _set_read_only("/", True)
    for folder in (writable, SHARED_MEMORY):
        _set_read_only(folder, False)
    os.chdir(directory)  # the folder as it is mounted now
    for capability in range(64):  # with one of them, mounts could be changed back
        LIBC.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)
    _succeed(LIBC.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "prctl")
    os.execvp(words[0], words)


def _set_read_only(path, read_only):
    """Make all that is mounted at a folder and below read-only, or writable again."""
    attributes = (
        ctypes.c_uint64 * 4
    )()  # struct mount_attr: set, clear, propagation, user namespace
    attributes[0 if read_only else 1] = MOUNT_ATTR_RDONLY
    size = ctypes.c_size_t(ctypes.sizeof(attributes))
    arguments = [AT_FDCWD, path.encode(), AT_RECURSIVE, attributes, size]
    _succeed(LIBC.syscall(SYS_MOUNT_SETATTR, *arguments), "mount_setattr")


def _succeed(status, call):
    if status != 0:
        number = ctypes.get_errno()
        sys.exit(f"sandbox: {call}: {os.strerror(number)}")


LIBC = ctypes.CDLL(None, use_errno=True)

if __name__ == "__main__":
    main()
