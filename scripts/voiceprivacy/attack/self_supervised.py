"""Frames of a self-supervised encoder, of SpeechBrain's own or of one that it wraps.

Conventions
-----------
* An encoder is a folder of SpeechBrain's wav2vec 2.0 recipe: its hyperparameter file as hyperparams.yaml (the fields
  ``extractor`` and ``encoder_wrapper``, which holds the transformer) and of its checkpoint latent_extractor.ckpt and
  latent_encoder.ckpt. Nothing in it runs as code: see ``hyperparameters``; weights are loaded as tensors only.
* Or it is a folder of the Hugging Face hub, which config.json says: see ``hugging_face``.
* A frame is an output of the last layer, every ``hop`` samples of speech at 16 kHz, and sees ``window`` samples of
  speech directly and all others through the transformer.

References
----------
Baevski et al., wav2vec 2.0, NeurIPS 2020. Ravanelli et al., SpeechBrain, 2021.
"""

from pathlib import Path

import voiceprivacy.torchaudio_loader  # noqa: F401

import numpy as np
import torch

from voiceprivacy.attack import hugging_face
from voiceprivacy.attack.extractors import SETTINGS, load_weights, single_thread
from voiceprivacy.attack.hyperparameters import Hyperparameters
from voiceprivacy.files import BadInput

EXTRACTOR = ["speechbrain.lobes.models.wav2vec.W2VLatentExtractor"]
WRAPPER = ["speechbrain.lobes.models.wav2vec.EncoderWrapper"]
EXTRACTOR_WEIGHTS, ENCODER_WEIGHTS = "latent_extractor.ckpt", "latent_encoder.ckpt"
FILES = [SETTINGS, EXTRACTOR_WEIGHTS, ENCODER_WEIGHTS]


class Encoder:
    """An encoder in memory: ``frames`` turns samples into frames.

    Attributes
    ----------
    window, hop : int, samples at 16 kHz
    """

    def __init__(self, folder):
        """Load an encoder's folder; BadInput says which file or field is not of this kind."""
        folder = Path(folder)
        if not folder.is_dir():
            of_hub = ", ".join([hugging_face.SETTINGS, hugging_face.PREPARATION, " or ".join(hugging_face.WEIGHTS)])
            raise BadInput(f"{folder}: not found (a folder with {', '.join(FILES)}, or with {of_hub})")
        is_of_hub = (folder / hugging_face.SETTINGS).exists()
        self.folder = folder
        self.network = hugging_face.Network(folder) if is_of_hub else Network(folder)
        self.hop, self.window = 1, 1
        for kernel, stride in zip(self.network.kernels, self.network.strides, strict=True):
            self.window += (kernel - 1) * self.hop
            self.hop *= stride

    def frames(self, samples):
        """Frames (F, D) float32 of the samples (N,) of one utterance at 16 kHz, F = 1 + (N - window) // hop."""
        wave = torch.from_numpy(np.ascontiguousarray(samples, dtype=np.float32))[None]
        with torch.inference_mode(), single_thread():
            try:
                return self.network(wave)[0].numpy()
            except RuntimeError as error:  # longer than its positional encoding, or parts that do not fit each other
                reason = " ".join(str(error).split())[:200]
                raise BadInput(f"{self.folder}: cannot encode {len(samples)} samples ({reason})") from None


class Network(torch.nn.Module):
    """The network of SpeechBrain's own wav2vec 2.0: called and described as ``hugging_face.Network``."""

    def __init__(self, folder):
        super().__init__()
        settings = Hyperparameters(folder / SETTINGS)
        self.extractor = settings.section("extractor", classes=EXTRACTOR).build()
        self.encoder = settings.section("encoder_wrapper", classes=WRAPPER).build()
        load_weights(self.extractor, folder / EXTRACTOR_WEIGHTS)
        load_weights(self.encoder, folder / ENCODER_WEIGHTS)
        self.kernels, self.strides = self.extractor.kernel_sizes, self.extractor.strides
        self.eval()

    def forward(self, waves):
        return self.encoder(self.extractor(waves))["embeddings"]
