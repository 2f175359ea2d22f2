"""A SLURM cluster of one node on loopback, started for a test and stopped after it.

It needs root and the programs of Debian's slurm-wlm and munge; slurm.conf must be
/etc/slurm/slurm.conf, because a job does not see SLURM_CONF.
"""

import contextlib
import os
import re
import signal
import socket
import subprocess
import time
from pathlib import Path

import psutil

CONFIGURATION = Path("/etc/slurm/slurm.conf")
START_SECONDS = 300  # at most, on a slow and busy machine
CLUSTER = f"loopback{os.getpid()}"


def why_not():
    """Why the programs of SLURM can start no cluster here; nothing if they can."""
    if os.geteuid() != 0:
        return "a SLURM cluster of one's own needs root"
    if CONFIGURATION.exists() and not _was_left_behind():
        return f"{CONFIGURATION} is there: this machine belongs to a cluster"
    return None


def _was_left_behind():
    """Whether a test that was killed left its configuration, which then names a dead process."""
    its_test = re.match(r"ClusterName=loopback(\d+)\n", CONFIGURATION.read_text())
    return its_test is not None and not psutil.pid_exists(int(its_test[1]))


@contextlib.contextmanager
def cluster(folder):
    """Start munged, slurmctld and slurmd, which write into ``folder`` only.

    At the end, and wherever something fails, everything is stopped: all jobs, the programs with all
    that they started, and what a job left behind.
    """
    for name in ("state", "spool"):
        (folder / name).mkdir(parents=True)
    with contextlib.ExitStack() as at_the_end:
        at_the_end.callback(_kill_the_rest)
        at_the_end.callback(CONFIGURATION.unlink, missing_ok=True)
        CONFIGURATION.write_text(_configuration(folder))
        key = folder / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)
        others = ("socket", "pid-file", "log-file", "seed-file")
        files = [f"--key-file={key}", *(f"--{name}={folder}/munge.{name}" for name in others)]
        _start(at_the_end, folder, "munged", "--foreground", "--force", *files)
        _wait_for(lambda: (folder / "munge.socket").exists(), "munged")
        _start(at_the_end, folder, "slurmctld", "-D")
        _start(at_the_end, folder, "slurmd", "-D")
        at_the_end.callback(_cancel_all_jobs)
        _wait_for(lambda: state() == "idle", "slurmctld and slurmd")
        yield


def state():
    """What the cluster says of its node, in one word; nothing if it does not answer."""
    return _output("sinfo", "--noheader", "--format=%T").strip()


def set_state(new):
    """Set the node's state, as often as it takes the cluster to listen."""
    name = socket.gethostname().partition(".")[0]
    command = ["scontrol", "update", f"nodename={name}", f"state={new}", "reason=test"]
    _wait_for(
        lambda: subprocess.run(command, capture_output=True).returncode == 0, f"the state {new}"
    )


def _cancel_all_jobs():
    _output("scancel", "--full", "--signal=KILL", "--user=root")
    with contextlib.suppress(TimeoutError):
        _wait_for(lambda: not _output("squeue", "--noheader", "--states=R,CG"), "the last job")


def _configuration(folder):
    name = socket.gethostname().partition(".")[0]
    ports = _free_ports(2)
    memory_mb = int(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**20 * 0.9)
    return f"""\
ClusterName={CLUSTER}
SlurmctldHost={name}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
MinJobAge=43200
KillWait=2
JobRequeue=0
MessageTimeout=90
TCPTimeout=30
BatchStartTimeout=300
UnkillableStepTimeout=600
SchedulerParameters=sched_interval=2,batch_sched_delay=1
MpiDefault=none
NodeName={name} NodeAddr=127.0.0.1 CPUs={os.cpu_count()} RealMemory={memory_mb} State=UNKNOWN
PartitionName=loopback Nodes={name} Default=YES MaxTime=INFINITE State=UP
"""


def _free_ports(count):
    """Ports that nobody listens at, none of them twice."""
    with contextlib.ExitStack() as probes:
        sockets = [probes.enter_context(socket.socket()) for _ in range(count)]
        for probe in sockets:
            probe.bind(("127.0.0.1", 0))
        return [probe.getsockname()[1] for probe in sockets]


def _start(at_the_end, folder, program, *arguments):
    with open(folder / f"{program}.out", "w") as log:
        started = subprocess.Popen(
            [program, *arguments], stdout=log, stderr=subprocess.STDOUT, start_new_session=True
        )
    at_the_end.callback(_stop, started)


def _stop(daemon):
    """Ask a program that leads a process group to end, then kill whatever is left of the group."""
    daemon.terminate()
    with contextlib.suppress(subprocess.TimeoutExpired):
        daemon.wait(timeout=10)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(daemon.pid, signal.SIGKILL)
    daemon.wait()


def _kill_the_rest():
    """Kill what a job left behind until nothing is left: what dies may have started another."""

    def none_is_left():
        left = of_this_cluster()
        for process in left:
            with contextlib.suppress(psutil.Error):
                process.kill()
        return not left

    _wait_for(none_is_left, "the end of all that jobs started")


def of_this_cluster():
    """Processes that jobs of this cluster started: their environment names it."""
    processes = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            if process.environ().get("SLURM_CLUSTER_NAME") == CLUSTER:
                processes.append(process)
    return processes


def _output(*command):
    """What a program says; nothing if it does not answer."""
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=30).stdout
    except subprocess.TimeoutExpired:
        return ""


def _wait_for(happens, words):
    deadline = time.monotonic() + START_SECONDS
    while not happens():
        if time.monotonic() > deadline:
            raise TimeoutError(f"{words}: not within {START_SECONDS} s")
        time.sleep(0.3)
