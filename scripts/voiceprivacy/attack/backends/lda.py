"""Linear discriminant analysis, and what it and PLDA need of embeddings: statistics of speakers, lengths.

Conventions
-----------
* ``embeddings`` is an array (N, D), one row per utterance; everything is computed in float64.

References
----------
Fukunaga, Introduction to statistical pattern recognition, 1990, chapter 10.
"""

from typing import NamedTuple

import numpy as np

from voiceprivacy.inout.files import BadInput

EIGENVALUE_FLOOR = 1e-6  # of the largest: directions in which nothing varies within speakers


class Statistics(NamedTuple):
    """What training needs of the data: S speakers, N utterances, D dimensions."""

    means: np.ndarray  # (S, D)
    counts: np.ndarray  # (S,)
    scatter: np.ndarray  # (D, D), around the speaker means


def speaker_statistics(embeddings, speakers):
    """Mean and count of every speaker, and the scatter of the utterances around their speaker's mean."""
    embeddings = np.asarray(embeddings, dtype=np.float64)
    _, group = np.unique(speakers, return_inverse=True)
    order = np.argsort(group, kind="stable")
    counts = np.bincount(group)
    sorted_embeddings = embeddings[order]
    starts = np.cumsum(counts) - counts
    means = np.add.reduceat(sorted_embeddings, starts, axis=0) / counts[:, None]
    deviations = sorted_embeddings - np.repeat(means, counts, axis=0)
    return Statistics(means, counts, deviations.T @ deviations)


def lda(embeddings, speakers, *, dimensions, shrinkage=0.0):
    """Directions that separate speakers best, scaled so that the within-speaker covariance is the identity.

    Within = (total - between) / N, between weighted by utterance counts, as in Kaldi.

    Returns
    -------
    array (dimensions, D) : one direction in each row, the most separating first

    Raises
    ------
    BadInput : nothing varies within any speaker
    """
    means, counts, scatter = speaker_statistics(embeddings, speakers)
    total = counts.sum()
    centred = means - counts @ means / total
    between = centred.T * counts @ centred / total
    values, vectors = np.linalg.eigh(shrunk(scatter / total, shrinkage))
    if values[-1] <= 0:
        raise BadInput(
            "LDA: the training embeddings of every speaker are all the same, nothing varies within speakers"
        )
    whitening = vectors / np.sqrt(np.maximum(values, EIGENVALUE_FLOOR * values[-1]))
    _, directions = np.linalg.eigh(whitening.T @ between @ whitening)
    return (whitening @ directions[:, ::-1][:, :dimensions]).T


def scale_to_length(embeddings):
    """Scale every row to the norm sqrt(D); a row of zeros stays."""
    embeddings = np.asarray(embeddings, dtype=np.float64)
    norms = np.linalg.norm(embeddings, axis=1, keepdims=True)
    return embeddings * (np.sqrt(embeddings.shape[1]) / np.where(norms > 0, norms, 1.0))


def shrunk(covariance, shrinkage):
    """Move a covariance (D, D) towards its mean variance times the identity: 0 = not, 1 = all the way."""
    target = np.eye(len(covariance)) * (np.trace(covariance) / len(covariance))
    return (1 - shrinkage) * covariance + shrinkage * target if shrinkage else covariance
