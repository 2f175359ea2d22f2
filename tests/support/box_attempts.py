"""What a program in a box tries and must not get: one function for each attempt.

It is a program: ``python box_attempts.py WORLD.json RESULTS.json`` makes every attempt in a process
of its own and writes {name: "refused: ..."} or {name: "GOT ..."}. WORLD.json says where the host's
files, sockets and processes are. Outside of a box the same program shows that an attempt can
succeed; ``control=True`` marks those that always do there. With more arguments, those of an
anonymiser, it then does its work.
"""

import ctypes
import errno
import fcntl
import json
import os
import platform
import resource
import runpy
import signal
import socket
import stat
import struct
import subprocess
import sys
import time

LIBC = ctypes.CDLL(None, use_errno=True)
ARM = platform.machine() == "aarch64"
AT_START = {name: f"/proc/self/fd/{name}" for name in os.listdir("/proc/self/fd")}
AT_START = {name: os.path.realpath(path) for name, path in AT_START.items()}
ATTEMPTS = {}  # name -> (function, whether it succeeds without a box)


class NotGot(Exception):
    """The attempt came to nothing without an error."""


def attempt(*, control=False):
    """Register a function of the world as an attempt; it fails by raising."""

    def register(function):
        ATTEMPTS[function.__name__] = (function, control)
        return function

    return register


def call(x86, arm, *arguments):
    """A system call by its numbers; raises OSError."""
    result = LIBC.syscall(arm if ARM else x86, *arguments)
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


def require(condition, text="nothing there"):
    if not condition:
        raise NotGot(text)


def read(path):
    with open(path, "rb") as file:
        return file.read(100)


def write(path):
    with open(path, "ab") as file:
        file.write(b"x")


def register_reads(names, control):
    for name in names:
        ATTEMPTS[f"read_{name}"] = (lambda world, name=name: read(world[name]), control)


def register_paths(kind, paths, function):
    """Attempts on paths of the system."""
    for path in paths:
        name = f"{kind}_{path.strip('/').replace('/', '_').replace('.', '_')}"
        ATTEMPTS[name] = (lambda _, path=path: function(path), False)


# Reading.

register_reads(["secret_in_home", "config", "others_result", "original", "beside_original"], True)
register_paths(
    "read",
    [
        *("/etc/shadow", "/etc/gshadow", "/etc/hostname", "/etc/machine-id", "/etc/resolv.conf"),
        *("/etc/ssh/sshd_config", "/root/.bashrc", "/root/.ssh/id_rsa", "/var/log/dpkg.log"),
        *("/dev/kmsg", "/dev/mem", "/dev/kmem", "/dev/port", "/proc/kcore", "/proc/kmsg"),
        *("/dev/loop0", "/dev/loop-control", "/dev/vda", "/dev/sda", "/dev/nvme0n1", "/dev/fuse"),
        *("/dev/kvm", "/dev/net/tun", "/dev/ptmx", "/dev/tty", "/dev/tty0", "/dev/console"),
        *("/dev/vsock", "/dev/vhost-net", "/dev/snd/seq", "/dev/uinput", "/dev/input/event0"),
        *("/sys/class/net/lo/address", "/sys/kernel/vmcoreinfo", "/sys/power/state"),
        *("/proc/1/mem", "/proc/1/root/etc/shadow", "/proc/1/root/etc/hostname", "/oldroot/etc"),
        *("/proc/1/cwd/../../etc/shadow", "/sys/fs/cgroup/cgroup.procs", "/boot/vmlinuz"),
    ],
    read,
)
register_paths(
    "list",
    ["/home", "/root/.ssh", "/var/lib", "/sys/fs", "/sys/class", "/opt", "/mnt", "/srv", "/media"],
    os.listdir,
)


@attempt()
def list_run_and_tmp(world):
    names = os.listdir("/run") + os.listdir("/var/tmp")
    require(set(names), "empty")


@attempt(control=True)
def list_tmp(world):
    require(os.path.basename(world["socket_in_tmp"]) in os.listdir("/tmp"))


@attempt(control=True)
def list_home(world):
    require(os.path.basename(world["secret_in_home"]) in os.listdir(world["home"]))


@attempt(control=True)
def list_working_directory(world):
    require(os.path.basename(world["config"]) in os.listdir(world["directory"]))


