"""Placeholders in values of a config: {scripts}, {resources}, ${NAME}.

Our own folders are the same words in every copy of the code. Names in ${} are variables of the
environment, whose values may be secrets.
"""

import hashlib
import importlib.util
import os
import re
from pathlib import Path
from typing import Any

from voiceprivacy.errors import BadInput
from voiceprivacy.vocabulary import RESOURCES, SCRIPTS

VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


class OurPath(str):
    """A path of ours as a parameter of a rule, which a shell gets as it is.

    Snakemake compares what ``repr`` says of what functions return; here it is the same in every
    copy of the code. Of what is no function's, it makes a string of its own.
    """

    def __repr__(self) -> str:
        return repr(wherever_ours_lie(self))


def ours(text: str) -> str:
    """Replace {scripts} and {resources} in a config's value by our own folders."""
    filled = text.replace("{scripts}", str(SCRIPTS)).replace("{resources}", str(RESOURCES))
    return text if filled == text else OurPath(filled)


def ours_in(value: Any) -> Any:
    """A value of a config with {scripts} and {resources} replaced in all of its strings."""
    if isinstance(value, dict):
        return {key: ours_in(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [ours_in(inner) for inner in value]
    return ours(value) if isinstance(value, str) else value


def wherever_ours_lie(text: str) -> str:
    """The reverse of ``ours``: the same in every copy of the code."""
    return text.replace(str(SCRIPTS), "{scripts}").replace(str(RESOURCES), "{resources}")


def expand(value: Any) -> Any:
    """Replace ${NAME} in all strings of a value by the environment's variables.

    Raises
    ------
    BadInput : a variable is not set
    """
    if isinstance(value, dict):
        return {key: expand(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [expand(inner) for inner in value]
    return VARIABLE.sub(_variable, value) if isinstance(value, str) else value


def _variable(match: re.Match[str]) -> str:
    name = match.group(1)
    if name not in os.environ:
        raise BadInput(f"{name}: not found: the variable ${{{name}}} is not set")
    return os.environ[name]


def variables_in(value: Any) -> list[str]:
    """The names in all strings of a value, each once."""
    if isinstance(value, dict):
        value = list(value.values())
    names: list[str] = []
    for inner in value if isinstance(value, list) else ():
        names += variables_in(inner)
    if isinstance(value, str):
        names = VARIABLE.findall(value)
    return sorted(set(names))


def paths_behind(value: Any) -> str:
    """A digest of the paths that variables in a value name; nothing where none is there.

    Values that are no paths do not count: they may be secrets, which change.
    """
    values = [os.environ.get(name, "") for name in variables_in(value)]
    paths = [value for value in values if os.path.exists(value)]
    return hashlib.sha256("\0".join(paths).encode()).hexdigest()[:16] if paths else ""


def folder_of_package(module: str) -> Path | None:
    """Where an installed Python package lies, which is not imported; None if it is not there."""
    spec = importlib.util.find_spec(module)
    folders = spec.submodule_search_locations if spec else None
    return Path(folders[0]) if folders else None
