"""Which systems can be told apart: ranks with simultaneous limits, and groups.

Conventions
-----------
* A system has V versions of one number. Less is better, and the first version orders the systems.
  A difference counts only if every version shows it.
* Differences of all pairs are paired by persons. Their errors are by the jackknife, and a
  bootstrap over persons says how many errors the largest difference of all pairs is away from 0
  by chance, in 95 % of boards (Romano and Wolf). The errors are those of each replicate: with few
  persons that takes far larger differences, as it must where most evidence is of few persons.
  A person is drawn by the name, as in bootstrap.
* Let some of K systems be shown to be better than a system, and others to be worse. Then its rank
  lies from 1 + the former to K - the latter. In 95 % of boards all true ranks lie so (Mogstad et
  al.).
* Within a group no two systems are told apart. From the best number to the worst, a group ends
  before the first system that is shown to be worse than one of the group. So a system may also be
  inseparable from some of the next group: its rank's limits say so.
* With fewer than FEWEST_PERSONS nothing is told apart.

References
----------
Mogstad, Romano, Shaikh and Wilhelm, Inference for ranks, Review of Economic Studies 91, 2024.
Romano and Wolf, Exact and approximate stepdown methods for multiple hypothesis testing, JASA 100,
2005.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from voiceprivacy.privacy import Counts, Flags, Floats
from voiceprivacy.privacy.uncertainty.bootstrap import multiplicities

FEWEST_PERSONS = 10
CONFIDENCE = 0.95
N_REPLICATES, SEED = 2000, 0
NEGLIGIBLE = 1e-9  # an error in the unit of the numbers


class Measured(NamedTuple):
    """V versions of a system's number, and what each person adds to their errors.

    ``values`` is (V,), ``contributions`` {person: (V,)}. The sum of their squares over persons is
    the variance of a value.
    """

    values: Floats
    contributions: Mapping[str, Floats]


class Rank(NamedTuple):
    """The group of a system, from 1, and the limits of its rank."""

    group: int
    low: int
    high: int


def measured(estimates: Floats, persons: Sequence[str]) -> Measured:
    """The numbers of one list, from those of all persons and without each of them.

    Parameters
    ----------
    estimates : array (1 + S, V)
    persons : S names
    """
    without = estimates[1:]
    share = np.sqrt((len(without) - 1) / len(without))
    contributions = share * (without.mean(axis=0) - without)
    return Measured(estimates[0], dict(zip(persons, contributions, strict=True)))


def mean_over_lists(lists: Sequence[Measured]) -> Measured:
    """The mean over lists of equal weight; a person may speak in several of them."""
    summed: dict[str, Floats] = {}
    for one in lists:
        for person, own in one.contributions.items():
            summed[person] = summed.get(person, 0) + own / len(lists)
    return Measured(np.mean([one.values for one in lists], axis=0), summed)


def ranks(systems: Mapping[str, Measured]) -> dict[str, Rank]:
    """The group and the rank's limits of every system, from the best number to the worst.

    A person whom a system lacks has no contribution to it.
    """
    names = sorted(systems, key=lambda name: (systems[name].values[0], name))
    better = told_apart([systems[name] for name in names])
    ranked: dict[str, Rank] = {}
    first = group = 0
    for position, name in enumerate(names):
        if position == 0 or better[first:position, position].any():
            first, group = position, group + 1
        low, high = 1 + better[:, position].sum(), len(names) - better[position].sum()
        ranked[name] = Rank(group, int(low), int(high))
    return ranked


def told_apart(systems: Sequence[Measured]) -> Flags:
    """Which system (row) is shown to have less than which other one (column), array (K, K)."""
    persons = sorted(set().union(*(one.contributions for one in systems)))
    shown = ~np.eye(len(systems), dtype=bool) & (len(persons) >= FEWEST_PERSONS)
    if len(systems) < 2 or not shown.any():
        return shown & False
    drawn = multiplicities(persons, n_replicates=N_REPLICATES, seed=SEED)
    nothing = np.zeros(len(systems[0].values))
    contributions = np.array(
        [[one.contributions.get(person, nothing) for person in persons] for one in systems]
    )  # (K, S, V)
    for version in range(len(nothing)):
        values = np.array([one.values[version] for one in systems])
        own = contributions[:, :, version]
        farthest = _largest_error(own, drawn)
        for position, value in enumerate(values):
            error = np.sqrt(((own - own[position]) ** 2).sum(axis=1))
            shown[position] &= values - value > farthest * np.maximum(error, NEGLIGIBLE)
    return shown


def _largest_error(contributions: Floats, drawn: Counts) -> float:
    """How many errors the largest difference of two equal systems of K is away from 0.

    Parameters
    ----------
    contributions : array (K, S)
    drawn : array (B, S)
        How often each person is drawn
    """
    n_drawn = np.maximum(drawn.sum(axis=1), 1)[:, None]
    sums = drawn @ contributions.T
    largest = np.zeros(len(drawn))
    for position, own in enumerate(contributions):
        difference = contributions - own
        squares = drawn @ (difference**2).T
        error = np.sqrt(np.maximum(squares - (drawn @ difference.T) ** 2 / n_drawn, 0))
        moved = np.abs(sums - sums[:, [position]])
        known = error > NEGLIGIBLE
        times = np.divide(moved, error, out=np.zeros_like(moved), where=known)
        largest = np.maximum(largest, times.max(axis=1))
    return float(np.quantile(largest, CONFIDENCE))
