"""Orthogonal Procrustes analysis: an anonymiser is taken for a rotation, and is rotated back.

The attacker protects other speech, too. From embeddings of the same utterances before and after
follows the rotation that brings the protected ones closest to the originals. Protected
speech is rotated in the same way, and then compared by cosine with original speech.

Conventions
-----------
* Embeddings are centred by the mean of their own kind of training speech, original or protected,
  and scaled to length 1. Only then are they rotated.
* Reflections count as rotations, as in the paper.
* Directions that the training speech hardly shows stay as they are: a few utterances do not span a
  space of hundreds of dimensions.
* Two protected utterances are both rotated, which changes nothing between them: of them only the
  centring matters.

References
----------
Champion, Thebaud, Le Lan, Larcher, Jouvet, On the invertibility of a voice privacy system using
embedding alignment, IEEE ASRU, 2021: an attack on the x-vector baseline of VoicePrivacy 2020.
Schoenemann, A generalized solution of the orthogonal Procrustes problem, Psychometrika 31, 1966;
Kabsch, A solution for the best rotation to relate two sets of vectors, Acta Cryst. A32, 1976.
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np

from voiceprivacy.attack import Floats
from voiceprivacy.errors import BadInput
from voiceprivacy.inout.arrays import is_real, read_npz, write_npz

# Weight of "nothing is rotated", in proportion to the mean of what the utterances say. It decides
# where they say nothing; with more utterances than dimensions it hardly matters.
STAYING = 0.01
FEWEST_UTTERANCES = 2  # one has no mean of others to be centred by


class Alignment(NamedTuple):
    """The means (D,) of original and protected speech, and the rotation (D, D).

    A protected embedding e, centred and of length 1, becomes e @ rotation.
    """

    original_mean: Floats
    protected_mean: Floats
    rotation: Floats

    @property
    def dimensions(self) -> int:
        """Dimensions of the embeddings that it is for."""
        return len(self.original_mean)


def train(*, original: Floats, protected: Floats) -> Alignment:
    """Find the rotation between two kinds of embeddings of the same utterances.

    Parameters
    ----------
    original, protected : array (N, D)
        Row for row the same utterances.

    Returns
    -------
    Alignment : of the rotations, the one with the largest sum of cosines between both kinds

    Raises
    ------
    BadInput : fewer than two utterances, or embeddings of different dimensions
    """
    if original.shape != protected.shape:
        raise BadInput(
            f"original embeddings have the shape {original.shape}, protected ones"
            f" {protected.shape}: they must come from one extractor, of the same utterances"
        )
    if len(original) < FEWEST_UTTERANCES:
        raise BadInput("a rotation cannot be found from one utterance: give more training speech")
    original_mean, protected_mean = original.mean(axis=0), protected.mean(axis=0)
    alike = _centred(protected, protected_mean).T @ _centred(original, original_mean)
    mean_weight = np.linalg.norm(alike, "nuc") / len(alike)  # mean of its singular values
    staying = STAYING * mean_weight * np.eye(len(alike))
    # Every job that scores reads this module, and SciPy is most of what it would import.
    from scipy.linalg import polar

    # The orthogonal factor of the polar decomposition is the solution of the Procrustes problem.
    rotation, _ = polar(alike + staying)
    return Alignment(original_mean, protected_mean, rotation)


def aligned(alignment: Alignment, embeddings: Floats, *, is_protected: bool) -> Floats:
    """Embeddings as they are compared by cosine.

    Parameters
    ----------
    alignment : Alignment
    embeddings : array (N, D)
    is_protected : bool
        Whether they are of protected speech, which is rotated back.

    Returns
    -------
    array (N, D) : of length 1

    Raises
    ------
    BadInput : the alignment is for embeddings of another extractor
    """
    if embeddings.shape[1] != alignment.dimensions:
        raise BadInput(
            f"is for {alignment.dimensions} dimensions, the embeddings have {embeddings.shape[1]}"
        )
    if is_protected:
        return _centred(embeddings, alignment.protected_mean) @ alignment.rotation
    return _centred(embeddings, alignment.original_mean)


def read_alignment(path: Path | str) -> Alignment | None:
    """Read an Alignment from npz; None if the file is another back-end's.

    Raises
    ------
    BadInput : an array is missing, of another shape or not finite
    """
    if "rotation" not in read_npz(path, []):
        return None
    arrays = read_npz(path, list(Alignment._fields))
    alignment = Alignment(*(arrays[name] for name in Alignment._fields))
    n_dimensions = alignment.original_mean.size
    for name, array in alignment._asdict().items():
        shape = (n_dimensions, n_dimensions) if name == "rotation" else (n_dimensions,)
        if not is_real(array, shape):
            raise BadInput(f"{path}: {name} is not a finite array of shape {shape}")
    return alignment


def write_alignment(path: Path | str, alignment: Alignment) -> None:
    """Write an Alignment as npz."""
    write_npz(path, alignment._asdict())


def _centred(embeddings, mean):
    """Embeddings without their mean, of length 1; one that is the mean itself stays zero."""
    centred = embeddings - mean
    lengths = np.linalg.norm(centred, axis=1, keepdims=True)
    return centred / np.where(lengths > 0, lengths, 1.0)
