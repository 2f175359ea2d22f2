"""How long a run still takes: said where what has been measured bounds it, else not at all.

Conventions
-----------
* Each rule has a shortest and a longest mean of the jobs to come. Of three finished jobs or more
  these are the shortest and the longest, drawn to the mean by the square root of how many come; of
  fewer, their mean divided and multiplied by FEW.
* A rule of which no job has finished takes from half to twice the mean of such jobs whose time does
  not follow from how much speech there is. Of a rule whose time does (OF_SPEECH) nothing is known
  then, and nothing is said.
* Jobs run side by side as they did so far.
* The time is the geometric mean of both bounds. It is said if each is within a factor of WITHIN of
  it, and if at least LEAST_S are left.

Replayed from the logs of 49 runs (docs/internals/load.md), this is right within a factor of 1.5 in
more than nine of ten lines that say a time. Most lines of short runs say none.
"""

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import NamedTuple

# Beginnings of rules that take longer for more speech, or for a larger model.
OF_SPEECH = ("anonymise_", "extract_", "measure_", "prepare_", "train_")
PICTURES = "plot_"  # each list and attacker has a rule of its own
FEW, UNKNOWN = 1.5, 2.0
ENOUGH = 3  # finished jobs
WITHIN = 1.5
LEAST_S = 20.0


class Bounds(NamedTuple):
    """The shortest and the longest time in seconds."""

    shortest: float
    longest: float


def left_s(
    planned: Mapping[str, int],
    took_s: Mapping[str, Sequence[float]],
    running_s: Iterable[tuple[str, float]],
    elapsed_s: float,
) -> float | None:
    """Return the seconds that are left; None where too little is known.

    Parameters
    ----------
    planned : {rule: all its jobs}
    took_s : {rule: seconds of each finished job}
    running_s : (rule, seconds so far) of each job that runs
    elapsed_s : since the run began
    """
    finished: dict[str, list[float]] = defaultdict(list)
    for rule, times in took_s.items():
        finished[_pooled(rule)] += times
    running = [(_pooled(rule), so_far) for rule, so_far in running_s]
    to_begin = Counter({_pooled(rule): 0 for rule in planned})
    for rule, count in planned.items():
        to_begin[_pooled(rule)] += count
    to_begin.subtract(Counter(rule for rule, _ in running))
    to_begin.subtract({rule: len(times) for rule, times in finished.items()})
    spent_s = math.fsum(itertools.chain(*finished.values(), (so_far for _, so_far in running)))
    if elapsed_s <= 0 or spent_s <= 0:
        return None
    side_by_side = max(1.0, spent_s / elapsed_s)
    shortest = longest = shortest_rest = longest_rest = 0.0
    for rule, count in to_begin.items():
        if count > 0:
            bounds = _bounds(rule, count, finished)
            if bounds is None:
                return None
            shortest += count * bounds.shortest / side_by_side
            longest += count * bounds.longest / side_by_side
    for rule, so_far in running:
        bounds = _bounds(rule, 1, finished)
        if bounds is None or so_far > bounds.longest:
            return None  # what has outlasted its time may take any
        at_least, at_most = max(0.0, bounds.shortest - so_far), bounds.longest - so_far
        shortest += at_least / side_by_side
        longest += at_most / side_by_side
        shortest_rest, longest_rest = max(shortest_rest, at_least), max(longest_rest, at_most)
    # However many run side by side, the longest job is waited for.
    shortest, longest = max(shortest, shortest_rest), max(longest, longest_rest)
    if shortest <= 0 or longest > WITHIN**2 * shortest:
        return None
    middle = math.sqrt(shortest * longest)
    return middle if middle >= LEAST_S else None


def _pooled(rule: str) -> str:
    """The rule, or the beginning of its name where a rule is made for each list and attacker."""
    return PICTURES if rule.startswith(PICTURES) else rule


def _bounds(rule: str, count: int, finished: Mapping[str, Sequence[float]]) -> Bounds | None:
    """Bounds of the mean time of so many jobs of a rule; None where nothing is known."""
    times = finished.get(rule, ())
    if times:
        mean = fmean(times)
        if len(times) < ENOUGH:
            return Bounds(mean / FEW, mean * FEW)
        share = 1 / math.sqrt(count)
        return Bounds(mean - share * (mean - min(times)), mean + share * (max(times) - mean))
    others = [own for name, own in finished.items() if not name.startswith(OF_SPEECH)]
    of_others = [*itertools.chain.from_iterable(others)]
    if rule.startswith(OF_SPEECH) or not of_others:
        return None
    mean = fmean(of_others)
    return Bounds(mean / UNKNOWN, mean * UNKNOWN)
