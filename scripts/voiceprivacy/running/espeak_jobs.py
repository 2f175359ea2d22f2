"""Call espeak-ng, whose licence is the GPL: it is loaded by another process, and never by ours."""

import importlib.util
import json
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from voiceprivacy.errors import BadInput
from voiceprivacy.running import espeak

LOADER = "espeakng_loader"


def require_espeak() -> None:
    """Refuse to go on where espeak-ng is not installed."""
    if importlib.util.find_spec(LOADER) is None:
        raise BadInput(
            "espeak-ng is not installed here: make neural, or the wheel with its extra [neural]"
        )


def run_espeak(jobs: Iterable[Mapping[str, Any]], folder: Path) -> None:
    """Let espeak-ng do jobs, as running/espeak.py describes them, in a folder.

    Raises
    ------
    BadInput : espeak-ng is not installed, or fails
    """
    require_espeak()
    loader = importlib.import_module(LOADER)
    data = folder / "data"
    data.symlink_to(loader.get_data_path())  # espeak-ng takes at most 160 characters
    program = [sys.executable, "-I", "-S", espeak.__file__]
    done = subprocess.run(
        [*program, loader.get_library_path(), data.name],
        input="".join(json.dumps(job) + "\n" for job in jobs),
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise BadInput(f"espeak-ng failed: {' '.join(done.stderr.split())}")
