"""Which files of a person's Python program are its code: those that it imports from its own folder.

Nothing is run. What a program imports by a name that it makes up, or reads, is not seen:
``inputs:`` of its entry names that.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

from voiceprivacy.inout.files import SCRIPTS


def imported_files(program: str) -> list[str]:
    """Python files below a program's folder that it imports, directly or through others; sorted.

    Our own programs have none: a rule's parameter has the fingerprint of their code.
    """
    path = Path(program)
    if path.suffix != ".py" or SCRIPTS in path.resolve().parents:
        return []
    reached = {path}
    new = [path]
    while new:
        imported = set(_imports(new.pop(), path.parent)) - reached
        reached |= imported
        new += imported
    return sorted(map(str, reached - {path}))


def _imports(path: Path, folder: Path) -> Iterator[Path]:
    """Files below a folder that a file imports, wherever in it, with the packages above them."""
    try:
        tree = ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError):  # its job says what is wrong
        return
    for statement in ast.walk(tree):
        if isinstance(statement, ast.Import):
            for alias in statement.names:
                yield from _files_of(folder, alias.name.split("."))
        elif isinstance(statement, ast.ImportFrom):
            above = path.parents[statement.level - 1 : statement.level] if statement.level else []
            start = above[0] if above else folder
            module = statement.module.split(".") if statement.module else []
            for alias in statement.names:  # which may be modules
                yield from _files_of(start, [*module, alias.name])


def _files_of(folder: Path, names: list[str]) -> Iterator[Path]:
    """The files that an import of a dotted name from a folder runs, as far as they are there."""
    for depth in range(1, len(names) + 1):
        stem = folder.joinpath(*names[:depth])
        for file in (stem / "__init__.py", stem.with_name(f"{stem.name}.py")):
            if file.is_file():
                yield file
