"""What a program in a box may ask of Linux: a filter of system calls (seccomp) for bubblewrap.

Namespaces leave some doors open: keyrings and performance counters belong to a user, not to a
namespace, sockets of virtual machines (vsock) to none, and a namespace of its own would give a
program back the rights over mounts that it has lost. What is closed here is what speech never
needs. What is open can still be a hole in Linux itself.

References
----------
Linux, Documentation/userspace-api/seccomp_filter.rst; struct sock_filter in linux/filter.h.
"""

import errno
import os
import platform
import socket
import struct

# Numbers of a call: of x86_64 and of aarch64; None where there is no such call.
DENIED: dict[str, tuple[int | None, int | None]] = {
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "pidfd_getfd": (438, 438),
    "kcmp": (312, 272),
    # Mounts and namespaces.
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "open_tree_attr": (467, 467),
    "unshare": (272, 97),
    "setns": (308, 268),
    "open_by_handle_at": (304, 265),
    "name_to_handle_at": (303, 264),
    # Belongs to the user or to the machine, whatever the namespace.
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "fanotify_init": (300, 262),
    "io_uring_setup": (425, 425),  # opens sockets without a call that could be filtered
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "syslog": (103, 116),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "acct": (163, 89),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "reboot": (169, 142),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "clock_adjtime": (305, 266),
    "adjtimex": (159, 171),
    "sethostname": (170, 161),
    "setdomainname": (171, 162),
    "vhangup": (153, 58),
    "iopl": (172, None),
    "ioperm": (173, None),
    # Memory of no process, which nobody would count.
    "shmget": (29, 194),
    "semget": (64, 190),
    "msgget": (68, 186),
    "memfd_secret": (447, 447),
}
MEMFD_CREATE = (319, 279)  # the same, but drivers of GPUs may need it
CLONE, CLONE3 = (56, 220), (435, 435)
IOCTL, SOCKET = (16, 29), (41, 198)
NEW_NAMESPACES = 0x7E020080  # CLONE_NEW* of clone(2)
TERMINAL_INPUT = (0x5412, 0x541C)  # TIOCSTI, TIOCLINUX: type into somebody's terminal
NETLINK_ROUTE = 0  # what getifaddrs asks: the box's own interfaces
FAMILIES = (socket.AF_UNIX, socket.AF_INET, socket.AF_INET6)

MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}  # column, AUDIT_ARCH
X32 = 0x40000000  # a second table of calls on x86_64

# Classic BPF, and where the number, the machine and the arguments of a call stand.
LOAD, EQUAL, AT_LEAST, ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
NUMBER, MACHINE, ARGUMENTS = 0, 4, 16
ALLOW, KILL, FAIL = 0x7FFF0000, 0x80000000, 0x00050000


def is_known_machine() -> bool:
    """Whether the calls of this machine are known."""
    return platform.machine() in MACHINES


def filter_file(*, gpu: bool) -> int:
    """A file descriptor of the filter, as bubblewrap reads it."""
    descriptor = os.memfd_create("filter")
    os.write(descriptor, filter_of(platform.machine(), gpu=gpu))
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


def filter_of(machine: str, *, gpu: bool) -> bytes:
    """The filter of a machine (x86_64, aarch64), as an array of struct sock_filter."""
    column, audit = MACHINES[machine]
    steps = [
        _step(LOAD, MACHINE),
        _step(EQUAL, audit, 1, 0),
        _step(RETURN, KILL),
        _step(LOAD, NUMBER),
        _step(AT_LEAST, X32, 0, 1),
        _step(RETURN, FAIL | errno.EPERM),
    ]
    for numbers in DENIED.values():
        steps += _refused(numbers[column], errno.EPERM)
    # Libraries have another way where the call does not exist.
    steps += _refused(CLONE3[column], errno.ENOSYS)
    if not gpu:
        steps += _refused(MEMFD_CREATE[column], errno.ENOSYS)
    steps += _of_call(CLONE[column], [_argument(0), *_if(ANY_BIT, NEW_NAMESPACES, errno.EPERM)])
    typed = [_argument(1)]
    for request in TERMINAL_INPUT:
        typed += _if(EQUAL, request, errno.EPERM)
    steps += _of_call(IOCTL[column], typed)
    steps += _of_call(SOCKET[column], _families())
    return b"".join([*steps, _step(RETURN, ALLOW)])


def _step(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, value)


def _refused(number: int | None, error: int) -> list[bytes]:
    """A call that fails, whatever its arguments."""
    return [] if number is None else _if(EQUAL, number, error)


def _if(test: int, value: int, error: int) -> list[bytes]:
    """Fail where the loaded number passes a test."""
    return [_step(test, value, 0, 1), _step(RETURN, FAIL | error)]


def _argument(index: int) -> bytes:
    """Load the lower half of an argument: flags, families and requests are 32 bits."""
    return _step(LOAD, ARGUMENTS + 8 * index)


def _of_call(number: int, steps: list[bytes]) -> list[bytes]:
    """Steps for one call only; afterwards its number is loaded again."""
    inner = [*steps, _step(LOAD, NUMBER)]
    return [_step(EQUAL, number, 0, len(inner)), *inner]


def _families() -> list[bytes]:
    """Sockets within the box only: no packets, no virtual machines, no kernel's messages."""
    allow, refuse = _step(RETURN, ALLOW), _step(RETURN, FAIL | errno.EAFNOSUPPORT)
    steps = [_argument(0)]
    for family in FAMILIES:
        steps += [_step(EQUAL, family, 0, 1), allow]
    route = [_argument(2), _step(EQUAL, NETLINK_ROUTE, 0, 1), allow]
    return [*steps, _step(EQUAL, socket.AF_NETLINK, 0, len(route)), *route, refuse]
