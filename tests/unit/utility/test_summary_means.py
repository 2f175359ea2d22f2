"""Means over utterances: by hand, weighted, undefined, and intervals that hold the truth."""

import numpy as np
import pytest

from voiceprivacy.utility.summary import Draws, resampled_mean


def mean_of(values, speakers, *, n_replicates=200, seed=0, weights=None):
    draws = Draws(n_replicates, seed)
    mean, _ = resampled_mean(values, speakers, weights=weights, draws=draws)
    return mean


def test_the_mean_is_over_utterances_not_speakers():
    assert mean_of([1.0, 1.0, 4.0], ["s", "s", "t"]).value == 2


def test_a_weighted_mean_is_the_rate_of_all_words():
    """1 of 10 words and 2 of 2 words wrong: 3 of 12."""
    assert mean_of([0.1, 1.0], ["s", "t"], weights=[10.0, 2.0]).value == pytest.approx(3 / 12)


def test_undefined_values_are_left_out_and_counted():
    result = mean_of([1.0, "undefined", 3.0], ["s", "t", "t"])
    assert (result.value, result.n_utterances, result.n_undefined, result.n_speakers) == (
        2,
        3,
        1,
        2,
    )


def test_nothing_defined_is_undefined_without_interval():
    for result in (mean_of(["undefined"], ["s"]), mean_of([1.0], ["s"], weights=[0.0])):
        assert (result.value, result.ci_low, result.ci_high) == ("undefined", None, None)


def test_one_speaker_or_no_replicates_have_no_interval():
    assert mean_of([1.0, 2.0], ["s", "s"]).ci_low is None
    assert mean_of([1.0, 2.0], ["s", "t"], n_replicates=0).ci_high is None


def test_two_speakers_have_no_interval_and_three_one_that_is_wider_than_their_values():
    assert mean_of([1.0, 2.0], ["a", "b"])[1:3] == (None, None)
    result = mean_of([1.0, 2.0, 3.0], ["a", "b", "c"])
    assert result.ci_low < 1 and result.ci_high > 3


def test_equal_values_have_an_interval_without_width():
    result = mean_of([0.5] * 6, list("aabbcc"))
    assert result[:3] == (0.5, 0.5, 0.5)


def test_the_order_of_utterances_changes_nothing():
    draw = np.random.default_rng(3)
    values, speakers = draw.normal(size=30).tolist(), draw.choice(list("abcdef"), 30).tolist()
    order = draw.permutation(30)
    other = mean_of([values[at] for at in order], [speakers[at] for at in order])
    assert other == pytest.approx(mean_of(values, speakers))


def test_an_interval_is_that_of_speakers_and_not_of_utterances():
    """Ten speakers with 50 equal utterances each: as wide as with one utterance each."""
    values = np.random.default_rng(1).normal(size=10).tolist()
    names = [f"s{at}" for at in range(10)]
    many = mean_of(values * 50, names * 50)
    assert many[1:3] == pytest.approx(mean_of(values, names)[1:3])


def test_95_percent_intervals_hold_the_truth_about_as_often():
    draw = np.random.default_rng(0)
    names = [f"s{at}" for at in range(12) for _ in range(5)]
    held = 0
    for run in range(200):
        effects = np.repeat(draw.normal(size=12), 5) + draw.normal(size=60)
        result = mean_of(effects.tolist(), names, seed=run)
        held += result.ci_low <= 0 <= result.ci_high
    assert 180 <= held <= 199
