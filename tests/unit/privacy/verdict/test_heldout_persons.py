"""First guesses and exposed persons: by hand, by chance, and where everybody is found."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom
from support.heldout_lists import complete, trials_from

from voiceprivacy.privacy.verdict.evidence import all_recordings, one_recording
from voiceprivacy.privacy.verdict.persons import first_guesses


def guesses_of(*columns):
    trials = trials_from(*columns)
    return first_guesses(trials, all_recordings(trials))


def test_everybody_is_found():
    guesses = guesses_of(*complete(45, 3, seed=0, distance=20))
    assert (guesses.n_reidentified, guesses.not_tested) == (45, 0)
    assert guesses.p_value < 1e-12
    # Each own LLR is above all others: 1 in 1 + 45 * 44, times 45 by Holm, times 2 columns.
    assert guesses.exposed == {f"p{number}": pytest.approx(90 / 1981) for number in range(45)}


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("effects", [(8, 0), (3, -3)])
def test_who_alone_is_exposed_is_exposed_although_others_teach_nothing(effects, seed):
    """One of two attackers finds nothing, or has distances."""
    enrolled, tried, recordings, scores = complete(60, 4, seed=seed, n_attacks=2)
    scores = scores + np.outer((enrolled == 7) & (tried == 7), effects)
    trials = trials_from(enrolled, tried, recordings, scores)
    assert "p7" in first_guesses(trials, one_recording(trials)).exposed


def test_who_is_exposed_counts_as_re_identified_although_the_first_guess_is_wrong():
    trials = trials_from(*complete(60, 2, seed=0))
    evidence = all_recordings(trials)
    centred = np.where(evidence.pairs == 7 * 61, 5.0, 0.0)  # the seventh person's own pair
    guesses = first_guesses(trials, replace(evidence, llrs=0 * centred, centred=centred))
    assert [*guesses.exposed] == [evidence.persons[7]]
    assert (guesses.n_reidentified, guesses.p_value) == (1, 1.0)


def test_where_nobody_is_found_the_p_value_is_one():
    trials = trials_from(*complete(5, 2, seed=0))
    llrs = np.where(np.arange(25) % 6 == 0, -1.0, 0.0)  # own ones are the lowest
    guesses = first_guesses(trials, replace(all_recordings(trials), llrs=llrs, centred=llrs))
    assert (guesses.n_reidentified, guesses.p_value, guesses.exposed) == (0, 1.0, {})


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("n_targets", [1, 6])
def test_by_chance_few_are_found(n_targets, seed):
    """Of six recordings, all or one are tried against the own enrolment."""
    enrolled, tried, recordings, scores = complete(42, 6, seed=20 + seed)
    kept = (enrolled != tried) | (recordings % 6 < n_targets)
    trials = trials_from(*(column[kept] for column in (enrolled, tried, recordings, scores)))
    guesses = first_guesses(trials, one_recording(trials))
    assert guesses.p_value > 0.01
    assert guesses.n_reidentified <= 4
    assert guesses.exposed == {}


def test_the_p_value_is_that_of_chance():
    guesses = guesses_of(*complete(20, 2, seed=3, distance=1))
    expected = binom.sf(guesses.n_reidentified - 1, 20, 1 / 20)
    assert guesses.p_value == pytest.approx(expected)


def test_persons_without_targets_are_not_tested():
    enrolled, tried, recordings, scores = complete(12, 2, seed=4, distance=5)
    kept = (enrolled != tried) | (enrolled < 7)
    guesses = guesses_of(*(column[kept] for column in (enrolled, tried, recordings, scores)))
    assert (guesses.n_persons_judged, guesses.not_tested) == (7, 5)
