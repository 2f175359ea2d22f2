"""Another version of Python on this machine, and our wheel installed under it."""

import functools
import os
import shutil
import subprocess
import sys
from pathlib import Path

from support.runs import ROOT, succeeded

OTHER = "VOICEPRIVACY_OTHER_PYTHON"  # names one, wherever it lies
PYENV = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
VERSION = "import sys, venv; print('%d.%d' % sys.version_info[:2])"


@functools.cache
def other_python():
    """A Python of another version that we support, the newest; None where there is none."""
    for version in ("3.13", "3.12", "3.11"):
        installed = sorted(PYENV.glob(f"versions/{version}.*/bin/python{version}"))
        for python in (os.environ.get(OTHER), *installed, shutil.which(f"python{version}")):
            is_other = not sys.version.startswith(f"{version}.")
            if python and is_other and version_of(python) == version:
                return str(python)
    return None


def version_of(python):
    """What a Python says of itself, such as 3.13; None where it does not start."""
    try:
        said = subprocess.run([python, "-c", VERSION], capture_output=True, text=True, timeout=60)
    except OSError:
        return None
    return said.stdout.strip() if said.returncode == 0 else None


def install_wheel(folder, python, *packages):
    """Our wheel in a new environment of a Python, with packages in the lock's versions; its bin."""
    call("build", "--wheel", "--quiet", "--out-dir", folder / "dist", ROOT)
    (wheel,) = (folder / "dist").glob("*.whl")
    call("venv", "--quiet", "--python", python, folder / "venv")
    words = ["--quiet", "--python", folder / "venv", "--constraint", ROOT / "envs/requirements.txt"]
    call("pip", "install", *words, wheel, *packages)
    return folder / "venv" / "bin"


def call(*words):
    """Call uv, which must succeed."""
    command = [sys.executable, "-m", "uv", *map(str, words)]
    succeeded(subprocess.run(command, capture_output=True, text=True))
