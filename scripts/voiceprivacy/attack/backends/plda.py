"""Two-covariance PLDA: how likely is it that two embeddings come from the same speaker?

Conventions
-----------
* ``embeddings`` is an array (N, D), one row per utterance; everything is computed in float64.
* LLRs are natural logarithms; higher = more likely the same speaker.
* An enrolment is the mean of ``counts`` utterances; a trial is one utterance.
* The means differ: embeddings are centred on the mean over utterances, PLDA itself on the mean over speakers.

References
----------
Ioffe, Probabilistic linear discriminant analysis, ECCV 2006.
Brummer and de Villiers, The speaker partitioning problem, Odyssey 2010 (the two-covariance model).
"""

from typing import NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, eigh

from voiceprivacy.attack.backends.lda import lda, scale_to_length, shrunk, speaker_statistics
from voiceprivacy.inout.arrays import read_npz, write_npz
from voiceprivacy.inout.files import BadInput


class Plda(NamedTuple):
    """Mean (D,), between-speaker covariance (D, D) and within-speaker covariance (D, D)."""

    mean: np.ndarray
    between: np.ndarray
    within: np.ndarray


class Recipe(NamedTuple):
    """A whole PLDA back-end: subtract the centre (D,), multiply by lda (K, D), scale, score; None = not.

    ``scale`` is whether embeddings get the norm sqrt(K) before PLDA, ``length_norm`` what scoring does with norms (see
    ``score``), ``single`` whether scoring takes every enrolment for one utterance, as SpeechBrain does.
    """

    plda: Plda
    centre: np.ndarray | None
    lda: np.ndarray | None
    length_norm: str | None
    scale: bool
    single: bool = False


def train(embeddings, speakers, *, iterations=10, shrinkage=0.0):
    """Fit PLDA by expectation maximisation, starting from identity covariances.

    Speakers with one utterance take part; the cost of an iteration does not depend on the number of utterances.

    Parameters
    ----------
    embeddings : array (N, D)
    speakers : array (N,)
        Who speaks in each row.
    iterations : int
    shrinkage : float in [0, 1)
        How far ``within`` moves towards its mean variance times the identity in every iteration: with too few
        utterances it would become singular. 0 = not.

    Returns
    -------
    Plda

    Raises
    ------
    BadInput : fewer than two speakers, never two utterances of one speaker, or, without shrinkage, fewer utterances
        than dimensions
    """
    statistics = speaker_statistics(embeddings, speakers)
    mean = statistics.means.mean(axis=0)
    _check_enough(
        statistics.counts.sum(), len(statistics.counts), dimensions=len(mean), shrinkage=shrinkage
    )
    model = Plda(mean, np.eye(len(mean)), np.eye(len(mean)))
    for _ in range(iterations):
        model = _maximise(model, statistics)
        model = model._replace(within=shrunk(model.within, shrinkage))
    return model


def vpc_recipe(
    embeddings,
    speakers,
    *,
    lda_dim=None,
    length_norm="kaldi",
    centre=True,
    scale=True,
    iterations=10,
    shrinkage=0.0,
):
    """Train the chain of VoicePrivacy 2020 and 2022: centre, LDA, scaling to norm sqrt(dimensions), PLDA.

    Parameters
    ----------
    embeddings, speakers : array (N, D), array (N,)
    lda_dim : int, optional
        Dimensions to keep; by default min(200, D, speakers - 1).
    length_norm : "kaldi", "simple" or None
        How PLDA scoring normalises lengths (see ``score``).
    centre : bool
        Subtract the mean over all training utterances.
    scale : bool
        Scale embeddings to norm sqrt(dimensions) before PLDA, in training as in scoring.
    iterations : int
    shrinkage : float in [0, 1)
        Of the within-speaker covariances of LDA and of PLDA, see ``train``.

    Returns
    -------
    Recipe
    """
    embeddings = np.asarray(embeddings, dtype=np.float64)
    n_speakers, dimensions = len(np.unique(speakers)), embeddings.shape[1]
    _check_enough(len(embeddings), n_speakers, dimensions=dimensions, shrinkage=shrinkage)
    largest = min(dimensions, n_speakers - 1)
    if lda_dim is not None and not 1 <= lda_dim <= largest:
        raise BadInput(
            f"LDA to {lda_dim} dimensions: these embeddings and speakers allow 1 to {largest}"
        )
    directions = lda(
        embeddings, speakers, dimensions=lda_dim or min(200, largest), shrinkage=shrinkage
    )
    recipe = Recipe(
        None, embeddings.mean(axis=0) if centre else None, directions, length_norm, scale
    )
    model = train(
        preprocess(recipe, embeddings), speakers, iterations=iterations, shrinkage=shrinkage
    )
    return recipe._replace(plda=model)


def preprocess(recipe, embeddings):
    """The steps of a Recipe before PLDA: (N, D) raw embeddings -> (N, K) float64."""
    embeddings = np.asarray(embeddings, dtype=np.float64)
    if recipe.centre is not None:
        embeddings = embeddings - recipe.centre
    if recipe.lda is not None:
        embeddings = embeddings @ recipe.lda.T
    return scale_to_length(embeddings) if recipe.scale else embeddings


