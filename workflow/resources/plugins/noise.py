"""A function plug-in: noise instead of speech, independent of what was said and who said it. The
ceiling of privacy.
"""

import hashlib

import numpy as np

LEVEL = 0.1  # root mean square; 1 is full scale


def anonymise(samples, sample_rate, *, utterance, speaker, seed):
    draw = np.random.default_rng(list(hashlib.sha256(f"{seed} {utterance}".encode()).digest()))
    return LEVEL * draw.standard_normal(len(samples))
