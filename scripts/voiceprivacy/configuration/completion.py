"""What a config does not say: the schema's defaults, the default protocol of a corpus, controls, ${NAME}."""

import copy
import os
import re

import yaml
from jsonschema import Draft202012Validator, validators

from voiceprivacy.configuration.reading import read
from voiceprivacy.files import RESOURCES, SCRIPTS, BadInput

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
            protocol[name].setdefault("lists", ["mixed"] if entry.get("gender") == "mixed" else ["f", "m"])


def _per_gender(lists):
    """Lists of a protocol given, those of both genders as one for each."""
    separate = {}
    for name, directory in lists.items():
        if str(name).split("_")[0] in GENDERS or not isinstance(directory, str):
            separate[name] = directory
        else:
            separate |= {f"{name}_{gender}": {"directory": directory, "gender": gender} for gender in GENDERS}
    return separate


def with_controls(config):
    """The config itself, with the control anonymisers if it asks for them."""
    report, anonymisers = config.get("report"), config.get("anonymisers", {})
    if isinstance(report, dict) and report.get("controls") is True and isinstance(anonymisers, dict):
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
    yield from Draft202012Validator.VALIDATORS["properties"](validator, properties, instance, schema)


_Completing = validators.extend(Draft202012Validator, {"properties": _set_defaults})
