"""Scores of two-covariance PLDA: the log-likelihood ratio of enrolments against trials, and length normalisation.

Conventions
-----------
* A model has a mean (D,) and the covariances between and within speakers (D, D), see ``plda.Plda``; LLRs are natural
  logarithms; higher = more likely the same speaker.
* An enrolment is the mean of ``counts`` utterances; a trial is one utterance.

References
----------
Brummer and de Villiers, The speaker partitioning problem, Odyssey 2010 (the two-covariance model).
Garcia-Romero and Espy-Wilson, Analysis of i-vector length normalization, Interspeech 2011.
"""

import numpy as np
from scipy.linalg import LinAlgError, eigh

from voiceprivacy.attack.lda import scale_to_length
from voiceprivacy.files import BadInput


def score(model, *, enrolment, counts, trial, length_norm="kaldi"):
    """Log-likelihood ratio of every enrolment against every trial: same speaker or two speakers.

    With G = B (B + W/n)^-1: log N(t; mu + G (x - mu), B + W - G B) - log N(t; mu, B + W), computed in the basis in
    which W is the identity and B is diagonal.

    Parameters
    ----------
    model : Plda
    enrolment : array (E, D)
        Mean embedding of each enrolled speaker.
    counts : array (E,)
        Number of utterances behind each mean.
    trial : array (T, D)
    length_norm : "kaldi", "simple" or None
        What happens to the norms in that basis: see ``_scaled``.

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


def diagonalise(model):
    """The basis in which a Plda is diagonal.

    Returns
    -------
    psi (D,), basis (D, D) : basis' within basis = identity, basis' between basis = diag(psi)

    Raises
    ------
    BadInput : ``within`` is singular
    """
    try:
        psi, basis = eigh(model.between, model.within)
    except LinAlgError:
        raise BadInput("the within-speaker covariance of PLDA is singular: use more data or fewer dimensions") from None
    return np.maximum(psi, 0.0), basis


def _scaled(embeddings, psi, counts, length_norm):
    """Length normalisation of (N, D) in the diagonal basis.

    kaldi: to the norm that is expected of a mean of n utterances, sqrt(D / sum_i x_i^2 / (psi_i + 1/n));
    simple: to norm sqrt(D).
    """
    if length_norm is None:
        return embeddings
    if length_norm == "simple":
        return scale_to_length(embeddings)
    if length_norm != "kaldi":
        raise BadInput(f"length_norm '{length_norm}' is neither kaldi nor simple")
    squares = (embeddings**2 / (psi + 1 / counts[:, None])).sum(axis=1, keepdims=True)
    return embeddings * np.sqrt(len(psi) / np.where(squares > 0, squares, len(psi)))


def _llrs(enrolment, trial, *, psi, count):
    """LLRs (E, T) of enrolments of the same number of utterances, as one matrix product with two columns more."""
    predicted = enrolment * (psi / (psi + 1 / count))
    same = 1 + psi / (count * psi + 1)
    different = 1 + psi
    constant = np.log(different).sum() - np.log(same).sum()
    of_enrolment = (constant - (predicted**2 / same).sum(axis=1)) / 2
    of_trial = (trial**2 * (1 / different - 1 / same)).sum(axis=1) / 2
    left = np.column_stack([predicted / same, of_enrolment, np.ones(len(enrolment))])
    return left @ np.column_stack([trial, np.ones(len(trial)), of_trial]).T