def score_recipe(recipe, *, enrolment, counts, trial):
    """LLRs (E, T) of raw embeddings (E, D) and (T, D); see ``score``."""
    return score(
        recipe.plda,
        enrolment=preprocess(recipe, enrolment),
        counts=np.ones(len(counts)) if recipe.single else counts,
        trial=preprocess(recipe, trial),
        length_norm=recipe.length_norm,
    )


def read_recipe(path):
    """Read a Recipe from npz: mean, between, within, and where used lda, centre, length_norm, single.

    Embeddings are scaled where there is a length_norm, unless ``scale`` says otherwise.
    """
    arrays = read_npz(path, Plda._fields)
    recipe = Recipe(
        Plda(*(arrays[name] for name in Plda._fields)),
        arrays.get("centre"),
        arrays.get("lda"),
        str(arrays["length_norm"]) if "length_norm" in arrays else None,
        bool(np.all(arrays.get("scale", "length_norm" in arrays))),
        "single" in arrays,
    )
    _check_shapes(recipe, path)
    return recipe


def write_recipe(path, recipe):
    """Write a Recipe as npz; what it does not use is absent."""
    optional = {"lda": recipe.lda, "centre": recipe.centre, "length_norm": recipe.length_norm}
    optional["single"] = True if recipe.single else None
    optional["scale"] = recipe.scale if recipe.scale != (recipe.length_norm is not None) else None
    write_npz(
        path,
        recipe.plda._asdict()
        | {name: value for name, value in optional.items() if value is not None},
    )


def _maximise(model, statistics):
    """One iteration, in the basis in which within is the identity and between is diag(psi)."""
    means, counts, scatter = statistics
    psi, basis = diagonalise(model)
    back = model.within @ basis
    deviations = (means - model.mean) @ basis
    shrink = psi / (1 + counts[:, None] * psi)  # posterior variance of a speaker of n utterances
    speakers = counts[:, None] * shrink * deviations  # posterior mean
    residuals = deviations - speakers
    between = (np.diag(shrink.sum(axis=0)) + speakers.T @ speakers) / len(counts)
    within = np.diag(counts @ shrink) + residuals.T * counts @ residuals
    within = (scatter + back @ within @ back.T) / counts.sum()
    return Plda(model.mean, _symmetric(back @ between @ back.T), _symmetric(within))


def _check_enough(n_utterances, n_speakers, *, dimensions, shrinkage):
    if not 0 <= shrinkage < 1:
        raise BadInput(f"shrinkage is {shrinkage}, expected 0 (none) to below 1")
    if n_speakers < 2:
        raise BadInput("PLDA needs at least two training speakers")
    if n_utterances == n_speakers:
        raise BadInput(
            "PLDA cannot be trained on one utterance a speaker: it would never see how a speaker varies; use a corpus "
            "with several utterances a speaker, or the cosine back-end"
        )
    if n_utterances < dimensions and not shrinkage:
        raise BadInput(
            f"PLDA needs at least as many training utterances as dimensions ({dimensions}), there are {n_utterances}: "
            "use more training speech, shrinkage: 0.1, or the cosine back-end"
        )


def _check_shapes(recipe, path):
    dimensions = recipe.plda.mean.shape[0] if recipe.plda.mean.ndim == 1 else -1
    outer = recipe.lda.shape[1] if recipe.lda is not None and recipe.lda.ndim == 2 else dimensions
    expected = {
        "mean": (recipe.plda.mean, (dimensions,)),
        "between": (recipe.plda.between, (dimensions, dimensions)),
        "within": (recipe.plda.within, (dimensions, dimensions)),
        "lda": (recipe.lda, (dimensions, outer)),
        "centre": (recipe.centre, (outer,)),
    }
    for name, (array, shape) in expected.items():
        if array is not None and (array.shape != shape or not np.isfinite(array).all()):
            raise BadInput(f"{path}: {name} is not a finite array of shape {shape}")
    if recipe.length_norm not in (None, "kaldi", "simple"):
        raise BadInput(f"{path}: length_norm '{recipe.length_norm}' is neither kaldi nor simple")


def _symmetric(matrix):
    return (matrix + matrix.T) / 2


# Scores of two-covariance PLDA: the log-likelihood ratio of enrolments against trials, and length normalisation.
#
# Conventions
# -----------
# * A model has a mean (D,) and the covariances between and within speakers (D, D), see ``plda.Plda``; LLRs are natural
#   logarithms; higher = more likely the same speaker.
# * An enrolment is the mean of ``counts`` utterances; a trial is one utterance.
#
# References
# ----------
# Brummer and de Villiers, The speaker partitioning problem, Odyssey 2010 (the two-covariance model).
# Garcia-Romero and Espy-Wilson, Analysis of i-vector length normalization, Interspeech 2011.


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
        raise BadInput(
            "the within-speaker covariance of PLDA is singular: use more data or fewer dimensions"
        ) from None
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
