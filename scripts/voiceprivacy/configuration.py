"""The config of a run: read, checked against workflow/schemas/config.schema.yaml, defaults filled in.

Defaults live in the schema. Two depend on other keys and are set here: a corpus that is evaluated without a protocol
has enrol_trial, and one Kaldi directory the list ``all`` of its own trials file; ``report: {controls: true}`` adds the
anonymisers of workflow/resources/controls.yaml.
"""

import copy
import difflib
import os
import re
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import yaml
from jsonschema import Draft202012Validator, validators

from voiceprivacy.files import RESOURCES, SCRIPTS, BadInput, ours, read_lines
from voiceprivacy.plan import given_scores

SCHEMA = SCRIPTS.parent / "workflow" / "schemas" / "config.schema.yaml"
VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


class Problem(NamedTuple):
    """Something wrong with a config: the keys that lead to it, and what."""

    place: tuple
    what: str

    def __str__(self):
        return ": ".join([".".join(str(key) for key in self.place)] * bool(self.place) + [self.what])


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


def check(config):
    """Check a config and complete it.

    Parameters
    ----------
    config : dict

    Returns
    -------
    dict : a copy with ${NAME} replaced and every default filled in

    Raises
    ------
    BadInput : the first problem; ``problems`` gives all of them
    """
    for problem in problems(config):
        raise BadInput(problem.what if problem.what.endswith(": not found") else str(problem))
    return complete(expand(config))


def complete(config):
    """A copy of a config with every default that the schema or the protocol of a corpus has, and with its controls."""
    config = _with_controls(_with_protocols(config))
    for _ in _Completing(_schema()).iter_errors(config):
        pass
    return config


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


def problems(config):
    """Everything that is wrong with a config: variables, keys and values; or else contradictions and missing files.

    Returns
    -------
    list of Problem
    """
    schema = _schema()
    config = _with_controls(_with_protocols(config))
    found = [*_keys_that_are_no_text(config), *_unset_variables(config)]
    errors = sorted(
        Draft202012Validator(schema).iter_errors(config), key=lambda error: [str(key) for key in error.path]
    )
    found += [problem for error in errors for problem in _explain(error)]
    if found:
        return found
    config = complete(expand(config))
    return [*_inconsistencies(config), *_missing_files(config)]


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


def _variable(match):
    name = match.group(1)
    if name not in os.environ:
        raise BadInput(f"{name}: not found")
    return os.environ[name]


def _unset_variables(value, place=()):
    if isinstance(value, dict | list):
        for key, of in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _unset_variables(of, (*place, key))
    elif isinstance(value, str):
        unset = [name for name in VARIABLE.findall(value) if name not in os.environ]
        yield from (Problem(place, f"{name}: not found") for name in unset)


def _keys_that_are_no_text(value, place=()):
    if isinstance(value, dict):
        for key, of in value.items():
            if not isinstance(key, str):
                yield Problem((*place, key), f"YAML reads this key as {key!r}, not as text: put it in quotes")
            yield from _keys_that_are_no_text(of, (*place, key))


def _schema():
    return yaml.safe_load(SCHEMA.read_text(encoding="utf-8"))


def _with_protocols(config):
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
    for name in ("enrol_trial", "all_pairs", "rank_sampling"):
        if isinstance(protocol, dict) and isinstance(protocol.get(name), dict):
            protocol[name].setdefault("lists", ["mixed"] if entry.get("gender") == "mixed" else ["f", "m"])


def _with_controls(config):
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


def _explain(error):
    """A schema error in the words of somebody who writes a config."""
    place = tuple(error.absolute_path)
    if error.validator == "additionalProperties":
        allowed = error.schema.get("properties", {})
        for key in [key for key in error.instance if key not in allowed]:
            yield Problem((*place, key), f"'{key}' is not a key here{_suggestion(key, allowed)}")
    elif error.validator == "oneOf":
        if isinstance(error.instance, dict) and error.instance.keys() <= error.schema["properties"].keys():
            choices = [" and ".join(branch["required"]) for branch in error.validator_value]
            yield Problem(place, f"needs one of {', '.join(choices)}, and only one")
    elif "propertyNames" in error.absolute_schema_path:
        rule = "small letters, digits and _, a letter first; not original, ..._run1 or ..._on_..."
        yield Problem((*place, error.instance), f"'{error.instance}' cannot be a name here ({rule})")
    elif error.validator == "required":
        missing = next(key for key in error.validator_value if key not in error.instance)
        yield Problem(place, f"'{missing}' is missing")
    elif error.validator == "enum":
        choices = [str(choice) for choice in error.validator_value]
        suggestion = _suggestion(str(error.instance), choices)
        yield Problem(place, f"'{error.instance}' is none of {', '.join(choices)}{suggestion}")
    elif error.validator is None:
        yield Problem(place, f"{error.instance!r} is not allowed beside the other keys here")
    else:
        yield Problem(place, error.message)


def _suggestion(word, choices):
    close = difflib.get_close_matches(str(word), [str(choice) for choice in choices], n=1)
    return f": did you mean '{close[0]}'?" if close else ""


