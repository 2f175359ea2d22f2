"""Who is linked within a release: single persons, and recordings by their nearest neighbour.

Both tests ask whether recordings are exchangeable, which they are if nothing links those of one
person. So pairs that share a recording are no problem, and no attacker has to learn: where one
person alone is linked, others teach nothing. Scores are centred without regard to persons. Neither
their sign nor their unit counts, and recordings are numbered by their scores, not by their names.

Lists may lack pairs, and above all pairs of two persons (at most 50,000 are scored). Who has a
score may depend on persons, but not on the scores.
"""

from collections.abc import Mapping
from math import comb
from typing import Any, NamedTuple

import numpy as np

from voiceprivacy.privacy import Counts, Floats
from voiceprivacy.privacy.uncertainty.multiple import LEVEL, bonferroni, significant
from voiceprivacy.privacy.verdict.trials import RESOLUTION, group_means, standardised

MOST_TOGETHER = 20  # recordings of one person whose pairs are pooled; of more, they are drawn
MOST_RECORDINGS = 4000  # in which single persons are tested; of longer lists, persons are drawn
FEWEST_DRAWN, DRAWN_PER_TEST = 10_000, 200  # sets; about five lie above a corrected level of 2.5 %
MOST_LOOKED_UP = 3_000_000  # pairs of all the sets that are drawn for one number of recordings
N_CENTRED = 30  # rounds; each halves what is left
N_PERMUTED = 1999


class Release(NamedTuple):
    """M scored pairs of N recordings of S persons under A attacks. Each pair is there once."""

    persons: tuple[str, ...]  # (S,)
    person: Counts  # (N,) of each recording
    first: Counts  # (M,) recordings
    second: Counts  # (M,)
    scores: Floats  # (M, A) less what is usual of both recordings

    @property
    def own(self) -> Any:
        """Which pairs are of one person, array (M,)."""
        return self.person[self.first] == self.person[self.second]


class Nearest(NamedTuple):
    """How often the nearest other recording is of the same person.

    It is the attack that finds most of them, by its largest or by its smallest scores.
    """

    percent: float  # of the recordings
    chance_percent: float  # by guessing
    p_value: float
    recordings: int  # that are compared with another one of the same person


class Linked(NamedTuple):
    """What is linked on one list."""

    p_values: dict[str, float]  # of persons; not corrected for their number
    nearest: Nearest | None


def linked_in(ids: Any, scores: Floats, speaker_of: Mapping[str, str], n_lists: int = 1) -> Linked:
    """Test both; for the parameters see the functions below."""
    release = release_of(ids, scores, speaker_of)
    return Linked(linked_persons(release, n_lists), nearest(release))


def linked_facts(
    linked: Mapping[str, Linked], *, shows_names: bool = False
) -> dict[str, Any] | None:
    """How many persons are linked on all lists; None where none can be tested.

    Parameters
    ----------
    linked : of each list
    """
    p_values = {name: own.p_values for name, own in linked.items()}
    if not any(p_values.values()):
        return None
    shown = [*significant(p_values, LEVEL).values()]
    return {
        "persons": sum(map(len, shown)),
        "of": sum(map(len, p_values.values())),
        "named": sorted(set().union(*shown)) if shows_names else [],
    }


def nearest_facts(linked: Mapping[str, Linked]) -> dict[str, Any] | None:
    """Nearest recordings of the list where chance explains them least, corrected for all lists."""
    known = {name: own.nearest for name, own in linked.items() if own.nearest}
    if not known:
        return None
    worst = min(sorted(known), key=lambda name: (known[name].p_value, -known[name].percent))
    p_value = bonferroni([own.p_value for own in known.values()])
    together = {"list": worst, "p_value": p_value, "beyond_chance": p_value <= LEVEL}
    return known[worst]._asdict() | together


