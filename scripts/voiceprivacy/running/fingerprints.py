"""Which of our files a job needs: Snakemake runs a rule again when one of them changes.

Contents and paths within the package count, its place does not: a second copy of the same code, in
a checkout or in a folder of Python's, repeats nothing of what the first one has made.
"""

import ast
import functools
import hashlib
from collections.abc import Iterable
from pathlib import Path

from voiceprivacy.inout.files import SCRIPTS


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
    """Files of the package that a file imports at its top level."""
    names: list[str] = []
    for statement in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(statement, ast.ImportFrom) and statement.module:
            names.append(statement.module)
            # What is imported from a package may be a module itself.
            names += [f"{statement.module}.{alias.name}" for alias in statement.names]
        elif isinstance(statement, ast.Import):
            names += [alias.name for alias in statement.names]
    files: list[Path] = []
    for name in names:
        path = SCRIPTS / name.replace(".", "/")
        # Python runs the packages above a module first.
        packages = [parent for parent in path.parents if SCRIPTS in parent.parents]
        for imported in (*reversed(packages), path):
            files += _files(imported)
    return files


@functools.cache
def _files(path: Path) -> list[Path]:
    """The file of a module (its path without .py), or of a package that has code of its own."""
    module, package = path.with_suffix(".py"), path / "__init__.py"
    if not package.exists():
        return [module] if module.exists() else []
    tree = ast.parse(package.read_text(encoding="utf-8"))
    n_docstrings = 0 if ast.get_docstring(tree) is None else 1
    return [package] if len(tree.body) > n_docstrings else []
