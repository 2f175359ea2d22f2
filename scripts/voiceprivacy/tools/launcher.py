"""Snakemake as ``voiceprivacy run`` starts it, in this process.

Snakemake reads the configs, the package's rules check them. What Snakemake cannot read ends in a
traceback, and of a key that occurs twice it takes the last: so each config is read here before.
Snakemake takes options from a folder ``default`` or ``profiles/default`` that happens to lie in the
working directory. Here they come from our profile, unless the command names another.
"""

import argparse
import contextlib
import io
import os
import signal
import socket
import sys
import threading
from collections.abc import Iterable, Sequence
from pathlib import Path

import psutil
from snakemake import cli
from snakemake.exceptions import CliException, WorkflowError
from snakemake.settings.enums import Quietness
from snakemake.utils import available_cpu_count

from voiceprivacy.errors import BadInput
from voiceprivacy.inout.files import PIPES_OF_SHELLS
from voiceprivacy.inout.writing import why_not_writable
from voiceprivacy.plan import configuration
from voiceprivacy.running import turns
from voiceprivacy.running.command import BAD_INPUT, INTERRUPTED, OWN_FAILURE, TERMINATED, say
from voiceprivacy.running.progress import SCREEN, SILENT, interrupted, unknown_target
from voiceprivacy.vocabulary import SCRIPTS

SNAKEFILE = SCRIPTS.parent / "Snakefile"
PROFILE = SCRIPTS.parent / "workflow" / "profiles" / "default"
PATIENCE_S = 5.0  # with jobs after Ctrl-C
LOGGER = "voiceprivacy"  # a plug-in, scripts/snakemake_logger_plugin_voiceprivacy
CACHE = "XDG_CACHE_HOME"  # environment: the folder of caches, Snakemake's among them
CONFIG_ENDINGS = (".yaml", ".yml", ".json")


def parse(words: Sequence[str]) -> argparse.Namespace:
    """Snakemake's own reading of its options, with our Snakefile and our profile."""
    if str(SCRIPTS) not in sys.path:  # of an installed wheel: Snakemake finds our plug-in there
        sys.path.append(str(SCRIPTS))
    if os.path.expanduser("~") == "~":
        raise BadInput("HOME: is not set, and this account has none: set it to a folder of yours")
    parser = cli.get_argument_parser()
    parser.error = _refuse
    parser.set_defaults(max_jobs_per_timespan=None)
    said = io.StringIO()  # which profiles are used, or what is wrong with one
    try:
        given = parser.parse_args(list(words))
        ours = ["--snakefile", str(SNAKEFILE)]
        if not given.profile:
            ours += ["--profile", str(PROFILE)]
        if not given.workflow_profile:
            ours += ["--workflow-profile", "none"]
        with contextlib.redirect_stderr(said):
            _, options = cli.parse_args([*ours, *words])
    except SystemExit:
        reason = said.getvalue().strip().rpartition("\n")[2]
        if not reason:  # --version has printed it
            raise
        raise BadInput(reason.removeprefix("Error: ")) from None
    except (CliException, WorkflowError, ValueError) as error:
        raise BadInput(" ".join(str(error).split())) from None
    for flag, number in (("--cores", options.cores), ("--jobs", options.jobs)):
        if isinstance(number, int) and number < 1:
            raise BadInput(f"{flag} {number}: a whole number of at least 1, or all")
    is_local = options.executor in (None, "local")
    if is_local and options.cores is None and options.jobs is None and not options.dryrun:
        options.cores = available_cpu_count()
    asked = given.profile or given.workflow_profile or given.max_jobs_per_timespan
    if is_local and not asked:
        # With a rate, each round of scheduling starts a clock for one more a second later. Rounds
        # become more with every job that ends, and each looks at the inputs of all jobs that wait.
        options.max_jobs_per_timespan = None
    return options


def _refuse(message: str) -> None:
    raise BadInput(message)


def check_configs(options: argparse.Namespace) -> None:
    """Part configs from targets, and read each config once, for errors with file and line.

    Raises
    ------
    BadInput : one is missing, empty or not YAML, a key occurs twice, or --config is not KEY=VALUE
    """
    try:
        cli.parse_config(options.config or [])
    except ValueError as error:
        raise BadInput(f"--config: {error}") from None
    options.configfile, targets = split_targets(options.configfile)
    options.targets = [*options.targets, *targets]
    for path in options.configfile:
        if not configuration.read(path):
            raise BadInput(f"{path}:1: is empty: expected sections such as corpora:")


