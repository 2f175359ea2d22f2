"""A job of ours, in a process of its own as the workflow calls it, or in this one."""

import contextlib
import importlib
import io
import json
import os
import signal
import subprocess
import sys
import tempfile
from typing import NamedTuple
from unittest import mock

from voiceprivacy.running import adapter
from voiceprivacy.vocabulary import SCRIPTS

LONGEST_S = 900  # a script that hangs fails its test and not the whole run


def call(job, *words, env=None, **options):
    """Run voiceprivacy.jobs.<job> with these words; the ended process, with its output as text."""
    return _ended([sys.executable, *module(job), *words], env, **options)


def _ended(command, env=None, **options):
    return subprocess.run(
        list(map(str, command)),
        capture_output=True,
        text=True,
        timeout=LONGEST_S,
        env=with_package(env),
        **options,
    )


def here(job, *words, cwd=".", env=None):
    """As ``call``, in this process: for what is not of the process itself, seconds less."""
    said, complained = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    with contextlib.ExitStack() as stack:
        stack.enter_context(mock.patch.object(sys, "argv", [job, *map(str, words)]))
        stack.enter_context(mock.patch.dict(os.environ, env or {}))
        stack.enter_context(contextlib.chdir(cwd))
        stack.enter_context(contextlib.redirect_stdout(said))
        stack.enter_context(contextlib.redirect_stderr(complained))
        stack.callback(signal.signal, signal.SIGTERM, signal.getsignal(signal.SIGTERM))
        status = 0
        try:
            adapter.run(getattr(importlib.import_module(f"voiceprivacy.jobs.{job}"), job))
        except SystemExit as end:
            status = end.code
    texts = []
    for stream in (said, complained):
        stream.flush()
        texts.append(stream.buffer.getvalue().decode())
    return subprocess.CompletedProcess([job, *words], status, *texts)


def module(job):
    """The words after ``python`` that start a job."""
    return ["-P", "-m", f"voiceprivacy.jobs.{job}"]


def with_package(env=None):
    """An environment in which Python finds the package."""
    return {**(os.environ if env is None else env), "PYTHONPATH": str(SCRIPTS)}


class Measured(NamedTuple):
    """An ended process: what it said, the processor's seconds, and the most memory, in bytes."""

    returncode: int
    stdout: str
    stderr: str
    seconds: float
    memory: int


# A process counts the memory of the one that started it: pytest has much, this has little.
MEASURE = """
import json, resource, subprocess, sys
status = subprocess.call(sys.argv[2:])
used = resource.getrusage(resource.RUSAGE_CHILDREN)
json.dump([status, used.ru_utime + used.ru_stime, 1024 * used.ru_maxrss], open(sys.argv[1], "w"))
"""


def call_measured(job, *words, **options):
    command = [sys.executable, *module(job), *words]
    with tempfile.NamedTemporaryFile() as file:
        done = _ended([sys.executable, "-c", MEASURE, file.name, *command], **options)
        status, seconds, memory = json.load(file)
    return Measured(status, done.stdout, done.stderr, seconds, memory)


def succeeds(job, *words, by=here, **options):
    """What a call that must succeed says on stdout."""
    done = by(job, *words, **options)
    assert done.returncode == 0, f"exit {done.returncode}: {done.stdout[-2000:]}{done.stderr}"
    return done.stdout


def refused(job, *words, **options):
    """What a call that must be refused says on stderr."""
    done = here(job, *words, **options)
    assert done.returncode == 2, done.stdout + done.stderr
    return done.stderr


def flags(**values):
    """The words --name value of a call; of a list all; an entry of a config (a dict) as JSON."""
    words = []
    for name, value in values.items():
        texts = value if isinstance(value, list) else [value]
        words.append(f"--{name.replace('_', '-')}")
        words += [json.dumps(text) if isinstance(text, dict) else str(text) for text in texts]
    return words


def help_of(job, *words):
    """What a job says to --help, in this process: all share their imports."""
    said = io.StringIO()
    words = [job, *words, "--help"]
    argv = mock.patch.object(sys, "argv", words)
    with argv, contextlib.redirect_stdout(said), contextlib.suppress(SystemExit):
        adapter.call(getattr(importlib.import_module(f"voiceprivacy.jobs.{job}"), job))
    return said.getvalue()
