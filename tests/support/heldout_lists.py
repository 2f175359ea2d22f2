"""Simulated lists for the held-out attacker; columns are enrolled, tried, recordings and scores."""

import numpy as np

from voiceprivacy.privacy.verdict.trials import trials_of


def complete(n_persons, n_recordings, *, seed, n_attacks=1, distance=0.0):
    """Every enrolled person against every recording of every person.

    Returns
    -------
    enrolled, tried, recordings : arrays (M,)
    scores : array (M, A)
        Gaussian with variance 1; those of targets are ``distance`` higher
    """
    shape = (n_persons, n_persons, n_recordings)
    enrolled, tried, number = (column.ravel() for column in np.indices(shape))
    noise = np.random.default_rng(seed).normal(size=(len(enrolled), n_attacks))
    scores = noise + distance * (enrolled == tried)[:, None]
    return enrolled, tried, tried * n_recordings + number, scores


def rows_of(enrolled, tried, recordings, scores):
    """The ids of trials with their scores, and the speaker of each id."""
    ids = [
        (f"e{person}", f"t{number}") for person, number in zip(enrolled, recordings, strict=True)
    ]
    speaker_of = {f"e{person}": f"p{person}" for person in enrolled}
    speaker_of |= {
        f"t{number}": f"p{person}" for number, person in zip(recordings, tried, strict=True)
    }
    return ids, scores, speaker_of


def trials_from(enrolled, tried, recordings, scores):
    """The Trials of a list."""
    return trials_of(*rows_of(enrolled, tried, recordings, scores))
