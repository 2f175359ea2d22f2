"""Who is linked: against all sets there are, by chance, and where the truth is known."""

from itertools import combinations

import numpy as np
import pytest
from support.heldout_lists import few_draws

from voiceprivacy.privacy.verdict import linked
from voiceprivacy.privacy.verdict.linked import linked_facts, linked_in, linked_persons, release_of

quick = pytest.fixture(few_draws)


def voices(n_persons, n_recordings, seed, *, alike=0.0, n_alike=1, n_together=None):
    """Cosines of recordings, array (N, N). Those of the first persons have a part in common.

    ``n_together`` recordings one after another have the same part; all of the person if not given.
    """
    draw = np.random.default_rng(seed)
    n_together = n_together or n_recordings
    vectors = draw.normal(size=(n_persons, n_recordings, 24))
    parts = draw.normal(size=(n_alike, n_recordings // n_together, 24))
    vectors[:n_alike] += alike * np.repeat(parts, n_together, axis=1)
    vectors = vectors.reshape(-1, 24) / np.linalg.norm(vectors, axis=2).reshape(-1, 1)
    return vectors @ vectors.T


def listed(cosines, n_recordings, share=1.0):
    """Pairs of recordings, scores and speakers, with a share of the pairs of two persons."""
    one, other = np.triu_indices(len(cosines), 1)
    kept = np.random.default_rng(1).random(len(one)) < share
    kept |= one // n_recordings == other // n_recordings
    pairs = np.stack([one[kept], other[kept]], axis=1)
    speaker_of = {f"t{number}": f"p{number // n_recordings}" for number in range(len(cosines))}
    return [(f"t{a}", f"t{b}") for a, b in pairs], cosines[*pairs.T][:, None], speaker_of


@pytest.mark.parametrize("share", [1, 0.5])
def test_what_is_usual_of_recordings_is_no_likeness(share):
    usual = np.random.default_rng(0).normal(size=20)
    release = release_of(*listed(usual[:, None] + usual + 7, 2, share))
    assert release.scores == pytest.approx(0, abs=1e-4)


def test_p_values_are_shares_of_all_sets_there_are():
    """Of 12 recordings there are 220 sets of three. Ranks are of the mean and the farthest."""
    release = release_of(*listed(voices(4, 3, 5), 3))
    matrix = np.zeros((12, 12))
    matrix[release.first, release.second] = release.scores[:, 0]
    sets = [*combinations(range(12), 3)]
    pairs = np.abs(np.array([[matrix[pair] for pair in combinations(own, 2)] for own in sets]))
    means = np.abs([sum(matrix[pair] for pair in combinations(own, 2)) for own in sets])
    far = np.stack([means, pairs.max(axis=1)], axis=1)
    ranks = (far[:, None] <= far[None]).sum(axis=1).min(axis=1)
    p_values = linked_persons(release)
    for number, name in enumerate(release.persons):
        own = sets.index((*np.flatnonzero(release.person == number),))
        assert p_values[name] == pytest.approx((ranks <= ranks[own]).mean(), abs=0.02)


@pytest.mark.parametrize(("share", "n_attacks"), [(1, 1), (0.5, 1), (1, 2)])
def test_who_alone_is_linked_is_named_in_either_direction(share, n_attacks):
    """The second of two attackers finds nothing, and scores of the first are distances."""
    ids, scores, speaker_of = listed(voices(50, 4, 0, alike=4), 4, share)
    noise = np.random.default_rng(0).normal(size=(len(scores), n_attacks - 1))
    shown = linked_in(ids, np.hstack([-scores, noise]), speaker_of)
    facts = linked_facts({"all": shown}, shows_names=True)
    assert facts == {"persons": 1, "of": 50, "named": ["p0"]}


@pytest.mark.parametrize("share", [1, 0.5])
def test_without_links_few_are_named_and_recordings_are_near_by_chance(quick, share):
    """All pairs of one person are scored. 2.5 % are wanted of each."""
    n_named = n_near = 0
    for seed in range(40):
        shown = linked_in(*listed(voices(12, 4, seed), 4, share))
        n_named += min(shown.p_values.values()) <= 0.025 / 12
        n_near += shown.nearest.p_value <= 0.025
        n_others = 3 + share * 44
        assert shown.nearest.chance_percent == pytest.approx(300 / n_others, rel=0.1 * (share < 1))
    assert n_named <= 4 and n_near <= 4


def test_pairs_of_one_session_are_nearest_although_own_pairs_are_less_alike_on_average(quick):
    cosines = voices(20, 12, 0, alike=4, n_alike=20, n_together=2)
    cosines -= np.kron(np.eye(20), np.full((12, 12), 0.2))
    nearest = linked_in(*listed(cosines, 12)).nearest
    assert nearest.percent > 90 and nearest.p_value == 1 / 200


def test_all_are_nearest_to_their_partners(quick):
    pairs = np.kron(np.eye(10), np.ones((2, 2))) + 0.01 * voices(20, 1, 0)
    nearest = linked_in(*listed(pairs, 2)).nearest
    assert nearest == (100, pytest.approx(100 / 19), 1 / 200, 20)


@pytest.mark.parametrize("most", [16, 4000])
def test_names_rows_directions_units_and_signs_change_nothing(quick, monkeypatch, most):
    monkeypatch.setattr(linked, "MOST_RECORDINGS", most)
    ids, scores, speaker_of = listed(voices(6, 4, 3, alike=1), 4, 0.7)
    scores = np.round(scores, 9)
    expected = linked_in(ids, scores, speaker_of)
    assert len(expected.p_values) == min(most // 4, 6)
    rows = np.random.default_rng(0).permutation(len(ids))
    renamed = {name: str(int(name[1:]) * 7 % 24) for name in speaker_of}
    shown = linked_in(
        [tuple(renamed[name] for name in ids[row][:: (-1) ** int(row)]) for row in rows],
        -3 * scores[rows] + 1,
        {renamed[name]: speaker[::-1] for name, speaker in speaker_of.items()},
    )
    p_values = {name[::-1]: p_value for name, p_value in shown.p_values.items()}
    assert (p_values, shown.nearest) == expected


def test_persons_without_two_compared_recordings_are_not_tested(quick):
    ids, scores, speaker_of = listed(voices(6, 2, 0), 2)
    apart = [speaker_of[one] != speaker_of[other] for one, other in ids]
    alone = linked_in([ids[row] for row in np.flatnonzero(apart)], scores[apart], speaker_of)
    assert alone == ({}, None)
    assert linked_facts({"all": alone}) is None


def test_drawn_sets_have_equally_many_pairs_and_all_of_them_are_scored(quick):
    position = np.arange(400).reshape(20, 20)
    position[np.random.default_rng(0).random((20, 20)) < 0.6] = -1
    pairs = linked._drawn_pairs(position, 4, 50, np.random.default_rng(0))
    assert len(pairs) == 50 and pairs.shape[1] > 2
    assert pairs.min() >= 0
