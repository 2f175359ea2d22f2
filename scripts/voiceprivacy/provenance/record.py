"""What a run's numbers were made from: config, versions, models, trial lists, seeds, machine.

``provenance`` describes all of it as one dict, which is written as results/provenance.json.
``differences`` compares such a dict with this checkout and this machine: can they repeat the run?
``edits`` compares those of two states of a run.
"""

import datetime
import importlib.metadata
import os
import platform
import re
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from voiceprivacy.errors import BadInput
from voiceprivacy.inout import foreign
from voiceprivacy.inout.checksums import sha256_of
from voiceprivacy.inout.json_files import parse_json, read_json
from voiceprivacy.inout.placeholders import expand, ours, variables_in, wherever_ours_lie
from voiceprivacy.models import pinned
from voiceprivacy.provenance.benchmarks import job_costs
from voiceprivacy.provenance.commit import answer, state_of
from voiceprivacy.running import decoding
from voiceprivacy.vocabulary import PREVIOUS, RESULTS_FORMAT, SCRIPTS, SECRET_SEED, SOURCES

ROOT = SCRIPTS.parent
PROVENANCE = "provenance.json"  # below results/
SECRET = f"results/{SECRET_SEED}"
# Below results/: what says when, what is for people, and what is there for a while.
NO_OUTPUTS = {
    *("logs", "benchmarks", "sources", "report", "paper", "pairs", "templates", "containers"),
    *("format", "plan.json", "codes.key", SECRET_SEED, PROVENANCE, PREVIOUS, "exp"),
    *("history", "history.tsv", "history.html"),
}
RANK = "result_for_rank"  # with a suffix: the challenge's summary, and its exp/
PACKAGES = (
    "ctranslate2",
    "espeakng-loader",
    "jinja2",
    "matplotlib",
    "numba",
    "numpy",
    "onnxruntime",
    "pyworld-prebuilt",
    "scipy",
    "snakemake",
    "soundfile",
    "speechbrain",
    "torch",
    "torchaudio",
    "webrtcvad-wheels",
)


def provenance(
    *, config: dict, files: Iterable[str | Path], results: str | Path | None = None
) -> dict[str, Any]:
    """Describe a run: format, version, commit, packages, hardware, seeds, hashes, jobs, config.

    Parameters
    ----------
    config : dict, as used
    files : paths of models and trial lists; of a folder every file inside
    results : folder of the run, whose files are ``outputs`` and whose benchmarks are ``jobs``

    Raises
    ------
    BadInput : one of the files is missing
    """
    extractors = config.get("extractors", {})
    made = outputs_of(results) if results else {}
    sha256s = {named(path, config, results): sha256 for path, sha256 in hashes(files).items()}
    # Of a secret that was drawn; 256 random bits cannot be tried out.
    secret = {"seed": sha256s[SECRET]} if SECRET in sha256s else {}
    return {
        "format": RESULTS_FORMAT,
        "version": version(),
        **state_of(ROOT),
        "created": datetime.date.today().isoformat(),
        "python": platform.python_version(),
        "platform": platform.platform(),
        "hardware": _hardware(),
        "packages": dict(_package_versions()),
        "revisions": {
            name: extractor["revision"]
            for name, extractor in extractors.items()
            if "revision" in extractor
        },
        "seeds": dict(_seeds(config)) | secret,
        "sha256": sha256s,
        "outputs": {name: sha256_of(path) for name, path in sorted(made.items())},
        "jobs": job_costs(Path(results, "benchmarks")) if results else {},
        "config": config,
    }


def outputs_of(results: str | Path) -> dict[str, Path]:
    """The files of a run that its numbers lie in: {path below the results: path}.

    What is made of this record or beside it is left out, and so are score matrices, which may be
    removed after use.
    """
    files = {}
    for folder, folders, names in os.walk(results):
        below = os.path.relpath(folder, results)
        folders[:] = [name for name in folders if _is_output(below, name)]
        for name in names:
            if _is_output(below, name):
                path = os.path.normpath(os.path.join(below, name))
                files[path] = Path(results, path)
    return files


def _is_output(folder: str, name: str) -> bool:
    is_beside = name in NO_OUTPUTS or name.startswith(RANK)
    return not name.startswith(".") and not (folder == "." and is_beside)


def hashes(paths: Iterable[str | Path]) -> dict[str, str]:
    """{path: SHA-256} of files, and of every file inside folders.

    Raises
    ------
    BadInput : one of the paths is missing
    """
    return {str(file): sha256_of(file) for file in _all_files(paths)}


def named(path: str, config: dict, results: str | Path | None = None) -> str:
    """A path as the config says it: with {resources}, or ${NAME} where its value begins it.

    The run's own are below results/, wherever the workflow that it is a module of keeps them.
    """
    if results and path.startswith(f"{results}/"):
        return f"results{path.removeprefix(str(results))}"
    path = wherever_ours_lie(path)
    values = {name: os.environ.get(name, "").rstrip("/") for name in variables_in(config)}
    # The longest first: the folder of one variable may lie in that of another.
    for name, value in sorted(values.items(), key=lambda item: -len(item[1])):
        if value and (path == value or path.startswith(f"{value}/")):
            return f"${{{name}}}{path.removeprefix(value)}"
    return path


def parse_config(text: str) -> dict:
    """The config from its JSON text.

    Raises
    ------
    BadInput : it is no JSON object
    """
    config = parse_json(text, "--config")
    if not isinstance(config, dict):
        raise BadInput("--config: expected a JSON object")
    return config


