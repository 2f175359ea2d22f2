"""Which of our definitions a job needs: Snakemake runs a rule again when one of them changes.

A definition is a function, a class, or a value at the top of a module. It counts without comments
and docstrings, with all definitions that it names, and with what modules do when they are imported.
A class, a table of functions and a decorator count with all that they name. Of a module that is
used otherwise than by a name behind a dot, everything counts. Not how a job reads its command line:
its parameters are compared. Nor how it prints to its log, which changes no file. Nor what is
imported inside a function, which options choose: a rule names the modules that matter. Kinds import
so all that they need, and of them it counts.

Paths within the package count, its place does not: a second copy of the same code, in a checkout or
in a folder of Python's, repeats nothing of what the first one has made. Nor does another version of
Python: texts are compared, not trees.
"""

import functools
import hashlib
import itertools
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from voiceprivacy import kinds
from voiceprivacy.kinds import ROW
from voiceprivacy.running.definitions import IMPORT, RUN, Imported, Statement, read_module
from voiceprivacy.vocabulary import SCRIPTS

WHOLE = "*"  # all definitions of a module but its row as a kind, which no job of it reads
# What reads the rows of kinds, whichever they are.
READS_ROWS = {
    (kinds.PACKAGE / "corpus_kinds.py", "corpus_kind"): kinds.CORPORA,
    (kinds.PACKAGE / "kinds.py", "measure_kinds"): kinds.MEASURES,
}
KINDS = "kinds"  # folders of modules that import in their functions what they need
LOOKED_UP = {"globals", "vars", "__import__"}  # by whom any name of a module may be meant


class Definition(NamedTuple):
    """A name of a module, one of those above, or one that the module imports."""

    module: Path
    name: str


PRINTS = Definition(SCRIPTS / "voiceprivacy" / "running" / "command.py", "say")


def code(*names: str, files: Iterable[Path] = ()) -> str:
    """Fingerprint of what some jobs or modules say, and of the package's definitions behind them.

    Rules take it as a parameter: Snakemake runs again what was made with another one. As input
    files, the modules would be most files of a large run, and planning would take a third longer.

    Parameters
    ----------
    names : str
        Jobs, such as score_trials, or files below our scripts folder without .py, such as
        voiceprivacy/inout/files: those that a job imports in a function do not count by themselves
    files : paths of other files of ours that they read
    """
    started = [_file(name) for name in names]
    run = {*started, *itertools.chain.from_iterable(map(modules, names))}
    new = {Definition(path, WHOLE) for path in started} | {Definition(path, RUN) for path in run}
    reached: set[Definition] = set()
    while new:
        reached |= new
        new = {*itertools.chain.from_iterable(map(_named, new))} - reached - {PRINTS}
    said = [f"{path} {name} {_digest(path, name)}" for path, name in reached]
    read = [f"{path} {_digest_of_file(path)}" for path in files]
    return _digest_of_all([*said, *read])


def code_alone(job: str) -> str:
    """Fingerprint of a job without what it imports.

    What comes from the network is not fetched again because a module of the package changed.
    """
    path = _file(job)
    names = [RUN, *read_module(path).defined]
    return _digest_of_all(f"{path} {name} {_digest(path, name)}" for name in names)


def _digest_of_all(lines: Iterable[str]) -> str:
    package = f"{SCRIPTS.parent}/"
    text = "\n".join(sorted(line.removeprefix(package) for line in lines))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


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
        imported = (read_module(path).imports for path in new)
        new = {*itertools.chain.from_iterable(imported)} - reached
        reached |= new
    return sorted(reached)


@functools.cache
def _named(definition: Definition) -> frozenset[Definition]:
    """The definitions that one names."""
    path, name = definition
    module = read_module(path)
    if name == WHOLE:
        return frozenset(Definition(path, own) for own in module.defined if own != ROW)
    named = (
        set(_behind(module.imported[name], name, "", None)) if name in module.imported else set()
    )
    if name == RUN:
        named.update(Definition(dotted, WHOLE) for dotted in module.dotted)
    if folder := READS_ROWS.get(definition):
        named.update(Definition(kind, ROW) for kind in kinds.paths(folder))
    for statement in module.defined.get(name, ()):
        inside = statement.imported() if path.parent.name == KINDS else {}
        named.update(Definition(own, RUN) for own, _ in inside.values())
        for word in statement.words:
            base, _, attribute = word.partition(".")
            if base in LOOKED_UP:
                named.add(Definition(path, WHOLE))
            if base in module.defined:
                named.add(Definition(path, base))
            elif base in inside and (attribute or _is_alone(base, statement)):
                named.update(_behind(inside[base], base, attribute.partition(".")[0], None))
            elif base in module.imported:
                own = module.imported[base]
                named.update(_behind(own, base, attribute.partition(".")[0], statement))
    return frozenset(named)


def _behind(
    imported: Imported, word: str, attribute: str, statement: Statement | None
) -> Iterator[Definition]:
    """What an imported word of a statement is, or what it is with an attribute behind it."""
    path, name = imported
    other = read_module(path)
    if name is not None:
        is_known = name in other.defined or name in other.imported
        yield Definition(path, name if is_known else WHOLE)
    elif attribute in other.defined or attribute in other.imported:
        yield Definition(path, attribute)
    elif attribute or not (statement and is_local(word, statement)):
        yield Definition(path, WHOLE)


def is_local(word: str, statement: Statement) -> bool:
    """Whether a function gives a name that an import has taken to something else.

    It is one of its arguments, or it is assigned to.
    """
    text = statement.text
    signature = text[: text.find(":\n")] if "def " in text else ""
    is_argument = re.search(rf"[(,]\s*\*{{0,2}}{word}\s*[:,=)]", signature)
    is_assigned = re.search(rf"^ +(?:\w+, )*{word}(?:, \w+)* = ", text, re.MULTILINE)
    is_counted = re.search(rf"\bfor (?:\w+, )*{word}\b|\bas {word}\b", text)
    return bool(is_argument or is_assigned or is_counted)


def _is_alone(word: str, statement: Statement) -> bool:
    """Whether a name that a function imports stands somewhere without a dot behind it."""
    text = IMPORT.sub("", statement.text)
    return re.search(rf"(?<![\w.]){word}\b(?!\s*\.)", text) is not None


@functools.cache
def _digest(path: Path, name: str) -> str:
    texts = [statement.text for statement in read_module(path).defined.get(name, ())]
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()


@functools.cache
def _digest_of_file(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