@attempt()
def passwd_of_the_machine(world):
    require(b"root" in read("/etc/passwd"), "a made one")


@attempt(control=True)
def secret_of_environment(world):
    require(os.environ["VOICEPRIVACY_TEST_TOKEN"])


@attempt()
def environment_of_other_processes(world):
    said = b""
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/environ", "rb") as file:
                said += file.read()
        except OSError:
            continue
    require(b"VOICEPRIVACY_TEST_TOKEN" in said)


@attempt(control=True)
def dot_dot_out_of_the_folder(world):
    read(os.path.relpath(world["secret_in_home"]))


@attempt(control=True)
def watch_host_file(world):
    """inotify_add_watch on somebody's file."""
    watch = LIBC.inotify_init()
    if LIBC.inotify_add_watch(watch, world["config"].encode(), 0xFFF) < 0:
        raise OSError(ctypes.get_errno(), "inotify")


@attempt()
def handle_of_host_file(world):
    handle = ctypes.create_string_buffer(struct.pack("Ii", 64, 0) + bytes(64))
    mount = ctypes.c_int()
    call(303, 264, -100, b"/usr", handle, ctypes.byref(mount), 0)


# Processes.


@attempt(control=True)
def see_host_process(world):
    require(world["marker"].encode() in read(f"/proc/{world['pid']}/cmdline"))


@attempt()
def count_host_processes(world):
    require(len([name for name in os.listdir("/proc") if name.isdigit()]) > 8)


@attempt()
def signal_host_process(world):
    os.kill(world["pid"], signal.SIGUSR1)
    raise NotGot("another process of that number in the box")


@attempt()
def signal_first_process(world):
    """The reaper of the box: a signal of its own namespace does not end it."""
    os.kill(1, signal.SIGKILL)
    raise NotGot("it lives on")


@attempt()
def trace_parent(world):
    call(101, 117, 16, os.getppid(), 0, 0)


@attempt(control=True)
def trace_me(world):
    call(101, 117, 0, 0, 0, 0)


@attempt()
def read_memory_of_another(world):
    call(310, 270, os.getppid(), 0, 0, 0, 0, 0)


@attempt()
def write_memory_of_another(world):
    call(311, 271, os.getppid(), 0, 0, 0, 0, 0)


@attempt()
def take_descriptor_of_another(world):
    call(438, 438, os.pidfd_open(os.getppid()), 0, 0)


@attempt(control=True)
def inherited_descriptor(world):
    require(world["inherited"] in AT_START.values())


@attempt()
def more_than_three_descriptors(world):
    # Python had the list and this file open, too.
    own = ("/fd", os.path.basename(__file__))
    names = {name for name, path in AT_START.items() if not path.endswith(own)}
    others = {name for name in names - {"0", "1", "2"} if not AT_START[name].endswith(f"/{name}")}
    require(others, "three")


@attempt()
def lower_oom_score(world):
    with open("/proc/self/oom_score_adj", "w") as file:
        file.write("-1000")


# Sockets and the network.


def connect_path(path):
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(path)


@attempt(control=True)
def socket_in_tmp(world):
    connect_path(world["socket_in_tmp"])


@attempt(control=True)
def socket_in_home(world):
    connect_path(world["socket_in_home"])


@attempt(control=True)
def socket_in_declared_folder(world):
    connect_path(world["socket_beside_program"])


@attempt()
def socket_in_run(world):
    connect_path(world["socket_in_run"])


@attempt()
def socket_of_docker(world):
    connect_path("/run/docker.sock")


@attempt()
def socket_of_docker_in_var(world):
    connect_path("/var/run/docker.sock")


@attempt()
def socket_of_dbus(world):
    connect_path("/run/dbus/system_bus_socket")


@attempt(control=True)
def abstract_socket(world):
    connect_path("\0" + world["abstract"])


@attempt(control=True)
def tcp_to_this_machine(world):
    socket.create_connection(("127.0.0.1", world["tcp"]), timeout=2)


