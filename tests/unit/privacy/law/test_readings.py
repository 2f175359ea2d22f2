"""Four readings of scores: by hand, infinities, mirrored scores, and pairs in both directions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from voiceprivacy.privacy.law.readings import READINGS, distances, either_way, read_in, searched_in
from voiceprivacy.privacy.scores.samples import SpeakerTrials
from voiceprivacy.privacy.scores.score_files import Ids

INF = np.inf


def far(scores, target):
    return read_in(np.array(scores, dtype=float), "far", nontarget=~np.array(target)).tolist()


def test_five_trials_in_all_readings_by_hand():
    """Nontargets at 1, 2, 2 and 9, targets at 2 and 5: the median of the nontargets is 2."""
    scores = np.array([1.0, 2, 2, 2, 5, 9])
    nontarget = np.array([True, True, False, True, False, True])
    read = {name: read_in(scores, name, nontarget=nontarget).tolist() for name in READINGS}
    assert read == {
        "ascending": [1, 2, 2, 2, 5, 9],
        "descending": [-1, -2, -2, -2, -5, -9],
        "near": [-1, 0, 0, 0, -3, -7],
        "far": [1, 0, 0, 0, 3, 7],
    }


def test_an_infinite_score_is_not_far_from_an_infinite_one():
    assert distances(np.array([-INF, 0, INF]), INF).tolist() == [INF, INF, 0]
    assert distances(np.array([-INF, 0, INF]), 0.0).tolist() == [INF, 0, INF]


@pytest.mark.parametrize(
    ("nontargets", "target", "expected"),
    [
        ([0, 4], 5, [2, 2, 3]),  # the median between two nontargets is their mean
        ([0, 0, 1], INF, [0, 0, 1, INF]),
        ([INF, INF, 0], INF, [0, 0, INF, 0]),  # the median is infinite, and so is the target
        ([-INF, INF], 3, [INF, INF, 3]),  # no number is the mean of these
    ],
)
def test_scores_have_distances_infinite_ones_too(nontargets, target, expected):
    assert far([*nontargets, target], [False] * len(nontargets) + [True]) == expected


VALUES = st.one_of(st.integers(-4, 4).map(float), st.sampled_from([-INF, INF]))


@given(st.lists(st.tuples(VALUES, st.booleans()), min_size=1, max_size=40))
def test_negated_scores_are_the_same_in_the_opposite_reading(drawn):
    scores, nontarget = map(np.array, zip(*sorted(drawn), strict=True))
    if not nontarget.any():
        return
    for reading, opposite in zip(READINGS, ("descending", "ascending", "near", "far"), strict=True):
        negated = read_in(-scores, opposite, nontarget=nontarget)
        assert read_in(scores, reading, nontarget=nontarget).tolist() == negated.tolist()


@pytest.mark.parametrize("reading", READINGS)
def test_pairs_in_both_directions_are_read_as_once(reading):
    """The median that near and far measure from is that of the pairs."""
    draw = np.random.default_rng(0)
    scores, speakers = np.sort(draw.normal(size=9) ** 3), np.array(["a", "b", "c"])
    target = np.arange(9) % 3 == 0
    one, other = np.arange(9) % 3, np.where(target, np.arange(9), np.arange(9) + 1) % 3
    ids = Ids(np.arange(9), np.arange(9) + 10)
    trials = SpeakerTrials(speakers, scores, target, one, other)
    expected = searched_in(trials, ids, reading)["trials"].scores
    both, both_ids = either_way(trials, ids)
    searched = searched_in(both, both_ids, reading)
    assert searched["trials"].scores.tolist() == np.repeat(expected, 2).tolist()
    pairs = set(zip(searched["enrolment_id"], searched["trial_id"], strict=True))
    assert pairs == {(k, k + 10) for k in range(9)} | {(k + 10, k) for k in range(9)}
