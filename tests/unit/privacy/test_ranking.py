"""Ranks and groups of systems: by hand, in any order, and as often right as they say."""

from itertools import combinations

import numpy as np
import pytest

from voiceprivacy.privacy.uncertainty import ranking
from voiceprivacy.privacy.uncertainty.ranking import Rank, mean_over_lists, measured, ranks
from voiceprivacy.privacy.verdict.evidence import PERCENT, Evidence, gain

K, GROUPS = 10, 6
DISTANCES = {
    "weak": np.full(K, 1.0),
    "strong": np.full(K, 3.0),
    "spread": np.linspace(0.5, 3.0, K),
    "clumps": np.repeat([0.5, 1.0, 2.0, 3.0], [3, 3, 2, 2]),
}


def system(value, noise=(), names="abcdefghijkl"):
    """A system whose number is a mean over persons, twice."""
    own = value + np.resize([0.01, -0.01, *noise], len(names))
    without = (own.sum() - own) / (len(own) - 1)
    return measured(np.tile(np.append(own.mean(), without), (2, 1)).T, names)


def test_what_can_be_told_apart_is_in_another_group_and_ranks_have_limits():
    known = {"far": system(9.0), "b": system(1.0), "a": system(1.0, (0.02, 0.03)), "c": system(5.0)}
    expected = {"b": Rank(1, 1, 2), "a": Rank(1, 1, 2), "c": Rank(2, 3, 3), "far": Rank(3, 4, 4)}
    assert ranks(known) == expected == ranks(dict(reversed(known.items())))
    assert ranks({"only": system(1.0)}) == {"only": Rank(1, 1, 1)}


def test_of_few_persons_nothing_is_told_apart_and_lists_join_theirs():
    few = {"a": [system(1.0, names="abcdef")], "b": [system(5.0, names="abcdef")]}
    assert {*ranks({name: lists[0] for name, lists in few.items()}).values()} == {Rank(1, 1, 2)}
    for value, lists in zip((1.0, 5.0), few.values(), strict=True):
        lists.append(system(value + 1, names="uvwxyz"))
    means = {name: mean_over_lists(lists) for name, lists in few.items()}
    assert means["b"].values == pytest.approx([5.5, 5.5])
    assert [*ranks(means).values()] == [Rank(1, 1, 1), Rank(2, 2, 2)]


def test_a_difference_counts_if_every_version_shows_it():
    one, other = system(1.0), system(5.0)
    hidden = other._replace(values=np.array([5.0, 1.0]))
    assert {*ranks({"one": one, "other": hidden}).values()} == {Rank(1, 1, 2)}


def test_equal_systems_are_one_group_and_clear_ones_keep_their_ranks(monkeypatch):
    monkeypatch.setattr(ranking, "N_REPLICATES", 200)
    for distances in ("weak", "spread"):
        held = [holds(board(seed, DISTANCES[distances], 20), distances)[0] for seed in range(1)]
        assert all(held)


@pytest.mark.nightly
@pytest.mark.parametrize("distances", DISTANCES)
def test_rank_intervals_hold_true_ranks_and_equal_systems_are_one_group(distances):
    """500 boards of ten systems and 20 persons: docs/internals/uncertainty.md has the figures."""
    held = [holds(board(seed, DISTANCES[distances], 20), distances) for seed in range(500)]
    all_hold, one_group = np.mean(held, axis=0)
    print(distances, all_hold, one_group)
    assert all_hold >= 0.95
    if len({*DISTANCES[distances]}) == 1:
        assert one_group >= 0.9


def holds(systems, distances):
    """Whether the limits of all ranks hold the true ones, and whether there is one group."""
    ranked, true = ranks(systems), DISTANCES[distances]
    held = []
    for name, rank in ranked.items():
        own = true[int(name)]
        held.append(rank.low <= 1 + (true < own).sum() and K - (true > own).sum() <= rank.high)
    return all(held), {rank.group for rank in ranked.values()} == {1}


def board(seed, distances, n_persons, n_trials=3):
    """Ten systems attacked with Gaussian scores, of persons who are easy or hard to find.

    Scores of a trial correlate between systems, as the speech is the same. Instead of the learner
    of the verdict, a Gaussian one with equal variances makes LLRs: held out by groups of persons,
    and in sample.
    """
    draw = np.random.default_rng([seed, n_persons])
    easy = draw.normal(size=n_persons)
    common = draw.normal(size=(n_persons, n_persons, n_trials))
    systems = {}
    for number, distance in enumerate(distances):
        scores = np.sqrt(0.6) * common + np.sqrt(0.4) * draw.normal(size=common.shape)
        strength = np.maximum(1 + 0.5 * easy + 0.3 * draw.normal(size=n_persons), 0)
        scores[np.diag_indices(n_persons)] += distance * strength[:, None]
        versions = np.column_stack([estimates(own) for own in held_out_and_in_sample(scores)])
        systems[str(number)] = measured(versions, [f"p{person}" for person in range(n_persons)])
    return systems


def estimates(pairs):
    """Evidence of all persons and without each, of the means of all pairs of persons (S, S)."""
    names, numbers = tuple(map(str, range(len(pairs)))), np.arange(pairs.size)
    unused = {"llrs": None, "centred": None, "candidates": [], "n_targets": 0, "chosen": None}
    evidence = Evidence(names, numbers, pairs.ravel(), None, recordings=1, **unused)
    return evidence.estimates(evidence.held_out)[:, 0]


def held_out_and_in_sample(scores):
    persons = np.arange(len(scores))
    held, counts = np.zeros(scores.shape[:2]), np.zeros(scores.shape[:2])
    for pair in combinations(range(GROUPS), 2):
        judged = np.isin(persons % GROUPS, pair)
        within = np.outer(judged, judged)
        held[within] += gains(scores, persons[~judged])[within]
        counts += within
    return held / counts, gains(scores, persons)


def gains(scores, persons):
    """What the LLRs are worth that are learnt from some persons, means of pairs in percent."""
    own, target = scores[np.ix_(persons, persons)], np.eye(len(persons), dtype=bool)
    high, low = own[target].mean(), own[~target].mean()
    variance = (own[target].var() + own[~target].var()) / 2
    bound = np.log(2 * len(scores))
    llrs = np.clip((high - low) / variance * (scores - (high + low) / 2), -bound, bound)
    signs = np.where(np.eye(len(scores), dtype=bool)[:, :, None], 1, -1)
    return PERCENT * gain(signs * llrs).mean(axis=2)
