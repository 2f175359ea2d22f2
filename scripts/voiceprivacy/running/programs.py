"""Other people's programs: started without a shell, limited in time and output.

A program is ended with all that it started (voiceprivacy.running.processes). What it says goes to
our stderr: of more than LOG_BYTES the beginning and the end, so that a program that prints without
end fills no disk.
"""

import contextlib
import os
import shlex
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from voiceprivacy.errors import BadInput
from voiceprivacy.inout.manifests import Utterance
from voiceprivacy.inout.placeholders import expand, ours
from voiceprivacy.running import boxes, handed_over, processes

LOG_BYTES, LAST_BYTES = 4 * 2**20, 2**14
GRACE_S = 5  # between asking a process group to end and ending it


def sandbox_of(sandbox: dict[str, Any] | None, memory: int) -> dict[str, Any] | None:
    """What --sandbox and --memory say of the box; None where the command runs without one."""
    return None if sandbox is None else {"mem_mb": memory, **sandbox}


class Failed(BadInput):
    """A program that did not end well, which another attempt, with more memory, may mend."""


def words_of(command: str, *, threads: int) -> list[str]:
    """Split a command as a shell would, without one.

    {scripts}, {resources}, {threads} and variables, ${NAME}, are filled in.
    """
    try:
        words = shlex.split(expand(command))
    except ValueError as error:
        raise BadInput(f"command '{command}': {error}") from None
    if not words:
        raise BadInput("command: is empty")
    return [ours(word).replace("{threads}", str(threads)) for word in words]


def options_of(values: Mapping[str, object]) -> list[str]:
    """The words of options {name: value}: ``--name value``.

    A list gives several values, true the bare ``--name``, false and None nothing.

    >>> options_of({"alpha": [0.5, 0.9], "fast": True, "slow": False})
    ['--alpha', '0.5', '0.9', '--fast']
    """
    words = []
    for name, value in values.items():
        if value is None or value is False:
            continue
        words.append(f"--{name}")
        if isinstance(value, list):
            words += map(str, value)
        elif value is not True:
            words.append(str(value))
    return words


def call(
    command: str,
    speech: Mapping[str, Sequence[Utterance]],
    written: Path,
    *,
    threads: int,
    minutes: float | None = None,
    sandbox: dict[str, Any] | None = None,
) -> None:
    """Call a command with a manifest of each kind of speech, and with the file that it writes.

    Parameters
    ----------
    command : str
        {scripts}, {resources} and {threads} in it are filled in; no shell is involved.
    speech : {flag: list of Utterance}
    written : path
        Its stem is its flag. The command works in its folder, which is empty.
    threads : int
    minutes : float, optional
        After which it is ended, with all that it started.
    sandbox : dict, optional
        Run it in a box, with what its entry says of it (voiceprivacy.running.boxes).

    Raises
    ------
    BadInput : it cannot be started, fails, or writes nothing
    """
    words, folder = words_of(command, threads=threads), written.parent
    options = {} if sandbox is None else {"sandbox": True, **sandbox}
    box = boxes.of_entry(options, words, folder, threads=threads)
    files = {}
    for kind, lines in speech.items():
        files[kind] = handed_over.hand_over(lines, folder, kind, to_box=box is not None)
    words += options_of({**files, written.stem: written})
    run(words, name=f"command '{command}'", threads=threads, minutes=minutes, box=box)
    if not written.exists():  # though it ended well
        raise BadInput(f"command '{command}' wrote no --{written.stem}")


def run(
    words: list[str],
    *,
    name: str,
    threads: int,
    minutes: float | None = None,
    variables: dict[str, str] | None = None,
    box: boxes.Box | None = None,
) -> None:
    """Run a program to its end.

    Parameters
    ----------
    words : list of str
        The program and its arguments.
    name : str
        What an error calls it.
    threads : int
        Its OMP_NUM_THREADS.
    minutes : float, optional
        After which it is ended; None for no limit.
    variables : dict, optional
        Added to its environment.
    box : Box, optional
        What it may see and use: it runs in a box of voiceprivacy.running.boxes.

    Raises
    ------
    BadInput : it cannot be started, no box can be made on this machine, or it left in its box what
        is not read
    Failed : it fails, is killed, or runs too long
    """
    variables = {"OMP_NUM_THREADS": str(threads), **(variables or {})}
    environment = {**os.environ, **variables}
    if box is not None:
        words, environment = boxes.start(words, box, minutes=minutes, variables=variables)
        memory = "no limit" if box.gpu else f"{box.memory_mb} MB"
        _print(f"box: {memory} of memory for each process, no network\n".encode())
    status = _run(words, environment, name, minutes)
    if status != 0:
        raise Failed(f"{name} {_how(status, minutes)}")
    if box is not None:
        handed_over.take_back(box.folder, name)


def _run(
    words: list[str], environment: dict[str, str], name: str, minutes: float | None
) -> int | None:
    """Start a program and wait: its exit status, or None if it ran too long."""
    with contextlib.ExitStack() as stack, processes.ending_all():
        process = _start(words, environment, name)
        reader = threading.Thread(target=_pass_on, args=(process.stdout,), daemon=True)
        reader.start()
        # Only when nothing runs any more: what still runs could hold the output open.
        stack.callback(reader.join, GRACE_S)
        try:
            return process.wait(None if minutes is None else 60 * minutes)
        except subprocess.TimeoutExpired:
            return None
        finally:
            end_group(process)


def _start(words: list[str], environment: dict[str, str], name: str) -> subprocess.Popen:
    try:
        return subprocess.Popen(
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=environment,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise BadInput(f"{name}: {words[0]}: {reason}") from None


def end_group(process: subprocess.Popen) -> None:
    """End a process that leads a group, and whatever else still runs in the group."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, number)
        except (ProcessLookupError, PermissionError):  # nothing is left of it
            break
        try:
            process.wait(GRACE_S)
        except subprocess.TimeoutExpired:
            continue
    process.wait()


def _how(status: int | None, minutes: float | None) -> str:
    """How a program ended (its exit status, or None if it ran too long), in words."""
    if status is None:
        return (
            f"ran longer than its runtime of {minutes:g} minutes and was ended:"
            " raise 'runtime', or find out why"
        )
    if status < 0:
        return f"was killed by {_signal(-status)}; its output is above"
    # What shells and boxes make of a signal. A program may end so by itself, as git does.
    by_signal = f", as if killed by {_signal(status - 128)}" if 128 < status < 160 else ""
    return f"ended with exit code {status}{by_signal}; its output is above"


def _signal(number: int) -> str:
    memory = " (out of memory?)" if number == signal.SIGKILL else ""
    return f"signal {number}, {signal.Signals(number).name}{memory}"


def _pass_on(stream: IO[bytes]) -> None:
    """Copy a program's output to stderr: its first LOG_BYTES, and of more its last LAST_BYTES."""
    passed, left_out, last = 0, 0, bytearray()
    with stream:
        while chunk := stream.read1(2**16):  # type: ignore[attr-defined]
            last += chunk
            del last[:-LAST_BYTES]
            if passed < LOG_BYTES:
                _print(chunk)
                passed += len(chunk)
            else:
                left_out += len(chunk)
    if last and not last.endswith(b"\n"):  # a progress bar: what we say begins a line
        _print(b"\n")
    if left_out:
        note = f"\n[{left_out / 1e6:.1f} MB of output are left out here; it ends with]\n"
        _print(note.encode() + last + b"\n")


def _print(content: bytes) -> None:
    sys.stderr.flush()
    sys.stderr.buffer.write(content)
    sys.stderr.buffer.flush()
