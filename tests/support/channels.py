"""Channels of simulated speakers whose joint disclosure is known: matrices for a fusion."""

import numpy as np
from scipy.stats import binom, norm

from voiceprivacy.inout.arrays import ScoreMatrix
from voiceprivacy.privacy.atlas.fusion import learn_weights

SPEAKERS, UTTERANCES = 20, 12
CORRELATION = np.array([[1, 0.3, 0], [0.3, 1, 0], [0, 0, 1]])
DISTANCES = np.array([1.5, 0.8, 0])  # of target from nontarget scores, in standard deviations
# Worlds in which speakers differ: how far, in both channels, and how their features correlate.
SPREADS = np.array([1.2, 0.6])
DIMENSIONS, ALIKE, OF_TEMPLATE = 4, 0.5, 0.3
WORLDS_OF_TRUTH, WORLDS_OF_WEIGHTS = 3000, 60
NAMES = np.array([f"s{number:02d}" for number in range(SPEAKERS)])


def gaussian(seed, *, utterances=UTTERANCES):
    """Three channels whose scores are independent of each other's trials: {channel: matrix}."""
    draw = np.random.default_rng(seed)
    true = np.repeat(np.arange(SPEAKERS), utterances)
    shape = (len(true), SPEAKERS, len(DISTANCES))
    scores = draw.normal(size=shape) @ np.linalg.cholesky(CORRELATION).T
    scores[np.arange(len(true)), true] += DISTANCES
    return _matrices(("voice", "pitch", "nothing"), np.moveaxis(scores, 2, 0), utterances)


def gaussian_bit(members):
    """Disclosure of these channels that are fused best: Fisher's distance, then the ranks."""
    distances = DISTANCES[members]
    inside = CORRELATION[np.ix_(members, members)]
    distance = np.sqrt(distances @ np.linalg.solve(inside, distances))
    scores = np.linspace(-8, 8 + distance, 4001)
    weights = norm.pdf(scores - distance)
    # The rank is one more than how many of the others lie above the target.
    above = binom.pmf(np.arange(SPEAKERS)[:, None], SPEAKERS - 1, norm.sf(scores))
    return _bit(above @ (weights / weights.sum()))


def of_speakers(seed, *, utterances=UTTERANCES):
    """Two channels of speakers who differ, with templates that are drawn as well."""
    return _matrices(("voice", "pitch"), _distances(seed, utterances), utterances)


def of_speakers_bits():
    """What these disclose: ranks of many worlds taken together, {channels: bit}."""
    true = np.repeat(np.arange(SPEAKERS), UTTERANCES)
    worlds = [_distances(10**6 + number, UTTERANCES) for number in range(WORLDS_OF_TRUTH)]
    few = np.concatenate(worlds[:WORLDS_OF_WEIGHTS], axis=1)
    few -= few.mean(axis=2, keepdims=True)
    spreads = few.std(axis=(1, 2))
    weights = learn_weights(few / spreads[:, None, None], np.tile(true, WORLDS_OF_WEIGHTS))
    bits = {}
    for name, of_channels in {
        "voice": (1, 0),
        "pitch": (0, 1),
        "voice+pitch": weights / spreads,
    }.items():
        counts = np.zeros(SPEAKERS)
        for world in worlds:
            scores = np.tensordot(of_channels, world, axes=1)
            own = scores[np.arange(len(true)), true]
            counts += np.bincount((scores > own[:, None]).sum(axis=1), minlength=SPEAKERS)
        bits[name] = _bit(counts / counts.sum())
    return bits


def _distances(seed, utterances):
    """Negative squared distances of utterances from templates (2, R, N)."""
    draw = np.random.default_rng(seed)
    true = np.repeat(np.arange(SPEAKERS), utterances)
    size = (SPEAKERS, DIMENSIONS)
    first = draw.normal(size=size)
    second = ALIKE * first + np.sqrt(1 - ALIKE**2) * draw.normal(size=size)
    scores = []
    for spread, speakers in zip(SPREADS, (first, second), strict=True):
        templates = spread * speakers + OF_TEMPLATE * draw.normal(size=size)
        tests = spread * speakers[true] + draw.normal(size=(len(true), DIMENSIONS))
        scores.append(-((tests[:, None] - templates) ** 2).sum(axis=-1))
    return np.stack(scores)


def _matrices(channels, scores, utterances):
    true = np.repeat(np.arange(SPEAKERS), utterances)
    rows = np.array([f"{NAMES[index]}-{row}" for row, index in enumerate(true)])
    sources = np.char.add("template-", NAMES)
    return {
        channel: ScoreMatrix(rows, NAMES, NAMES[true], NAMES, own, rows, sources)
        for channel, own in zip(channels, scores, strict=True)
    }


def _bit(p):
    """Mean disclosure of the shares of all ranks."""
    p = p[p > 0]
    return float(np.sum(p * np.log2(SPEAKERS * p)))
