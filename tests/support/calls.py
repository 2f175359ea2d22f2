"""A script of ours in a process of its own, as a person or the workflow calls it."""

import json
import subprocess
import sys

from voiceprivacy.inout.files import SCRIPTS

STRICT = ["-W", "error"]
LONGEST_S = 900  # a script that hangs fails its test and not the whole run


def call(script, *words, python=(), **options):
    """Run scripts/<script>.py with these words; the ended process, with what it said as text."""
    command = [sys.executable, *python, SCRIPTS / f"{script}.py", *words]
    return subprocess.run(
        list(map(str, command)), capture_output=True, text=True, timeout=LONGEST_S, **options
    )


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