@attempt(control=True)
def udp_to_this_machine(world):
    """Whether it arrived, its server says by an answer."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        client.settimeout(1)
        client.sendto(b"x", ("127.0.0.1", world["udp"]))
        client.recv(1)


@attempt()
def tcp_elsewhere(world):
    socket.create_connection(("192.0.2.1", 80), timeout=2)


@attempt()
def tcp6_elsewhere(world):
    socket.create_connection(("2001:db8::1", 80), timeout=2)


@attempt()
def udp_elsewhere(world):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        client.sendto(b"x", ("192.0.2.1", 53))


@attempt()
def cloud_metadata(world):
    socket.create_connection(("169.254.169.254", 80), timeout=2)


@attempt()
def name_service(world):
    socket.getaddrinfo("example.org", 80)


@attempt()
def interfaces_of_the_machine(world):
    names = {name for _, name in socket.if_nameindex()}
    require(names - {"lo"}, "only lo")


@attempt(control=True)
def netlink_of_the_kernel(world):
    socket.socket(socket.AF_NETLINK, socket.SOCK_DGRAM, 15)


@attempt()
def netlink_new_interface(world):
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0) as link:
        # RTM_NEWLINK, create: struct ifinfomsg without attributes.
        link.send(struct.pack("IHHIIBBHiII", 32, 16, 0x405, 1, 0, 0, 0, 0, 0, 1, 1))
        code = struct.unpack("i", link.recv(100)[16:20])[0]
        raise OSError(-code, os.strerror(-code))


@attempt()
def raw_socket(world):
    socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)


@attempt()
def packet_socket(world):
    socket.socket(socket.AF_PACKET, socket.SOCK_RAW)


@attempt()
def vsock(world):
    socket.socket(40, socket.SOCK_STREAM)


@attempt()
def bluetooth(world):
    socket.socket(31, socket.SOCK_RAW, 1)


@attempt()
def crypto_socket(world):
    socket.socket(38, socket.SOCK_SEQPACKET)


@attempt()
def key_socket(world):
    socket.socket(15, socket.SOCK_RAW, 2)


@attempt()
def port_below_1024_of_the_machine(world):
    """In the box it may be taken, but nobody outside hears it: there the server still has it."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 80))


# Pipes, terminals, memory that processes share.


@attempt(control=True)
def fifo_outside(world):
    os.open(world["fifo"], os.O_RDWR | os.O_NONBLOCK)


@attempt(control=True)
def fifo_in_declared_folder(world):
    require(stat.S_ISFIFO(os.stat(world["fifo_beside_program"]).st_mode), "covered")


@attempt(control=True)
def terminal_of_another(world):
    os.open(world["terminal"], os.O_RDWR | os.O_NOCTTY)


@attempt()
def type_into_terminal(world):
    fcntl.ioctl(0, 0x5412, b"x")


@attempt()
def paste_into_console(world):
    fcntl.ioctl(0, 0x541C, b"\x03")


@attempt()
def new_terminal(world):
    os.openpty()


@attempt(control=True)
def shared_memory_of_another(world):
    read(world["shared_memory"])


@attempt(control=True)
def sysv_shared_memory(world):
    LIBC.shmctl(call(29, 194, 0x564F4943, 4096, 0o1600), 0, None)


@attempt(control=True)
def sysv_messages(world):
    LIBC.msgctl(call(68, 186, 0x564F4943, 0o1600), 0, None)


@attempt(control=True)
def sysv_semaphores(world):
    LIBC.semctl(call(64, 190, 0x564F4943, 1, 0o1600), 0, 0)


@attempt(control=True)
def posix_queue_of_another(world):
    call(240, 180, world["queue"].encode(), os.O_RDONLY, 0, 0)


@attempt(control=True)
def memory_without_a_name(world):
    os.memfd_create("x")


# Mounts, namespaces, rights.


@attempt()
def mount_tmpfs(world):
    if LIBC.mount(b"tmpfs", b"/tmp", b"tmpfs", 0, None):
        raise OSError(ctypes.get_errno(), "mount")


@attempt()
def mount_proc(world):
    call(165, 40, b"proc", b"/proc", b"proc", 0, None)


@attempt()
def remount_writable(world):
    call(165, 40, None, b"/usr", None, 0x1000 | 0x20, None)


@attempt()
def bind_over(world):
    call(165, 40, b"/usr", b"/tmp", None, 0x1000, None)


@attempt()
def unmount(world):
    call(166, 39, b"/etc/passwd", 2)


@attempt()
def new_mount_api(world):
    call(430, 430, b"tmpfs", 0)


@attempt()
def open_tree(world):
    call(428, 428, -100, b"/", 1)


@attempt()
def change_mount(world):
    call(442, 442, -100, b"/usr", 0, (ctypes.c_uint64 * 4)(0, 1), 32)


