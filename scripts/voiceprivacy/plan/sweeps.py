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
from itertools import chain
from typing import Any

from voiceprivacy.vocabulary import FURTHER_DRAW, ORIGINAL, SECOND_RUN, TRAINED_ON, TRAINED_WITHOUT

Keys = tuple[str, ...]


def with_sweeps(config: dict[str, Any]) -> dict[str, Any]:
    """The config itself, with an anonymiser for each value of one that is swept."""
    made: dict[str, list[str]] = {}
    entries: dict[str, Any] = {}
    for name, options in config["anonymisers"].items():
        points = _points(name, options)
        entries |= dict(points) or {name: options}
        if points:
            made[name] = [point for point, _ in points]
    config["anonymisers"] = entries
    for section in ("extractors", "backends"):
        for options in config.get(section, {}).values():
            train = options.get("train", {})
            for field in ("anonymisers", "speech"):
                if isinstance(train.get(field), list):
                    names = [made.get(name, [name]) for name in train[field]]
                    train[field] = list(chain.from_iterable(names))
    return config


def wrong_sweeps(config: dict[str, Any]) -> Iterator[tuple[Keys, str]]:
    """What is wrong with the sweeps of a config whose single values are right: (keys, words)."""
    anonymisers = config.get("anonymisers", {})
    for name, options in anonymisers.items():
        if "sweep" not in options:
            continue
        keys = ("anonymisers", name, "sweep")
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
    points = []
    for option, values in options.get("sweep", {}).items():  # one option
        for value in values:
            point = {key: own for key, own in options.items() if key != "sweep"}
            point["swept"] = {"of": name, "option": option, "value": value}
            placeholder = f"{{{option}}}"
            if placeholder in point.get("command", ""):
                point["command"] = point["command"].replace(placeholder, shlex.quote(_text(value)))
            else:
                point["options"] = {**options.get("options", {}), option: value}
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
    is_attackers = TRAINED_ON in name or TRAINED_WITHOUT in name
    return bool(is_draw) or name == ORIGINAL or name.endswith(SECOND_RUN) or is_attackers
