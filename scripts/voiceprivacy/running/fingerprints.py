"""Which of our files a job needs: Snakemake runs a rule again when one of them changes.

Contents and paths within the package count, its place does not: a second copy of the same code, in
a checkout or in a folder of Python's, repeats nothing of what the first one has made.
"""

import functools
import hashlib
import re
from collections.abc import Iterable
from itertools import chain
from pathlib import Path

from voiceprivacy.vocabulary import SCRIPTS

# Parsing two hundred files takes a third of a second in every start.
NAMES = r"\((?:#.*|[^)#])*\)|.+"  # in brackets and with comments, or on one line
IMPORT = re.compile(rf"^(?:from (\w[\w.]*) import ({NAMES})|import (.+))", re.MULTILINE)
WORD = re.compile(r"\w+(?:\.\w+)*")


def code(*names: str, files: Iterable[Path] = ()) -> str:
    """Fingerprint of what some jobs or modules say, and the package's files behind them.

    Rules take it as a parameter: Snakemake runs again what was made with another one. As input
    files, the modules would be most files of a large run, and planning would take a third longer.

    Parameters
    ----------
    names : str
        Jobs, such as score_trials, or files below our scripts folder without .py, such as
        voiceprivacy/inout/tables
    files : paths of other files of ours that they read
    """
    read = {*files, *map(_file, names)}
    for name in names:
        read.update(modules(name))
    return _digest_of_all(sorted(read))


def code_alone(job: str) -> str:
    """Fingerprint of a job without what it imports.

    What comes from the network is not fetched again because a module of the package changed.
    """
    return _digest_of_all([_file(job)])


def _file(name: str) -> Path:
    return SCRIPTS / f"{name if '/' in name else f'voiceprivacy/jobs/{name}'}.py"


@functools.cache
def modules(name: str) -> list[Path]:
    """Files of the package that a job or module imports, directly or through others; sorted.

    Imports inside functions do not count, such as that of a plot: a rule names those that matter.
    """
    reached: set[Path] = set()
    new = {_file(name)}
    while new:
        imported: set[Path] = set()
        for path in new:
            imported.update(_imports(path))
        new = imported - reached
        reached |= new
    return sorted(reached)


def _digest_of_all(files: Iterable[Path]) -> str:
    digests = [f"{file.relative_to(SCRIPTS.parent)} {_digest(file)}" for file in files]
    return hashlib.sha256("\n".join(digests).encode()).hexdigest()[:16]


@functools.cache
def _digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


@functools.cache
def _imports(path: Path) -> list[Path]:
    """Files of the package that a file imports at its top level.

    Words of a text that look like an import name no file of ours.
    """
    names: list[str] = []
    for module, imported, plain in IMPORT.findall(path.read_text(encoding="utf-8")):
        names += WORD.findall(plain) if plain else [module]
        # What is imported from a package may be a module itself.
        names += [f"{module}.{name}" for name in WORD.findall(imported)]
    return [*chain.from_iterable(map(_files, names))]


@functools.cache
def _files(name: str) -> list[Path]:
    """The file of a module of ours, after those of the packages above it.

    A package is a module, too.
    """
    above, _, _ = name.rpartition(".")
    files = _files(above) if above else []
    path = SCRIPTS / name.replace(".", "/")
    module, package = path.with_suffix(".py"), path / "__init__.py"
    return files + [file for file in (module, package) if file.exists()]
