"""The schema of a config: workflow/schemas/config.schema.yaml, with the keys of each kind."""

import functools
from collections.abc import Mapping
from typing import Any

import yaml

from voiceprivacy.corpus_kinds import corpus_kind
from voiceprivacy.kinds import measure_kinds, names
from voiceprivacy.vocabulary import MOST_REPLICATES, N_REPLICATES, P_TARGET, SCRIPTS, THRESHOLDS

SCHEMA = SCRIPTS.parent / "workflow" / "schemas" / "config.schema.yaml"


# Of keys that other modules have a default of, too.
DEFAULTS: dict[str, dict[str, Any]] = {
    "verdict": THRESHOLDS,
    "report": {"p_target": P_TARGET, "bootstrap": N_REPLICATES},
}


@functools.cache  # five times in every start
def schema() -> dict[str, Any]:
    """The schema of a config, with that of each kind; it is shared, so do not change it."""
    whole = _from_yaml(SCHEMA.read_text(encoding="utf-8"))
    corpus = whole["$defs"]["corpus"]
    corpus["oneOf"] = [{"required": [name]} for name in names()]
    own = {name: _from_yaml(corpus_kind(name).schema) for name in names()}
    corpus["properties"] = own | corpus["properties"]
    corpus["additionalProperties"] = False
    measure = whole["$defs"]["measure"]
    described = "; ".join(f"{name}, {row.described}" for name, row in measure_kinds().items())
    measure["properties"]["type"] |= {
        "description": f"A measure that is shipped (docs/guide/utility.md) - {described}.",
        "enum": [*measure_kinds()],
    }
    for row in measure_kinds().values():
        measure["properties"] |= _from_yaml(row.schema)
    measure["additionalProperties"] = False
    for section, defaults in DEFAULTS.items():
        for key, value in defaults.items():
            whole["properties"][section]["properties"][key]["default"] = value
    whole["properties"]["report"]["properties"]["bootstrap"]["maximum"] = MOST_REPLICATES
    return whole


def is_for_people(described: Mapping[str, Any]) -> bool:
    """Whether a key of a schema is for people to write: programs of ours write x-written ones."""
    return not described.get("x-written", False)


def _from_yaml(text: str) -> dict[str, Any]:
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # compiled, where there is one
    described: dict[str, Any] = loader(text).get_data()
    return described