def _inconsistencies(config):
    """What no schema sees in a completed config: entries that contradict each other."""
    corpora = config["corpora"]
    if config["report"]["controls"]:
        for name, control in controls().items():
            entry = config["anonymisers"][name]
            if any(entry.get(kind) != control.get(kind) for kind in ("command", "function", "audio")):
                yield Problem(("anonymisers", name), "is the name of a control (report.controls): take another name")
    for name, entry in corpora.items():
        if entry["use"] == "evaluation" and "protocol" not in entry:
            yield Problem(
                ("corpora", name), "needs a protocol that names its trial lists, such as given: {f: DIR, m: DIR}"
            )
        yield from _wrong_options(("corpora", name), entry)
    for section in ("extractors", "backends"):
        for name, entry in config[section].items():
            if "train" in entry:
                yield from _wrong_training((section, name, "train", "corpus"), entry["train"]["corpus"], corpora)
    for name, entry in config["extractors"].items():
        if "units" in entry:
            yield from _wrong_training(("extractors", name, "units", "corpus"), entry["units"]["corpus"], corpora)
    for name in config["attacks"]:
        if name in config["extractors"]:
            yield Problem(("attacks", name), "is the name of an extractor too: take another name")
    for name, entry in config["backends"].items():
        for extractor in entry.get("extractors", ()):
            if extractor not in config["extractors"]:
                yield Problem(("backends", name, "extractors"), f"'{extractor}' is not an extractor of this config")
    ranges = {name: _speaker_range(entry["synthetic"]) for name, entry in corpora.items() if "synthetic" in entry}
    for (one, first), (other, second) in combinations(ranges.items(), 2):
        if max(first.start, second.start) < min(first.stop, second.stop):
            yield Problem(("corpora", other, "synthetic"), f"has speakers of '{one}' too: change first_speaker")


def _wrong_options(place, entry):
    seconds = entry.get("segments", {}).get("seconds")
    if isinstance(seconds, list) and seconds[0] > seconds[1]:
        yield Problem((*place, "segments", "seconds"), "the shortest piece comes first")
    lists = entry.get("protocol", {}).get("enrol_trial", {}).get("lists", [])
    if "vctk" not in entry and any(name.endswith("_common") for name in lists):
        yield Problem((*place, "protocol", "enrol_trial", "lists"), "only vctk has lists of common sentences")


def _wrong_training(place, name, corpora):
    if name not in corpora:
        yield Problem(place, f"there is no corpus '{name}'{_suggestion(name, corpora)}")
    elif corpora[name]["use"] != "train":
        yield Problem(place, f"corpus '{name}' is not for training: give it 'use: train'")


def _missing_files(config):
    """Files and folders that a completed config names and that are not there."""
    for place, path in _named_files(config):
        if not Path(path).exists():
            yield Problem(place, f"{path}: not found")
    if "expected" in config and not Path(ours(config["expected"])).exists():
        yield Problem(("expected",), f"{ours(config['expected'])}: not found")
    for name, entry in config["attacks"].items():
        if not given_scores(entry["scores"]):
            yield Problem(("attacks", name, "scores"), f"{entry['scores']}: not found")


def _named_files(config):
    for name, entry in config["corpora"].items():
        yield from ((("corpora", name, *place), path) for place, path in _files_of_corpus(entry))
    for name, entry in config["anonymisers"].items():
        if "function" in entry:
            yield ("anonymisers", name, "function"), ours(entry["function"].rpartition(":")[0])
        for path in entry["inputs"]:
            yield ("anonymisers", name, "inputs"), ours(path)
    for name, entry in config["extractors"].items():
        if "model" in entry and "revision" not in entry:
            yield ("extractors", name, "model"), ours(entry["model"])
        if entry.get("start", name) not in config["extractors"]:
            yield ("extractors", name, "start"), ours(entry["start"])
        for path in entry["inputs"]:
            yield ("extractors", name, "inputs"), ours(path)


def _files_of_corpus(entry):
    for kind in ("librispeech", "vctk", "folder"):
        if kind in entry and not entry[kind].get("download"):
            root = entry[kind]["root"]
            yield (kind, "root"), root
            for subset in entry[kind].get("subsets", []) if Path(root).exists() else []:
                yield (kind, "subsets"), f"{root}/{subset}"
    if "speakers" in entry.get("folder", {}):
        yield ("folder", "speakers"), entry["folder"]["speakers"]
    kaldi = entry.get("kaldi", {})
    kaldi = kaldi if isinstance(kaldi, dict) else {"directory": kaldi}
    directories = [kaldi[key] for key in ("root", "directory", "enrolment") if key in kaldi] + kaldi.get("trial", [])
    directories += entry.get("protocol", {}).get("given", {}).values()
    yield from ((("kaldi",), directory) for directory in dict.fromkeys(directories))


def _speaker_range(synthetic):
    return range(synthetic["first_speaker"], synthetic["first_speaker"] + synthetic["speakers"])


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
