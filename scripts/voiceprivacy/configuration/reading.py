"""A YAML file as it stands, and the line where a key of it stands."""

import yaml

from voiceprivacy.files import BadInput, read_lines


def read(path):
    """Read a YAML config as it stands, without defaults.

    Raises
    ------
    BadInput : it is missing, no YAML, no mapping, or a key occurs twice
    """
    text = "\n".join(read_lines(path))
    try:
        _refuse_double_keys(yaml.compose(text, Loader=yaml.SafeLoader), path)
        config = yaml.safe_load(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f"{mark.line + 1}: " if mark else " "
        raise BadInput(f"{path}:{line}not YAML ({getattr(error, 'problem', None) or error})") from None
    if not isinstance(config, dict | None):
        raise BadInput(f"{path}:1: expected sections such as corpora: and anonymisers:")
    return config or {}


def line_of(path, place):
    """The line of a YAML file where a key stands (of the last key of ``place`` that is there)."""
    node, line = yaml.compose("\n".join(read_lines(path)), Loader=yaml.SafeLoader), 1
    for wanted in place:
        if isinstance(node, yaml.SequenceNode):
            node = node.value[wanted]
            line = node.start_mark.line + 1
            continue
        entries = [entry for entry in getattr(node, "value", []) if entry[0].value == str(wanted)]
        if not entries:
            break
        ((key, node),) = entries
        line = key.start_mark.line + 1
    return line


def _refuse_double_keys(node, path):
    children = getattr(node, "value", [])
    if isinstance(node, yaml.MappingNode):
        seen = set()
        for key, _ in children:
            if key.value in seen:
                raise BadInput(f"{path}:{key.start_mark.line + 1}: key '{key.value}' occurs twice")
            seen.add(key.value if isinstance(key, yaml.ScalarNode) else id(key))
        children = [value for _, value in children]
    if isinstance(node, yaml.MappingNode | yaml.SequenceNode):
        for child in children:
            _refuse_double_keys(child, path)
