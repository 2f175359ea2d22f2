"""A job is a function: its signature makes the options of its command, its docstring the help.

A parameter before ``*`` is given by its place, one behind it by ``--its-name``; without a default
it is required. ``bool`` is a switch. A ``list`` takes several values, a ``Sequence`` perhaps none,
a ``tuple`` as many as it names. ``Literal[...]`` and ``Annotated[str, names]`` take one of some
words. What is no word, number or path is JSON, which is read by its type (``of_type``).
"""

import argparse
import functools
import inspect
import math
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Literal, TypeAlias, Union, get_args, get_origin, get_type_hints

from voiceprivacy.inout.json_files import of_type, parse_json
from voiceprivacy.inout.tables import number_in
from voiceprivacy.running import command

Job: TypeAlias = Callable[..., None]
HELP = re.compile(r"^(\w+) : (.+(?:\n {4}.+)*)", re.MULTILINE)
NUMBERS = {list: "+", Sequence: "*", tuple: "+"}
MOST = 2**63 - 1  # as a config has it
UNSAID: tuple[Any, ...] = (None, "", (), False)  # defaults of which the help says nothing


def run(job: Job) -> None:
    """Call a job with the words of the command line; ``command.run`` says how it ends."""
    command.run(functools.partial(call, job))


def call(job: Job) -> None:
    """Call a job with the words of the command line; one without parameters reads them itself."""
    if inspect.signature(job).parameters:
        job(**vars(parser_of(job).parse_args()))
    else:
        job()


def parser_of(job: Job) -> argparse.ArgumentParser:
    """Return the parser of a job's command."""
    about, _, described = (inspect.getdoc(job) or "").partition("\n\nParameters\n----------\n")
    helps = {name: " ".join(text.split()) for name, text in HELP.findall(described)}
    formatter = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=about, formatter_class=formatter)
    hints = get_type_hints(job, include_extras=True)
    for name, parameter in inspect.signature(job).parameters.items():
        default, is_required = parameter.default, parameter.default is parameter.empty
        flag = f"--{name.replace('_', '-')}"
        options = {"help": helps[name].replace("%", "%%"), **_form(hints[name], flag)}
        if not is_required:
            options["default"] = default
            if not any(default is unsaid for unsaid in UNSAID):
                options["help"] += f" (default: {_text(default)})"
        if parameter.kind is not parameter.KEYWORD_ONLY:
            parser.add_argument(name, **({} if is_required else {"nargs": "?"}) | options)
            continue
        if options.get("nargs") in ("+", "*"):  # it may be given again, and replaces its default
            options |= {"action": "extend", "default": argparse.SUPPRESS}
        parser.add_argument(flag, required=is_required, **options)
    return parser


def _form(hint: Any, flag: str) -> dict[str, Any]:
    """How argparse takes values of a type."""
    kind, inner = get_origin(hint), get_args(hint)
    if kind in (Union, UnionType):  # with None
        bare = {"nargs": "?", "const": {}} if (get_origin(inner[0]) or inner[0]) is dict else {}
        return bare | _form(inner[0], flag)
    if kind is Literal:
        return {"choices": inner}
    if kind is Annotated:
        return {"choices": list(inner[1])}
    if kind in NUMBERS and _is_word(inner[0]):
        fixed = len(inner) if kind is tuple and ... not in inner else NUMBERS[kind]
        return _form(inner[0], flag) | {"nargs": fixed}
    if hint is bool:
        return {"action": "store_true"}
    if hint in (int, float):
        return {"type": _number_of(hint)}
    if hint in (str, Path):
        return {"type": _word_of(hint)}
    return {"type": functools.partial(_json_of, hint, flag)}


def _is_word(hint: Any) -> bool:
    """Whether a value of a type is a word of the command line: all others are JSON."""
    return hint in (str, Path, int, float) or get_origin(hint) in (Literal, Annotated)


def _word_of(hint: type[str] | type[Path]) -> Callable[[str], str | Path]:
    """How an option reads a word: nothing is no file, no name and not the working directory."""

    def read(text: str) -> str | Path:
        if not text:
            raise ValueError(text)
        return hint(text)

    read.__name__ = "word" if hint is str else "path"  # argparse says: invalid path value
    return read


def _json_of(hint: Any, flag: str, text: str) -> Any:
    """The JSON that an option has, as its type says."""
    return of_type(parse_json(text, flag), hint, flag)


def _number_of(hint: type[int] | type[float]) -> Callable[[str], float]:
    """How an option reads a number: as tables do, so 1_0 and nan are none, and in 64 bits."""

    def read(text: str) -> float:
        if math.isnan(number_in(text)) or (hint is int and abs(int(text)) > MOST):
            raise ValueError(text)
        return hint(text)

    read.__name__ = hint.__name__  # argparse says: invalid int value
    return read


def _text(default: Any) -> str:
    return " ".join(map(str, default)) if isinstance(default, tuple) else str(default)
