"""What is read of modules without a parser is what Python's own parser reads."""

import ast
import itertools
import re
import symtable

import pytest

from voiceprivacy.running.definitions import read_module, statements_of
from voiceprivacy.running.fingerprints import is_local
from voiceprivacy.vocabulary import SCRIPTS

MODULES = sorted((SCRIPTS / "voiceprivacy").rglob("*.py"))
ROOMS = sorted({path.parent for path in MODULES})
SCOPES = (ast.Module, ast.FunctionDef, ast.ClassDef)


def parsed(text):
    """What a text says without docstrings, as a text of its own."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, SCOPES) and ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:] or ([] if isinstance(node, ast.Module) else [ast.Pass()])
    return ast.dump(tree)


def with_bodies(text):
    """What had nothing but a docstring gets a body."""
    lines = [*text.split("\n"), ""]
    for line, following in itertools.pairwise(lines):
        yield line
        indent = re.match(" *", line)[0]
        begins = re.match(r" *(?:class|(?:async )?def)\b|.*\) -> .*:$|\)", line)
        if begins and line.endswith(":") and not following.startswith(f"{indent} "):
            yield f"{indent} pass"


@pytest.mark.parametrize("room", ROOMS, ids=lambda path: path.name)
def test_statements_say_what_modules_say_without_comments_and_docstrings(room):
    for path in room.glob("*.py"):
        text = path.read_text()
        said = "\n".join(statement.text for statement in statements_of(text))
        assert parsed("\n".join(with_bodies(said))) == parsed(text), path


def global_names(table):
    """The names that a scope, or one in it, takes from its module."""
    own = {symbol.get_name() for symbol in table.get_symbols() if symbol.is_global()}
    return own.union(*map(global_names, table.get_children()))


def names_used(statement):
    """(name, what stands behind it and a dot, or None) of all names that a statement reads."""
    attributes = {
        id(node.value): node.attr
        for node in ast.walk(statement)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
    }
    for node in ast.walk(statement):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            yield node.id, attributes.get(id(node))


@pytest.mark.parametrize("room", ROOMS, ids=lambda path: path.name)
def test_what_a_definition_takes_from_its_module_is_seen(room):
    for path in room.glob("*.py"):
        text = path.read_text()
        module = read_module(path)
        tables = {
            table.get_name(): table for table in symtable.symtable(text, "", "exec").get_children()
        }
        for node in ast.parse(text).body:
            if not isinstance(node, ast.FunctionDef | ast.ClassDef):
                continue
            in_module = global_names(tables[node.name])
            seen = module.defined[node.name]
            words = {word for statement in seen for word in statement.words}
            for name, attribute in names_used(node):
                if name not in in_module or name not in module.defined | module.imported:
                    continue
                if attribute is None:
                    assert name in words, (path, node.name, name)
                    if module.imported.get(name, (None, name))[1] is None:  # a module
                        assert not any(is_local(name, one) for one in seen), (path, name)
                else:
                    wanted = f"{name}.{attribute}"
                    assert any(f"{word}.".startswith(f"{wanted}.") for word in words), wanted
