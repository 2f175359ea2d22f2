"""YAML files of people: plain values only, each key once, and no alias that unfolds without end."""

import contextlib

import yaml

from voiceprivacy.inout.files import BadInput, read_lines

MOST_VALUES = 100_000  # after all aliases are unfolded


def read_yaml(path):
    """Read the value of a YAML file.

    Raises
    ------
    BadInput : it is missing or no YAML, a key occurs twice, an alias holds itself or unfolds to too much
    """
    compose(path)
    with _explained(path):
        return yaml.safe_load("\n".join(read_lines(path)))


def compose(path):
    """The nodes of a YAML file, with their lines and tags (None for an empty file); BadInput as read_yaml."""
    with _explained(path):
        root = yaml.compose("\n".join(read_lines(path)), Loader=yaml.SafeLoader)
        if root is not None:
            _check(root, path, {}, set())
    return root


@contextlib.contextmanager
def _explained(path):
    try:
        yield
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f"{mark.line + 1}:" if mark else ""
        what = " ".join(str(getattr(error, "problem", None) or error).split())
        raise BadInput(f"{path}:{line} not YAML ({what})") from None
    except RecursionError:
        raise BadInput(f"{path}: not YAML that can be read (nested too deeply)") from None
    except (
        ValueError,
        TypeError,
        OverflowError,
        AttributeError,
        KeyError,
    ) as error:  # a date that is none
        raise BadInput(f"{path}: not YAML ({' '.join(str(error).split())[:200]})") from None


def _check(node, path, sizes, above):
    """Count the values of a node with all aliases unfolded; each node is looked at once."""
    if id(node) in above:
        raise BadInput(f"{path}:{node.start_mark.line + 1}: an alias holds itself")
    if id(node) in sizes or isinstance(node, yaml.ScalarNode):
        return sizes.get(id(node), 1)
    children = node.value
    if isinstance(node, yaml.MappingNode):
        _refuse_double_keys(node, path)
        children = [child for pair in node.value for child in pair]
    size = 1 + sum(_check(child, path, sizes, above | {id(node)}) for child in children)
    if size > MOST_VALUES:
        raise BadInput(
            f"{path}:{node.start_mark.line + 1}: holds more than {MOST_VALUES} values, aliases unfolded"
        )
    sizes[id(node)] = size
    return size


def _refuse_double_keys(node, path):
    seen = set()
    for key, _ in node.value:
        if isinstance(key, yaml.ScalarNode):
            if key.value in seen:
                raise BadInput(f"{path}:{key.start_mark.line + 1}: key '{key.value}' occurs twice")
            seen.add(key.value)
