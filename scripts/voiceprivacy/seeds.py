"""Random draws that depend on a seed and on names only.

They never depend on the order of files, on jobs, on shards, or on Python's hash().
"""

import hashlib

import numpy as np

LARGEST = 2**63 - 1  # of a seed in a config, and of one that comes from a secret


def derive(seed: int, *names: str) -> int:
    """Make an independent seed from a seed and any number of names.

    Parameters
    ----------
    seed : int
    names : str
        What the draw is for, such as a part, a run or a speaker.

    Returns
    -------
    int in [0, 2**32), which every library's generator takes
    """
    return int.from_bytes(_digest(seed, names)[:4], "big")  # RandomState takes 32 bits


def generator(seed: int, *names: str) -> np.random.Generator:
    """Numpy random generator of (seed, names)."""
    return np.random.default_rng(int.from_bytes(_digest(seed, names), "big"))


def _digest(seed: int, names: tuple[str, ...]) -> bytes:
    # \0 stands in no name: ("ab", "c") and ("a", "bc") draw differently.
    return hashlib.sha256("\0".join([str(seed), *names]).encode()).digest()
