"""Snakemake as ``voiceprivacy run`` starts it, in this process.

Snakemake reads configs before it reads any Snakefile. With ``__use_yte__`` it runs what they say as
Python, of a key that occurs twice it takes the last, and what it cannot read ends in a traceback.
It also takes its options from a folder ``default`` or ``profiles/default`` that happens to lie in
the working directory. So the configs are read here, and Snakemake gets them as one JSON file; its
options come from our profile, unless the command names another.
"""

import argparse
import contextlib
import hashlib
import io
import json
import os
import signal
import sys
import threading
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import psutil
import yaml
from snakemake import cli
from snakemake.exceptions import CliException, WorkflowError
from snakemake.settings.enums import Quietness
from snakemake.utils import available_cpu_count, update_config

from voiceprivacy.inout.files import PIPES_OF_SHELLS, SCRIPTS, BadInput, whole_or_absent
from voiceprivacy.inout.yaml_files import compose, composed, parse_yaml
from voiceprivacy.plan import chunks, configuration, defaults
from voiceprivacy.running import locks
from voiceprivacy.running.command import BAD_INPUT, INTERRUPTED, OWN_FAILURE, say
from voiceprivacy.running.progress import SCREEN, interrupted, unknown_target

SNAKEFILE = SCRIPTS.parent / "Snakefile"
PROFILE = SCRIPTS.parent / "workflow" / "profiles" / "default"
# Below the working directory: a cluster's jobs read it too. Each config has a file of its own, so
# that a dry run of another config changes nothing for them.
# Environment: the configs as they were named, and their paths; "--config" and the YAML it gave.
NAMED, OVERRIDES = "VOICEPRIVACY_CONFIGS", "--config"
CONFIGS = Path(".snakemake", "voiceprivacy")
PATIENCE_S = 5.0  # with jobs after Ctrl-C
AS_TEXT = (
    " (nested values arrive as text: call voiceprivacy run, or write them into a second file:"
    " --configfile c.yaml more.yaml)"
)
NOTHING: Mapping[str, Any] = MappingProxyType({})
CONFIG_ENDINGS = (".yaml", ".yml", ".json")


def parse(words: Sequence[str]) -> argparse.Namespace:
    """Snakemake's own reading of its options, with our Snakefile and our profile."""
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
        reason = said.getvalue().strip().splitlines()[-1]
        raise BadInput(reason.removeprefix("Error: ")) from None
    except (CliException, WorkflowError, ValueError) as error:
        raise BadInput(" ".join(str(error).split())) from None
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


def take_configs(options: argparse.Namespace) -> None:
    """Read the configs that the options name, and let these name one JSON file instead."""
    configs, targets = split_targets(options.configfile)
    options.targets = [*options.targets, *targets]
    if not configs and not options.config:
        return  # the demo's, which is our own
    given = [_given(override) for override in options.config or []]
    config = merged(configs, [values for values, _ in given])
    named = [(str(path), str(path.absolute())) for path in configs]
    os.environ[NAMED] = json.dumps([*named, *((OVERRIDES, text) for _, text in given)])
    refuse_wrong_entries(config)
    text = json.dumps(config, indent=1)
    name = hashlib.sha256(text.encode()).hexdigest()[:16]
    path = Path(options.directory or ".", CONFIGS, f"{name}.json").absolute()
    with whole_or_absent(path) as temporary:
        temporary.write_text(text + "\n", encoding="utf-8")
    options.configfile, options.config = [path], None


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


def _given(override: str) -> tuple[dict[str, Any], str]:
    """What one KEY=VALUE of --config gives, and the same as a text of YAML.

    Snakemake reads all that is nested as text. Here it is read as in a file.
    """
    name, _, text = override.partition("=")
    is_nested = text.lstrip().startswith(("{", "["))
    try:
        values = cli.parse_config([f"{name}=0" if is_nested else override])
    except ValueError as error:
        raise BadInput(f"--config: {error}") from None
    if not is_nested:
        return values, yaml.safe_dump(values)
    return {name: parse_yaml(text, f"--config {name}")}, f"{name}: {text}"


def merged(paths: Iterable[str | Path], overrides: Iterable[dict[str, Any]] = ()) -> dict[str, Any]:
    """All configs as one, as Snakemake merges them, but read by our reader.

    Parameters
    ----------
    paths : YAML or JSON files; a later one adds to those before it, and wins
    overrides : values of --config, which win over all files

    Raises
    ------
    BadInput : one cannot be read, or holds what no config can
    """
    config: dict[str, Any] = {}
    for path in paths:
        one = configuration.read(path)
        for problem in configuration.unusable_values(one):
            raise BadInput(f"{path}:{configuration.line_of(path, problem.keys)}: {problem}")
        if not one:
            raise BadInput(f"{path}:1: is empty: expected sections such as corpora:")
        update_config(config, one)
    for override in overrides:
        update_config(config, override)
    for problem in configuration.unusable_values(config):
        raise BadInput(f"--config: {problem}")
    return config


