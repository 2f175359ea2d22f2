"""How the code reads: plain names, short lines, docstrings for all that is public."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPTS = ROOT / "scripts"
PACKAGE = SCRIPTS / "voiceprivacy"
FORBIDDEN = {"of", "found", "place", "these", "those", "entry", "what", "thing", "things", "stuff"}
LONGEST_LINE = 100
CALLS_PRINT = re.compile(r"(?<![\w.])print\(")


def files_of(room):
    """Files of a room of the package, of commands, rules or tests, or beside the rooms."""
    if room == "rules":
        return [ROOT / "Snakefile", *sorted((ROOT / "workflow").rglob("*.smk"))]
    if room == "commands":
        return sorted(SCRIPTS.glob("*.py"))
    if room == TESTS:
        return sorted((ROOT / TESTS).rglob("*.py"))
    if room == "voiceprivacy":
        return sorted(PACKAGE.glob("*.py"))
    return sorted((PACKAGE / room).rglob("*.py"))


ROOMS = sorted(path.name for path in PACKAGE.iterdir() if (path / "__init__.py").exists())
PLACES = ["commands", "rules", "voiceprivacy", *ROOMS]
PYTHON = [room for room in PLACES if room != "rules"]
TESTS = "tests"  # all of them, of which the names are looked at too


def trees(room):
    """(path below the repository, syntax tree) of each Python file."""
    for path in files_of(room):
        yield path.relative_to(ROOT), ast.parse(path.read_text(encoding="utf-8"))


def fields(tree):
    """Names of fields in the bodies of classes: they follow columns of files."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            yield from (line.target for line in node.body if isinstance(line, ast.AnnAssign))


def bad_names(tree):
    """(line, name) of each variable and parameter with a forbidden name."""
    allowed = set(map(id, fields(tree)))
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            name = node.id if id(node) not in allowed else ""
        elif isinstance(node, ast.arg):
            name = node.arg
        else:
            continue
        if name in FORBIDDEN:
            yield node.lineno, name


def nested_comprehensions(tree):
    """(line, what is wrong) of each comprehension with more than one ``for``."""
    comprehensions = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
    for node in ast.walk(tree):
        if isinstance(node, comprehensions) and len(node.generators) > 1:
            yield node.lineno, "second for"


def public_functions(tree):
    """Functions of the module and methods of its classes that others may call."""
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    bodies = [tree.body, *(node.body for node in classes if not node.name.startswith("_"))]
    for body in bodies:
        for node in body:
            if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
                yield node


def without_docstring(tree):
    """(line, name) of public functions without one; a command's main is described by its module."""
    for node in public_functions(tree):
        if node.name != "main" and not ast.get_docstring(node):
            yield node.lineno, node.name


def long_lines(room):
    """FILE:LINE of every line that is too long."""
    for path in files_of(room):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            is_path = line.strip().startswith('"results/')  # rules name files in one piece
            if len(line) > LONGEST_LINE and not is_path:
                yield f"{path.relative_to(ROOT)}:{number}"


def complaints(room, look):
    """FILE:LINE NAME of everything that ``look`` sees in the syntax trees of a room."""
    return [
        f"{path}:{line} {name}" for path, tree in trees(room) for line, name in sorted(look(tree))
    ]


@pytest.mark.parametrize("room", [*PYTHON, TESTS])
def test_a_variable_is_called_what_it_holds(room):
    assert complaints(room, bad_names) == []


@pytest.mark.parametrize("room", PYTHON)
def test_a_comprehension_has_one_for(room):
    assert complaints(room, nested_comprehensions) == []


@pytest.mark.parametrize("room", PYTHON)
def test_every_public_function_says_what_it_does(room):
    assert complaints(room, without_docstring) == []


@pytest.mark.parametrize("room", PLACES)
def test_lines_are_short(room):
    assert list(long_lines(room)) == []


STORED = """
for of in 'ab': pass
[1 for of in 'ab']
of = 1
a, of = 1, 2
lambda of: 1
def f(*, of): pass
with open('a') as of: pass
if of := 1: pass
"""


def test_what_is_forbidden_is_seen_and_fields_of_classes_are_columns():
    assert sorted(bad_names(ast.parse(STORED))) == [(line, "of") for line in range(2, 10)]
    assert list(bad_names(ast.parse("class Finding(NamedTuple):\n    what: str"))) == []
    code = "[1 for line in text for word in line]"
    assert list(nested_comprehensions(ast.parse(code))) == [(1, "second for")]


def test_there_is_one_way_to_the_screen():
    """``command.say`` shows foreign names as text: nobody else prints."""
    printing = []
    for path in sorted((ROOT / "scripts").rglob("*.py")):
        lines = path.read_text(encoding="utf-8").splitlines()
        printing += [f"{path.name}: {line.strip()}" for line in lines if CALLS_PRINT.search(line)]
    assert printing == ["command.py: print(text, file=stream, flush=flush)"]
