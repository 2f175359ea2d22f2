"""Two-covariance PLDA and LDA: how likely is it that two embeddings come from the same speaker?

Conventions
-----------
* ``embeddings`` is an array (N, D), one row per utterance; everything is computed in float64.
* LLRs are natural logarithms; higher = more likely the same speaker.
* An enrolment is the mean of ``counts`` utterances; a trial is one utterance.
* Covariances are of maximum likelihood, divided by N or by the number of speakers.
* Kaldi has two different means: LDA centres on the mean over utterances, PLDA on the mean over
  speakers. Here as there; see also ``recipes``.

References
----------
Ioffe, Probabilistic linear discriminant analysis, ECCV 2006.
Brummer and de Villiers, The speaker partitioning problem, Odyssey 2010 (the two-covariance model).
Garcia-Romero and Espy-Wilson, Analysis of i-vector length normalization, Interspeech 2011.
Fukunaga, Introduction to statistical pattern recognition, 1990, chapter 10 (LDA).
Kaldi, ivector-compute-plda, ivector-plda-scoring and ivector-compute-lda, whose numbers these meet.
"""

from typing import Any, NamedTuple

import numpy as np

from voiceprivacy.attack import Counts, Floats
from voiceprivacy.errors import BadInput

EIGENVALUE_FLOOR = 1e-6  # of the largest: directions in which nothing varies within speakers


class Plda(NamedTuple):
    """Mean (D,), between-speaker covariance (D, D) and within-speaker covariance (D, D)."""

    mean: Floats
    between: Floats
    within: Floats


class Statistics(NamedTuple):
    """What training needs of the data: S speakers, N utterances, D dimensions.

    Attributes
    ----------
    means : array (S, D)
    counts : array (S,)
    scatter : array (D, D)
        Around the speakers' means.
    """

    means: Floats
    counts: Counts
    scatter: Floats


def speaker_statistics(embeddings: Floats, speakers: Any) -> Statistics:
    """Mean and count of every speaker, and the scatter around the speakers' means.

    Parameters
    ----------
    embeddings : array (N, D)
    speakers : array-like (N,)
        Who speaks in each row.
    """
    embeddings = np.asarray(embeddings, dtype=np.float64)
    _, group = np.unique(speakers, return_inverse=True)
    order = np.argsort(group, kind="stable")
    counts = np.bincount(group)
    sorted_embeddings = embeddings[order]
    starts = np.cumsum(counts) - counts
    means = np.add.reduceat(sorted_embeddings, starts, axis=0) / counts[:, None]
    deviations = sorted_embeddings - np.repeat(means, counts, axis=0)
    return Statistics(means, counts, deviations.T @ deviations)


def train(
    embeddings: Floats, speakers: Any, *, iterations: int = 10, shrinkage: float = 0.0
) -> Plda:
    """Fit PLDA by expectation maximisation, starting from identity covariances.

    Speakers with one utterance take part. The cost of an iteration does not depend on the number
    of utterances. Of too little it learns nothing (``check_enough``).

    Parameters
    ----------
    embeddings : array (N, D)
    speakers : array-like (N,)
        Who speaks in each row.
    iterations : int
    shrinkage : float in [0, 1)
        How far ``within`` moves towards its mean variance times the identity in every iteration:
        with too few utterances it would become singular. 0 = not.

    Returns
    -------
    Plda
    """
    statistics = speaker_statistics(embeddings, speakers)
    mean = statistics.means.mean(axis=0)
    model = Plda(mean, between=np.eye(len(mean)), within=np.eye(len(mean)))
    for _ in range(iterations):
        model = _maximise(model, statistics)
        model = model._replace(within=shrunk(model.within, shrinkage))
    return model


def _maximise(model, statistics):
    """One iteration of EM, after Kaldi's PldaEstimator.

    With V and w the posterior covariance and mean of a speaker of n utterances whose mean deviates
    by m: B <- mean of V + w w' over speakers; W <- (scatter + sum of n (V + (m - w)(m - w)')) / N.
    In the basis in which W is the identity and B is diag(psi), V is diagonal.
    """
    means, counts, scatter = statistics
    psi, basis = diagonalise(model)
    back = model.within @ basis
    m = (means - model.mean) @ basis
    v = psi / (1 + counts[:, None] * psi)
    w = counts[:, None] * v * m
    residuals = m - w
    between = (np.diag(v.sum(axis=0)) + w.T @ w) / len(counts)
    within = np.diag(counts @ v) + residuals.T * counts @ residuals
    # Back to the basis of the embeddings; the scatter never left it.
    within = (scatter + back @ within @ back.T) / counts.sum()
    return Plda(model.mean, _symmetric(back @ between @ back.T), _symmetric(within))


def score(
    model: Plda,
    *,
    enrolment: Floats,
    counts: Any,
    trial: Floats,
    length_norm: str | None = "kaldi",
) -> Floats:
    """Log-likelihood ratio of every enrolment against every trial: same speaker or two speakers.

    With G = B (B + W/n)^-1 it is log N(t; mu + G (x - mu), B + W - G B) - log N(t; mu, B + W),
    computed in the basis in which W is the identity and B is diagonal.

    Parameters
    ----------
    model : Plda
    enrolment : array (E, D)
        Mean embedding of each enrolled speaker.
    counts : array-like (E,)
        Number of utterances behind each mean. To ignore it moves scores by up to 21 LLR.
    trial : array (T, D)
    length_norm : "kaldi", "simple" or None
        What happens to the norms in that basis: "kaldi" multiplies a mean of n utterances by
        sqrt(D / sum_i (x_i^2 / (psi_i + 1/n))); "simple" scales to the norm sqrt(D), which is up to
        40 LLR away from Kaldi's.

    Returns
    -------
    array (E, T)
    """
    psi, basis = diagonalise(model)
    counts = np.asarray(counts, dtype=np.float64)
    enrolment = _scaled((enrolment - model.mean) @ basis, psi, counts, length_norm)
    trial = _scaled((trial - model.mean) @ basis, psi, np.ones(len(trial)), length_norm)
    llrs = np.empty((len(enrolment), len(trial)))
    for count in np.unique(counts):
        rows = counts == count
        llrs[rows] = _llrs(enrolment[rows], trial, psi=psi, count=count)
    return llrs


