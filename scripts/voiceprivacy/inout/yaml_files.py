"""YAML files of people: plain values only, each key once, and no alias that unfolds without end.

What is JSON is read as JSON, as Snakemake does: 1e5 is a number there, and a word in YAML. A date,
a set, a Python object, a key that is a list: nothing of that has a place in our files, and JSON
could not hold it. So it is refused where it stands.
"""

import contextlib
import json
import re
from collections.abc import Iterator
from typing import Any

import yaml
from yaml.reader import ReaderError

from voiceprivacy.errors import BadInput, counted
from voiceprivacy.inout.files import FilePath, read_lines

MOST_VALUES = 100_000  # after all aliases are unfolded
MOST_DIGITS = 1000  # Python itself refuses to read or write more than 4300
MOST_LEVELS = 100  # of values in values
OTHER_NUMBER = re.compile(r"[-+]?0[\d_]+|.*:.*")  # octal, or minutes: 0012 is 10, and 1:40 is 100
PLAIN = {
    f"tag:yaml.org,2002:{kind}"
    for kind in ("str", "int", "float", "bool", "null", "seq", "map", "merge")
}


def read_yaml(path: FilePath) -> Any:
    """Read the value of a YAML or JSON file.

    Raises
    ------
    BadInput : it is missing or neither, a key occurs twice, an alias holds itself or unfolds to too
        much, or it holds more than texts, numbers, true, false, null, lists and mappings
    """
    text = "\n".join(read_lines(path))
    root = composed(text, path)  # refuses what safe_load would take, or never come back from
    if root is not None:
        _refuse_special(root, path, seen=set())
    with contextlib.suppress(ValueError, RecursionError):
        return json.loads(text)
    with _explained(path):
        return yaml.safe_load(text)


def compose(path: FilePath) -> yaml.Node | None:
    """The nodes of a YAML or JSON file, with their lines and tags; None for an empty file.

    Raises
    ------
    BadInput : as read_yaml, but any tag is taken
    """
    return composed("\n".join(read_lines(path)), path)


def composed(text: str, path: FilePath) -> yaml.Node | None:
    """The nodes of a text; ``path`` is what errors call it. Else as ``compose``."""
    text = _without_tabs(text)
    with _explained(path, text):
        _refuse_depth(text, path)
        root = yaml.compose(text, Loader=yaml.SafeLoader)
        if root is not None:
            _count_values(root, path, sizes={}, above=set())
    return root


def _refuse_depth(text: str, path: FilePath) -> None:
    """Refuse values in values in values, of which Python's stack would run out."""
    level = 0
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        if isinstance(event, yaml.CollectionStartEvent):
            level += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            level -= 1
        if level > MOST_LEVELS:
            line = event.start_mark.line + 1
            raise BadInput(f"{path}:{line}: not YAML that can be read (nested too deeply)")


def _without_tabs(text: str) -> str:
    """JSON may be indented with tabs, where it has none inside of texts; YAML may not."""
    if "\t" not in text:
        return text
    with contextlib.suppress(ValueError, RecursionError):
        json.loads(text)
        return text.replace("\t", " ")
    return text


def _refuse_special(node: yaml.Node, path: FilePath, *, seen: set[int]) -> None:
    """Refuse what is no text, number, list or mapping, and keys that are none of the first two."""
    if id(node) in seen:
        return
    seen.add(id(node))
    line = node.start_mark.line + 1
    if node.tag not in PLAIN:
        kind = node.tag.rpartition(":")[2]
        reason = f"this is a {kind}: use plain values"
        if isinstance(node, yaml.ScalarNode):
            reason = f"YAML reads {node.value[:40]} as a {kind}, not as text: put it in quotes"
        raise BadInput(f"{path}:{line}: YAML that is not supported here ({reason})")
    if node.tag.endswith((":int", ":float")) and len(node.value) > MOST_DIGITS:
        digits = counted(len(node.value), "digit")
        raise BadInput(f"{path}:{line}: YAML that is not supported here (a number of {digits})")
    for key, value in node.value if isinstance(node, yaml.MappingNode) else ():
        line = key.start_mark.line + 1
        if not isinstance(key, yaml.ScalarNode):
            raise BadInput(
                f"{path}:{line}: YAML that is not supported here (a key that is no text)"
            )
        _refuse_other_number(key.value, value, path)
        items = value.value if isinstance(value, yaml.SequenceNode) else ()
        for number, item in enumerate(items):
            _refuse_other_number(f"{key.value}.{number}", item, path)
    for child in _children(node, path) if not isinstance(node, yaml.ScalarNode) else ():
        _refuse_special(child, path, seen=seen)


