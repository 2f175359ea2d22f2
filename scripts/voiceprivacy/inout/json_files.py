"""JSON files: infinity is a word in them, NaN nowhere."""

import contextlib
import json
import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from voiceprivacy.inout.files import BadInput, FilePath, read_lines, whole_or_absent


def read_json(path: FilePath) -> Any:
    """Read a JSON file; the strings inf and -inf become numbers."""
    with _naming_json(path):
        return _from_json(json.loads("\n".join(read_lines(path))))


def parse_json(text: str, name: str) -> Any:
    """The value of a JSON text that stands in an argument; BadInput begins with ``name``."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{name}: not JSON ({error})") from None


def write_json(path: FilePath, values: Any) -> None:
    """Write metrics as JSON: infinity as inf and -inf; NaN is an error of the program."""
    text = json.dumps(_to_json(values), indent=1, allow_nan=False)
    with whole_or_absent(path) as temporary:
        temporary.write_text(text + "\n", encoding="utf-8")


@contextlib.contextmanager
def _naming_json(path: FilePath) -> Iterator[None]:
    try:
        yield
    except json.JSONDecodeError as error:
        raise BadInput(f"{path}:{error.lineno}: not JSON ({error.msg})") from None
    except (ValueError, RecursionError) as error:
        # A number of thousands of digits, brackets in thousands of brackets.
        raise BadInput(f"{path}: not JSON that can be read ({error})") from None


def _to_json(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _to_json(inner) for name, inner in value.items()}
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, float) and math.isinf(value):
        return str(value)
    return value


def _from_json(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _from_json(inner) for name, inner in value.items()}
    return float(value) if value in ("inf", "-inf") else value
