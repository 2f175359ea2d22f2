"""Whether a verdict.json is what its schema says."""

from pathlib import Path

import jsonschema
import yaml

SCHEMA = Path(__file__).parents[2] / "workflow" / "schemas" / "verdict.schema.yaml"


def faults(content):
    """What a verdict has that its schema does not allow, in lines; values outside of limits too."""
    schema = yaml.safe_load(SCHEMA.read_text(encoding="utf-8"))
    validator = jsonschema.Draft202012Validator(schema)
    lines = [f"{error.json_path}: {error.message}" for error in validator.iter_errors(content)]
    for name, judged in content["sets"].items():
        for system, fields in judged["systems"].items():
            for number, limits in fields.items():
                if isinstance(limits, list) and number.endswith(("_percent", "_points")):
                    value, low, high = limits
                    if not low <= value <= high:
                        lines.append(f"{name}, {system}: {number}")
    return lines
