"""What a run's numbers were made from: config, versions, models, trial lists, seeds, machine."""

import datetime
import hashlib
import importlib.metadata
import json
import platform
import subprocess
import tomllib
from pathlib import Path

from voiceprivacy.files import BadInput

ROOT = Path(__file__).parents[3]
UNKNOWN = "unknown"
PACKAGES = (
    "espeakng-loader",
    "jinja2",
    "matplotlib",
    "numba",
    "numpy",
    "scipy",
    "snakemake",
    "soundfile",
    "speechbrain",
    "torch",
    "torchaudio",
)


def provenance(*, config, files):
    """Describe a run: {version, git_commit, git_state, created, python, platform, packages, seeds, sha256, config}.

    Parameters
    ----------
    config : dict, as used
    files : paths; of a folder every file inside
    """
    return {
        "version": tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"],
        "git_commit": _git("rev-parse", "HEAD") or UNKNOWN,
        "git_state": _git_state(),
        "created": datetime.date.today().isoformat(),
        "python": platform.python_version(),
        "platform": platform.platform(),
        "packages": dict(_versions()),
        "seeds": dict(_seeds(config)),
        "sha256": {str(file): _sha256(file) for file in _all_files(files)},
        "config": config,
    }


def parse_config(text):
    """The config from its JSON text."""
    try:
        config = json.loads(text)
    except json.JSONDecodeError as error:
        raise BadInput(f"--config: not JSON ({error})") from None
    if not isinstance(config, dict):
        raise BadInput("--config: expected a JSON object")
    return config


def _versions():
    for package in PACKAGES:
        try:
            yield package, importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue


def _seeds(config, place=""):
    """Yield (place.in.config, seed) of every key `seed` of the config."""
    for key, value in config.items():
        if isinstance(value, dict):
            yield from _seeds(value, f"{place}{key}.")
        elif key == "seed":
            yield f"{place}{key}", value


def _all_files(paths):
    for path in sorted(map(Path, paths)):
        if not path.exists():
            raise BadInput(f"{path}: not found")
        yield from sorted(file for file in path.rglob("*") if file.is_file()) if path.is_dir() else [path]


def _sha256(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _git_state():
    changes = _git("status", "--porcelain", "--untracked-files=no")
    if changes is None:
        return UNKNOWN
    return "with uncommitted changes" if changes else "clean"


def _git(*arguments):
    """What git says about the repository that holds this file; None without git or outside a repository."""
    try:
        answer = subprocess.run(["git", "-C", ROOT, *arguments], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return answer.stdout.strip()
