"""SpeechBrain's own PLDA, for comparison with numbers that were made with it.

Its limits: it takes no account of how many utterances enrol a speaker, has no length normalisation and no LDA that can
be used (SpeechBrain's applies a symmetric eigensolver to a matrix that is not symmetric), and speakers vary in ``rank``
directions only. Kaldi's (``plda``) is the one to report.
"""

import voiceprivacy.attack.torchaudio_loader  # noqa: F401

import numpy as np
from speechbrain.processing.PLDA_LDA import PLDA, StatObject_SB

from voiceprivacy.attack.backends.plda import Plda, Recipe
from voiceprivacy.inout.files import BadInput


def train(embeddings, speakers, *, rank=100, iterations=10):
    """Train SpeechBrain's PLDA on raw embeddings (N, D) of speakers (N,): a Recipe that scores as SpeechBrain does.

    Raises
    ------
    BadInput : ``rank`` exceeds the dimensions of the embeddings
    """
    n_utterances, dimensions = embeddings.shape
    if not 1 <= rank <= dimensions:
        raise BadInput(
            f"SpeechBrain's PLDA of rank {rank}: embeddings of {dimensions} dimensions allow 1 to {dimensions}"
        )
    names = np.array([f"{number:09d}" for number in range(n_utterances)], dtype=object)
    no_times = np.full(n_utterances, None)
    statistics = StatObject_SB(
        modelset=np.array(speakers, dtype=object),
        segset=names,
        start=no_times,
        stop=no_times,
        stat0=np.ones((n_utterances, 1)),
        stat1=np.array(embeddings, dtype=np.float64),
    )
    model = PLDA(rank_f=rank, nb_iter=iterations)
    model.plda(statistics)
    return Recipe(
        Plda(model.mean, model.F @ model.F.T, model.Sigma),
        None,
        None,
        None,
        scale=False,
        single=True,
    )