def version() -> str:
    """The version of this checkout."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return project["project"]["version"]


def _package_versions():
    for package in PACKAGES:
        try:
            yield package, importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue  # the environment of a job need not have all of them
    yield from pinned.versions()  # whose weights are there, and which are not installed
    if installed := decoding.version():  # what decodes recordings, and what pipes call
        yield "ffmpeg", installed


def _seeds(config, prefix=""):
    """Yield (key.in.config, seed) of every key `seed` of the config."""
    for key, value in config.items():
        if isinstance(value, dict):
            yield from _seeds(value, f"{prefix}{key}.")
        elif key == "seed":
            yield f"{prefix}{key}", value


def _all_files(paths: Iterable[str | Path]) -> Iterator[Path]:
    for path in sorted(map(Path, paths)):
        if not path.exists():
            raise BadInput(f"{path}: not found")
        if path.is_dir():
            yield from sorted(file for file in path.rglob("*") if file.is_file())
        else:
            yield path


# The machine and the code, as other programs describe them.


def _hardware():
    """This machine: {processor, cores, memory_gb, gpus}; on a cluster the jobs ran on others."""
    gpus = answer("nvidia-smi", "--query-gpu=name", "--format=csv,noheader") or ""
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "memory_gb": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9),
        "gpus": gpus.splitlines(),
    }


def _processor():
    file = Path("/proc/cpuinfo")  # Linux only; macOS has none
    lines = file.read_text().splitlines() if file.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


# A provenance that somebody else wrote.

SECTIONS = ("config", "packages", "sha256", "outputs")


def read_provenance(path: str | Path) -> dict[str, Any]:
    """Read a provenance.json of any origin: plain values, with a config.

    Raises
    ------
    BadInput : it is none, holds too much, or texts that no terminal should get
    """
    content = foreign.plain_values(foreign.mapping(read_json(path), str(path)), str(path))
    for section in SECTIONS:
        foreign.mapping(content.get(section, {}), f"{path}: {section}")
    return {"config": {}} | content


# Whether a checkout can repeat a run: what its provenance says against what is here now.

NOT_FOUND = "not found"
FIRST_FORMAT = 1  # of results whose provenance does not name a format
DECIDES = ("format", "version", "git_commit", "git_state", "packages", "sha256")
EXPLAINS = ("python", "platform", "hardware")


class Change(NamedTuple):
    """Something that was otherwise when the run was made."""

    name: str
    then: Any
    now: Any


def differences(then: dict, *, directory: str | Path) -> tuple[list[Change], list[Change]]:
    """Compare a run's provenance with this checkout and this machine.

    Parameters
    ----------
    then : dict, provenance.json
    directory : where that run's relative paths start

    Returns
    -------
    list of Change, list of Change : what decides whether numbers can be repeated, and what can
        explain a difference in the last digits (the machine)
    """
    then = {"format": FIRST_FORMAT} | then
    # Not with the config of that run, whose folders and variables need not be here.
    now = provenance(config={}, files=[])
    now["sha256"] = {path: hash_now(directory, path) for path in then.get("sha256", {})}
    return _changes(DECIDES, then, now), _changes(EXPLAINS, then, now)


def _changes(sections, then, now):
    # What the run did not say (an older version's run) cannot have changed.
    before, after = _flat(sections, then), _flat(sections, now)
    changes = [Change(name, value, after.get(name, NOT_FOUND)) for name, value in before.items()]
    return [change for change in changes if change.then != change.now]


def _flat(sections, described):
    """{package numpy: version, ...}: one level, in the order of the sections."""
    values = {}
    for section in sections:
        value = described.get(section)
        if isinstance(value, dict):
            values |= {f"{section} {key}": inner for key, inner in value.items()}
        elif section in described:
            values[section] = value
    return values


def hash_now(directory: str | Path, path: str) -> str:
    """The SHA-256 of a path as ``named`` says it; its variable need not be set here."""
    known = all(name in os.environ for name in variables_in(path))
    file = Path(directory) / ours(expand(path)) if known else None
    return sha256_of(file) if file and file.is_file() else NOT_FOUND


# What was edited between two states of a run.

VERSION = ("version", "git_commit", "git_state")
NUMERAL = re.compile(r"[-+0-9.e]{1,20}")  # a number, or the version of a package


def edits(before: dict[str, Any], now: dict[str, Any]) -> tuple[list[str], list[str]]:
    """What was edited between two states of a run: keys of its config, and what of its code.

    Numbers are shown with both values; of people's files, entries of the config are named.
    """
    code = [*_edited(_code(before), _code(now))]
    return [*_edited(before["config"], now["config"])], code


def _code(provenance):
    sources = {
        f"files of {path.removeprefix(SOURCES).partition('.')[0].replace('/', '.')}": sha256
        for path, sha256 in provenance.get("sha256", {}).items()
        if path.startswith(SOURCES)
    }
    ours = [provenance.get(field) for field in VERSION]
    return {"voiceprivacy": ours, **provenance.get("packages", {}), **sources}


def _edited(before, now, name=""):
    if isinstance(before, dict) and isinstance(now, dict):
        for key in dict.fromkeys([*before, *now]):
            yield from _edited(before.get(key), now.get(key), f"{name}.{key}".strip("."))
    elif before != now:
        is_short = NUMERAL.fullmatch(str(before)) and NUMERAL.fullmatch(str(now))
        yield f"{name} {before} -> {now}" if is_short else name
