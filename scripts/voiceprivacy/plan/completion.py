"""What a config does not say: the schema's defaults, the default protocol of a corpus, controls, ${NAME}."""

import copy
import difflib
import math
import os
import re
from typing import NamedTuple

import yaml
from jsonschema import Draft202012Validator, validators

from voiceprivacy.inout.files import RESOURCES, SCRIPTS, BadInput
from voiceprivacy.inout.yaml_files import compose, read_yaml

# A config as it stands in its file, and the line where a key of it stands.


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


# What is wrong with single keys and values, in the words of somebody who writes a config.


class Problem(NamedTuple):
    """Something wrong with a config: the keys that lead to it, and what."""

    place: tuple
    what: str

    def __str__(self):
        return ": ".join(
            [".".join(str(key) for key in self.place)] * bool(self.place) + [self.what]
        )


def wrong_entries(config):
    """Keys that are no text, variables that are not set, and what the schema refuses: list of Problem."""
    errors = Draft202012Validator(schema()).iter_errors(config)
    errors = sorted(errors, key=lambda error: [str(key) for key in error.path])
    explained = [problem for error in errors for problem in _explain(error)]
    return [
        *_keys_that_are_no_text(config),
        *_unset_variables(config),
        *_numbers_that_are_none(config),
        *explained,
    ]


def did_you_mean(word, choices):
    """A question after the choice that a word resembles; nothing where it resembles none."""
    close = difflib.get_close_matches(str(word), [str(choice) for choice in choices], n=1)
    return f": did you mean '{close[0]}'?" if close else ""


def _unset_variables(value, place=()):
    if isinstance(value, dict | list):
        for key, of in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _unset_variables(of, (*place, key))
    elif isinstance(value, str):
        unset = [name for name in VARIABLE.findall(value) if name not in os.environ]
        yield from (Problem(place, f"{name}: not found") for name in unset)


def _numbers_that_are_none(value, place=()):
    """YAML's .nan and .inf, which no limit of a schema refuses."""
    if isinstance(value, dict | list):
        for key, of in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _numbers_that_are_none(of, (*place, key))
    elif isinstance(value, float) and not math.isfinite(value):
        yield Problem(place, f"{value} is no number that can be used here")


def _keys_that_are_no_text(value, place=()):
    if isinstance(value, dict):
        for key, of in value.items():
            if not isinstance(key, str):
                yield Problem(
                    (*place, key), f"YAML reads this key as {key!r}, not as text: put it in quotes"
                )
            yield from _keys_that_are_no_text(of, (*place, key))


def _explain(error):
    """A schema error in the words of somebody who writes a config."""
    place = tuple(error.absolute_path)
    if error.validator == "additionalProperties":
        allowed = error.schema.get("properties", {})
        for key in [key for key in error.instance if key not in allowed]:
            yield Problem((*place, key), f"'{key}' is not a key here{did_you_mean(key, allowed)}")
    elif error.validator == "oneOf":
        if (
            isinstance(error.instance, dict)
            and error.instance.keys() <= error.schema["properties"].keys()
        ):
            choices = [" and ".join(branch["required"]) for branch in error.validator_value]
            yield Problem(place, f"needs one of {', '.join(choices)}, and only one")
    elif "propertyNames" in error.absolute_schema_path:
        rule = "small letters, digits and _, a letter first; not original, ..._run1 or ..._on_..."
        yield Problem(
            (*place, error.instance), f"'{error.instance}' cannot be a name here ({rule})"
        )
    elif error.validator == "required":
        missing = next(key for key in error.validator_value if key not in error.instance)
        yield Problem(place, f"'{missing}' is missing")
    elif error.validator == "enum":
        choices = [str(choice) for choice in error.validator_value]
        question = did_you_mean(str(error.instance), choices)
        yield Problem(place, f"'{error.instance}' is none of {', '.join(choices)}{question}")
    elif error.validator is None:
        yield Problem(place, f"{error.instance!r} is not allowed beside the other keys here")
    else:
        yield Problem(place, error.message)


SCHEMA = SCRIPTS.parent / "workflow" / "schemas" / "config.schema.yaml"
GENDERS = ("f", "m")
VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


def complete(config):
    """A copy of a config with every default that the schema or the protocol of a corpus has, and with its controls."""
    config = with_controls(with_protocols(config))
    for _ in _Completing(schema()).iter_errors(config):
        pass
    return config


def schema():
    """The schema of a config."""
    return yaml.safe_load(SCHEMA.read_text(encoding="utf-8"))


def expand(value):
    """Replace ${NAME} in all strings of a config by the environment's variables.

    Raises
    ------
    BadInput : a variable is not set
    """
    if isinstance(value, dict):
        return {key: expand(of) for key, of in value.items()}
    if isinstance(value, list):
        return [expand(of) for of in value]
    return VARIABLE.sub(_variable, value) if isinstance(value, str) else value


def _variable(match):
    name = match.group(1)
    if name not in os.environ:
        raise BadInput(f"{name}: not found")
    return os.environ[name]


def with_protocols(config):
    """A copy without empty sections, in which every evaluated corpus has a protocol and the lists of its default."""
    config = copy.deepcopy({key: value for key, value in config.items() if value is not None})
    corpora = config.get("corpora")
    for entry in corpora.values() if isinstance(corpora, dict) else []:
        if isinstance(entry, dict) and entry.get("use") != "train":
            _set_protocol(entry)
    return config


def _set_protocol(entry):
    kaldi = entry.get("kaldi")
    directory = kaldi.get("directory") if isinstance(kaldi, dict) else kaldi
    if "protocol" not in entry and kaldi is None:
        entry["protocol"] = {"enrol_trial": {}}
    elif "protocol" not in entry and isinstance(directory, str):
        entry["protocol"] = {"given": {"all": directory}}
    protocol = entry.get("protocol")
    given = protocol.get("given") if isinstance(protocol, dict) else None
    if entry.get("gender") == "separate" and isinstance(given, dict):
        protocol["given"] = _per_gender(given)
    for name in ("enrol_trial", "all_pairs", "rank_sampling"):
        if isinstance(protocol, dict) and isinstance(protocol.get(name), dict):
            protocol[name].setdefault(
                "lists", ["mixed"] if entry.get("gender") == "mixed" else ["f", "m"]
            )


def _per_gender(lists):
    """Lists of a protocol given, those of both genders as one for each."""
    separate = {}
    for name, directory in lists.items():
        if str(name).split("_")[0] in GENDERS or not isinstance(directory, str):
            separate[name] = directory
        else:
            separate |= {
                f"{name}_{gender}": {"directory": directory, "gender": gender} for gender in GENDERS
            }
    return separate


def with_controls(config):
    """The config itself, with the control anonymisers if it asks for them."""
    report, anonymisers = config.get("report"), config.get("anonymisers", {})
    if (
        isinstance(report, dict)
        and report.get("controls") is True
        and isinstance(anonymisers, dict)
    ):
        missing = {name: entry for name, entry in controls().items() if name not in anonymisers}
        config["anonymisers"] = anonymisers | missing
    return config


def controls():
    """The entries of the control anonymisers: {name: entry}."""
    return read(RESOURCES / "controls.yaml")


def _set_defaults(validator, properties, instance, schema):
    if isinstance(instance, dict):
        for name, subschema in properties.items():
            if isinstance(subschema, dict) and "default" in subschema:
                instance.setdefault(name, copy.deepcopy(subschema["default"]))
    yield from Draft202012Validator.VALIDATORS["properties"](
        validator, properties, instance, schema
    )


_Completing = validators.extend(Draft202012Validator, {"properties": _set_defaults})