def release_of(ids: Any, scores: Floats, speaker_of: Mapping[str, str]) -> Release:
    """Number recordings, join both directions of a pair, and centre scores.

    Parameters
    ----------
    ids : M pairs of str
        Two recordings
    scores : array (M, A)
        Also non-finite ones
    speaker_of : mapping of str
        The speaker of each id
    """
    names, sides = np.unique(np.array(ids), return_inverse=True)
    sides = np.sort(sides.reshape(-1, 2), axis=1)
    persons, person = np.unique([speaker_of[name] for name in names.tolist()], return_inverse=True)
    two = sides[:, 0] != sides[:, 1]
    sides, scores = sides[two], scores[two]
    scores = standardised(scores, np.equal(*person[sides.T]))
    # Sums of whole numbers are exact, so that the numbers do not depend on the order of rows.
    size = np.rint(np.abs(scores) * RESOLUTION).sum(axis=1)
    total = sum(np.bincount(side, size, len(names)) for side in sides.T)
    ranked = np.argsort(total, kind="stable")
    number = np.argsort(ranked)
    sides = np.sort(number[sides], axis=1)
    pairs, scores = group_means(sides[:, 0] * len(names) + sides[:, 1], scores)
    first, second = divmod(pairs, len(names))
    columns = [_centred(first, second, column, len(names)) for column in scores.T]
    centred = np.array(columns).reshape(scores.shape[1], len(pairs)).T
    return Release(tuple(persons.tolist()), person[ranked], first, second, centred)


def _centred(first, second, scores, n_recordings):
    """Scores (M,) less the effects of both recordings, by least squares.

    Pairs of one person count like others: else they would vary more by chance.
    """
    sides = np.concatenate([first, second])
    degree = np.maximum(np.bincount(sides, minlength=n_recordings), 1)
    effect = np.zeros(n_recordings)
    for _ in range(N_CENTRED):
        rest = scores - effect[first] - effect[second]
        # Half a step: a whole one would go to and fro between two sides.
        effect += np.bincount(sides, np.tile(rest, 2), n_recordings) / degree / 2
    return scores - effect[first] - effect[second]


def linked_persons(release: Release, n_lists: int = 1) -> dict[str, float]:
    """P-values of persons: are own recordings more alike than as many drawn from all?

    Drawn sets may hold recordings of one person, too. A set is as far out as the mean of its pairs,
    or its farthest pair, whichever is rarer among sets, in any attack and in both directions. How
    rare that is, is compared with the same of the drawn sets. All sets have equally many pairs:
    where pairs are missing, the most complete ones of many drawn sets are taken.

    Parameters
    ----------
    n_lists : int
        That persons are corrected for: more sets are drawn, so that p-values are small enough

    Returns
    -------
    {person: p-value} of those of whom two recordings are compared, in the order of their scores
    """
    draw = np.random.default_rng(0)
    release = _shortened(release, draw)
    n_recordings, pairs = len(release.person), np.arange(len(release.first), dtype=np.int32)
    position = np.full((n_recordings, n_recordings), -1, dtype=np.int32)
    position[release.first, release.second] = position[release.second, release.first] = pairs
    _, firsts = np.unique(release.person, return_index=True)
    tried: dict[int, dict[str, Counts]] = {}  # by the number of recordings
    for person in release.person[np.sort(firsts)]:
        own = draw.permutation(np.flatnonzero(release.person == person))[:MOST_TOGETHER]
        scored = _pairs_within(position, own[None])[0]
        scored = draw.permutation(scored[scored >= 0])
        if len(scored):
            tried.setdefault(len(own), {})[release.persons[person]] = scored
    n_drawn = max(FEWEST_DRAWN, DRAWN_PER_TEST * n_lists * sum(map(len, tried.values())))
    p_values: dict[str, float] = {}
    for size, persons in sorted(tried.items()):
        drawn = _drawn_pairs(position, size, n_drawn, draw)
        numbers = {name: min(len(scored), drawn.shape[1]) for name, scored in persons.items()}
        for number in {*numbers.values()} - {0}:
            alike = [name for name in persons if numbers[name] == number]
            own = np.array([persons[name][:number] for name in alike])
            rare = _rare(_far_out(release, own), _far_out(release, drawn[:, :number]))
            p_values |= zip(alike, rare.tolist(), strict=True)
    return p_values


def _shortened(release, draw):
    """The recordings of some persons, if they are too many."""
    if len(release.person) <= MOST_RECORDINGS:
        return release
    _, firsts = np.unique(release.person, return_index=True)
    persons = draw.permutation(release.person[np.sort(firsts)])
    sizes = np.bincount(release.person)[persons]
    kept = np.isin(release.person, persons[sizes.cumsum() <= MOST_RECORDINGS])
    number = kept.cumsum() - 1
    pairs = kept[release.first] & kept[release.second]
    return Release(
        release.persons,
        release.person[kept],
        number[release.first[pairs]],
        number[release.second[pairs]],
        release.scores[pairs],
    )


def _pairs_within(position, sets):
    """All pairs of sets (B, n) of recordings, array (B, n (n - 1) / 2); -1 where one is missing."""
    one, other = np.triu_indices(sets.shape[1], 1)
    return position[sets[:, one], sets[:, other]]


