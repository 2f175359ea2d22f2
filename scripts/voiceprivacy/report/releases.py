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

import numpy as np
from scipy.special import stdtrit

from voiceprivacy.catalogue import METRICS
from voiceprivacy.report.comparison import (
    Measured,
    OnList,
    System,
    SystemKey,
    in_order,
    mean_of,
    weighted_mean,
)
from voiceprivacy.report.figures import by_release, draws_in
from voiceprivacy.report.metrics import Number
from voiceprivacy.report.uncertainty import Limits, Shown, shown_number
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
    releases = by_release(systems, "corpus", "extractor", "backend", "condition")
    if len(releases) == len(systems):
        return list(systems)
    number_of = draws_in(system.anonymiser for system in systems)
    merged = []
    for of_release in releases.values():
        of_release.sort(key=lambda system: number_of[system.anonymiser].number)
        merged.append(_release(of_release))
    return in_order(merged)


def _release(draws: Sequence[System]) -> System:
    """One release of an anonymiser under one attack, from draws in their order."""
    if len(draws) == 1:
        return draws[0]
    first = draws[0]
    sets = {
        label: _on_list([draw.sets[label] for draw in draws], first.key) for label in first.sets
    }
    return first._replace(sets=sets, draws=tuple(draws))


def _on_list(draws: Sequence[OnList], key: SystemKey) -> OnList:
    """One release on a list, or the mean over lists; values are by definition."""
    release = mean_of(draws, [1] * len(draws), key)
    numbers = {}
    for name, mean in release.numbers.items():
        further = one_release([draw.numbers[name].shown for draw in draws], name)
        unbiased = further.value if further.limits else None
        numbers[name] = Measured(mean.value, further.limits, unbiased)
    # A release gives no evidence only if no draw does, as in the verdict.
    within = [draw.no_evidence for draw in draws]
    no_evidence = None if None in within else all(within)
    return release._replace(numbers=numbers, tag="", no_evidence=no_evidence)


# Single numbers.


def released_numbers(numbers: Iterable[Number]) -> list[Number]:
    """Numbers of which each anonymiser has one, whatever it draws.

    Words, such as tags, are left out where an anonymiser has several draws.
    """
    fields = [field for field in NumberKey._fields if field != "anonymiser"]
    lines = []
    for (system, *_), of_release in by_release(list(numbers), *fields).items():
        key: NumberKey = of_release[0].key._replace(anonymiser=system)
        if len(of_release) == 1:
            lines.append(of_release[0]._replace(anonymiser=system))
            continue
        draws_shown = [shown_number(each) for each in of_release]
        if any(isinstance(draw.value, str) and draw.value != UNDEFINED for draw in draws_shown):
            continue  # a word
        release = one_release(draws_shown, key.metric)
        defined = release.value if release.definition is None else release.definition
        line = Number(*key, str(defined))
        if release.limits:
            low, high = map(str, release.limits)
            line = line._replace(ci_low=low, ci_high=high, unbiased=release.value)
        lines.append(line)
    return lines
