"""Curves and more speakers than there are: marked, limited, and near what larger lists give."""

import numpy as np
import pytest
from support.speakers import conversation_list

from voiceprivacy.privacy.uncertainty.bootstrap import multiplicities
from voiceprivacy.privacy.verdict import beyond, law


def effects(seed, n_speakers, n_utterances, separation):
    """Scores (S, U, S) with effects of models, of pairs and of utterances."""
    draw = np.random.default_rng(seed)
    own = separation * np.eye(n_speakers)[:, None, :]
    pairs = draw.normal(0, 0.5, (n_speakers, 1, n_speakers))
    noise = draw.normal(size=(n_speakers, n_utterances, n_speakers))
    return own + pairs + draw.normal(0, 0.5, n_speakers) + noise


def drawn(listed, n_replicates=100):
    return multiplicities(listed["trials"].speakers, n_replicates=n_replicates, seed=0)


def mean_of_lists(measure, n, *, n_lists, n_speakers, n_utterances):
    return np.mean(
        [
            measure(
                **conversation_list(effects(seed, n_speakers, n_utterances, 3.0)), n_speakers=n
            ).value
            for seed in range(n_lists)
        ]
    )


@pytest.mark.parametrize(
    ("measure", "extrapolate"),
    [
        (law.linkability, beyond.extrapolated_linkability),
        (law.singling_out, beyond.extrapolated_singling_out),
    ],
)
def test_what_is_extrapolated_is_near_what_larger_lists_give(measure, extrapolate):
    sizes = {"n_speakers": 200, "n_utterances": 2}
    truth = mean_of_lists(measure, 80, n_lists=3, **sizes)
    sizes = {"n_speakers": 40, "n_utterances": 5}
    assert mean_of_lists(extrapolate, 80, n_lists=15, **sizes) == pytest.approx(truth, abs=0.06)


@pytest.mark.parametrize(
    ("extrapolate", "there"),
    [(beyond.extrapolated_linkability, 24), (beyond.extrapolated_singling_out, 12)],
)
def test_a_rate_beyond_says_so_and_goes_ten_times_as_far(extrapolate, there):
    listed = conversation_list(effects(0, 24, 20, 2.0))
    rate = extrapolate(**listed, n_speakers=10 * there, weights=drawn(listed))
    assert 0 < rate.value < 1 and rate.reason == f"extrapolated from {there} speakers"
    assert np.median(rate.replicates) == pytest.approx(rate.value)
    further = extrapolate(**listed, n_speakers=10 * there + 1, weights=drawn(listed))
    assert np.isnan(further.value)
    assert further.reason.endswith(f"are more than ten times as many as the {there} there")


def test_beyond_needs_as_many_trials_for_a_threshold():
    listed = conversation_list(effects(0, 24, 4, 2.0))
    rate = beyond.extrapolated_singling_out(**listed, n_speakers=100)
    assert rate.reason == "528 trials of two speakers set a threshold, 1000 are needed"


def test_further_only_where_a_tenth_predicts_the_rest():
    """Where one other always comes first the rate falls along a line, which no law of six knows."""
    random = conversation_list(np.random.default_rng(1).normal(size=(40, 3, 40)))
    rate = beyond.extrapolated_linkability(**random, n_speakers=800, weights=drawn(random))
    assert rate.value == pytest.approx(1 / 800, abs=0.01)
    assert np.isnan(beyond.extrapolated_linkability(**random, n_speakers=800).value)
    too_far = beyond.extrapolated_linkability(**random, n_speakers=4001, weights=drawn(random))
    assert np.isnan(too_far.value)
    scores = np.zeros((60, 2, 60)) + np.eye(60)[:, None, :]
    scores[np.arange(60), :, np.arange(60) - 1] = 2
    line = conversation_list(scores)
    assert law.linkability(**line, n_speakers=30).value == pytest.approx(1 - 29 / 59)
    rate = beyond.extrapolated_linkability(**line, n_speakers=800, weights=drawn(line))
    assert np.isnan(rate.value)


def test_what_is_there_is_not_extrapolated():
    listed = conversation_list(effects(0, 24, 4, 2.0))
    rate = beyond.extrapolated_linkability(**listed, n_speakers=24)
    assert rate == law.linkability(**listed, n_speakers=24)._replace(replicates=rate.replicates)


@pytest.mark.parametrize("separation", [0, 100])
def test_extremes_stay_what_they_are(separation):
    scores = np.random.default_rng(0).normal(size=(30, 8, 30))
    listed = conversation_list(scores + separation * np.eye(30)[:, None, :])
    expected = {0: 1 / 90, 100: 1}[separation]
    linked = beyond.extrapolated_linkability(**listed, n_speakers=90).value
    assert linked == pytest.approx(expected, abs=0.02)
    isolated = beyond.extrapolated_singling_out(**listed, n_speakers=90).value
    assert isolated == pytest.approx({0: 0.37, 100: 1}[separation], abs=0.08)


def test_curves_hold_every_size_and_length_and_mark_what_is_beyond():
    listed = conversation_list(effects(0, 24, 9, 2.0))
    points = beyond.curve("linkability", **listed, sizes=(2, 24, 100, 1000), lengths=(1, 3, None))
    assert [(point.n_speakers, point.length) for point in points[:5]] == [
        *[(n, 1) for n in (2, 24, 100, 1000)],
        (2, 3),
    ]
    assert [point.extrapolated for point in points] == [False, False, True, False] * 3
    assert [np.isnan(point.rate.value) for point in points] == [False, False, False, True] * 3
    longer = [point.rate.value for point in points if point.n_speakers == 24]
    assert longer == sorted(longer)
    assert points[1].rate.value == law.linkability(**listed, n_speakers=24).value


def test_two_speakers_are_too_few_for_a_law():
    listed = conversation_list(effects(0, 2, 9, 2.0))
    rate = beyond.extrapolated_linkability(**listed, n_speakers=5)
    assert rate.reason == "2 speakers are too few to extrapolate from"
