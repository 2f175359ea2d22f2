"""First guesses and exposed persons: by hand, by chance, and where everybody is found."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom
from support.heldout_lists import complete, evidence_at_once, only, pooled_at_once, trials_from

from voiceprivacy.privacy.verdict import evidence as heldout
from voiceprivacy.privacy.verdict.evidence import one_recording
from voiceprivacy.privacy.verdict.persons import first_guesses


def test_everybody_is_found():
    trials = trials_from(*complete(45, 2, seed=0, distance=20))
    guesses = first_guesses(trials, pooled_at_once(trials))
    assert (guesses.n_persons_judged, guesses.n_reidentified, guesses.not_tested) == (45, 45, 0)
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
    """Own pairs lie as far out as four of 2,450 others, and that of the seventh person further."""
    trials = trials_from(*complete(50, 1, seed=0))
    evidence = pooled_at_once(trials)
    centred = ((evidence.pairs < 5) | evidence.target).astype(float)
    centred[7 * 51] = 5
    guesses = first_guesses(trials, replace(evidence, llrs=0 * centred, centred=centred))
    assert guesses.exposed == {evidence.persons[7]: pytest.approx(2 * 50 / 2451)}
    assert (guesses.n_reidentified, guesses.p_value) == (1, 1.0)


def test_where_nobody_is_found_the_p_value_is_one():
    trials = trials_from(*complete(5, 2, seed=0))
    llrs = np.where(np.arange(25) % 6 == 0, -1.0, 0.0)  # own ones are the lowest
    guesses = first_guesses(trials, replace(pooled_at_once(trials), llrs=llrs, centred=llrs))
    assert (guesses.n_reidentified, guesses.p_value, guesses.exposed) == (0, 1.0, {})


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("n_targets", [1, 6])
def test_by_chance_few_are_found(n_targets, seed):
    """Of six recordings, all or one are tried against the own enrolment."""
    columns = complete(42, 6, seed=20 + seed)
    kept = (columns[0] != columns[1]) | (columns[2] % 6 < n_targets)
    trials = trials_from(*only(kept, columns))
    guesses = first_guesses(trials, one_recording(trials))
    assert guesses.p_value > 0.01
    assert guesses.n_reidentified <= 4
    assert guesses.exposed == {}


def test_the_p_value_is_that_of_chance_among_those_who_are_enrolled():
    """Half of the persons are tried against five others alone."""
    columns = complete(20, 1, seed=3, distance=1)
    enrolled, tried, *_ = columns
    trials = trials_from(*only((tried < 10) | ((enrolled - tried) % 20 < 6), columns))
    guesses = first_guesses(trials, evidence_at_once(trials))
    assert 2 < guesses.n_reidentified < 18
    chance = (1 / 20 + 1 / 6) / 2
    assert guesses.p_value == pytest.approx(binom.sf(guesses.n_reidentified - 1, 20, chance))


def test_persons_without_targets_are_not_tested(monkeypatch):
    monkeypatch.setattr(heldout, "MOST_GROUPS", 4)
    columns = complete(12, 2, seed=4, distance=5)
    trials = trials_from(*only((columns[0] != columns[1]) | (columns[0] < 7), columns))
    guesses = first_guesses(trials, one_recording(trials))
    assert (guesses.n_persons_judged, guesses.not_tested) == (7, 5)
