"""JSON files: infinity is a word in them, NaN nowhere."""

import contextlib
import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints, is_typeddict

import numpy as np

from voiceprivacy.errors import BadInput
from voiceprivacy.inout import foreign
from voiceprivacy.inout.files import FilePath, read_bytes, read_lines
from voiceprivacy.inout.writing import whole_or_absent

PLAIN: dict[Any, tuple[Any, str]] = {  # types of JSON: those of its values, and words for it
    dict: (dict, "{...}"),
    Mapping: (dict, "{...}"),
    list: (list, "[...]"),
    str: (str, "a text"),
    bool: (bool, "true or false"),
    int: (int, "a whole number"),
    float: ((int, float), "a number"),
    NoneType: (NoneType, "null"),
    Any: (object, "anything"),
}
BETWEEN = re.compile(r"[\s,:]*")  # the members of JSON


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


def of_type(value: Any, hint: Any, where: str) -> Any:
    """A value of JSON that is what a type says, with a named tuple where that is the type.

    Types are those of JSON, Any, ``dict[str, ...]``, ``list[...]``, unions of these, typed
    dictionaries and named tuples. A named tuple is an object, or a list of all its fields. Objects
    of typed dictionaries may have more keys.

    Raises
    ------
    BadInput : it is not; the message begins with ``where`` and the keys
    """
    if is_typeddict(hint) or hasattr(hint, "_fields"):
        return _record(value, hint, where)
    kind, inner = get_origin(hint) or hint, get_args(hint)
    if kind in (Union, UnionType):
        fitting = [one for one in inner if _is_plain(value, get_origin(one) or one)]
        return of_type(value, (fitting or inner)[0], where)
    if not _is_plain(value, kind):
        raise BadInput(f"{where}: expected {PLAIN[kind][1]} of JSON, not {json.dumps(value)}")
    if inner and isinstance(value, dict):
        return {key: of_type(one, inner[1], f"{where}: {key}") for key, one in value.items()}
    if inner:
        return [of_type(one, inner[0], f"{where}: {index}") for index, one in enumerate(value)]
    return value


def _is_plain(value: Any, kind: Any) -> bool:
    """Whether a value is of a type of JSON; true and false are no numbers."""
    is_truth = isinstance(value, bool) and kind not in (bool, Any)
    return not is_truth and isinstance(value, PLAIN.get(kind, ((), ""))[0])


def _record(value: Any, hint: Any, where: str) -> Any:
    """The same of a typed dictionary or a named tuple."""
    hints, is_tuple = get_type_hints(hint), issubclass(hint, tuple)
    if is_tuple and isinstance(value, list) and len(value) == len(hints):
        value = dict(zip(hints, value, strict=True))
    given = of_type(value, dict, where)
    optional = hint._field_defaults if is_tuple else hint.__optional_keys__
    if missing := [name for name in hints if name not in given and name not in optional]:
        raise BadInput(f"{where}: '{missing[0]}' is missing")
    if unknown := [name for name in given if is_tuple and name not in hints]:
        raise BadInput(f"{where}: '{unknown[0]}' is none of {', '.join(hints)}")
    fields = {
        name: of_type(given[name], one, f"{where}: {name}")
        for name, one in hints.items()
        if name in given
    }
    return hint(**fields) if is_tuple else given | fields


def write_json(path: FilePath, values: Any) -> None:
    """Write metrics as JSON: infinity as inf and -inf; NaN is an error of the program."""
    text = json.dumps(_to_json(values), indent=1, allow_nan=False)
    with whole_or_absent(path) as temporary:
        temporary.write_text(text + "\n", encoding="utf-8")


def read_strict(path: FilePath) -> Any:
    """Read a JSON file of somebody else: each key once, and nothing that is too large to be read.

    Raises
    ------
    BadInput : it is none; the message names the file, and the line where there is one
    """
    with _naming_json(path):
        text = read_bytes(path).decode("utf-8")
        values = json.loads(text, object_pairs_hook=_each_once, parse_int=_whole_number)
    return foreign.plain_values(values, str(path))


def _whole_number(digits: str) -> int:
    if len(digits) > foreign.MOST_DIGITS:
        raise ValueError(f"a number of {len(digits)} digits")
    return int(digits)


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name, value in pairs:
        if name in values:
            raise ValueError(f"'{name}' occurs twice")
        values[name] = value
    return values


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


# Where a value stands.


def where(path: FilePath, keys: Iterable[str | int]) -> str:
    """FILE:LINE: KEYS of a value in a JSON file."""
    keys, text, line, at = tuple(keys), read_bytes(path).decode("utf-8"), 1, 0
    for key in keys:
        if not (member := _member(text, _next(text, at), key)):
            break
        begins, at = member
        line = text.count("\n", 0, begins) + 1
    position = f"{path}:{line}"
    return f"{position}: {'.'.join(map(str, keys))}" if keys else position


def _member(text: str, start: int, wanted: str | int) -> tuple[int, int] | None:
    """Where a member of the object or list of JSON at ``start`` begins, and where its value does.

    None where it is not there.
    """
    read, index, at = json.JSONDecoder().raw_decode, 0, start + 1
    while text[start] in "{[" and text[at := _next(text, at)] not in "]}":
        name, begins = index, at
        if text[start] == "{":
            name, at = read(text, at)
            at = _next(text, at)
        if name == wanted:
            return begins, at
        at, index = read(text, at)[1], index + 1
    return None


def _next(text: str, at: int) -> int:
    """Where something stands that does not only lie between members of JSON."""
    return BETWEEN.match(text, at).end()  # type: ignore[union-attr]
