"""Larger galleries: closed forms of the law, simulated speakers, when nothing may be guessed."""

import json

import numpy as np
import pytest
from scipy.stats import binom, norm
from support.calls import call

from voiceprivacy.inout.arrays import ScoreMatrix, write_matrix
from voiceprivacy.privacy.matrices.larger import (
    EXACT,
    Above,
    Law,
    disclosure_bit,
    fit,
    guesses,
    identification,
    law_holds,
)
from voiceprivacy.privacy.matrices.ranks import TooFewSpeakers

MEAN, SPREAD = 2.0, 1.2
TRUE = Law(MEAN, np.log(SPREAD))
WORLDS, MISSES = 16, 3  # a 95 % interval misses more than three of 16 in 0.7 %


def matrix(scores, n_speakers):
    """Rows of equally many utterances of each speaker against one template each."""
    names = np.array([f"s{number:04d}" for number in range(n_speakers)])
    true = np.repeat(np.arange(n_speakers), len(scores) // n_speakers)
    rows = np.array([f"u{number}" for number in range(len(scores))])
    templates = np.char.add("template-", names)
    return ScoreMatrix(rows, names, names[true], names, scores, rows, templates)


def normal(seed, *, n_speakers, utterances=6):
    """Scores of both kinds are normal, so that the law is exact."""
    draw = np.random.default_rng(seed)
    true = np.repeat(np.arange(n_speakers), utterances)
    scores = draw.normal(size=(len(true), n_speakers))
    scores[np.arange(len(true)), true] = draw.normal(MEAN, SPREAD, len(true))
    return matrix(scores, n_speakers)


def test_among_two_the_first_rank_is_a_normal_share():
    expected = norm.cdf(MEAN / np.sqrt(1 + SPREAD**2))
    assert identification(TRUE, 2) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("n_templates", [2, 50, 1000, 10**6])
def test_who_is_no_more_similar_than_others_discloses_nothing(n_templates):
    chance = Law(0.0, 0.0)  # a uniform share
    assert identification(chance, n_templates) == pytest.approx(1 / n_templates, rel=0.01)
    assert disclosure_bit(chance, n_templates) == pytest.approx(0, abs=0.002)


@pytest.mark.parametrize("n_templates", [20, EXACT, 3000])
def test_the_disclosure_is_that_of_ranks_summed_one_by_one(n_templates):
    z = np.linspace(-6, 6, 4001)
    weights = norm.pdf(z) / norm.pdf(z).sum()
    shares = norm.cdf(-(MEAN + SPREAD * z))
    ranks = np.arange(n_templates)
    p = binom.pmf(ranks[:, None], n_templates - 1, shares) @ weights
    p = p[p > 0]
    expected = float(np.sum(p * np.log2(n_templates * p)))
    assert disclosure_bit(TRUE, n_templates) == pytest.approx(expected, abs=0.003)


def test_the_likeliest_law_is_the_one_that_was_drawn_from():
    draw = np.random.default_rng(0)
    shares = norm.cdf(-draw.normal(MEAN, SPREAD, 20_000))
    law = fit(Above(draw.binomial(200, shares).astype(float), 200))
    assert law == pytest.approx(TRUE, abs=0.03)


def test_limits_hold_what_ten_times_as_many_people_would_show():
    truth = 100 * identification(TRUE, 400)
    n_inside = 0
    for seed in range(WORLDS):
        guess = guesses(normal(seed, n_speakers=40), sizes=(400,))[-1]
        assert guess.n_templates == 400 and not guess.is_far
        n_inside += guess.identification_low <= truth <= guess.identification_high
        assert guess.disclosure_low <= guess.disclosure_bit <= guess.disclosure_high
    assert n_inside >= WORLDS - MISSES


def test_far_galleries_are_guessed_where_a_tenth_told_what_all_show():
    shown = guesses(normal(0, n_speakers=120))
    assert [(guess.n_templates, guess.is_far) for guess in shown] == [
        *((120, False), (1000, False)),
        *((10_000, True), (100_000, True), (1_000_000, True)),
    ]
    rates = [guess.identification_percent for guess in shown]
    assert rates == sorted(rates, reverse=True)
    assert rates[0] == pytest.approx(100 * identification(TRUE, 120), abs=6)


def test_look_alikes_whom_a_tenth_does_not_show_forbid_it():
    """Ten speakers of each kind, one of them in each tenth: only among all are they confused."""
    draw = np.random.default_rng(0)
    n_speakers = 120
    kinds = np.arange(n_speakers) // 10
    true = np.repeat(np.arange(n_speakers), 6)
    scores = draw.normal(size=(len(true), n_speakers)) + 4 * (kinds[true][:, None] == kinds)
    alike = matrix(scores, n_speakers)
    assert not law_holds(alike)
    assert [guess.n_templates for guess in guesses(alike)] == [120, 1000]


def test_of_few_speakers_nothing_far_is_guessed():
    assert [guess.n_templates for guess in guesses(normal(0, n_speakers=20))] == [20, 100]
    with pytest.raises(TooFewSpeakers, match="9 speakers are tested: 10"):
        guesses(normal(0, n_speakers=9))


@pytest.mark.parametrize("always", ["first", "last"])
def test_who_is_always_found_or_never_tells_nothing(always):
    scores = np.eye(12) if always == "first" else -np.eye(12)
    with pytest.raises(TooFewSpeakers, match=f"always {always}"):
        guesses(matrix(scores, 12))


def test_the_command_writes_and_says_them_and_why_not(tmp_path):
    write_matrix(tmp_path / "voice.npz", normal(0, n_speakers=12))
    write_matrix(tmp_path / "pitch.npz", matrix(np.repeat(np.eye(12), 6, axis=0), 12))
    words = ["--matrix", tmp_path / "voice.npz", tmp_path / "pitch.npz"]
    finished = call(
        "assess_atlas", *words, "--label", "voice", "pitch", "--metrics", tmp_path / "atlas.json"
    )
    assert finished.returncode == 0, finished.stderr
    assert "voice among 100: first in " in finished.stdout
    assert "pitch in larger galleries: undefined: the true speaker is always" in finished.stdout
    larger = json.loads((tmp_path / "atlas.json").read_text())["larger"]
    assert list(larger) == ["voice"]
    assert [guess["n_templates"] for guess in larger["voice"]] == [12, 100]
