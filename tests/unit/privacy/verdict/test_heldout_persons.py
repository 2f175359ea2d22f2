"""First guesses and exposed persons: by hand, by chance, and where everybody is found."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom
from scipy.stats import t as student
from support.heldout_lists import complete, evidence_at_once, only, pooled_at_once, trials_from

from voiceprivacy.privacy.uncertainty.multiple import significant
from voiceprivacy.privacy.verdict import evidence as heldout
from voiceprivacy.privacy.verdict.evidence import one_recording
from voiceprivacy.privacy.verdict.persons import SIGNIFICANT, exposed_facts, first_guesses


def exposed(guesses):
    return significant({"all": guesses.p_values}, SIGNIFICANT)["all"]


def test_everybody_is_found():
    trials = trials_from(*complete(45, 2, seed=0, distance=20))
    guesses = first_guesses(trials, pooled_at_once(trials))
    assert (len(guesses.right), guesses.not_tested) == (45, 0)
    assert guesses.p_value < 1e-12
    # Each own LLR is above all others: 1 in 1 + 45 * 44, times 2 columns; by Holm times 45.
    assert guesses.p_values == {f"p{number}": pytest.approx(2 / 1981) for number in range(45)}
    facts = exposed_facts({"all": guesses})
    assert (facts["persons"], facts["of"], facts["beyond_chance"]) == (45, 45, True)
    assert not significant({"one": guesses.p_values, "other": guesses.p_values}, SIGNIFICANT)["one"]


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("effects", [(8, 0), (3, -3)])
def test_who_alone_is_exposed_is_exposed_although_others_teach_nothing(effects, seed):
    """One of two attackers finds nothing, or has distances."""
    enrolled, tried, recordings, scores = complete(60, 4, seed=seed, n_attacks=2)
    scores = scores + np.outer((enrolled == 7) & (tried == 7), effects)
    trials = trials_from(enrolled, tried, recordings, scores)
    assert "p7" in exposed(first_guesses(trials, one_recording(trials)))


def test_who_is_exposed_counts_as_re_identified_although_the_first_guess_is_wrong():
    """Own pairs lie as far out as four of 2,450 others, and that of the seventh person further."""
    trials = trials_from(*complete(50, 1, seed=0))
    evidence = pooled_at_once(trials)
    centred = ((evidence.pairs < 5) | evidence.target).astype(float)
    centred[7 * 51] = 5
    evidence = replace(evidence, llrs=0 * centred, centred=centred[:, None])
    guesses = first_guesses(trials, evidence)
    assert exposed(guesses) == {evidence.persons[7]: pytest.approx(2 * 50 / 2451)}
    assert (exposed_facts({"all": guesses})["persons"], guesses.p_value) == (1, 1.0)


def test_where_nobody_is_found_the_p_value_is_one():
    trials = trials_from(*complete(5, 2, seed=0))
    llrs = np.where(np.arange(25) % 6 == 0, -1.0, 0.0)  # own ones are the lowest
    evidence = replace(pooled_at_once(trials), llrs=llrs, centred=0 * llrs[:, None])
    guesses = first_guesses(trials, evidence)
    assert (guesses.right, guesses.p_value, exposed(guesses)) == (set(), 1.0, {})


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("n_targets", [1, 6])
def test_by_chance_few_are_found(n_targets, seed):
    """Of six recordings, all or one are tried against the own enrolment."""
    columns = complete(42, 6, seed=20 + seed)
    kept = (columns[0] != columns[1]) | (columns[2] % 6 < n_targets)
    trials = trials_from(*only(kept, columns))
    guesses = first_guesses(trials, one_recording(trials))
    assert guesses.p_value > 0.01
    assert len(guesses.right) <= 4
    assert exposed(guesses) == {}


def test_the_p_value_is_that_of_chance_among_those_who_are_enrolled():
    """Half of the persons are tried against five others alone."""
    columns = complete(20, 1, seed=3, distance=1)
    enrolled, tried, *_ = columns
    trials = trials_from(*only((tried < 10) | ((enrolled - tried) % 20 < 6), columns))
    guesses = first_guesses(trials, evidence_at_once(trials))
    assert 2 < len(guesses.right) < 18
    chance = (1 / 20 + 1 / 6) / 2
    assert guesses.p_value == pytest.approx(binom.sf(len(guesses.right) - 1, 20, chance))


def test_persons_without_targets_are_not_tested(monkeypatch):
    monkeypatch.setattr(heldout, "MOST_GROUPS", 4)
    columns = complete(12, 2, seed=4, distance=5)
    trials = trials_from(*only((columns[0] != columns[1]) | (columns[0] < 7), columns))
    guesses = first_guesses(trials, one_recording(trials))
    assert (len(guesses.p_values), guesses.not_tested) == (7, 5)


def pairs_of(evidence, draws):
    """The evidence with centred scores of attacks, array (A, S, S)."""
    centred = np.abs(np.reshape(draws, (len(draws), -1)).T)
    return replace(evidence, llrs=0 * centred[:, 0], centred=centred)


@pytest.mark.parametrize(("law", "most"), [("normal", 7), ("t", 12)])
@pytest.mark.parametrize("n_persons", [12, 30])
def test_on_short_lists_few_are_exposed_by_chance_and_who_lies_far_out_is(law, most, n_persons):
    """Student's noise has 4 degrees of freedom; 5 and 8 % of 100 lists are wanted."""
    trials = trials_from(*complete(n_persons, 1, seed=0))
    evidence = pooled_at_once(trials)
    draw = np.random.default_rng(n_persons)
    draws = draw.normal if law == "normal" else lambda size: draw.standard_t(4, size)
    n_exposed = 0
    for _ in range(100):
        noise = draws(size=(1, n_persons, n_persons))
        n_exposed += bool(exposed(first_guesses(trials, pairs_of(evidence, noise))))
    assert n_exposed <= most
    noise[0, 3, 3] = 16
    assert evidence.persons[3] in exposed(first_guesses(trials, pairs_of(evidence, noise)))


def test_the_tail_is_students_with_degrees_by_the_kurtosis_and_attacks_count():
    trials = trials_from(*complete(12, 1, seed=0))
    draws = np.random.default_rng(1).standard_t(5, size=(2, 12, 12))
    draws[0] *= 100
    off = ~np.eye(12, dtype=bool)
    expected = []
    for noise in draws:
        variance = (noise[off] ** 2).sum() / (132 - 24 + 1)
        excess = (noise[off] ** 4).mean() / variance**2 - 3
        excess += 8 * np.sqrt(24 / 132) * (1 + 2 * max(excess, 0))
        law = student(4 + 6 / excess)
        expected.append(4 * law.sf(np.abs(noise.diagonal()) / np.sqrt(variance) * law.std()))
    p_values = first_guesses(trials, pairs_of(pooled_at_once(trials), draws)).p_values
    assert [*p_values.values()] == pytest.approx(np.minimum(np.min(expected, axis=0), 1))


@pytest.mark.parametrize(("n_lists", "by_tail"), [(1, False), (2, True)])
def test_ranks_count_where_they_can_be_rare_enough_for_all_lists(n_lists, by_tail):
    trials = trials_from(*complete(45, 1, seed=0))
    noise = np.random.default_rng(0).normal(size=(1, 45, 45))
    noise[0, 3, 3] = 20
    evidence = pairs_of(pooled_at_once(trials), noise)
    smallest = min(first_guesses(trials, evidence, n_lists).p_values.values())
    assert (smallest < 1e-6) == by_tail
    assert smallest == pytest.approx(2 / 1981) or by_tail
