"""Disclosure of single speakers with shrinkage: edges, what shrinks, and how often limits hold."""

import numpy as np
import pytest

from voiceprivacy.privacy.matrices.betabinomial import log_pmf
from voiceprivacy.privacy.matrices.exposure import shrink

N_TEMPLATES = 20


def histogram_of(ranks, n_templates=N_TEMPLATES):
    return np.bincount(np.asarray(ranks) - 1, minlength=n_templates) / len(ranks)


def world(rng, *, n_speakers, n_utterances, spread):
    """Histograms of simulated speakers, and what each of them discloses."""
    mean = 1 / (1 + np.exp(1.5 - spread * rng.normal(size=n_speakers)))
    alpha, beta = 2 * mean, 2 * (1 - mean)
    share = rng.beta(alpha, beta, (n_utterances, n_speakers))
    ranks = 1 + rng.binomial(N_TEMPLATES - 1, share)
    pairs = zip(alpha, beta, strict=True)
    gammas = [np.exp(log_pmf(*of_speaker, N_TEMPLATES)) for of_speaker in pairs]
    truth = np.array([gamma @ np.log2(gamma * N_TEMPLATES) for gamma in gammas])
    return [histogram_of(own) for own in ranks.T], truth


def test_a_single_template_discloses_nothing():
    bits, low, high = shrink([np.ones(1)] * 2, [3, 4])
    assert bits.tolist() == low.tolist() == high.tolist() == [0, 0]


def test_those_who_are_always_first_disclose_nearly_everything():
    always = histogram_of([1] * 10)
    few, many = shrink([always] * 3, [10] * 3), shrink([always] * 20, [10] * 20)
    most = np.log2(N_TEMPLATES)
    assert (many.bits > 0.97 * most).all() and many.high == pytest.approx(most)
    # More speakers of one kind say more of each of them.
    assert few.bits[0] < many.bits[0] and few.low[0] < many.low[0]


def test_speakers_who_are_last_are_as_exposed_as_those_who_are_first():
    ranks = [1, 1, 2, 5, 1, 3]
    first = shrink([histogram_of(ranks)] * 4, [6] * 4)
    last = shrink([histogram_of(ranks)[::-1]] * 4, [6] * 4)
    for one, other in zip(first, last, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-6)


def test_the_fewer_utterances_the_nearer_to_the_others():
    others = [histogram_of([2, 5, 9, 12, 17, 3, 6, 14])] * 8
    exposed = histogram_of([1])
    bits = [shrink([*others, exposed], [8] * 8 + [n]).bits for n in (1, 4, 40)]
    assert bits[0][-1] < bits[1][-1] < bits[2][-1]
    assert bits[0][-1] - bits[0][0] < 0.3 * (bits[2][-1] - bits[2][0])


def test_shrinkage_is_nearer_to_the_truth_than_each_speakers_own_histogram():
    rng = np.random.default_rng(1)
    histograms, truth = world(rng, n_speakers=30, n_utterances=8, spread=0.5)
    shrunken = shrink(histograms, [8] * 30)
    own = [p[p > 0] @ np.log2(p[p > 0] * N_TEMPLATES) for p in histograms]
    assert np.mean((shrunken.bits - truth) ** 2) < np.mean((own - truth) ** 2) / 4


@pytest.mark.parametrize("spread", [0.3, 1.0])
def test_limits_of_the_ten_most_exposed_hold_at_once(spread):
    """30 worlds: 95 % or more hold. One in 30 may not."""
    rng = np.random.default_rng(2)
    held = []
    for _ in range(30):
        histograms, truth = world(rng, n_speakers=20, n_utterances=10, spread=spread)
        bits, low, high = shrink(histograms, [10] * 20)
        exposed = np.argsort(-bits)[:10]
        held.append(((low <= truth) & (truth <= high))[exposed].all())
    assert np.mean(held) >= 28 / 30
