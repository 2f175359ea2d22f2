"""Simulated sets with a planted leak, and back-ends that follow the recipe or learnt nothing.

Persons have three training recordings, or two that enrol and four that are tried, in dimensions of
very different variance. The speech has no evidence.
"""

import numpy as np

from support.heldout_lists import trials_from
from voiceprivacy.attack.backends.backends import cosine
from voiceprivacy.attack.backends.learning import Learning
from voiceprivacy.attack.leak_control import leak_for
from voiceprivacy.privacy.verdict.evidence import one_recording

N_TRAINING, N_ENROLLING, N_TRIED = 3, 2, 4  # recordings of a person
DIMENSIONS = 128


def found_in(kind, n_training, n_evaluated, shrinkage, *, seed, dimensions=DIMENSIONS):
    """The evidence that a back-end finds in one set.

    Parameters
    ----------
    kind : recipe, both, permuted, other or cosine; see tests/benchmark/leak_simulations.py
    """
    draw = np.random.default_rng([seed, n_training, n_evaluated])
    spread = draw.normal(size=(dimensions, dimensions)) * np.linspace(3, 0.3, dimensions)
    speakers = np.repeat([f"{seed} learnt {number}" for number in range(n_training)], N_TRAINING)
    learnt = draw.normal(size=(len(speakers), dimensions)) @ spread.T
    n_each = N_ENROLLING + N_TRIED
    persons = np.repeat([f"{seed} tried {number}" for number in range(n_evaluated)], n_each)
    tried = draw.normal(size=(len(persons), dimensions)) @ spread.T
    leak = leak_for(learnt, tried, enrolling=N_ENROLLING)
    planted = leak.planted(tried, persons).reshape(n_evaluated, n_each, dimensions)
    score = cosine
    if kind != "cosine":
        recordings, labels = _learnt_by(kind, learnt, speakers, leak, draw, spread)
        learning = Learning("plda", None, "kaldi", centre=True, shrinkage=shrinkage, rank=0)
        score = learning.scorer(recordings, labels)
    scores = score(
        enrolment=planted[:, :N_ENROLLING].mean(axis=1),
        counts=np.full(n_evaluated, N_ENROLLING),
        trial=planted[:, N_ENROLLING:].reshape(-1, dimensions),
    )
    enrolled, recording = np.indices(scores.shape).reshape(2, -1)
    columns = enrolled, recording // N_TRIED, recording, scores.reshape(-1, 1)
    return one_recording(trials_from(*columns))


def _learnt_by(kind, learnt, speakers, leak, draw, spread):
    """The embeddings that a back-end learns from, and their speakers as it is given them."""
    planted = leak.planted(learnt, speakers)
    if kind == "permuted":
        return planted, draw.permutation(speakers)
    if kind == "other":
        return draw.normal(size=learnt.shape) @ draw.normal(size=spread.shape), speakers
    if kind == "both":
        persons = draw.normal(size=(len(learnt) // N_TRAINING, learnt.shape[1]))
        voices = np.repeat(persons, N_TRAINING, axis=0) + draw.normal(size=learnt.shape)
        unprotected = leak.planted(voices @ spread.T, speakers)
        return np.concatenate([planted, unprotected]), np.concatenate([speakers, speakers])
    return planted, speakers
