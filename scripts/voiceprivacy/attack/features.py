"""Features of speech that are histograms, one for every utterance: what else than the embedding gives a speaker away.

A feature is a function of the samples of one utterance; here they are applied to a manifest, and tables of text and
of counts become Embeddings.
"""

import numpy as np
from tqdm import tqdm

from voiceprivacy import audio
from voiceprivacy.arrays import Embeddings
from voiceprivacy.files import BadInput


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
            raise BadInput(f"{utterance.path}: utterance '{utterance.utterance}': {error}") from None
    return Embeddings(np.array([utterance.utterance for utterance in utterances]), np.stack(rows))


def counted(bins, n_bins):
    """Histogram (n_bins,) of the bins that occur; without any it is flat: it says nothing about the speaker."""
    counts = np.bincount(bins, minlength=n_bins)
    return counts if len(bins) else np.ones(n_bins)
