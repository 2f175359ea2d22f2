"""A run in chunks: ``voiceprivacy run`` once for each chunk of systems, then for all together.

voiceprivacy.plan.chunks says what belongs to a chunk. Each run is a process of its own, so that
none keeps the graph of another.
"""

import argparse
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

from voiceprivacy.inout.files import SCRIPTS, BadInput
from voiceprivacy.plan.chunks import CHUNK
from voiceprivacy.running.command import say
from voiceprivacy.tools.launcher import split_targets


def start(words: Sequence[str], options: argparse.Namespace, count: int) -> int:
    """Run all chunks, then what compares their systems; the exit code of the first that fails.

    A dry run leaves the comparison out, because what it compares may not be there yet.

    Parameters
    ----------
    words : of ``voiceprivacy run``, without --chunks
    options : the same as Snakemake reads them
    count : of chunks

    Raises
    ------
    BadInput : the count is below 1, or a target is named
    """
    if count < 1:
        raise BadInput(f"--chunks: expected a number from 1, found {count}")
    if options.targets or split_targets(options.configfile)[1]:
        raise BadInput("--chunks: makes all results, so name no target beside it")
    names = {f"{number}/{count}": f"chunk {number} of {count}" for number in range(1, count + 1)}
    if not options.dryrun:
        names[f"{count + 1}/{count}"] = "all systems compared"
    for chunk, name in names.items():
        say(f"{name}:", file=sys.stderr)
        if code := _call(words, chunk):
            return code
    return 0


def _call(words: Sequence[str], chunk: str) -> int:
    """The exit code of the run of a chunk; it is told of signals, of which a terminal sends it."""
    command = [sys.executable, str(SCRIPTS / "main.py"), "run", *words]
    process = subprocess.Popen(command, env={**os.environ, CHUNK: chunk})

    def terminate(*_: Any) -> None:
        process.terminate()

    before = [
        signal.signal(signal.SIGTERM, terminate),
        signal.signal(signal.SIGINT, lambda *_: None),  # a terminal's Ctrl-C is for both
    ]
    try:
        return process.wait()
    finally:
        signal.signal(signal.SIGTERM, before[0])
        signal.signal(signal.SIGINT, before[1])
