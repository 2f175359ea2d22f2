"""YAML files of people: plain values only, each key once, and no alias that unfolds without end."""

import contextlib
from collections.abc import Iterator
from typing import Any

import yaml

from voiceprivacy.inout.files import BadInput, FilePath, read_lines

MOST_VALUES = 100_000  # after all aliases are unfolded


def read_yaml(path: FilePath) -> Any:
    """Read the value of a YAML file.

    Raises
    ------
    BadInput : it is missing or no YAML, a key occurs twice, or an alias holds itself or unfolds
        to too much
    """
    compose(path)  # refuses what safe_load would take, or never come back from
    with _explained(path):
        return yaml.safe_load("\n".join(read_lines(path)))


def compose(path: FilePath) -> yaml.Node | None:
    """The nodes of a YAML file, with their lines and tags; None for an empty file.

    Raises
    ------
    BadInput : as read_yaml
    """
    with _explained(path):
        root = yaml.compose("\n".join(read_lines(path)), Loader=yaml.SafeLoader)
        if root is not None:
            _count_values(root, path, sizes={}, above=set())
    return root


@contextlib.contextmanager
def _explained(path: FilePath) -> Iterator[None]:
    try:
        yield
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f"{mark.line + 1}:" if mark else ""
        problem = " ".join(str(getattr(error, "problem", None) or error).split())
        raise BadInput(f"{path}:{line} not YAML ({problem})") from None
    except RecursionError:
        raise BadInput(f"{path}: not YAML that can be read (nested too deeply)") from None
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
    seen = set()
    for key, _ in node.value:
        if isinstance(key, yaml.ScalarNode):
            if key.value in seen:
                raise BadInput(f"{path}:{key.start_mark.line + 1}: key '{key.value}' occurs twice")
            seen.add(key.value)