@attempt()
def pivot_root(world):
    call(155, 41, b"/", b"/")


@attempt()
def chroot(world):
    os.chroot("/usr")


@attempt()
def unshare_user(world):
    call(272, 97, 0x10000000)


@attempt()
def unshare_mounts(world):
    call(272, 97, 0x00020000)


@attempt()
def unshare_network(world):
    call(272, 97, 0x40000000)


@attempt()
def clone_user(world):
    if call(56, 220, 0x10000000 | 17, 0, 0, 0, 0) == 0:
        os._exit(0)


@attempt()
def clone3_user(world):
    call(435, 435, (ctypes.c_uint64 * 11)(0x10000000), 88)


@attempt()
def enter_namespace(world):
    call(308, 268, os.open("/proc/1/ns/mnt", os.O_RDONLY), 0)


@attempt()
def enter_own_namespace(world):
    call(308, 268, os.open("/proc/self/ns/net", os.O_RDONLY), 0)


@attempt()
def command_unshare(world):
    subprocess.run(["unshare", "--user", "true"], check=True, capture_output=True)


@attempt()
def open_by_handle(world):
    call(304, 265, 0, 0, 0)


@attempt()
def become_root(world):
    os.setuid(0)


@attempt()
def become_root_of_group(world):
    os.setgid(0)


@attempt()
def change_groups(world):
    os.setgroups([0])


@attempt()
def gain_capabilities(world):
    header, data = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)(*[0xFFFFFFFF] * 6)
    call(126, 91, header, data)


@attempt()
def have_capabilities(world):
    with open("/proc/self/status") as file:
        said = dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)
    sets = [int(said[name], 16) for name in ("CapInh", "CapPrm", "CapEff", "CapAmb")]
    require(any(sets), "none")


@attempt()
def new_privileges(world):
    with open("/proc/self/status") as file:
        require("NoNewPrivs:\t0" in file.read(), "none")


@attempt()
def program_of_root(world):
    """A program that runs as root (setuid) outside."""
    done = subprocess.run(["su", "-c", "true"], capture_output=True, check=False)
    require(done.returncode == 0, done.stderr.decode().strip())


@attempt()
def character_device(world):
    os.mknod("/box/null", stat.S_IFCHR | 0o666, os.makedev(1, 3))


@attempt()
def block_device(world):
    os.mknod("/box/disk", stat.S_IFBLK | 0o666, os.makedev(254, 0))


@attempt()
def raise_limit_of_processes(world):
    resource.setrlimit(resource.RLIMIT_NPROC, (10**6, 10**6))


@attempt()
def core_dump(world):
    resource.setrlimit(resource.RLIMIT_CORE, (10**6, 10**6))


@attempt()
def higher_priority(world):
    os.nice(-5)


@attempt()
def real_time(world):
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))


# The kernel.


@attempt(control=True)
def new_key(world):
    call(248, 217, b"user", b"voiceprivacy", b"x", 1, -2)


@attempt(control=True)
def keys_of_the_session(world):
    call(250, 219, 0, -3, 1)


@attempt()
def request_key(world):
    call(249, 218, b"user", b"voiceprivacy", 0, 0)


@attempt()
def bpf(world):
    call(321, 280, 0, (ctypes.c_uint64 * 16)(), 128)


@attempt()
def performance_counters(world):
    call(298, 241, (ctypes.c_uint64 * 16)(1 | 120 << 32), 0, -1, -1, 0)


@attempt()
def userfaultfd(world):
    call(323, 282, 0)


@attempt()
def io_uring(world):
    call(425, 425, 1, (ctypes.c_uint32 * 30)())


@attempt()
def fanotify(world):
    call(300, 262, 0x200, 0)


@attempt()
def kernel_log(world):
    call(103, 116, 10, 0, 0)


@attempt()
def load_module(world):
    call(175, 105, 0, 0, b"")


@attempt()
def load_module_of_file(world):
    call(313, 273, 0, b"", 0)


@attempt()
def command_modprobe(world):
    subprocess.run(["/sbin/modprobe", "dummy"], check=True, capture_output=True)


@attempt()
def another_kernel(world):
    call(246, 104, 0, 0, 0, 0)


@attempt()
def set_clock(world):
    time.clock_settime(time.CLOCK_REALTIME, time.time())


