"""How the code reads, beside what ruff says: plain names, simple comprehensions, short rules."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPTS, TESTS = ROOT / "scripts", ROOT / "tests"
RULES = [ROOT / "Snakefile", *(ROOT / "workflow").rglob("*.smk")]
FORBIDDEN = {"of", "found", "place", "these", "those", "entry", "what", "thing", "things", "stuff"}
LONGEST_LINE = 100


def folders(top):
    return sorted({str(path.parent.relative_to(ROOT)) for path in top.rglob("*.py")})


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
    """(line, name) of each comprehension with more than one ``for``."""
    for node in ast.walk(tree):
        if len(getattr(node, "generators", [])) > 1:
            yield node.lineno, "second for"


def complaints(folder, *looks):
    """FILE:LINE WHAT NAME of everything that is seen in the Python files of a folder."""
    for path in sorted((ROOT / folder).glob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for look in looks:
            for line, name in sorted(look(tree)):
                yield f"{path}:{line} {look.__name__} {name}"


@pytest.mark.parametrize("folder", ["scripts", *folders(SCRIPTS / "voiceprivacy")])
def test_names_say_what_is_meant_and_comprehensions_have_one_for(folder):
    assert list(complaints(folder, bad_names, nested_comprehensions)) == []


def own_readers_of_numbers(tree):
    """(line, name) of int and float that try a text: inout.tables says which texts are numbers."""
    for node in ast.walk(tree):
        named = {getattr(inner, "attr", getattr(inner, "id", "")) for inner in ast.walk(node)}
        tries = isinstance(node, ast.Try) and "ValueError" in named
        asks = isinstance(node, ast.FunctionDef) and named & {"isdecimal", "isdigit", "isnumeric"}
        if tries or asks:
            for inner in ast.walk(node):
                if getattr(getattr(inner, "func", None), "id", "") in ("int", "float"):
                    yield inner.lineno, inner.func.id


ENTERED = ("attack", "corpora", "jobs", "models", "plan", "running", "tools", "utility")


@pytest.mark.parametrize("room", ENTERED)
def test_texts_of_people_become_numbers_at_the_border_alone(room):
    """The other rooms read what our tables have checked, or read no file."""
    for folder in folders(SCRIPTS / "voiceprivacy" / room):
        assert list(complaints(folder, own_readers_of_numbers)) == []


@pytest.mark.parametrize("folder", folders(TESTS))
def test_a_variable_of_a_test_is_called_what_it_holds(folder):
    assert list(complaints(folder, bad_names)) == []


def test_lines_of_rules_are_short():
    for path in RULES:
        lines = path.read_text(encoding="utf-8").splitlines()
        long = [line.strip() for line in lines if len(line) > LONGEST_LINE]
        # Rules name files in one piece.
        assert [line for line in long if not line.startswith('"results/')] == [], path


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
