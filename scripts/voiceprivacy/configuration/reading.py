"""A config as it stands in its file, and the line where a key of it stands."""

import yaml

from voiceprivacy.files import BadInput
from voiceprivacy.yaml_files import compose, read_yaml


def read(path):
    """Read a YAML config as it stands, without defaults.

    Raises
    ------
    BadInput : it is missing, no YAML, no mapping, or a key occurs twice
    """
    config = read_yaml(path)
    if not isinstance(config, dict | None):
        raise BadInput(f"{path}:1: expected sections such as corpora: and anonymisers:")
    return config or {}


def line_of(path, place):
    """The line of a YAML file where a key stands (of the last key of ``place`` that is there)."""
    node, line = compose(path), 1
    for wanted in place:
        if isinstance(node, yaml.SequenceNode):
            node = node.value[wanted]
            line = node.start_mark.line + 1
            continue
        pairs = node.value if isinstance(node, yaml.MappingNode) else []
        entries = [entry for entry in pairs if entry[0].value == str(wanted)]
        if not entries:
            break
        ((key, node),) = entries
        line = key.start_mark.line + 1
    return line