def _refuse_other_number(key: str, value: yaml.Node, path: FilePath) -> None:
    """Refuse what YAML takes for another number than people do, as or in the value of a key."""
    if value.tag.endswith((":int", ":float")) and OTHER_NUMBER.fullmatch(value.value):
        number = yaml.safe_load(value.value)
        where = f"{path}:{value.start_mark.line + 1}: {key}"
        reads = f"YAML reads {value.value} as {number}, not as text"
        raise BadInput(f"{where}: {reads}: put it in quotes, or write {number}")


@contextlib.contextmanager
def _explained(path: FilePath, text: str = "") -> Iterator[None]:
    try:
        yield
    except ReaderError as error:
        number = text[: error.position].count("\n") + 1
        character = f"{error.character:#04x}"
        raise BadInput(f"{path}:{number}: not YAML (it holds the character {character})") from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f"{mark.line + 1}:" if mark else ""
        problem = " ".join(str(getattr(error, "problem", None) or error).split())
        raise BadInput(f"{path}:{line} not YAML ({problem})") from None
    except (ValueError, TypeError, OverflowError, AttributeError, KeyError) as error:
        # PyYAML raises them for a date that is none, and the like.
        problem = " ".join(str(error).split())[:200]
        raise BadInput(f"{path}: not YAML ({problem})") from None


def _count_values(
    node: yaml.Node, path: FilePath, *, sizes: dict[int, int], above: set[int]
) -> int:
    """Count the values of a node with all aliases unfolded; each node is looked at once.

    Parameters
    ----------
    node : yaml.Node
    path : path
    sizes : {id of a node: its values}, filled here
    above : ids of the nodes that this one lies in
    """
    line = node.start_mark.line + 1
    if id(node) in above:
        raise BadInput(f"{path}:{line}: an alias holds itself")
    if isinstance(node, yaml.ScalarNode):
        return 1
    if id(node) in sizes:
        return sizes[id(node)]
    size = 1
    for child in _children(node, path):
        size += _count_values(child, path, sizes=sizes, above=above | {id(node)})
    if size > MOST_VALUES:
        raise BadInput(f"{path}:{line}: holds more than {MOST_VALUES} values, aliases unfolded")
    sizes[id(node)] = size
    return size


def _children(node: yaml.Node, path: FilePath) -> list[yaml.Node]:
    if not isinstance(node, yaml.MappingNode):
        return node.value
    _refuse_double_keys(node, path)
    children = []
    for key, value in node.value:
        children += [key, value]
    return children


def _refuse_double_keys(node: yaml.MappingNode, path: FilePath) -> None:
    """Refuse keys that are written alike or read alike: yes and true, 1 and true."""
    seen: set[Any] = set()
    for key, _ in node.value:
        if not isinstance(key, yaml.ScalarNode):
            continue
        is_number = key.tag.endswith((":bool", ":int", ":float")) and len(key.value) <= MOST_DIGITS
        known = {key.value, yaml.safe_load(key.value) if is_number else key.value}
        if known & seen:
            raise BadInput(f"{path}:{key.start_mark.line + 1}: key '{key.value}' occurs twice")
        seen |= known
