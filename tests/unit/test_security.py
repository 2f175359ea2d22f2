"""What the code may not do, read from the code: unpickle, trust YAML, let a shell see data.

The tests of what happens are elsewhere: tests/workflow/test_mailed_page.py,
unit/running/test_boxes.py, unit/anonymise/test_plugins_sandbox.py,
unit/corpora/test_librispeech_downloads.py and unit/report/test_page.py.
"""

import ast
import functools
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROGRAM = sorted([*(ROOT / "scripts").rglob("*.py"), *(ROOT / "workflow").rglob("*.py")])
TESTS = sorted((ROOT / "tests").rglob("*.py"))
RULES = [ROOT / "Snakefile", *sorted((ROOT / "workflow" / "rules").glob("*.smk"))]
UNPICKLE = {"pickle", "cPickle", "dill", "cloudpickle", "joblib", "shelve", "marshal"}
UNPICKLE |= {"hyperpyyaml"}
HARMLESS = {"pickle.UnpicklingError"}  # to catch, where torch meets a pickle
SAFE_YAML = {"safe_load", "safe_dump", "SafeLoader", "YAMLError", "compose"}
SAFE_YAML |= {"Node", "MappingNode", "SequenceNode", "ScalarNode"}
# Events, of which nothing is made.
SAFE_YAML |= {"parse", "CollectionStartEvent", "CollectionEndEvent"}
DOWNLOADS = {"scripts/voiceprivacy/corpora/kinds/librispeech.py"}  # checked against a published MD5
# Archives of people: names that leave their folder are refused, links not made (test_unpacking).
UNPACKS = {"scripts/voiceprivacy/tools/unpacking.py"}


@functools.cache
def tree(path):
    return ast.parse(path.read_text(encoding="utf-8"))


def places(is_wanted, *words, files=PROGRAM):
    """file:line: code of all nodes that are wanted, in files that have one of the words."""
    wanted = []
    for path in files:
        text = path.read_text(encoding="utf-8")
        if any(word in text for word in words):
            nodes = [node for node in ast.walk(tree(path)) if is_wanted(node)]
            wanted += [f"{path}:{node.lineno}: {ast.unparse(node)[:80]}" for node in nodes]
    return wanted


def dotted(node):
    """The dotted name that a node spells, such as np.load."""
    if isinstance(node, ast.Attribute):
        return f"{dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def calls(node, *names):
    return isinstance(node, ast.Call) and dotted(node.func) in names


def keyword(node, name):
    values = [ast.unparse(one.value) for one in node.keywords if one.arg == name]
    return values[0] if values else None


def imports(node, modules):
    if isinstance(node, ast.Import):
        return any(alias.name.partition(".")[0] in modules for alias in node.names)
    return isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] in modules


def test_nothing_is_unpickled_and_arrays_and_weights_are_read_without_pickles():
    assert len(PROGRAM) > 100 and len(RULES) >= 10
    files = [path for path in PROGRAM if "import pickle" not in path.read_text()]
    assert places(lambda node: imports(node, UNPICKLE), *UNPICKLE, files=files) == []

    def uses_pickle(node):
        return dotted(node).startswith("pickle.") and dotted(node) not in HARMLESS

    assert places(uses_pickle, "pickle") == []

    def unpickles(node):
        if calls(node, "torch.load"):
            return keyword(node, "weights_only") != "True"
        return calls(node, "np.load", "numpy.load") and keyword(node, "allow_pickle") != "False"

    assert places(unpickles, "load") == []


def test_yaml_is_read_by_safe_loaders_only():
    def unsafe(node):
        if dotted(node).startswith("yaml.") and dotted(node).count(".") == 1:
            return dotted(node).removeprefix("yaml.") not in SAFE_YAML
        if isinstance(node, ast.ImportFrom):
            return node.module == "yaml"
        reads = calls(node, "yaml.compose", "yaml.parse")
        return reads and keyword(node, "Loader") != "yaml.SafeLoader"

    assert places(unsafe, "yaml", files=PROGRAM + TESTS) == []


def test_archives_are_unpacked_in_two_places_and_addresses_opened_in_one():
    files = [path for path in PROGRAM if str(path.relative_to(ROOT)) not in DOWNLOADS]
    network = {"urllib", "requests", "ftplib"}
    assert places(lambda node: imports(node, network), *network, files=files) == []
    others = [path for path in files if str(path.relative_to(ROOT)) not in UNPACKS]
    assert places(lambda node: imports(node, {"tarfile"}), "tarfile", files=others) == []
    unpackers = {"extractall", "extract", "unpack_archive"}
    assert places(lambda node: getattr(node, "attr", None) in unpackers, *unpackers) == []


def test_addresses_are_encrypted():
    settings = [*(ROOT / "workflow").rglob("*.yaml"), *(ROOT / "config").glob("*.yaml")]
    for path in [*PROGRAM, *RULES, *settings]:
        addresses = re.findall(r"\b(?:http|ftp)://[^\s\"')]+", path.read_text())
        assert [address for address in addresses if "http://127" not in address] == [], path


@pytest.mark.parametrize("path", RULES, ids=lambda path: path.stem)
def test_every_value_in_a_shell_command_is_quoted(path):
    """{threads} is a number; command() quotes all that it names, Snakemake nothing by itself."""
    text = path.read_text()
    commands = re.findall(r"shell:\s+(command\([^()]*\))", text)
    commands += re.findall(r"shell\(\s*((?:\s*f?\"[^\n]*\n?)+)", text)
    assert len(commands) == len(re.findall(r"shell:|shell\(", text))
    values = re.findall(r"\{[^}]*\}", "".join(commands))
    assert [value for value in values if not value.endswith(":q}") and value != "{threads}"] == []
    assert not re.search(r"^\s+run:", text, re.MULTILINE)


def test_templates_escape():
    def escapes_nothing(node):
        return calls(node, "jinja2.Environment") and keyword(node, "autoescape") != "True"

    escaped = ("Markup", "Template")
    assert places(escapes_nothing, "jinja2") == []
    assert places(lambda node: dotted(node).endswith(escaped), *escaped) == []
    drawn = {"{{ svg | safe }}", "{{ drawing.svg | safe }}"}  # by matplotlib, in this run
    for path in (ROOT / "workflow" / "report").rglob("*.j2"):
        unescaped = re.findall(r"\{\{[^}]*\|\s*safe\b[^}]*\}\}|autoescape", path.read_text())
        assert set(unescaped) <= drawn, path
