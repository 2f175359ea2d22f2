"""Whole PLDA back-ends: the steps from raw embeddings to PLDA, their training, and their files.

The order of operations is that of VoicePrivacy 2020 and 2022 (Kaldi's recipes): subtract the mean
over all training utterances, LDA to 200 dimensions, scale to the norm sqrt(dimensions), PLDA. An
enrolment is averaged first, as raw embeddings, and then takes the same steps.

Conventions
-----------
As in ``plda``.

References
----------
Tomashenko et al., The VoicePrivacy 2020 Challenge: results and findings, CSL 2022.
Ravanelli et al., SpeechBrain, 2021 (its own PLDA).
"""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from voiceprivacy.attack import Floats
from voiceprivacy.attack.backends import plda
from voiceprivacy.attack.backends.plda import Plda
from voiceprivacy.errors import BadInput
from voiceprivacy.inout.arrays import is_real, read_npz, write_npz

ROUNDING = 1e-5  # of covariances, relative to the largest entry: others may write single precision
LARGEST_LDA = 200  # dimensions, as in the recipes of the challenges
LENGTH_NORMS = (None, "kaldi", "simple")


class Recipe(NamedTuple):
    """A PLDA back-end: N raw embeddings of D dimensions become K dimensions, and are scored.

    Attributes
    ----------
    plda : Plda, of K dimensions
    centre : array (D,) or None
        What is subtracted.
    lda : array (K, D) or None
        What is multiplied by.
    length_norm : "kaldi", "simple" or None
        What scoring does with norms, see ``plda.score``.
    scale : bool
        Whether embeddings get the norm sqrt(K) before PLDA.
    single : bool
        Whether scoring takes every enrolment for one utterance, as SpeechBrain does.
    """

    plda: Plda
    centre: Floats | None
    lda: Floats | None
    length_norm: str | None
    scale: bool
    single: bool = False

    @property
    def dimensions(self) -> int:
        """Dimensions of the embeddings that it is for."""
        return len(self.plda.mean) if self.lda is None else self.lda.shape[1]


def vpc_recipe(
    embeddings: Floats,
    speakers: Any,
    *,
    lda_dim: int | None = None,
    length_norm: str | None = "kaldi",
    centre: bool = True,
    scale: bool = True,
    iterations: int = 10,
    shrinkage: float = 0.0,
) -> Recipe:
    """Train the chain of VoicePrivacy 2020 and 2022: centre, LDA, scaling, PLDA.

    Parameters
    ----------
    embeddings, speakers : array (N, D), array-like (N,)
    lda_dim : int, optional
        Dimensions to keep; by default min(200, D, speakers - 1).
    length_norm : "kaldi", "simple" or None
        How PLDA scoring normalises lengths (see ``plda.score``).
    centre : bool
        Subtract the mean over all training utterances.
    scale : bool
        Scale embeddings to norm sqrt(dimensions) before PLDA, in training as in scoring.
    iterations : int
    shrinkage : float in [0, 1)
        Of the within-speaker covariances of LDA and of PLDA, see ``plda.train``.

    Returns
    -------
    Recipe

    Raises
    ------
    BadInput : too little speech, or ``lda_dim`` exceeds what it allows
    """
    embeddings = np.asarray(embeddings, dtype=np.float64)
    n_speakers, dimensions = len(np.unique(speakers)), embeddings.shape[1]
    plda.check_enough(len(embeddings), n_speakers, dimensions=dimensions, shrinkage=shrinkage)
    largest = min(dimensions, n_speakers - 1)
    if lda_dim is not None and not 1 <= lda_dim <= largest:
        raise BadInput(
            f"LDA to {lda_dim} dimensions: these embeddings and speakers allow 1 to {largest}"
        )
    mean = embeddings.mean(axis=0) if centre else None
    kept = lda_dim or min(LARGEST_LDA, largest)
    # LDA takes a mean off by itself: of the same embeddings, centred or not, it is the same.
    directions = plda.lda(embeddings, speakers, dimensions=kept, shrinkage=shrinkage)
    prepared = _preprocessed(embeddings, centre=mean, lda=directions, scale=scale)
    model = plda.train(prepared, speakers, iterations=iterations, shrinkage=shrinkage)
    return Recipe(model, mean, directions, length_norm, scale)


