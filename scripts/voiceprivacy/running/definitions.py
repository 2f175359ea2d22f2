"""What a module of ours defines, and which names each definition uses: read from its text.

Parsing two hundred files takes a second in every start, so this looks at words, texts and comments
alone. It relies on a form that a formatter keeps: what stands at the top level begins in the first
column, and an assignment has spaces around its sign. A test compares it with Python's own parser.
What is not understood counts: RUN holds it, and is part of whatever reaches the module.
"""

import functools
import itertools
import re
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

from voiceprivacy.vocabulary import SCRIPTS

NUL = "\0"
RUN = ""  # the statements of a module that define nothing
# Words: not what stands behind a dot or before the sign of an argument's name.
WORD = r"(?<![\w.])[^\W\d]\w*+(?:\.[^\W\d]\w*+)*+(?!=(?!=))"
TOKEN = re.compile(
    rf"""(?P<text>(?<!\w)[rbfuRBFU]{{0,2}}(?:
        \"{{3}}(?:\\.|[^\\])*?\"{{3}} | '{{3}}(?:\\.|[^\\])*?'{{3}}
        | "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*'))
    | (?P<comment>[ \t]*\#[^\n]*)
    | (?P<word>{WORD})
    | (?P<start>\n(?=[@\w]))""",
    re.DOTALL | re.VERBOSE,
)
FORMATTED = re.compile("[rR]?[fF]")
IN_BRACES = re.compile(r"\{([^{}]*)")
# What goes on with the statement above it, although it begins in the first column.
GOES_ON = re.compile(r"(?:else|elif|except|finally)\b")
DEFINED = re.compile(
    r"^(?:(?:async )?def|class) (\w+)|\A(\w+(?:, \w+)*)(?:: [^=\n]+)? [-+|&*]?= ", re.MULTILINE
)
DECORATORS = re.compile(r"^@(\w+)", re.MULTILINE)
NAMES = r"\([^)]*\)|.+"  # in brackets, or on one line
IMPORT = re.compile(rf"^[ \t]*(?:from (\w[\w.]*) import ({NAMES})|import (.+))", re.MULTILINE)
IMPORTED = re.compile(r"(\w[\w.]*)(?: as (\w+))?")


class Imported(NamedTuple):
    """What an imported name is: a name of a module of ours, or None for the module itself."""

    module: Path
    name: str | None


class Statement(NamedTuple):
    """A statement at the top level: what it says, and the words that it uses.

    ``text`` has no comments, docstrings or empty lines. ``words`` have what stands behind them and
    a dot, as in manifests.read_manifest.
    """

    text: str
    words: frozenset[str]

    def imported(self) -> dict[str, Imported]:
        """What each name of ours is that a function or a class imports inside."""
        if "import " not in self.text:
            return {}
        inside: dict[str, Imported] = {}
        for module, names, plain in IMPORT.findall(self.text):
            for name, alias in IMPORTED.findall(plain or names):
                if known := imported(module, name, alias):
                    inside[alias or name] = known
        return inside


class Module:
    """What a module defines and imports at its top level.

    ``defined`` are the statements of each name, and of RUN. ``imported`` is what each name of ours
    is. ``imports`` are all files that importing this one runs, and ``dotted`` those of modules that
    are imported by a dotted name.
    """

    def __init__(self, text: str) -> None:
        self.defined: dict[str, list[Statement]] = defaultdict(list)
        self.imported: dict[str, Imported] = {}
        self.imports: list[Path] = []
        self.dotted: list[Path] = []
        own: set[str] = set()
        for statement in statements_of(text):
            if statement.text.startswith(("if TYPE_CHECKING:", "if __name__ ==")):
                continue
            defines = DEFINED.search(statement.text)
            if defines:
                name, names = defines.groups()
                for one in [name] if name else names.split(", "):
                    self.defined[one].append(statement)
                    own.add(one)
                if {*DECORATORS.findall(statement.text)} & (own | self.imported.keys()):
                    self.defined[RUN].append(statement)  # it may be registered
            elif not self._note_imports(statement):
                self.defined[RUN].append(statement)

    def _note_imports(self, statement: Statement) -> bool:
        """Note what a statement imports; False if it does more, or imports under a condition."""
        is_import = statement.text.startswith(("import ", "from "))
        for module, names, plain in IMPORT.findall(statement.text):
            for name, alias in IMPORTED.findall(plain or names):
                files = files_of(f"{module}.{name}" if module else name)
                if known := imported(module, name, alias):
                    self.imported[alias or name] = known
                elif files:
                    self.dotted.append(files[-1])
                elif is_import:
                    says = Statement(f"{module} {name} {alias}", frozenset())
                    self.defined[alias or name.partition(".")[0]].append(says)
                self.imports += files
        return is_import


@functools.cache
def read_module(path: Path) -> Module:
    """A module of ours."""
    return Module(read_source(path))


def read_source(path: Path) -> str:
    """The text of a file of ours."""
    return path.read_text(encoding="utf-8")


@functools.cache
def files_of(name: str) -> list[Path]:
    """The file of a module of ours, after those of the packages above it.

    A package is a module, too.
    """
    above, _, _ = name.rpartition(".")
    files = files_of(above) if above else []
    path = SCRIPTS / name.replace(".", "/")
    module, package = path.with_suffix(".py"), path / "__init__.py"
    return files + [file for file in (module, package) if file.exists()]


def imported(module: str, name: str, alias: str) -> Imported | None:
    """What a name is that is imported; None of others' modules, and of a dotted name of ours."""
    above = files_of(module) if module else []
    files = files_of(f"{module}.{name}" if module else name)
    if len(files) > len(above):
        return Imported(files[-1], None) if module or alias else None
    return Imported(above[-1], name) if files else None


def statements_of(text: str) -> list[Statement]:
    """The statements at the top level of a module."""
    text = f"\n{text}\n"
    statements: list[Statement] = []
    at, is_decorator = 0, False
    kept: list[str] = []  # of the statement that is read, up to ``at``; NUL for each of its texts
    texts: list[str] = []
    words: set[str] = set()

    def end(here: int) -> None:
        nonlocal at, kept, texts, words
        lines = "".join([*kept, text[at:here]]).split("\n")
        written = "\n".join(line.rstrip() for line in lines if line.strip())
        if written:
            said = "".join(itertools.chain(*zip(written.split(NUL), [*texts, ""], strict=True)))
            statements.append(Statement(said, frozenset(words)))
        at, kept, texts, words = here, [], [], set()

    for token in TOKEN.finditer(text):
        if token.lastgroup == "word":
            words.add(token[0])
        elif token.lastgroup == "comment":
            kept.append(text[at : token.start()])
            at = token.end()
        elif token.lastgroup == "text":
            kept.append(text[at : token.start()])
            at = token.end()
            if '"""' not in token[0][:4] or not _is_docstring("".join(kept)):
                kept.append(NUL)
                texts.append(token[0])
                if FORMATTED.match(token[0]):
                    for inner in IN_BRACES.findall(token[0]):
                        words.update(re.findall(WORD, inner))
        else:
            if not (is_decorator or GOES_ON.match(text, token.end())):
                end(token.end())
            is_decorator = text[token.end()] == "@"
    end(len(text))
    return statements


def _is_docstring(before: str) -> bool:
    """Whether what comes now begins a line, and a module, a class or a function."""
    above, _, beside = before.rpartition("\n")
    return not beside.strip() and (not above.strip() or above.rstrip().endswith(":"))
