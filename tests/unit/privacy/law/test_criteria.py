"""Singling out and linkability: cases by hand, closed forms, a known truth, invariances."""

from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import brentq
from scipy.special import ndtr
from support.speakers import conversation_list, gaussian, linkability, singling_out

from voiceprivacy.privacy.law import criteria, galleries, predicates
from voiceprivacy.privacy.uncertainty.bootstrap import multiplicities


def isolation_of_gaussians(n, separation):
    """Rate of isolation at the threshold that passes 1/N, for independent scores of variance 1."""

    def surplus(threshold):
        return (ndtr(separation - threshold) + (n - 1) * ndtr(-threshold)) / n - 1 / n

    threshold = brentq(surplus, -10, 20)
    hit, alarm = ndtr(separation - threshold), ndtr(-threshold)
    alone = (1 - alarm) ** (n - 1)
    return hit * alone + (1 - hit) * (n - 1) * alarm * (1 - alarm) ** (n - 2)


def linked_gaussians(n, separation):
    """Chance that a Gaussian of mean d' is above N - 1 of mean 0."""
    grid = np.linspace(-12, 12, 100_001)
    density = np.exp(-(grid**2) / 2) / np.sqrt(2 * np.pi)
    return np.sum(density * ndtr(grid + separation) ** (n - 1)) * (grid[1] - grid[0])


# Linkability


def test_linkability_by_hand():
    """Own model second of three for one speaker, first for the others: 1/2 and 1 among two."""
    scores = np.array([[[2.0, 3, 1]], [[0, 2, 1]], [[0, 1, 2]]])
    listed = conversation_list(scores)
    assert linkability(**listed, n_speakers=2).value == pytest.approx((1 / 2 + 1 + 1) / 3)
    assert linkability(**listed, n_speakers=3).value == pytest.approx(2 / 3)


def test_utterances_that_belong_together_are_attacked_by_their_mean():
    """Alone one utterance of the first speaker is linked, together none: 1 - 4 is below 0."""
    scores = np.array([[[1.0, 0], [-4, 0]], [[0, 5], [0, 5]]])
    listed = conversation_list(scores)
    assert linkability(**listed, n_speakers=2).value == 3 / 4
    assert linkability(**listed, n_speakers=2, length=None).value == 1 / 2


@pytest.mark.parametrize("n", [2, 5, 12])
@pytest.mark.parametrize("length", [1, 3, None])
def test_perfect_scores_link_everybody_and_constant_ones_guess(n, length):
    perfect = conversation_list(gaussian(0, 12, 4, 100))
    constant = conversation_list(np.zeros((12, 4, 12)))
    assert linkability(**perfect, n_speakers=n, length=length).value == 1
    rate = linkability(**constant, n_speakers=n, length=length).value
    assert rate == pytest.approx(1 / n)


@pytest.mark.parametrize("separation", [0, 1, 2.5])
def test_linkability_of_gaussians(separation):
    rates = [
        linkability(**conversation_list(gaussian(seed, 40, 5, separation)), n_speakers=20).value
        for seed in range(20)
    ]
    error = np.std(rates) / np.sqrt(20)
    assert abs(np.mean(rates) - linked_gaussians(20, separation)) < 4 * error


def test_more_utterances_link_better():
    """The mean of L utterances has sqrt(L) times the d'."""
    listed = conversation_list(gaussian(3, 60, 12, 1.0))
    for length in (3, None):
        rate = linkability(**listed, n_speakers=20, length=length).value
        assert rate == pytest.approx(linked_gaussians(20, np.sqrt(length or 12)), abs=0.07)


@given(seed=st.integers(0, 10**6), digits=st.integers(0, 3))
@settings(max_examples=25, deadline=None)
def test_linkability_falls_with_the_number_of_speakers_and_ignores_the_scale(seed, digits):
    scores = np.round(gaussian(seed, 6, 2, 1.0), digits)
    sizes = (1, 2, 4, 6)
    rates = [linkability(**conversation_list(scores), n_speakers=n).value for n in sizes]
    curved = conversation_list(np.exp(scores))
    assert rates[0] == pytest.approx(1)
    assert (np.diff(rates) <= 1e-12).all() and min(rates) >= 0
    assert [linkability(**curved, n_speakers=n).value for n in sizes] == rates


def test_a_speaker_who_is_not_drawn_is_as_if_he_were_not_there():
    """Among two a rate is linear in shares: weights then say the same as a list without him."""
    scores = gaussian(1, 8, 3, 1.0)
    without = np.delete(np.delete(scores, 5, axis=0), 5, axis=2)
    weights = np.ones((1, 8), dtype=np.int64)
    weights[0, 5] = 0
    contests = contests_of(conversation_list(scores))
    expected = linkability(**conversation_list(without), n_speakers=2).value
    assert criteria.linked(contests, 2, weights)[0] == pytest.approx(expected)


