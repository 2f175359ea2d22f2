"""Networks that others trained: fetched from the hub, checked and loaded, for attack and utility.

Whoever imports anything of this package can import torchaudio and SpeechBrain afterwards without
CUDA, and quicker (``inout.imports``).
"""

import numpy as np
from numpy.typing import NDArray

import voiceprivacy.inout.torch_imports  # noqa: F401

Floats = NDArray[np.floating]  # samples, embeddings, probabilities; float32 or float64
