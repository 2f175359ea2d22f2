"""What each speaker's rank gives away, when few utterances of each are there: with shrinkage.

Conventions
-----------
* The rank of speaker s is beta-binomial, as in ``betabinomial``, with mean m_s = alpha / (alpha +
  beta) of its own and a concentration c = alpha + beta that all speakers share. Logits of m_s are
  normal over speakers, with mean mu and standard deviation tau.
* mu, log tau and log c have flat priors over the ranges below. They are integrated and not only
  estimated: with few speakers an estimate alone makes limits too narrow.
* Disclosure is that of the speaker's model, sum over ranks of gamma_k log2(N gamma_k), which is
  the definition of the paper. The estimate is its posterior mean: the fewer the utterances, the
  nearer it is to what the gallery has in common.
* Limits are simultaneous: least and most of the region of highest posterior density that holds
  1 - 5 % / S of the probability, for S speakers (Bonferroni). So they hold for the most exposed
  ones too, who were chosen for their numbers. In simulations all of them hold in 92 to 97 % of the
  worlds (docs/internals/uncertainty.md).
* Utterances are independent given their speaker, and the gallery of templates stays.

References
----------
Backstrom et al., Privacy disclosure of similarity rank in speech and language processing, 2025,
sections IV-C and VII (a model for each speaker). Gelman et al., Bayesian Data Analysis, 3rd ed.,
2013, section 5.3 (a hierarchical model of proportions).
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import logsumexp, xlogy

from voiceprivacy.privacy import Floats
from voiceprivacy.privacy.matrices.betabinomial import log_pmf

LEVEL = 0.95
LOGITS = np.linspace(-9.0, 9.0, 121)  # of m; beyond, nearly every rank is the first or the last
SPREADS = np.geomspace(0.05, 4.0, 9)  # tau
CENTRES = np.linspace(-8.0, 8.0, 17)  # mu, first look
CONCENTRATIONS = np.linspace(np.log(0.05), np.log(200.0), 13)  # log c, first look
N_FINE = 9  # values of mu and of log c, second look
WIDTH = 3.0  # standard deviations that the second look reaches to either side
RESOLUTION_BIT = 0.02  # limits are so much wider, because the grid has no value in between


class Shrunken(NamedTuple):
    """Disclosure (S,) of each speaker in bits, and its simultaneous limits (S,)."""

    bits: Floats
    low: Floats
    high: Floats


class _Posterior(NamedTuple):
    """Probability of logit and log concentration for each speaker (S, M, C), and of mu, log c."""

    cells: Floats
    centres: Floats
    concentrations: Floats


def shrink(histograms: Sequence[Floats], n_utterances: Sequence[int]) -> Shrunken:
    """Disclosure of every speaker of a gallery, drawn towards what all have in common.

    Parameters
    ----------
    histograms : S arrays (N,)
        Share of a speaker's utterances at each rank.
    n_utterances : S numbers
        How many utterances each has.
    """
    n_templates = len(histograms[0])
    if n_templates == 1:  # nothing to disclose
        nothing = np.zeros(len(histograms))
        return Shrunken(nothing, nothing, nothing)
    counts = [n * p for n, p in zip(n_utterances, histograms, strict=True)]
    first = _posterior(_likelihoods(counts, _models(CONCENTRATIONS, n_templates)), CENTRES)
    models = _models(_around(CONCENTRATIONS, first.concentrations), n_templates)
    second = _posterior(_likelihoods(counts, models), _around(CENTRES, first.centres))
    cells = second.cells.reshape(len(counts), -1)
    bits = _disclosures(models).ravel()
    outside = (1 - LEVEL) / len(counts)
    limits = []
    for own in cells:
        likely = np.argsort(-own)
        # Cells are equally large, so the most probable ones are a region of highest density.
        inside = likely[: 1 + np.searchsorted(np.cumsum(own[likely]), 1 - outside)]
        limits.append((bits[inside].min(), bits[inside].max()))
    low, high = np.transpose(limits)
    return Shrunken(
        cells @ bits,
        np.maximum(low - RESOLUTION_BIT, 0.0),
        np.minimum(high + RESOLUTION_BIT, np.log2(n_templates)),
    )


def _models(concentrations, n_templates):
    """Log probability of the ranks for each logit and log concentration: (M, C, N)."""
    models = np.empty((len(LOGITS), len(concentrations), n_templates))
    for row, logit in enumerate(LOGITS):
        mean = 1 / (1 + np.exp(-logit))
        for column, concentration in enumerate(np.exp(concentrations)):
            alpha, beta = mean * concentration, (1 - mean) * concentration
            models[row, column] = log_pmf(alpha, beta, n_templates)
    return models


def _likelihoods(counts, models):
    """Log likelihood of each speaker's ranks: (S, M, C)."""
    # Few ranks occur; the others need no product.
    return np.array([models[:, :, own > 0] @ own[own > 0] for own in counts])


def _disclosures(models):
    """Mean disclosure of each model in bits: (M, C)."""
    gamma = np.exp(models)
    return xlogy(gamma, gamma * models.shape[2]).sum(axis=2) / np.log(2)


def _posterior(likelihoods, centres):
    """Posterior of all that is not known, given log likelihoods (S, M, C)."""
    scaled = (LOGITS[:, None, None] - centres[:, None]) / SPREADS
    prior = -(scaled**2) / 2
    prior = np.exp(prior - logsumexp(prior, axis=0)).reshape(len(LOGITS), -1)  # (M, mu x tau)
    peaks = likelihoods.max(axis=1, keepdims=True)
    relative = np.exp(likelihoods - peaks)
    # Of each speaker with each prior and concentration: (S, C, mu x tau).
    marginal = np.maximum(relative.transpose(0, 2, 1) @ prior, np.finfo(float).tiny)
    together = (np.log(marginal) + peaks.transpose(0, 2, 1)).sum(axis=0)
    hyper = np.exp(together - logsumexp(together))
    cells = relative * (prior @ (hyper / marginal).transpose(0, 2, 1))
    by_centre = hyper.reshape(len(hyper), len(centres), -1).sum(axis=(0, 2))
    return _Posterior(cells, by_centre, hyper.sum(axis=1))


def _around(values, probability):
    """Values where the probability is, closer together."""
    mean = probability @ values
    step = values[1] - values[0]
    deviation = max(float(np.sqrt(probability @ (values - mean) ** 2)), step / 4)
    reach = WIDTH * deviation
    return np.linspace(max(mean - reach, values[0]), min(mean + reach, values[-1]), N_FINE)