def check_folders(options: argparse.Namespace) -> None:
    """Refuse (BadInput) a run whose own folder, or that of caches, is full or cannot be written."""
    directory = Path(options.directory or ".")
    if reason := why_not_writable(directory / ".snakemake"):
        raise BadInput(f"{directory.absolute()}: {reason}: work in a folder that can be written")
    _keep_sources_here(directory)


def split_targets(paths: Iterable[Path]) -> tuple[list[Path], list[str]]:
    """Configs, and targets behind them: ``--configfile my.yaml paper`` names one of each."""
    configs: list[Path] = []
    targets: list[str] = []
    for path in paths:
        is_result = path.parts[:1] == ("results",)
        is_config = path.suffix in CONFIG_ENDINGS or path.is_file()
        if not configs or str(path).startswith(PIPES_OF_SHELLS) or (is_config and not is_result):
            configs.append(path)
        else:
            targets.append(str(path))
    return configs, targets


def start(options: argparse.Namespace) -> int:
    """Run Snakemake, with a screen that is brief unless --verbose is given; the exit code.

    A dry run shows how many jobs of each rule there are. With --printshellcmds it lists them all.
    """
    if not options.verbose:
        quiet = options.quiet or set()
        os.environ[SCREEN] = SILENT if quiet & {Quietness.PROGRESS, Quietness.ALL} else "brief"
        options.logger = [*options.logger, LOGGER]
        if not options.dryrun:
            options.quiet = None  # else the log file would lack the failures of jobs, too
        elif not (quiet or options.printshellcmds):
            options.quiet = {Quietness.RULES}  # ten lines for each of a thousand jobs
    directory = Path(options.directory or ".")
    if directory.is_dir() and not (options.dryrun or options.unlock):
        with contextlib.chdir(directory):
            if turns.unlock_after_a_kill():
                killed = "The run before was killed: its lock is removed, and this one goes on."
                say(killed, file=sys.stderr)
    signal.signal(signal.SIGINT, _interrupt)
    terminated = _sigterm_as_ctrl_c()
    try:
        succeeded = cli.args_to_api(options, parser=None)
    except KeyboardInterrupt:
        succeeded = False
    if interrupted.is_set():
        say("interrupted; the same command continues", file=sys.stderr)
        return TERMINATED if terminated.is_set() else INTERRUPTED
    if unknown_target.is_set():
        return BAD_INPUT
    return OWN_FAILURE if not succeeded else 0


def _keep_sources_here(directory: Path) -> None:
    """Where nothing can be written at home, Snakemake's copies of sources lie in the run's folder.

    An account of a cluster's or of a container's may have no room there.
    """
    folder = os.environ.get(CACHE) or Path.home() / ".cache"
    reason = why_not_writable(folder)
    if reason and os.environ.get(CACHE):
        can = "set it to a folder that can be written, or unset it"
        raise BadInput(f"{CACHE}: {folder}: {reason}: {can}")
    if reason:
        os.environ[CACHE] = str(Path(directory, ".snakemake", "cache").absolute())


def _sigterm_as_ctrl_c() -> threading.Event:
    """Have SIGTERM interrupt the run; set when it has come.

    Snakemake's own handler waits for jobs however long they take, and calls those that got the
    signal too failed. It replaces ours: so a thread reads which signals come.
    """
    terminated = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: None)
    receiver, sender = socket.socketpair()
    sender.setblocking(False)
    signal.set_wakeup_fd(sender.fileno(), warn_on_full_buffer=False)

    def watch() -> None:
        with sender:  # open as long as the thread lives
            while numbers := receiver.recv(64):
                if signal.SIGTERM in numbers:
                    terminated.set()
                    _end_soon()
                    os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=watch, daemon=True).start()
    return terminated


def _interrupt(*_: object) -> None:
    _end_soon()
    raise KeyboardInterrupt


def _end_soon() -> None:
    """Jobs end by themselves, and by force where they got no signal or did not mind it."""
    if not interrupted.is_set():
        interrupted.set()
        timer = threading.Timer(PATIENCE_S, _end_jobs)
        timer.daemon = True
        timer.start()


def _end_jobs() -> None:
    for process in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.Error):
            process.terminate()
