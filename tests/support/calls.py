"""A script of ours in a process of its own, as a person or the workflow calls it."""

import contextlib
import importlib
import io
import json
import subprocess
import sys
import tempfile
from typing import NamedTuple
from unittest import mock

from voiceprivacy.inout.files import SCRIPTS

STRICT = ["-W", "error"]
LONGEST_S = 900  # a script that hangs fails its test and not the whole run


def call(script, *words, python=(), **options):
    """Run scripts/<script>.py with these words; the ended process, with what it said as text."""
    command = [sys.executable, *python, SCRIPTS / f"{script}.py", *words]
    return subprocess.run(
        list(map(str, command)), capture_output=True, text=True, timeout=LONGEST_S, **options
    )


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


def call_measured(script, *words, **options):
    """As call, with what it took."""
    command = [sys.executable, SCRIPTS / f"{script}.py", *words]
    with tempfile.NamedTemporaryFile() as file:
        command = [sys.executable, "-c", MEASURE, file.name, *command]
        done = subprocess.run(
            list(map(str, command)), capture_output=True, text=True, timeout=LONGEST_S, **options
        )
        status, seconds, memory = json.load(file)
    return Measured(status, done.stdout, done.stderr, seconds, memory)


def succeeds(script, *words, **options):
    """What a call that must succeed says on stdout."""
    done = call(script, *words, **options)
    assert done.returncode == 0, done.stderr
    return done.stdout


def flags(**values):
    """The words --name value of a call; an entry of a config (a dict) as JSON."""
    return [
        word
        for name, value in values.items()
        for word in (
            f"--{name.replace('_', '-')}",
            json.dumps(value) if isinstance(value, dict) else str(value),
        )
    ]


def help_of(script, *words):
    """What a command says to --help, in this process: all share their imports."""
    said = io.StringIO()
    words = [script, *words, "--help"]
    argv = mock.patch.object(sys, "argv", words)
    with argv, contextlib.redirect_stdout(said), contextlib.suppress(SystemExit):
        importlib.import_module(script).main()
    return said.getvalue()
