"""What jobs of a run open, and what their rules declare where jobs share no disk.

On a shared disk a job may open a file that nobody declares: it is there. Without one it is not, and
some readers then do without it, without a word. So jobs note here what they open in results/, and
this is compared with a plan for a store.
"""

import re

import yaml

from support.runs import snakemake

# Python runs this in each process that it starts. A job is known by the log that it writes to.
HOOK = """
import os, sys

log = os.environ.get("VOICEPRIVACY_JOB") or os.readlink("/proc/self/fd/1")
if "/results/logs/" in log:
    os.environ["VOICEPRIVACY_JOB"] = log
    notes = os.open(os.environ["VOICEPRIVACY_NOTED"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)

    def note(event, arguments):
        if event != "open" or not isinstance(arguments[0], (str, os.PathLike)):
            return
        path, mode, flags = arguments
        reads = not set(mode) & set("wax+") if mode else not flags & (os.O_WRONLY | os.O_RDWR)
        path = os.path.abspath(path)
        if reads and "/results/" in path:
            os.write(notes, f"{log}\\t{path}\\n".encode())

    sys.addaudithook(note)
"""
NOTES = "opened.tsv"
# What every job brings along or makes itself, what is for a disk, Snakemake's own, and times.
EXEMPT = {"plan.json", "format", "codes.key", "stamps.tsv", "checksums.tsv", "speed.tsv"}
ENDINGS = (".sha256", ".checksums.tsv", ".log")
FOLDERS = ("results/benchmarks/", "results/sources/")
JOB = re.compile(r"^(?:local)?rule \w+:\n((?:    .+\n)+)", re.MULTILINE)


def watching(folder):
    """The environment of a run in a folder whose jobs note what they open."""
    hook = folder / "hook"
    hook.mkdir()
    (hook / "sitecustomize.py").write_text(HOOK)
    return {"PYTHONPATH": str(hook), "VOICEPRIVACY_NOTED": str(folder / NOTES)}


def undeclared(folder, config, *targets):
    """What jobs of that run opened and would not have without a shared disk: {log: files}."""
    declared = _declared(folder, config, targets)
    lacking = {}
    for line in (folder / NOTES).read_text().splitlines():
        log, path = (name.removeprefix(f"{folder}/") for name in line.split("\t"))
        parents = [path[: slash.start()] for slash in re.finditer("/", path)]
        if log in declared and not _is_exempt(path) and declared[log].isdisjoint([path, *parents]):
            lacking.setdefault(log, set()).add(path)
    assert declared
    return lacking


def _declared(folder, config, targets):
    """Inputs and outputs by log, as a plan says them."""
    store = f"{folder / 'store'}/"
    shared = ["sources", "software-deployment", "source-cache", "persistence"]
    where = ("--default-storage-provider", "fs", "--default-storage-prefix", store)
    elsewhere = folder / "planned"
    elsewhere.mkdir()
    named = _absolute(yaml.safe_load(config.read_text()), folder)
    (elsewhere / "config.yaml").write_text(yaml.safe_dump(named, sort_keys=False))
    words = ("-n", "--configfile", elsewhere / "config.yaml", "--shared-fs-usage", *shared)
    planned = snakemake(elsewhere, *targets, *where, *words)
    assert planned.returncode == 0, planned.stderr
    declared = {}
    for job in JOB.findall(planned.stdout):
        files = {}
        for line in job.splitlines():
            kind, _, names = line.strip().partition(": ")
            paths = [name.partition(" (")[0].removeprefix(store) for name in names.split(", ")]
            files[kind] = set(paths)
        for log in files.get("log", ()):
            declared[log] = files.get("input", set()) | files["output"]
    return declared


def _absolute(value, folder):
    """A config in which files of a folder have absolute paths, also those that commands name."""
    if isinstance(value, dict):
        return {key: _absolute(inner, folder) for key, inner in value.items()}
    if isinstance(value, list):
        return [_absolute(inner, folder) for inner in value]
    if not isinstance(value, str):
        return value
    words = value.split(" ")
    files = [word and (folder / word.partition(":")[0]).exists() for word in words]
    named = zip(words, files, strict=True)
    return " ".join(f"{folder}/{word}" if is_file else word for word, is_file in named)


def _is_exempt(path):
    is_hidden = any(part.startswith(".") for part in path.split("/"))
    name = path.rpartition("/")[2]
    return (
        is_hidden
        or name in EXEMPT
        or path.endswith(ENDINGS)
        or path.startswith(FOLDERS)
        or ".checkpoints/" in path
    )
