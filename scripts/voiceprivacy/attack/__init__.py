"""The attacker: what is extracted from speech, how it is compared, and how both are learnt.

Conventions
-----------
Embeddings are arrays (N, D) of floats, one row for each utterance, raw: as the extractor gives
them. What a back-end does to them (centre, LDA, lengths) belongs to the back-end.

Whoever imports anything of this package can import torchaudio and SpeechBrain afterwards without
CUDA, and quicker (``inout.imports``).
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

import voiceprivacy.inout.torch_imports  # noqa: F401

Floats = NDArray[np.floating]  # samples, embeddings, scores; float32 or float64
Counts = NDArray[np.integer]
Flags = NDArray[np.bool_]
Scorer = Callable[..., Floats]  # see ``backends``
