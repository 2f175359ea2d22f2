"""Operating points of one anonymiser: ``sweep: {alpha: [0.6, 0.8]}`` makes an entry of each value.

Conventions
-----------
* The entry itself gives way to NAME_OPTION_VALUE: b2_alpha_0_6 of b2. What names it among the
  anonymisers that attackers learn from names all of them.
* The value stands where the command says ``{alpha}``. Else it is an option, as in ``options``: a
  flag of a command, or an argument of a function.
* ``swept`` in each entry says what it was made of.
"""

import re
import shlex
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from voiceprivacy.plan.speech import entries_of
from voiceprivacy.vocabulary import FURTHER_DRAW, ORIGINAL, SECOND_RUN, TRAINED_ON

Keys = tuple[str, ...]


def with_sweeps(config: dict[str, Any]) -> dict[str, Any]:
    """The config itself, with an anonymiser for each value of one that is swept."""
    anonymisers = config.get("anonymisers")
    if not isinstance(anonymisers, dict):
        return config
    made: dict[str, list[str]] = {}
    entries: dict[str, Any] = {}
    for name, options in anonymisers.items():
        points = _points(name, options)
        entries |= dict(points) or {name: options}
        if points:
            made[name] = [point for point, _ in points]
    config["anonymisers"] = entries
    for section in ("extractors", "backends"):
        for options in entries_of(config, section).values():
            train = options.get("train")
            if isinstance(train, dict) and isinstance(train.get("anonymisers"), list):
                train["anonymisers"] = _replaced(train["anonymisers"], made)
    return config


def wrong_sweeps(config: dict[str, Any]) -> Iterator[tuple[Keys, str]]:
    """What is wrong with the sweeps of a config whose single values are right: (keys, words)."""
    anonymisers = config.get("anonymisers") or {}
    for name, options in anonymisers.items():
        if "sweep" not in options:
            continue
        keys = ("anonymisers", name, "sweep")
        if "audio" in options:
            yield keys, "speech that is anonymised already has no option that could be swept"
            continue
        points = [point for point, _ in _points(name, options)]
        for point in dict.fromkeys(points):
            if points.count(point) > 1:
                yield keys, f"two values make the name '{point}'"
            if point in anonymisers:
                yield keys, f"makes '{point}', which is an anonymiser too: call that otherwise"
            if _is_reserved(point):
                yield keys, f"makes the name '{point}', which is reserved"
        [option] = options["sweep"]
        if option in options.get("options", {}):
            yield keys, f"'{option}' is in its options, too: write it in one place"


def _points(name, options):
    """[(name, entry)] of the values of a sweep, in their order; empty without one."""
    sweep = options.get("sweep") if isinstance(options, dict) else None
    if not isinstance(sweep, dict) or len(sweep) != 1 or "audio" in options:
        return []
    [(option, values)] = sweep.items()
    others = options.get("options", {})
    if not isinstance(values, list) or not isinstance(others, dict):
        return []  # a config with mistakes is completed, too
    points = []
    for value in values:
        point = {key: own for key, own in options.items() if key != "sweep"}
        point["swept"] = {"of": name, "option": option, "value": value}
        placeholder = f"{{{option}}}"
        if placeholder in str(point.get("command", "")):
            point["command"] = point["command"].replace(placeholder, shlex.quote(_text(value)))
        else:
            point["options"] = {**others, option: value}
        points.append((_name(name, option, value), point))
    return points


def _name(name, option, value):
    """b2_alpha_0_6: a name as the config allows it."""
    text = _text(value).lower()
    if text.startswith("-") and not isinstance(value, str):
        text = f"minus_{text[1:]}"
    return f"{name}_{option}_{re.sub('[^a-z0-9]+', '_', text)}".lower()


def _text(value):
    """A value as people write it: 0.00001, not 1e-05."""
    if isinstance(value, bool):
        return str(value).lower()
    return f"{Decimal(repr(value)):f}" if isinstance(value, float) else str(value)


def _is_reserved(name):
    is_draw = re.search(f"{FURTHER_DRAW}[0-9]+$", name)
    return bool(is_draw) or name == ORIGINAL or name.endswith(SECOND_RUN) or TRAINED_ON in name


def _replaced(names, made):
    """Names of anonymisers, in which that of a sweep stands for all that it makes."""
    replaced = []
    for name in names:
        replaced += made.get(name, [name]) if isinstance(name, str) else [name]
    return replaced
