"""Which files of a person's Python program are its code: those that it imports from its folder.

What ``python -m`` runs imports from the working directory, which is looked into, too. Nothing is
run. What a program imports by a name that it makes up, or reads, is not seen:
``inputs:`` of its entry names that.
"""

import ast
from collections.abc import Iterable, Iterator
from itertools import product
from pathlib import Path

from voiceprivacy.vocabulary import SCRIPTS


def imported_files(program: str) -> list[str]:
    """Python files of a person's that a program imports, directly or through others; sorted.

    Our own programs have none: a rule's parameter has the fingerprint of their code.
    """
    path = Path(program)
    if path.suffix != ".py" or SCRIPTS in path.resolve().parents:
        return []
    # A file that is imported from both has one name.
    folders = {path.parent, Path.cwd() if path.is_absolute() else Path()}
    reached = {path}
    new = [path]
    while new:
        imported = set(_imports(new.pop(), folders)) - reached
        reached |= imported
        new += imported
    return sorted(map(str, reached - {path}))


def _imports(path: Path, folders: Iterable[Path]) -> Iterator[Path]:
    """Files below folders that a file imports, wherever in it, with the packages above them."""
    try:
        tree = ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError):  # its job says what is wrong
        return
    for statement in ast.walk(tree):
        if isinstance(statement, ast.Import):
            for alias in statement.names:
                yield from _files_of(folders, alias.name.split("."))
        elif isinstance(statement, ast.ImportFrom):
            above = path.parents[statement.level - 1 : statement.level] if statement.level else []
            start = above or folders
            module = statement.module.split(".") if statement.module else []
            for alias in statement.names:  # which may be modules
                yield from _files_of(start, [*module, alias.name])


def _files_of(folders: Iterable[Path], names: list[str]) -> Iterator[Path]:
    """The files that an import of a dotted name from folders runs, as far as they are there."""
    for folder, depth in product(folders, range(1, len(names) + 1)):
        stem = folder.joinpath(*names[:depth])
        for file in (stem / "__init__.py", stem.with_name(f"{stem.name}.py")):
            if file.is_file():
                yield file