def test_everybody_drawn_twice_is_everybody():
    """Others count by their share: their number stays."""
    weights = np.array([[1], [2]]) * np.ones((2, 20), dtype=np.int64)
    linked = criteria.linked(contests_of(conversation_list(gaussian(4, 20, 5, 1.0))), 7, weights)
    assert linked[0] == pytest.approx(linked[1])


def contests_of(listed):
    rows, reason = galleries.joined(**listed, length=1, seed=0)
    assert not reason
    return criteria.contests_of(rows, len(listed["trials"].speakers))


@given(seed=st.integers(0, 10**6), n_scores=st.integers(1, 30), at_once=st.integers(1, 100))
@settings(max_examples=50, deadline=None)
def test_contests_count_who_is_above_and_who_is_tied(seed, n_scores, at_once):
    """Several target trials of one conversation, ties, infinite scores, models that miss."""
    draw = np.random.default_rng(seed)
    speaker_of = draw.integers(0, 5, 8)  # of each conversation
    conversation, enrolment = draw.integers(0, 8, 80), draw.integers(0, 5, 80)
    scores = np.append(-np.inf, np.arange(n_scores))[draw.integers(0, n_scores + 1, 80)]
    target = enrolment == speaker_of[conversation]
    trial = speaker_of[conversation]
    rows = galleries.Conversations(scores, target, enrolment, trial, np.arange(80), conversation)
    with mock.patch.object(criteria, "MOST_COUNTS", at_once):
        contests = criteria.contests_of(rows, 5)
    assert contests.speaker.tolist() == trial[target].tolist()
    for number, own in enumerate(np.flatnonzero(target)):
        for other in range(5):
            rivals = ~target & (conversation == conversation[own]) & (enrolment == other)
            assert contests.above[number, other] == (rivals & (scores > scores[own])).sum()
            assert contests.tied[number, other] == (rivals & (scores == scores[own])).sum()
            assert contests.others[number, other] == rivals.sum()


def test_a_set_needs_as_many_models_as_speakers():
    listed = conversation_list(gaussian(0, 6, 2, 1.0))
    rate = linkability(**listed, n_speakers=7, weights=np.ones((5, 6), dtype=np.int64))
    assert np.isnan(rate.value) and np.isnan(rate.replicates).all() and len(rate.replicates) == 5
    assert rate.reason == "conversations were tried against 6 speakers, fewer than 7"


def test_half_of_the_conversations_are_enough_for_a_set():
    others = sparse.csr_array(np.array([[1, 0, 0], [1, 0, 0], [1, 1, 1], [1, 1, 1]]))
    assert criteria.largest_gallery(criteria.Contests(np.arange(4), others, others, others)) == 4


def test_infinite_scores_are_ranked_and_have_no_mean():
    scores = gaussian(0, 6, 2, 1.0)
    scores[0, 0, :2] = np.inf, -np.inf
    listed = conversation_list(scores)
    assert 0 < linkability(**listed, n_speakers=6).value < 1
    rate = linkability(**listed, n_speakers=2, length=2)
    assert rate.reason == "infinite scores have no mean over utterances"


# Singling out


@pytest.mark.parametrize("separation", [100, np.inf])
def test_perfect_scores_single_out_always(separation):
    own = np.where(np.eye(24, dtype=bool), separation, 0)[:, None]
    listed = conversation_list(gaussian(0, 24, 4, 0) + own)
    assert singling_out(**listed, n_speakers=12).value == 1


@pytest.mark.parametrize("length", [1, 2, None])
def test_random_scores_single_out_by_chance(length):
    """Not above chance. Thresholds set on few conversations lie below it."""
    options = {"n_speakers": 10, "length": length}
    rates = [
        singling_out(**conversation_list(gaussian(seed, 24, 4, 0)), **options).value
        for seed in range(100)
    ]
    four_errors = 4 * np.std(rates) / np.sqrt(100)
    missing = 0.05 if length is None else 0.02
    assert np.mean(rates) < galleries.chance_of_isolation(10) + four_errors
    assert np.mean(rates) > galleries.chance_of_isolation(10) - four_errors - missing


