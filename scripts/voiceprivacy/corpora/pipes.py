"""Audio that a command writes to its output, as in Kaldi's ``sox in.flac -t wav - |``.

A pipe is a command from a file that somebody else may have written: it runs only where the config says ``pipes: true``.
"""

import contextlib
import shlex
import subprocess
import tempfile
from pathlib import Path
from typing import NamedTuple

from voiceprivacy.files import BadInput


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
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "audio"
        with open(path, "wb") as file:
            streams = {"stdin": subprocess.DEVNULL, "stdout": file, "stderr": subprocess.PIPE}
            done = subprocess.run(pipe.command, shell=True, cwd=pipe.folder, **streams)  # nosec B602  # pipes: true only
        if done.returncode != 0:
            said = " ".join(done.stderr.decode(errors="replace").split())[-300:] or "it says nothing"
            raise BadInput(f"{pipe}: fails with exit code {done.returncode} ({said})")
        try:
            yield path
        except BadInput as error:
            raise BadInput(str(error).replace(str(path), str(pipe))) from None
