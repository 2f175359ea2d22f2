"""Random draws that depend on a seed and on names only: never on file order, jobs, shards or Python's hash()."""

import hashlib

import numpy as np


def derive(seed, *names):
    """Make an independent seed from a seed and any number of names.

    Parameters
    ----------
    seed : int
    names : str
        What the draw is for, such as an utterance or a speaker.

    Returns
    -------
    int in [0, 2**63)
    """
    text = "\0".join([str(seed), *names])
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") >> 1


def generator(seed, *names):
    """Numpy random generator of (seed, names)."""
    return np.random.default_rng(derive(seed, *names))