def speechbrain_recipe(embeddings: Floats, speakers: Any, *, rank: int = 100) -> Recipe:
    """Train SpeechBrain's own PLDA, for comparison with numbers that were made with it.

    Its limits: it takes no account of how many utterances enrol a speaker. It has no length
    normalisation, and no LDA that can be used: SpeechBrain's applies a symmetric eigensolver to a
    matrix that is not symmetric. Speakers vary in ``rank`` directions only. The one to report is
    Kaldi's: ``vpc_recipe``.

    Parameters
    ----------
    embeddings, speakers : array (N, D), array-like (N,)
    rank : int

    Raises
    ------
    BadInput : ``rank`` exceeds the dimensions of the embeddings, or there are fewer of them
    """
    # Seconds to import, and not in every environment.
    from speechbrain.processing.PLDA_LDA import PLDA, StatObject_SB

    n_utterances, dimensions = embeddings.shape
    if not 1 <= rank <= dimensions:
        raise BadInput(
            f"SpeechBrain's PLDA of rank {rank}: "
            f"embeddings of {dimensions} dimensions allow 1 to {dimensions}"
        )
    plda.check_enough(n_utterances, len({*speakers}), dimensions=dimensions)
    # SpeechBrain trains on statistics of frames: an embedding is those of a single frame.
    no_times = np.full(n_utterances, None)
    statistics = StatObject_SB(
        modelset=np.array(speakers, dtype=object),
        segset=np.array([f"{number:09d}" for number in range(n_utterances)], dtype=object),
        start=no_times,
        stop=no_times,
        stat0=np.ones((n_utterances, 1)),
        stat1=np.array(embeddings, dtype=np.float64),
    )
    model = PLDA(rank_f=rank, nb_iter=10)
    model.plda(statistics)
    return Recipe(
        Plda(model.mean, between=model.F @ model.F.T, within=model.Sigma),
        centre=None,
        lda=None,
        length_norm=None,
        scale=False,
        single=True,
    )


def preprocess(recipe: Recipe, embeddings: Floats) -> Floats:
    """The steps of a Recipe before PLDA: (N, D) raw embeddings -> (N, K) float64."""
    return _preprocessed(embeddings, centre=recipe.centre, lda=recipe.lda, scale=recipe.scale)


def _preprocessed(embeddings, *, centre, lda, scale):
    embeddings = np.asarray(embeddings, dtype=np.float64)
    if centre is not None:
        embeddings = embeddings - centre
    if lda is not None:
        embeddings = embeddings @ lda.T
    return plda.scale_to_length(embeddings) if scale else embeddings


def score_recipe(recipe: Recipe, *, enrolment: Floats, counts: Any, trial: Floats) -> Floats:
    """LLRs (E, T) of raw embeddings (E, D) and (T, D); see ``plda.score``."""
    return plda.score(
        recipe.plda,
        enrolment=preprocess(recipe, enrolment),
        counts=np.ones(len(counts)) if recipe.single else counts,
        trial=preprocess(recipe, trial),
        length_norm=recipe.length_norm,
    )


def read_recipe(path: Path | str) -> Recipe:
    """Read a Recipe from npz: mean, between, within, and where used lda, centre, length_norm.

    Embeddings are scaled where there is a length_norm, unless ``scale`` says otherwise.

    Raises
    ------
    BadInput : an array is missing, of another shape or not finite
    """
    arrays = read_npz(path, list(Plda._fields))
    recipe = Recipe(
        Plda(arrays["mean"], arrays["between"], arrays["within"]),
        arrays.get("centre"),
        arrays.get("lda"),
        str(arrays["length_norm"]) if "length_norm" in arrays else None,
        bool(np.all(arrays.get("scale", "length_norm" in arrays))),
        "single" in arrays,
    )
    _check_shapes(recipe, path)
    return recipe


def write_recipe(path: Path | str, recipe: Recipe) -> None:
    """Write a Recipe as npz."""
    write_npz(path, arrays_of(recipe))


def arrays_of(recipe: Recipe) -> dict[str, Any]:
    """A Recipe as its file has it; what it does not use is absent."""
    arrays: dict[str, Any] = recipe.plda._asdict()
    for name in ("lda", "centre", "length_norm"):
        if getattr(recipe, name) is not None:
            arrays[name] = getattr(recipe, name)
    if recipe.single:
        arrays["single"] = True
    # Only where it is not what ``read_recipe`` takes for granted.
    if recipe.scale != (recipe.length_norm is not None):
        arrays["scale"] = recipe.scale
    return arrays


def _check_shapes(recipe, path):
    mean, between, within = recipe.plda
    inner = mean.shape[0] if mean.ndim == 1 else -1
    outer = recipe.lda.shape[1] if recipe.lda is not None and recipe.lda.ndim == 2 else inner
    expected = {
        "mean": (mean, (inner,)),
        "between": (between, (inner, inner)),
        "within": (within, (inner, inner)),
        "lda": (recipe.lda, (inner, outer)),
        "centre": (recipe.centre, (outer,)),
    }
    for name, (array, shape) in expected.items():
        if array is not None and not is_real(array, shape):
            raise BadInput(f"{path}: {name} is not a finite array of shape {shape}")
    for name, covariance in (("between", between), ("within", within)):
        if not _is_covariance(covariance):
            raise BadInput(f"{path}: {name} is no covariance: not symmetric, or negative somewhere")
    if recipe.length_norm not in LENGTH_NORMS:
        raise BadInput(f"{path}: length_norm '{recipe.length_norm}' is neither kaldi nor simple")


def _is_covariance(matrix):
    """Whether a matrix is symmetric without negative variances, as far as rounding goes."""
    largest = np.abs(matrix).max()
    if not np.allclose(matrix, matrix.T, rtol=0, atol=ROUNDING * largest):
        return False
    return np.linalg.eigvalsh(matrix / (largest or 1.0)).min() >= -ROUNDING