def refuse_wrong_entries(config: dict[str, Any]) -> None:
    """Refuse the first wrong key or value of a config, with the file and the line that hold it."""
    complete = defaults.with_controls(defaults.with_protocols(config))
    for problem in configuration.wrong_entries(complete):
        raise BadInput(with_line(problem, []))


def with_line(
    problem: configuration.Problem,
    paths: Sequence[str | Path],
    overrides: Mapping[str, Any] = NOTHING,
) -> str:
    """A problem of a whole config with the file and the line that hold it, or with --config.

    Parameters
    ----------
    paths, overrides : what Snakemake's config is of; what ``take_configs`` made it of is named
        instead
    """
    sources = json.loads(os.environ.get(NAMED, "[]"))
    is_text = not sources and len(problem.keys) > 1 and " is not of type " in problem.what
    if not sources:
        sources = [(str(path), str(path)) for path in paths]
        sources += [(OVERRIDES, yaml.safe_dump(dict(overrides)))] if overrides else []
    for called, source in reversed(sources):
        is_override = called == OVERRIDES
        root = composed(source, OVERRIDES) if is_override else compose(source)
        located = configuration.located(problem, root)
        if located and not is_override:
            return f"{called}:{located[0]}: {located[1]}"
        if located and problem.keys:
            return f"{OVERRIDES}: {located[1]}{AS_TEXT if is_text else ''}"
    # It came with an alias (<<: *defaults), whose line does not hold it, or by a default.
    is_by_files = OVERRIDES not in dict(sources) and sources
    return f"{sources[0][0]}: {problem}" if is_by_files else str(problem)


def refuse_other_reading(
    config: dict[str, Any], paths: Sequence[str | Path], overrides: dict[str, Any]
) -> None:
    """Refuse a config of which Snakemake's own reader made something else than ours.

    Parameters
    ----------
    config : as Snakemake has it
    paths : its files
    overrides : what --config gave, as Snakemake has it
    """
    ours = merged(paths)
    update_config(ours, overrides)
    if ours != config:
        raise BadInput(f"{paths[0]}: Snakemake reads it otherwise: call voiceprivacy run")


def start(options: argparse.Namespace) -> int:
    """Run Snakemake, with a screen that is brief unless --verbose is given; the exit code.

    A dry run shows how many jobs of each rule there are. With --printshellcmds it lists them all.
    """
    if not options.verbose:
        quiet = options.quiet or set()
        os.environ[SCREEN] = "silent" if quiet & {Quietness.PROGRESS, Quietness.ALL} else "brief"
        if not options.dryrun:
            options.quiet = None  # else the log file would lack the failures of jobs, too
        elif not (quiet or options.printshellcmds):
            options.quiet = {Quietness.RULES}  # ten lines for each of a thousand jobs
    if (chunk := chunks.chunk_of(os.environ)) and not chunk.is_last:
        options.targets = [chunks.TARGET]
    directory = options.directory or Path()
    _keep_sources_here(Path(directory))
    if not (options.dryrun or options.unlock) and (done := locks.unlock_if_dead(directory)):
        say(done, file=sys.stderr)
    signal.signal(signal.SIGINT, _interrupt)
    try:
        succeeded = cli.args_to_api(options, parser=None)
    except KeyboardInterrupt:
        succeeded = False
    if interrupted.is_set():
        say("interrupted; the same command goes on", file=sys.stderr)
        return INTERRUPTED
    if unknown_target.is_set():
        return BAD_INPUT
    return OWN_FAILURE if not succeeded else 0


def _keep_sources_here(directory: Path) -> None:
    """Where nothing can be written at home, Snakemake's copies of sources lie in the run's folder.

    An account of a cluster's or of a container's may have no home at all.
    """
    if os.environ.get("XDG_CACHE_HOME"):
        return
    cache = Path.home() / ".cache"
    with contextlib.suppress(OSError):
        cache.mkdir(parents=True, exist_ok=True)
    if not os.access(cache, os.W_OK):
        os.environ["XDG_CACHE_HOME"] = str(Path(directory, ".snakemake", "cache").absolute())


def _interrupt(*_: object) -> None:
    """Ctrl-C: jobs end by themselves, and by force where they got no signal or did not mind it."""
    if not interrupted.is_set():
        interrupted.set()
        timer = threading.Timer(PATIENCE_S, _end_jobs)
        timer.daemon = True
        timer.start()
    raise KeyboardInterrupt


def _end_jobs() -> None:
    for process in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.Error):
            process.terminate()
