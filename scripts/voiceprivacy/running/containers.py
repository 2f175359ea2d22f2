"""Programs in images of containers, which apptainer runs: it must be installed.

The image is the program's system. Of this machine it sees the folder that it writes to, what it is
given to read, and with a GPU the cards. It has no network and no variables but a few.
"""

import os
import shutil
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from voiceprivacy.errors import BadInput
from voiceprivacy.running.handed_over import GIVEN, HOME, SHOWN_HOME

INSTALL = (
    "install it (https://apptainer.org/docs/admin/latest/installation.html,"
    " or conda install -c conda-forge apptainer)"
)
SETTINGS = ("APPTAINER", "SINGULARITY")  # beginnings of variables that would show it more


def command(
    words: Sequence[str],
    image: Path,
    folder: Path,
    *,
    reads: Iterable[Path],
    gpu: bool,
) -> list[str]:
    """The words that run a program of an image.

    Parameters
    ----------
    words : list of str
        The program and its arguments; what they name is in the image.
    image : path
        SIF, or whatever else apptainer runs.
    folder : path
        The one that the program can write to. It starts in the home there.
    reads : list of path
        What it sees of this machine, under the same names.
    gpu : bool
        Whether it gets the cards, and this machine's libraries for them.

    Raises
    ------
    BadInput : apptainer is not installed
    """
    program = shutil.which("apptainer")
    if program is None:
        raise BadInput(f"container: {image}: needs apptainer, which is not installed: {INSTALL}")
    given = ["--containall", "--net", "--network", "none", *(["--nv"] if gpu else [])]
    shown = [*filter(Path.exists, [folder / GIVEN]), *reads]
    for bind in (f"{folder}:{folder}", *(f"{path}:{path}:ro" for path in shown)):
        given += ["--bind", bind]
    given += ["--home", f"{folder / HOME}:{SHOWN_HOME}", "--pwd", SHOWN_HOME]
    return [program, "exec", *given, str(image), *words]


def environment(variables: Mapping[str, str]) -> dict[str, str]:
    """The environment of apptainer, which gives a program ``variables`` and no others."""
    own = {name: value for name, value in os.environ.items() if not name.startswith(SETTINGS)}
    return own | {f"APPTAINERENV_{name}": value for name, value in variables.items()}