@pytest.mark.parametrize("separation", [1.5, 2.5, 4])
def test_singling_out_of_gaussians(separation):
    rates = [
        singling_out(**conversation_list(gaussian(seed, 80, 8, separation)), n_speakers=20).value
        for seed in range(4)
    ]
    assert np.mean(rates) == pytest.approx(isolation_of_gaussians(20, separation), abs=0.015)


def test_every_model_has_a_threshold_of_its_own():
    """Models that score high against everybody change nothing."""
    scores = gaussian(5, 30, 4, 3.0)
    offsets = np.random.default_rng(0).normal(0, 50, 30)
    plain = singling_out(**conversation_list(scores), n_speakers=10)
    moved = singling_out(**conversation_list(scores + offsets), n_speakers=10)
    assert moved.value == pytest.approx(plain.value, abs=0.01)


def test_a_threshold_that_passes_too_many_isolates_as_often_as_theory_says():
    """Half of the conversations are found for sure, and the threshold passes as many again."""
    rates = []
    for seed in range(4):
        scores = gaussian(seed, 60, 8, 0)
        scores[:, ::2] += 100 * np.eye(60)[:, None, :]
        listed = conversation_list(scores)
        rates.append(singling_out(**listed, n_speakers=20).value)
    alarm = 0.5 / 19.5  # a share of 0.5 + 0.5 alarm of the own conversations passes, 1 - 19 alarm
    none, one = (1 - alarm) ** 19, 19 * alarm * (1 - alarm) ** 18
    expected = (0.5 + 0.5 * alarm) * none + (0.5 - 0.5 * alarm) * one
    assert np.mean(rates) == pytest.approx(expected, abs=0.02)


def test_constant_scores_single_nobody_out():
    listed = conversation_list(np.zeros((24, 4, 24)))
    assert singling_out(**listed, n_speakers=10).value == 0


@pytest.mark.parametrize(
    ("n_speakers", "n", "length", "reason"),
    [
        (24, 13, 1, "at most 12 of half of the speakers meet, fewer than 13"),
        (8, 4, 1, "24 trials of two speakers set a threshold, 40 are needed"),
        (6, 2, 3, "0 of 6 speakers have 3 utterances"),
    ],
)
def test_a_list_too_small_for_singling_out_says_why(n_speakers, n, length, reason):
    listed = conversation_list(gaussian(0, n_speakers, 2, 1.0))
    rate = singling_out(**listed, n_speakers=n, length=length)
    assert np.isnan(rate.value) and rate.reason == reason


@pytest.mark.parametrize("measure", [linkability, singling_out])
def test_replicates_lie_around_the_value_and_repeat(measure):
    listed = conversation_list(gaussian(0, 30, 4, 2.0))
    weights = multiplicities(listed["trials"].speakers, n_replicates=200, seed=0)
    options = {"n_speakers": 10, "weights": weights}
    rate = measure(**listed, **options)
    assert np.median(rate.replicates) == pytest.approx(rate.value, abs=1e-6)
    assert 0.01 < np.std(rate.replicates) < 0.15
    assert (measure(**listed, **options).replicates == rate.replicates).all()
    assert measure(**listed, n_speakers=10).value == pytest.approx(rate.value)


def test_replicates_do_not_depend_on_blocks(monkeypatch):
    listed = conversation_list(gaussian(0, 20, 4, 2.0))
    weights = multiplicities(listed["trials"].speakers, n_replicates=50, seed=0)
    measures = (linkability, singling_out)
    whole = [measure(**listed, n_speakers=10, weights=weights) for measure in measures]
    monkeypatch.setattr(criteria, "BLOCK", 200)
    monkeypatch.setattr(predicates, "BLOCK", 200)
    monkeypatch.setattr(predicates, "FIRST_TRIALS", 1)
    blocks = [measure(**listed, n_speakers=10, weights=weights) for measure in measures]
    for one, other in zip(whole, blocks, strict=True):
        assert one.value == pytest.approx(other.value)
        assert one.replicates == pytest.approx(other.replicates)


def test_intervals_hold_the_truth():
    """Of 60 lists at least 85 %; docs/internals/measured.md has simulations of more."""
    truth = {linkability: linked_gaussians(10, 2), singling_out: isolation_of_gaussians(10, 2)}
    held = dict.fromkeys(truth, 0)
    for seed in range(60):
        listed = conversation_list(gaussian(seed, 30, 4, 2.0))
        weights = multiplicities(listed["trials"].speakers, n_replicates=100, seed=seed)
        for measure, expected in truth.items():
            replicates = measure(**listed, n_speakers=10, weights=weights).replicates
            low, high = np.quantile(replicates, (0.025, 0.975))
            held[measure] += low <= expected <= high
    assert min(held.values()) >= 51
