"""Audio that a command writes to its output, as in Kaldi's ``sox in.flac -t wav - |``.

A pipe is a command from a file that somebody else may have written: it runs only where the config says ``pipes: true``.
"""

import contextlib
import shlex
import signal
import subprocess
import tempfile
from pathlib import Path
from typing import NamedTuple

from voiceprivacy import programs
from voiceprivacy.files import BadInput

LIMIT_S = 300  # for one utterance
LIMIT_BYTES = 4 * 2**30  # the longest WAV
LIMITED = f"ulimit -f {LIMIT_BYTES // 512} 2>/dev/null\n"  # of files, in blocks of 512 bytes
RUNNING = set()  # of all threads, so that what interrupts this program ends them


class Hangs(BadInput):
    """A pipe that did not end: no bad recording, but a command that would keep the run waiting at every utterance."""


class Pipe(NamedTuple):
    """A shell command without its ``|``, and the folder that its relative paths start from."""

    command: str
    folder: Path

    def __str__(self):
        return f"{self.command} |"

    def words(self):
        """The words of the command, which may be paths."""
        with contextlib.suppress(ValueError):  # an open quote: the shell will say so
            return shlex.split(self.command)
        return []


@contextlib.contextmanager
def output(pipe):
    """Run a pipe and give the path of a temporary file with what it wrote.

    Raises
    ------
    BadInput : the command fails, or the block finds the audio wrong; the message names the command
    Hangs : it runs longer than LIMIT_S
    """
    with tempfile.TemporaryDirectory() as folder:
        path, said = Path(folder, "audio"), Path(folder, "said")
        status = _run(pipe, path, said)
        if status != 0:
            with open(said, "rb") as file:
                words = " ".join(file.read()[-2000:].decode(errors="replace").split())[-300:]
            how = f"fails with exit code {status}" if status > 0 else f"is killed by {signal.Signals(-status).name}"
            raise BadInput(f"{pipe}: {how} ({words or 'it says nothing'})")
        try:
            yield path
        except BadInput as error:
            raise BadInput(str(error).replace(str(path), str(pipe))) from None


def end_running():
    """End the pipes that other threads wait for."""
    for process in list(RUNNING):
        programs.end_group(process)


def _run(pipe, path, said):
    with open(path, "wb") as audio, open(said, "wb") as errors:
        streams = {"stdin": subprocess.DEVNULL, "stdout": audio, "stderr": errors}
        where = {"cwd": pipe.folder, "start_new_session": True}
        process = subprocess.Popen(LIMITED + pipe.command, shell=True, **where, **streams)  # nosec B602  # pipes: true
    RUNNING.add(process)
    try:
        return process.wait(LIMIT_S)
    except subprocess.TimeoutExpired:
        raise Hangs(f"{pipe}: runs longer than {LIMIT_S} s and was ended: find out why, and run again") from None
    finally:
        RUNNING.discard(process)
        programs.end_group(process)
