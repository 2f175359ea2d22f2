"""Several draws of one anonymiser in tables and charts: one release.

An anonymiser with ``draws: R`` is drawn and attacked R times, as ``b2r``, ``b2r_draw2``, ... in all
files. A table that shows them side by side shows R competitors, of which the luckiest leads. What
is estimated is one release. So every table, chart and count of systems shows one: the mean over
draws, with an interval that holds for a further draw. The draws are listed where a reader unfolds
them. Curves have no such mean, so that charts of curves show those of all draws, as one system.

Conventions
-----------
* An interval adds (1 + 1/R) times the variance between draws, by Student's t with R - 1 degrees of
  freedom. The verdict has no such mean: there every draw is a system of its own.
* Draws are compared as they are shown, within their intervals.
* What is undefined, infinite or without interval on one draw is so of the release.

References
----------
Hahn and Meeker, Statistical intervals, 1991 (an interval for one further observation).
"""

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from scipy.special import stdtrit

from voiceprivacy.catalogue import COLUMNS, METRICS
from voiceprivacy.report.comparison import (
    System,
    SystemKey,
    Values,
    in_order,
    mean_of_lists,
    weighted_mean,
)
from voiceprivacy.report.figures import draws_in
from voiceprivacy.report.metrics import Number
from voiceprivacy.report.uncertainty import (
    WITHIN,
    Limits,
    Shown,
    shown_number,
    within_zero_evidence,
)
from voiceprivacy.vocabulary import UNDEFINED, NumberKey

ONE_SIDED = 0.025


def one_release(draws: Sequence[Shown], metric: str = "") -> Shown:
    """A number of one release from its draws: their mean, and limits that hold for a further one.

    Limits stay in the range of the ``metric``.
    """
    if len(draws) == 1:
        return draws[0]
    values = [draw.value for draw in draws]
    equal_weights = [1] * len(draws)
    if any(isinstance(value, str) for value in values):
        return Shown(UNDEFINED)
    value = weighted_mean(values, equal_weights)
    if not isinstance(value, float) or not math.isfinite(value):
        return Shown(value)
    defined = [draw.value if draw.definition is None else draw.definition for draw in draws]
    definition = weighted_mean(defined, equal_weights) if defined != values else None
    return Shown(value, _limits(draws, value, metric), definition)


def _limits(draws: Sequence[Shown], value: float, metric: str) -> Limits | None:
    """The interval of a further draw around the mean of draws; None where a draw has none."""
    below, above = [], []
    for draw in draws:
        if draw.limits is None or not np.isfinite(draw.limits).all():
            return None
        below.append(draw.value - draw.limits[0])
        above.append(draw.limits[1] - draw.value)
    n_draws = len(draws)
    variance = np.var([draw.value for draw in draws], ddof=1) * (1 + 1 / n_draws)
    between = stdtrit(n_draws - 1, 1 - ONE_SIDED) * math.sqrt(variance)
    low = value - math.hypot(np.mean(below), between)
    high = value + math.hypot(np.mean(above), between)
    if metric in METRICS:
        low, high = max(low, METRICS[metric].low), min(high, METRICS[metric].high)
    return float(low), float(high)


# Systems of the comparison.


def released(systems: Sequence[System]) -> list[System]:
    """Systems of which each anonymiser stands once, whatever it draws; they keep their draws."""
    draws = draws_in(system.anonymiser for system in systems)
    releases: dict[SystemKey, list[System]] = {}
    for system in systems:
        key = system.key._replace(anonymiser=draws[system.anonymiser].system)
        releases.setdefault(key, []).append(system)
    if len(releases) == len(systems):
        return list(systems)
    merged = []
    for of_release in releases.values():
        of_release.sort(key=lambda system: draws[system.anonymiser].number)
        merged.append(_release(of_release))
    return in_order(merged)


def _release(draws: Sequence[System]) -> System:
    """One release of an anonymiser under one attack, from draws in their order."""
    if len(draws) == 1:
        return draws[0]
    first = draws[0]
    values = {label: _values(draws, label) for label in first.intervals}
    intervals, unbiased = {}, {}
    for label in first.intervals:
        numbers = {
            column.name: one_release(
                [draw.shown(label, column.name) for draw in draws], column.name
            )
            for column in COLUMNS
        }
        intervals[label] = {name: number.limits for name, number in numbers.items()}
        unbiased[label] = {name: number.value for name, number in numbers.items() if number.limits}
    lists: dict[str, Values] = {trials: values[trials] for trials in first.lists}
    return first._replace(
        lists=lists,
        mean=values[first.mean_label],
        intervals=intervals,
        unbiased=unbiased,
        draws=tuple(draws),
    )


def _values(draws: Sequence[System], label: str) -> dict[str, Any]:
    """The values of one release on a list, or their mean over lists, by definition."""
    of_draws = [draw.lists.get(label, draw.mean) for draw in draws]
    values = mean_of_lists(of_draws, [1] * len(draws))
    # A release gives no evidence only if no draw does, as in the verdict.
    within = [within_zero_evidence(each) for each in of_draws]
    return values | {"tag": None, WITHIN: None if None in within else all(within)}


# Single numbers.


def released_numbers(numbers: Iterable[Number]) -> list[Number]:
    """Numbers of which each anonymiser has one, whatever it draws.

    Words, such as tags, are left out where an anonymiser has several draws.
    """
    numbers = list(numbers)
    names = draws_in(number.anonymiser for number in numbers)
    releases: dict[NumberKey, list[Number]] = {}
    for number in numbers:
        key = number.key._replace(anonymiser=names[number.anonymiser].system)
        releases.setdefault(key, []).append(number)
    lines = []
    for key, of_release in releases.items():
        if len(of_release) == 1:
            lines.append(of_release[0]._replace(anonymiser=key.anonymiser))
            continue
        draws_shown = [shown_number(each) for each in of_release]
        if any(_is_word(draw.value) for draw in draws_shown):
            continue
        release = one_release(draws_shown, key.metric)
        defined = release.value if release.definition is None else release.definition
        line = Number(*key, str(defined))
        if release.limits:
            low, high = map(str, release.limits)
            line = line._replace(ci_low=low, ci_high=high, unbiased=release.value)
        lines.append(line)
    return lines


def _is_word(value: Any) -> bool:
    return isinstance(value, str) and value != UNDEFINED
