"""Another version of Python on this machine, and our wheel installed under it."""

import functools
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from support.runs import ROOT

OTHER = "VOICEPRIVACY_OTHER_PYTHON"  # names one, wherever it lies
PYENV = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
CLASSIFIER = re.compile(r'"Programming Language :: Python :: (3\.\d+)"')
VERSION = "import sys, venv; print('%d.%d' % sys.version_info[:2])"


@functools.cache
def other_python():
    """A Python of another version that we support, the newest; None where there is none."""
    own = "{}.{}".format(*sys.version_info)
    supported = CLASSIFIER.findall((ROOT / "pyproject.toml").read_text())
    others = sorted({*supported} - {own}, key=lambda version: int(version[2:]), reverse=True)
    if OTHER in os.environ:
        given = os.environ[OTHER]
        assert version_of(given) in others, f"{OTHER}={given} is none of {others}"
        return given
    for version in others:
        candidates = sorted(PYENV.glob(f"versions/{version}.*/bin/python{version}"))
        if on_path := shutil.which(f"python{version}"):
            candidates.append(on_path)
        for candidate in candidates:
            if version_of(candidate) == version:
                return str(candidate)
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
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
