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
from tqdm import tqdm

from voiceprivacy.inout import audio
from voiceprivacy.inout.arrays import Embeddings
from voiceprivacy.inout.files import BadInput

# Features of speech that are histograms, one for every utterance: what else than the embedding gives a speaker away.
#
# A feature is a function of the samples of one utterance; here they are applied to a manifest, and tables of text and
# of counts become Embeddings.


def embed_each(utterances, feature):
    """Apply a feature to every utterance.

    Parameters
    ----------
    utterances : list of tables.Utterance
    feature : function (samples (N,) float32, sample_rate) -> array (D,)

    Returns
    -------
    Embeddings : float32, in the order of the utterances
    """
    rows = []
    for utterance in tqdm(utterances, unit="utterance", mininterval=1.0):
        samples, sample_rate = audio.read(utterance.path)
        try:
            rows.append(np.asarray(feature(samples, sample_rate), dtype=np.float32))
        except BadInput as error:
            raise BadInput(
                f"{utterance.path}: utterance '{utterance.utterance}': {error}"
            ) from None
    return Embeddings(np.array([utterance.utterance for utterance in utterances]), np.stack(rows))


def counted(bins, n_bins):
    """Histogram (n_bins,) of the bins that occur; without any it is flat: it says nothing about the speaker."""
    counts = np.bincount(bins, minlength=n_bins)
    return counts if len(bins) else np.ones(n_bins)


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
