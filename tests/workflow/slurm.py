"""A SLURM cluster of one node on loopback, started for a test and stopped after it.

It needs root and the programs of Debian's slurm-wlm and munge; slurm.conf must be /etc/slurm/slurm.conf, because a job
does not see SLURM_CONF.
"""

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

CONFIGURATION = Path("/etc/slurm/slurm.conf")
PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "scancel", "scontrol", "squeue", "srun")
START_SECONDS = 60
CLUSTER = f"loopback{os.getpid()}"


def missing():
    """Why no cluster can be started here; nothing if one can."""
    if os.geteuid() != 0:
        return "a SLURM cluster of one's own needs root"
    absent = [program for program in PROGRAMS if shutil.which(program) is None]
    if absent:
        return f"{', '.join(absent)}: not found (Debian: apt-get install slurm-wlm munge)"
    if CONFIGURATION.exists():
        return f"{CONFIGURATION} is there: this machine belongs to a cluster"
    return None


@contextlib.contextmanager
def cluster(folder):
    """Start munged, slurmctld and slurmd, which write into ``folder`` only; stop them and all jobs at the end."""
    for name in ("state", "spool"):
        (folder / name).mkdir(parents=True)
    CONFIGURATION.write_text(_configuration(folder))
    daemons = []
    try:
        daemons.append(_start(folder, "munged", "--foreground", "--force", *_munge_files(folder)))
        _wait_for(lambda: (folder / "munge.socket").exists(), "munged")
        daemons.append(_start(folder, "slurmctld", "-D"))
        daemons.append(_start(folder, "slurmd", "-D"))
        _wait_for(lambda: " idle" in _output("sinfo", "--noheader", "--format=x %T"), "slurmctld and slurmd")
        yield
    finally:
        _output("scancel", "--full", "--signal=KILL", "--user=root")
        _wait_for(lambda: not _output("squeue", "--noheader", "--states=R,CG"), "the last job", fail=False)
        for daemon in reversed(daemons):
            _stop(daemon)
        CONFIGURATION.unlink()
        _kill_the_rest()


def _configuration(folder):
    name = socket.gethostname().partition(".")[0]
    memory_mb = int(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**20 * 0.9)
    return f"""\
ClusterName={CLUSTER}
SlurmctldHost={name}(127.0.0.1)
SlurmctldPort={_free_port()}
SlurmdPort={_free_port()}
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
SchedulerParameters=sched_interval=2,batch_sched_delay=1
MpiDefault=none
NodeName={name} NodeAddr=127.0.0.1 CPUs={os.cpu_count()} RealMemory={memory_mb} State=UNKNOWN
PartitionName=loopback Nodes={name} Default=YES MaxTime=INFINITE State=UP
"""


def _munge_files(folder):
    key = folder / "munge.key"
    key.write_bytes(os.urandom(128))
    key.chmod(0o400)
    names = {"socket": "munge.socket", "pid-file": "munged.pid", "log-file": "munged.log", "seed-file": "munged.seed"}
    return [f"--key-file={key}", *[f"--{option}={folder / name}" for option, name in names.items()]]


def _free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _start(folder, program, *arguments):
    with open(folder / f"{program}.out", "w") as log:
        return subprocess.Popen([program, *arguments], stdout=log, stderr=subprocess.STDOUT, start_new_session=True)


def _stop(daemon):
    daemon.terminate()
    try:
        daemon.wait(timeout=10)
    except subprocess.TimeoutExpired:
        daemon.kill()
        daemon.wait()


def _kill_the_rest():
    """Kill what a job left behind when its node went away: processes whose environment names this cluster."""
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if f"SLURM_CLUSTER_NAME={CLUSTER}".encode() in (folder / "environ").read_bytes().split(b"\0"):
                os.kill(int(folder.name), signal.SIGKILL)


def _output(*command):
    return subprocess.run(command, capture_output=True, text=True, timeout=30).stdout


def _wait_for(happens, what, *, fail=True):
    deadline = time.monotonic() + START_SECONDS
    while not happens():
        if time.monotonic() > deadline:
            if fail:
                raise TimeoutError(f"{what} did not start within {START_SECONDS} s")
            return
        time.sleep(0.3)
