"""How high a speaker speaks: the histogram of the fundamental frequency (F0) of an utterance.

Conventions
-----------
* F0 is found by YIN in frames every 10 ms, between 65 and 450 Hz, at 8 kHz as in the paper. Its period is a whole
  number of samples (lag), and every possible lag is a bin: 107 bins from 17 to 123 samples.
* Frames without a period are left out. Utterances without any have a flat histogram.

References
----------
de Cheveigne and Kawahara, YIN, a fundamental frequency estimator for speech and music, JASA 111, 2002; by torch-yin.
Backstrom et al., Privacy disclosure of similarity rank in speech and language processing, 2025, section VI.
"""

import numpy as np
import torch
import torchyin

from voiceprivacy import audio
from voiceprivacy.attack.features import counted

SAMPLE_RATE = 8000
LOWEST_HZ, HIGHEST_HZ = 65, 450
STRIDE_S = 0.01
LAGS = np.arange(SAMPLE_RATE // HIGHEST_HZ, SAMPLE_RATE // LOWEST_HZ + 1)


def lags(samples, sample_rate):
    """Period (F,) of every frame that has one, in samples at 8 kHz."""
    samples = audio.resample(samples, source_rate=sample_rate, target_rate=SAMPLE_RATE)
    frequencies = torchyin.estimate(
        torch.from_numpy(np.ascontiguousarray(samples)),
        sample_rate=SAMPLE_RATE,
        pitch_min=LOWEST_HZ,
        pitch_max=HIGHEST_HZ,
        frame_stride=STRIDE_S,
    ).numpy()
    return np.rint(SAMPLE_RATE / frequencies[frequencies > 0]).astype(int)


def histogram(samples, sample_rate):
    """Number of frames with each lag, array (107,)."""
    found = lags(samples, sample_rate)
    return counted(found[(found >= LAGS[0]) & (found <= LAGS[-1])] - LAGS[0], len(LAGS))