def _scaled(embeddings, psi, counts, length_norm):
    """Length normalisation of (N, D) in the diagonal basis: see ``score``."""
    if length_norm is None:
        return embeddings
    if length_norm == "simple":
        return scale_to_length(embeddings)
    squares = (embeddings**2 / (psi + 1 / counts[:, None])).sum(axis=1, keepdims=True)
    return embeddings * np.sqrt(len(psi) / np.where(squares > 0, squares, len(psi)))


def _llrs(enrolment, trial, *, psi, count):
    """LLRs (E, T) of enrolments of the same number of utterances.

    The squares in the two Gaussians are multiplied out: what depends on both sides is one matrix
    product, and what depends on one side only joins it as a column more.
    """
    predicted = enrolment * (psi / (psi + 1 / count))
    same = 1 + psi / (count * psi + 1)  # variance of a trial of the enrolled speaker
    different = 1 + psi  # variance of a trial of anybody
    constant = np.log(different).sum() - np.log(same).sum()
    enrolment_terms = (constant - (predicted**2 / same).sum(axis=1)) / 2
    trial_terms = (trial**2 * (1 / different - 1 / same)).sum(axis=1) / 2
    left = np.column_stack([predicted / same, enrolment_terms, np.ones(len(enrolment))])
    return left @ np.column_stack([trial, np.ones(len(trial)), trial_terms]).T


def diagonalise(model: Plda) -> tuple[Floats, Floats]:
    """The basis in which a Plda is diagonal.

    Returns
    -------
    psi (D,), basis (D, D) : basis' within basis = identity, basis' between basis = diag(psi)

    Raises
    ------
    BadInput : ``within`` is singular
    """
    # Every job that scores reads this module, and SciPy is most of what it would import.
    from scipy.linalg import LinAlgError, eigh

    try:
        psi, basis = eigh(model.between, model.within)
    except LinAlgError:
        raise BadInput(
            "the within-speaker covariance of PLDA is singular: use more data or fewer dimensions"
        ) from None
    return np.maximum(psi, 0.0), basis


def lda(embeddings: Floats, speakers: Any, *, dimensions: int, shrinkage: float = 0.0) -> Floats:
    """Directions that separate speakers best, in which the within-speaker covariance is identity.

    Within = (total - between) / N, between weighted by utterance counts, as in Kaldi.

    Parameters
    ----------
    embeddings, speakers : array (N, D), array-like (N,)
    dimensions : int
        Directions to keep.
    shrinkage : float in [0, 1)
        Of the within-speaker covariance, see ``train``.

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
            "LDA: the training embeddings of every speaker are all the same, "
            "nothing varies within speakers"
        )
    # First make the within-speaker covariance the identity, then take the directions in which
    # speakers' means vary most.
    whitening = vectors / np.sqrt(np.maximum(values, EIGENVALUE_FLOOR * values[-1]))
    _, directions = np.linalg.eigh(whitening.T @ between @ whitening)
    return (whitening @ directions[:, ::-1][:, :dimensions]).T


def scale_to_length(embeddings: Floats) -> Floats:
    """Scale every row (D,) to the norm sqrt(D); a row of zeros stays."""
    embeddings = np.asarray(embeddings, dtype=np.float64)
    norms = np.linalg.norm(embeddings, axis=1, keepdims=True)
    return embeddings * (np.sqrt(embeddings.shape[1]) / np.where(norms > 0, norms, 1.0))


def shrunk(covariance: Floats, shrinkage: float) -> Floats:
    """Move a covariance (D, D) towards its mean variance times the identity.

    A ``shrinkage`` of 0 leaves it as it is, to the last bit; 1 would move it all the way.
    """
    if not shrinkage:
        return covariance
    target = np.eye(len(covariance)) * (np.trace(covariance) / len(covariance))
    return (1 - shrinkage) * covariance + shrinkage * target


def check_enough(
    n_utterances: int, n_speakers: int, *, dimensions: int, shrinkage: float | None = None
) -> None:
    """Raise BadInput where PLDA cannot be trained on so little; the message says what to do.

    Without ``shrinkage`` it is a back-end that shrinks nothing.
    """
    if shrinkage is not None and not 0 <= shrinkage < 1:
        raise BadInput(f"shrinkage is {shrinkage}, expected 0 (none) to below 1")
    if n_speakers < 2:
        raise BadInput("PLDA needs at least two training speakers")
    if n_utterances == n_speakers:
        raise BadInput(
            "PLDA cannot be trained on one utterance a speaker: it would never see how a speaker "
            "varies; use a corpus with several utterances a speaker, or the cosine back-end"
        )
    if n_utterances < dimensions and not shrinkage:
        other = "type: plda with shrinkage: 0.1" if shrinkage is None else "shrinkage: 0.1"
        raise BadInput(
            f"PLDA needs at least as many training utterances as dimensions ({dimensions}), there "
            f"are {n_utterances}: use more training speech, {other}, or the cosine back-end"
        )


def _symmetric(matrix):
    """The matrix without the asymmetry of rounding, which grows over iterations."""
    return (matrix + matrix.T) / 2
