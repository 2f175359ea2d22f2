"""What is wrong with single keys and values, in the words of somebody who writes a config."""

import difflib
import math
import os
from typing import NamedTuple

from jsonschema import Draft202012Validator

from voiceprivacy.configuration.completion import VARIABLE, schema


class Problem(NamedTuple):
    """Something wrong with a config: the keys that lead to it, and what."""

    place: tuple
    what: str

    def __str__(self):
        return ": ".join([".".join(str(key) for key in self.place)] * bool(self.place) + [self.what])


def wrong_entries(config):
    """Keys that are no text, variables that are not set, and what the schema refuses: list of Problem."""
    errors = Draft202012Validator(schema()).iter_errors(config)
    errors = sorted(errors, key=lambda error: [str(key) for key in error.path])
    explained = [problem for error in errors for problem in _explain(error)]
    return [*_keys_that_are_no_text(config), *_unset_variables(config), *_numbers_that_are_none(config), *explained]


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
                yield Problem((*place, key), f"YAML reads this key as {key!r}, not as text: put it in quotes")
            yield from _keys_that_are_no_text(of, (*place, key))


def _explain(error):
    """A schema error in the words of somebody who writes a config."""
    place = tuple(error.absolute_path)
    if error.validator == "additionalProperties":
        allowed = error.schema.get("properties", {})
        for key in [key for key in error.instance if key not in allowed]:
            yield Problem((*place, key), f"'{key}' is not a key here{did_you_mean(key, allowed)}")
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
        question = did_you_mean(str(error.instance), choices)
        yield Problem(place, f"'{error.instance}' is none of {', '.join(choices)}{question}")
    elif error.validator is None:
        yield Problem(place, f"{error.instance!r} is not allowed beside the other keys here")
    else:
        yield Problem(place, error.message)