def _drawn_pairs(position, size, n_drawn, draw):
    """Pairs of drawn sets of ``size`` recordings: as many of each set, array (B, k)."""
    n_recordings = len(position)
    most = MOST_LOOKED_UP // comb(size, 2)
    n_drawn = min(n_drawn, max(FEWEST_DRAWN, most))
    is_complete = (position < 0).sum() == n_recordings  # the diagonal
    n_sets = n_drawn if is_complete else max(n_drawn, most)
    # A permutation of all recordings has several sets.
    n_in_one = n_recordings // size
    rows = np.tile(np.arange(n_recordings), (-(-n_sets // n_in_one), 1))
    sets = draw.permuted(rows, axis=1)[:, : n_in_one * size].reshape(-1, size)[:n_sets]
    pairs = _pairs_within(position, sets)
    n_scored = (pairs >= 0).sum(axis=1)
    kept = np.argsort(-n_scored, kind="stable")[:n_drawn]
    scored_first = np.argsort(pairs[kept] < 0, axis=1, kind="stable")
    return np.take_along_axis(pairs[kept], scored_first, axis=1)[:, : n_scored[kept].min()]


def _far_out(release, pairs):
    """How far from 0 the mean and the farthest one of pairs (B, k) are, array (B, 2 A)."""
    columns = []
    for scores in release.scores.T:
        values = scores[pairs]
        columns += [np.abs(values.mean(axis=1)), np.abs(values).max(axis=1)]
    return np.stack(columns, axis=1)


def _rare(own, drawn):
    """P-values of sets (B, C) by drawn ones (D, C): of the smallest rank in any column."""
    ordered = np.sort(drawn, axis=0)
    n_farther = [
        np.min(
            [
                len(drawn) - np.searchsorted(column, values)
                for column, values in zip(ordered.T, sets.T, strict=True)
            ],
            axis=0,
        )
        for sets in (own, drawn)
    ]
    # A drawn set is not farther out than itself.
    as_rare = np.searchsorted(np.sort(n_farther[1] - 1), n_farther[0], "right")
    return (1 + as_rare) / (1 + len(drawn))


def nearest(release: Release) -> Nearest | None:
    """Whose recordings are nearest neighbours: those of one person, or of two as by chance?

    The p-value is that of permuted persons. For it, where lists lack pairs of two persons, as many
    pairs of one person are left out. None where no two recordings of a person are compared.
    """
    own = release.own
    compared = np.unique([release.first[own], release.second[own]])
    if not len(compared):
        return None
    sides = np.concatenate([release.first, release.second])
    shares = np.bincount(sides, np.tile(own, 2)) / np.maximum(np.bincount(sides), 1)

    def n_found(neighbours, person):
        recordings, nearest_ones = neighbours
        return (person[nearest_ones] == person[recordings]).sum(axis=1).max()

    draw = np.random.default_rng(0)
    even = _neighbours(_evenly_scored(release, draw))
    by_chance = [n_found(even, draw.permutation(release.person)) for _ in range(N_PERMUTED)]
    n_as_many = (np.array(by_chance) >= n_found(even, release.person)).sum()
    return Nearest(
        percent=float(100 * n_found(_neighbours(release), release.person) / len(compared)),
        chance_percent=float(100 * shares[compared].mean()),
        p_value=float((1 + n_as_many) / (1 + N_PERMUTED)),
        recordings=len(compared),
    )


def _neighbours(release):
    """Recordings that are in a pair (R,), and their nearest ones (2 A, R), in both directions."""
    sides = np.concatenate([release.first, release.second])
    others = np.concatenate([release.second, release.first])
    neighbours = []
    for column in np.hstack([release.scores, -release.scores]).T:
        order = np.lexsort([np.tile(column, 2), sides])
        last = order[np.flatnonzero(np.diff(sides[order], append=-1))]
        neighbours.append(others[last])
    return sides[last], np.array(neighbours)


def _evenly_scored(release, draw):
    """The release with pairs of one and of two persons left out until both are equally complete."""
    own = release.own
    sizes = np.bincount(release.person)
    n_own = (sizes * (sizes - 1)).sum() / 2
    n_other = len(release.person) * (len(release.person) - 1) / 2 - n_own
    shares = np.array([(~own).sum() / max(n_other, 1), own.sum() / max(n_own, 1)])
    kept = draw.random(len(own)) * shares[own.astype(int)] <= shares.min()
    return release._replace(
        first=release.first[kept], second=release.second[kept], scores=release.scores[kept]
    )
