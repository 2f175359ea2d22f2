"""Cross-check against voice-anonymization-legal-eval, the programs of Vauquier et al. (2025).

It sets a threshold for each set of speakers on other conversations of the same speakers. Ours are
set on other speakers: the two agree where conversations of one speaker have nothing in common.
"""

import numpy as np
import pytest
from support import speakers as simulated
from support.speakers import conversation_list

from voiceprivacy.privacy.law import galleries

pytest.importorskip("legal_eval", reason="voice-anonymization-legal-eval: not installed")
from legal_eval.io import ScoreMatrix
from legal_eval.metrics.linkability import linkability as their_linkability
from legal_eval.metrics.singling_out import ConversationScores, singling_out

N_SPEAKERS, N_UTTERANCES, N = 50, 11, 20


def scores(seed, separation, digits=12):
    return np.round(simulated.gaussian(seed, N_SPEAKERS, N_UTTERANCES, separation), digits)


def matrix(values):
    """Models as rows, utterances as columns."""
    names = [str(number) for number in range(N_SPEAKERS)]
    columns = [name for name in names for _ in range(N_UTTERANCES)]
    return ScoreMatrix(values.reshape(-1, N_SPEAKERS).T, names, columns, {})


def their_singling_out(values):
    names = [str(number) for number in range(N_SPEAKERS)]
    rest = N_UTTERANCES - 1
    conversations = ConversationScores(
        names,
        names,
        values[:, 0].T,
        values[:, 1:].reshape(-1, N_SPEAKERS).T,
        [(start, start + rest) for start in range(0, rest * N_SPEAKERS, rest)],
    )
    return np.mean(list(singling_out(conversations, N, n_runs=20).values()))


@pytest.mark.parametrize("n", [2, 7, 20, 50])
@pytest.mark.parametrize("separation", [0, 1, 3])
def test_linkability_agrees(n, separation):
    values = scores(n, separation)
    expected = their_linkability(matrix(values), n, estimator="exact")
    ours = simulated.linkability(**conversation_list(values), n_speakers=n).value
    assert [ours] == pytest.approx(expected, rel=1e-12)


def test_ties_are_shared_and_not_won():
    """Theirs gives constant scores a linkability of 1."""
    values = scores(0, 1, digits=0)
    expected = their_linkability(matrix(values), N, estimator="exact")[0]
    assert simulated.linkability(**conversation_list(values), n_speakers=N).value < expected
    assert their_linkability(matrix(values * 0), N, estimator="exact") == [1]
    constant = simulated.linkability(**conversation_list(values * 0), n_speakers=N).value
    assert constant == pytest.approx(1 / N)


@pytest.mark.parametrize("separation", [0, 2, 3, 4])
def test_singling_out_agrees(separation):
    """Theirs is 1 to 4 points lower: ten conversations of a speaker are few for a threshold."""
    values = [scores(seed, separation) for seed in range(8)]
    ours = [
        simulated.singling_out(**conversation_list(value), n_speakers=N).value for value in values
    ]
    expected = np.mean([their_singling_out(value) for value in values])
    assert np.mean(ours) == pytest.approx(expected, abs=0.05)


def test_perfect_scores_and_chance_are_the_same():
    assert their_singling_out(scores(0, 100)) == 1
    assert simulated.singling_out(**conversation_list(scores(0, 100)), n_speakers=N).value == 1
    by_chance = np.mean([their_singling_out(scores(seed, 0)) for seed in range(8)])
    assert by_chance == pytest.approx(galleries.chance_of_isolation(N), abs=0.03)
