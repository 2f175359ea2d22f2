"""First guesses among 20 persons: counted by hand, by chance, and where the truth is known."""

import itertools

import numpy as np
import pytest
from scipy.special import betaincinv
from scipy.stats import beta, binom
from support.heldout_lists import complete, trials_from

from voiceprivacy.privacy.verdict import recognised as module
from voiceprivacy.privacy.verdict.recognised import (
    Recognised,
    Right,
    first_guesses_of,
    highest_facts,
    right_of,
)


def matrix(scores, n_recordings=1):
    """Trials of enrolments (S) and recordings (S * n), and their scores in the order of trials."""
    n_persons = len(scores)
    enrolled, recording = (side.ravel() for side in np.indices(np.shape(scores)))
    tried = recording // n_recordings
    trials = trials_from(enrolled, tried, recording, np.reshape(scores, (-1, 1)) * 1.0)
    assert len(trials.persons) == n_persons
    return trials, trials.scores[:, 0]


@pytest.mark.parametrize("is_complete", [True, False])
def test_a_count_is_the_mean_over_all_draws_and_ties(is_complete, monkeypatch):
    """Of 3 others two are drawn, each once; or three of all scores of other persons."""
    values = np.array([[2, 0, 1, 1], [0, 5, 1, 0], [2, 9, 3, 1], [1, 9, 1, 1]])
    monkeypatch.setattr(module, "N_GUESSED", 3 if is_complete else 5)
    expected = []
    for person, own in enumerate(values.diagonal()):
        draws = itertools.combinations(np.delete(values[:, person], person), 2)
        if not is_complete:
            draws = itertools.product(values[~np.eye(4, dtype=bool)], repeat=4)
        rights = [own >= max(draw) and 1 / (1 + np.sum(np.equal(draw, own))) for draw in draws]
        expected.append(np.mean(rights))
    right = right_of(*matrix(values))
    assert sorted(right.shares) == pytest.approx(sorted(expected))
    assert right.is_counted == is_complete and right.recordings.tolist() == [1] * 4


def test_limits_are_those_of_a_binomial_count_with_the_same_error():
    shares = np.array([0, 0, 1, 0.5, 0.5, 1, 0, 0, 1, 1])
    value, low, high = Right(shares, np.full(10, 4), True).percent()
    assert value == 50 and low == pytest.approx(100 - high)
    n_alike = 0.25 / (shares.var(ddof=1) / 10)
    assert high == pytest.approx(100 * beta(n_alike / 2 + 1, n_alike / 2).ppf(0.975))
    for share in (0.0, 1.0):
        limits = Right(np.full(20, share), np.full(20, 4), True).percent()
        assert limits[0] == 100 * share and limits[2] - limits[1] == pytest.approx(16.8, abs=0.1)


def test_a_limit_holds_for_everybody_at_once():
    never = Right(np.zeros(40), np.full(40, 50), True)
    some = Right(np.r_[0.2, np.zeros(39)], np.full(40, 50), True)
    assert never.highest_percent() == pytest.approx(100 * (1 - 0.05 ** (1 / 50)))
    assert binom.cdf(10, 50, some.highest_percent() / 100) == pytest.approx(0.05)
    lists = {"m": Recognised(never, some), "f": Recognised(never, never)}
    facts = highest_facts(lists)
    assert facts == {"percent": some.highest_percent(), "persons": 40, "recordings": 50}
    for few in (never._replace(shares=np.zeros(39)), never._replace(is_counted=False)):
        assert highest_facts(lists | {"x": Recognised(few, few)}) is None


WORLDS = {  # what is added to the scores of 24 persons with 4 recordings, and how many are right
    "nothing": (lambda enrolled, tried, number: 0 * tried, 5.0),
    "sex": (lambda enrolled, tried, number: 4 * (enrolled % 2 == tried % 2), 10.1),
    "twins": (lambda enrolled, tried, number: 9 * (enrolled // 2 == tried // 2), 58.7),
    "leaks": (lambda enrolled, tried, number: 9 * ((enrolled == tried) & (number < 1)), 28.8),
}


@pytest.mark.parametrize("world", WORLDS)
def test_first_guesses_are_right_as_often_as_is_known(world):
    """A conversion of evidence says 37 for sex, which is 10."""
    added, truth = WORLDS[world]
    percents = []
    for seed in range(6):
        enrolled, tried, recording, scores = complete(24, 4, seed=seed)
        more = added(enrolled, tried, recording % 4)
        trials = trials_from(enrolled, tried, recording, scores + more[:, None])
        percents.append(first_guesses_of(trials).percent()[0])
    assert np.mean(percents) == pytest.approx(truth, abs=3)


def test_limits_rest_on_no_more_recordings_than_there_are():
    """Twelve recordings of which next to none is right: no certainty beyond that of twelve."""
    share = 0.0025
    _, _, high = Right(np.array([0, 0, 0, 0.01]), np.full(4, 3), True).percent()
    assert high == pytest.approx(100 * betaincinv(12 * share + 1, 12 * (1 - share), 0.975))


def test_no_lower_limit_is_above_that_of_persons_who_are_always_recognised():
    """One wrong guess of 24 is no better than none, whatever its jackknife says."""
    always, nearly = (Right(np.r_[np.ones(7), last], np.full(8, 3), True) for last in (1, 2 / 3))
    assert nearly.percent()[1] <= always.percent()[1] == pytest.approx(100 * 0.025 ** (1 / 8))