@attempt()
def adjust_clock(world):
    call(159, 171, ctypes.create_string_buffer(b"\xff\xff" + bytes(300)))


@attempt()
def set_hostname(world):
    socket.sethostname("mine")


@attempt()
def know_hostname(world):
    require(socket.gethostname() == world["hostname"], "box")


@attempt()
def quota(world):
    call(179, 60, 0, 0, 0, 0)


@attempt()
def accounting(world):
    call(163, 89, b"/box/accounts")


@attempt()
def swap(world):
    call(167, 224, b"/box/swap", 0)


@attempt()
def ports_of_the_machine(world):
    if ARM:
        raise NotGot("no such call")
    call(172, 0, 3)


@attempt()
def restart(world):
    # A wrong magic number: not even a box that lets it through takes the machine down.
    call(169, 142, 0, 0, 0, 0)


# Writing.

register_paths(
    "write",
    [
        *("/x", "/etc/x", "/usr/x", "/usr/bin/x", "/tmp/x", "/var/tmp/x", "/run/x", "/dev/x"),
        *("/sys/x", "/etc/passwd", "/etc/ld.so.cache", "/etc/ld.so.preload", "/usr/bin/env"),
        *("/proc/sys/kernel/core_pattern", "/proc/sys/kernel/hostname", "/proc/sysrq-trigger"),
        *("/proc/sys/vm/drop_caches", "/proc/sys/net/ipv4/ip_forward", "/proc/self/uid_map"),
        *("/sys/devices/system/cpu/cpu0/online", "/proc/1/oom_score_adj"),
    ],
    write,
)


def register_writes(names, control):
    for name in names:
        ATTEMPTS[f"write_{name}"] = (lambda world, name=name: write(world[name]), control)


register_writes(["config", "others_result", "original", "new_beside_original"], True)
register_writes(["new_in_home", "new_in_working_directory", "new_in_results"], True)
register_writes(["speech", "program", "new_beside_program", "declared", "new_in_declared"], False)
register_writes(["interpreter", "new_in_packages", "scripts", "new_in_scripts"], False)
register_writes(["bytecode_of_scripts", "resources"], False)


@attempt()
def change_rights_of_program(world):
    os.chmod(world["program"], 0o777)


@attempt()
def change_times_of_speech(world):
    os.utime(world["speech"])


@attempt()
def delete_speech(world):
    os.unlink(world["speech"])


@attempt()
def replace_folder_of_speech(world):
    os.rename(os.path.dirname(world["speech"]), os.path.join(world["scratch"], "elsewhere"))


@attempt()
def hard_link_to_program(world):
    os.link(world["program"], os.path.join(world["scratch"], "linked"))


@attempt()
def hard_link_to_speech(world):
    os.link(world["speech"], os.path.join(world["scratch"], "linked"))


@attempt(control=True)
def write_through_link(world):
    link = os.path.join(world["scratch"], "a_link")
    os.symlink(world["home"], link)
    try:
        write(os.path.join(link, "new"))
    finally:
        os.unlink(link)


@attempt()
def lock_source(world):
    with open(world["declared"], "rb+") as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


@attempt()
def attribute_of_source(world):
    os.setxattr(world["declared"], "user.x", b"x")


def told(function, world):
    """What came of one attempt, made in a process of its own."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reader)
        signal.alarm(60)
        try:
            function(world)
            said = "GOT it"
        except NotGot as error:
            said = f"refused: {error}"
        except OSError as error:
            said = f"refused: {errno.errorcode.get(error.errno, error.errno)} {error}"
        except Exception as error:
            said = f"refused: {type(error).__name__} {error}"
        os.write(writer, said.encode()[:500])
        os._exit(0)
    os.close(writer)
    with open(reader, "rb") as file:
        said = file.read().decode()
    os.waitpid(pid, 0)
    return said or "GOT no answer"


def main():
    with open(sys.argv[1]) as file:
        world = json.load(file)
    results = {}
    for name, (function, _) in ATTEMPTS.items():
        if world["only_controls"] and not ATTEMPTS[name][1]:
            continue
        results[name] = told(function, world)
    with open(sys.argv[2], "w") as file:
        json.dump(results, file)
    if len(sys.argv) > 3:
        del sys.argv[1:3]
        runpy.run_path(world["copy_speech"], run_name="__main__")


if __name__ == "__main__":
    main()
