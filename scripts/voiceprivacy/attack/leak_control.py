"""A positive control: does a back-end that learns from protected speech find a leak of known size?

A back-end that learnt nothing finds nothing, and its silence says nothing of the speech. So a leak
is planted in protected embeddings, of those who are learnt from and of those who are tried, and the
back-end is trained again by its own recipe.

Conventions
-----------
* The leak lies along directions in which protected training speech varies little, where untrained
  attackers do not look. Each person has a place of their own there, drawn from their name.
* Its size is what it gives an attacker who knows the directions, if everything else in them is
  noise: PLANTED_PERCENT of the evidence, by one trial and an enrolment of the usual number of
  utterances.
* What passes through an anonymiser was there before. Where a back-end learns from unprotected
  utterances besides, the leak is planted in these, too.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from voiceprivacy import seeds
from voiceprivacy.attack import Floats
from voiceprivacy.errors import BadInput

PLANTED_PERCENT = 30
N_DIRECTIONS = 8
# Of an enrolment and a trial of one person, in each direction: 8 of them have 30 % of the evidence.
CORRELATION = 0.4759
LEAST_VARIANCE = 0.03  # of the mean variance: the directions lie above, beside each other
NO_VARIANCE = 1e-9  # of the largest variance: what rounding leaves where nothing varies


class Leak(NamedTuple):
    """What is planted: N_DIRECTIONS directions (K, D), and how far persons lie apart there (K,)."""

    directions: Floats
    deviations: Floats

    def planted(self, embeddings: Floats, speakers: Sequence[str]) -> Floats:
        """Embeddings (N, D) with the place of each speaker (N,) added."""
        place_of = {name: self.place(name) for name in set(speakers)}
        return embeddings + np.stack([place_of[name] for name in speakers])

    def place(self, speaker: str) -> Floats:
        """What is added to all embeddings (D,) of one speaker."""
        draw = seeds.generator(0, "planted leak", speaker)
        return draw.normal(size=len(self.deviations)) * self.deviations @ self.directions


def leak_for(learnt: Floats, tried: Floats, *, enrolling: float) -> Leak:
    """Find where a leak goes, and how large it is.

    Parameters
    ----------
    learnt : array (N, D)
        Protected embeddings that the back-end learns from
    tried : array (T, D)
        Those that it is tried on, of which nothing was learnt: their spread is the noise
    enrolling : float
        How many utterances enrol a person

    Raises
    ------
    BadInput : the embeddings vary in too few directions
    """
    centred = learnt - learnt.mean(axis=0)
    variances, vectors = np.linalg.eigh(centred.T @ centred / len(learnt))
    n_varying = int((variances > NO_VARIANCE * variances[-1]).sum())
    if n_varying < N_DIRECTIONS:
        raise BadInput(
            f"the training embeddings vary in {n_varying} directions only, "
            f"a leak is planted in {N_DIRECTIONS}"
        )
    least = len(variances) - n_varying
    most = least + (n_varying - N_DIRECTIONS) // 2  # others vary more than half of all directions
    n_smaller = int(np.searchsorted(variances, LEAST_VARIANCE * variances.mean()))
    first = int(np.clip(n_smaller, least, most))
    directions = vectors[:, first : first + N_DIRECTIONS].T
    return Leak(directions, deviation_of(enrolling) * (tried @ directions.T).std(axis=0))


def deviation_of(enrolling: float) -> float:
    """How far persons lie apart, where the noise of one utterance has variance 1.

    The correlation of an enrolment of n utterances and a trial is b / sqrt((b + 1/n) (b + 1)), with
    b the variance of persons.
    """
    square, noise = CORRELATION**2, 1 / enrolling
    half = square * (1 + noise) / 2
    root = np.sqrt(half**2 + (1 - square) * square * noise)
    return float(np.sqrt((half + root) / (1 - square)))
