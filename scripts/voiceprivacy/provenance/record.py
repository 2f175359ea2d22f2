"""What a run's numbers were made from: config, versions, models, trial lists, seeds, machine."""

import datetime
import hashlib
import importlib.metadata
import json
import os
import platform
import subprocess
import tomllib
from pathlib import Path

from voiceprivacy.inout.files import BadInput
from voiceprivacy.inout.tables import read_table

# What the jobs of a run cost: Snakemake's benchmark files, one folder a rule.

COLUMNS = [
    "s",
    "h:m:s",
    "max_rss",
    "max_vms",
    "max_uss",
    "max_pss",
    "io_in",
    "io_out",
    "mean_load",
    "cpu_time",
]


def job_costs(folder):
    """Sum the benchmark files of each rule.

    Returns
    -------
    dict of dict : rule -> jobs (their number), wall_s and cpu_s (sums), peak_memory_mb (of the largest job)
    """
    rules = sorted(path for path in Path(folder).glob("*") if path.is_dir())
    files = {rule.name: sorted(rule.rglob("*.tsv")) for rule in rules}
    return {
        name: _cost([row for path in of for row in read_table(path, COLUMNS)])
        for name, of in files.items()
        if of
    }


def _cost(rows):
    return {
        "jobs": len(rows),
        "wall_s": round(sum(_number(row["s"]) for row in rows), 1),
        "cpu_s": round(sum(_number(row["cpu_time"]) for row in rows), 1),
        "peak_memory_mb": round(max(_number(row["max_rss"]) for row in rows)),
    }


def _number(text):
    """A measurement; a job that ended before the first one has NA, which counts as 0."""
    return 0.0 if text in ("NA", "-") else float(text)


ROOT = Path(__file__).parents[3]
UNKNOWN = "unknown"
LIMIT_S = 60  # for one answer of a program
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


def provenance(*, config, files, benchmarks=None):
    """Describe a run in a dict: version, git_commit, packages, hardware, revisions, seeds, sha256, jobs, config, ...

    Parameters
    ----------
    config : dict, as used
    files : paths; of a folder every file inside
    benchmarks : folder of Snakemake's benchmark files, one folder a rule; without it there are no ``jobs``
    """
    return {
        "version": tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
            "version"
        ],
        "git_commit": _git("rev-parse", "HEAD") or UNKNOWN,
        "git_state": _git_state(),
        "created": datetime.date.today().isoformat(),
        "python": platform.python_version(),
        "platform": platform.platform(),
        "hardware": _hardware(),
        "packages": dict(_versions()),
        "revisions": {
            name: of["revision"]
            for name, of in config.get("extractors", {}).items()
            if "revision" in of
        },
        "seeds": dict(_seeds(config)),
        "sha256": hashes(files),
        "jobs": job_costs(benchmarks) if benchmarks else {},
        "config": config,
    }


def hashes(files):
    """{path: SHA-256} of files, and of every file inside folders."""
    return {str(file): _sha256(file) for file in _all_files(files)}


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


def _hardware():
    """The machine that this is written on: {processor, cores, memory_gb, gpus}; on a cluster the jobs ran on others."""
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "memory_gb": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9),
        "gpus": (
            _output("nvidia-smi", "--query-gpu=name", "--format=csv,noheader") or ""
        ).splitlines(),
    }


def _processor():
    file = Path("/proc/cpuinfo")
    lines = file.read_text().splitlines() if file.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def _all_files(paths):
    for path in sorted(map(Path, paths)):
        if not path.exists():
            raise BadInput(f"{path}: not found")
        yield from (
            sorted(file for file in path.rglob("*") if file.is_file()) if path.is_dir() else [path]
        )


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
    return _output("git", "-C", ROOT, *arguments)


def _output(*command):
    """What a program says; None where it is not there, fails, or hangs, as nvidia-smi does with a driver that does."""
    try:
        answer = subprocess.run(
            command, capture_output=True, text=True, check=True, timeout=LIMIT_S
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return answer.stdout.strip()


def controls_of(provenance):
    """Names of the anonymisers that the config of a run calls controls."""
    anonymisers = provenance.get("config", {}).get("anonymisers", {})
    return [name for name, entry in anonymisers.items() if entry.get("control")]


def averages_of(provenance):
    """The averages over corpora that the config of a run names: {name: {corpus: {list: weight}}}."""
    return provenance.get("config", {}).get("report", {}).get("averages", {})
