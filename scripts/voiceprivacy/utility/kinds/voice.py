"""The voice of protected speech: whether a speaker keeps one voice over all utterances.

Conventions
-----------
* Consistency of an utterance is the mean cosine similarity of its embedding with those of the
  speaker's other utterances: 1 = always the same voice. It depends on the network, so it is read
  beside that of unprotected speech.
* It is undefined for the only utterance of a speaker.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from voiceprivacy.kinds import MeasuredMetric, MeasureKind
from voiceprivacy.vocabulary import UNDEFINED

CONSISTENCY, SEX_KEPT = "voice_consistency", "sex_kept_percent"
DIGITS = 6  # embeddings are stored with seven
KIND = MeasureKind(
    described=(
        "whether speakers keep one voice and their sex (every run whose attackers embed speech)"
    ),
    metrics=(
        MeasuredMetric(
            CONSISTENCY,
            "voice consistency",
            "",
            "How alike the utterances of a speaker sound to a network: 1 = always one voice.",
            low=-1,
            high=1,
            digits=2,
        ),
        MeasuredMetric(
            SEX_KEPT,
            "sex kept",
            "%",
            "Utterances that sound of their speaker's sex, by what original speech teaches.",
            better="higher",
            low=0,
            high=100,
            digits=1,
            headline=True,
        ),
    ),
    said={
        CONSISTENCY: "the consistency of protected voices",
        SEX_KEPT: "whether a voice still sounds like one of the speaker's sex",
    },
    env="evaluate",
    group="voice",
    of_embeddings=True,
    entry="voice",
)


def consistency(embeddings: NDArray, speakers: Sequence[str]) -> list[float | str]:
    """Consistency of each utterance (N,) from embeddings (N, D) of the ``speakers`` (N,)."""
    embeddings = np.asarray(embeddings, dtype=float)
    lengths = np.linalg.norm(embeddings, axis=1, keepdims=True)
    normalised = embeddings / np.where(lengths > 0, lengths, 1)
    names = np.array(speakers)
    values: list[float | str] = [UNDEFINED] * len(names)
    for name in np.unique(names):
        rows = np.flatnonzero(names == name)
        if len(rows) < 2:
            continue
        own = normalised[rows]
        # Similarities with all, less that with itself.
        sums = own @ own.sum(axis=0) - np.square(own).sum(axis=1)
        for row, total in zip(rows, sums, strict=True):
            values[row] = round(float(total / (len(rows) - 1)), DIGITS)
    return values
