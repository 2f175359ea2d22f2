"""Frames of self-supervised encoders: wav2vec 2.0, HuBERT and WavLM.

Conventions
-----------
* An encoder is a folder of one of two kinds; which one, config.json says by being there.
* A folder of the Hugging Face hub: config.json, preprocessor_config.json, and model.safetensors or
  pytorch_model.bin. Frames are the last layer's, as SpeechBrain's ``Wav2Vec2``, ``HuBERT`` and
  ``WavLM`` (``speechbrain.integrations.huggingface``) give them for the utterance alone.
* A folder of SpeechBrain's wav2vec 2.0 recipe: its hyperparameter file as hyperparams.yaml (the
  fields ``extractor`` and ``encoder_wrapper``, which holds the transformer), and of its checkpoint
  latent_extractor.ckpt and latent_encoder.ckpt.
* Nothing in a folder runs as code, and nothing is fetched. A network of the hub is built from the
  plain fields of FIELDS, one of SpeechBrain as ``folders`` says. Every weight of it has to
  be there, and weights are loaded as tensors only.
* A frame is an output of the last layer, every ``hop`` samples of speech at 16 kHz. It sees
  ``window`` samples of speech directly and all others through the transformer.

References
----------
Baevski et al., wav2vec 2.0, NeurIPS 2020. Hsu et al., HuBERT, TASLP 2021. Chen et al., WavLM,
JSTSP 2022. Ravanelli et al., SpeechBrain, 2021.
"""

import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.nn.functional import layer_norm

from voiceprivacy.errors import BadInput
from voiceprivacy.inout.checksums import read_unchanged
from voiceprivacy.inout.json_files import read_json
from voiceprivacy.models import Floats
from voiceprivacy.models.devices import single_thread
from voiceprivacy.models.folders import (
    SETTINGS,
    Hyperparameters,
    load_weights,
    refusing,
)

SAMPLE_RATE = 16000

HUB_SETTINGS, HUB_PREPARATION = "config.json", "preprocessor_config.json"
HUB_WEIGHTS = ["model.safetensors", "pytorch_model.bin"]
KINDS = {"wav2vec2": "Wav2Vec2", "hubert": "Hubert", "wavlm": "WavLM"}
FIELD_LIST = """
conv_dim conv_kernel conv_stride conv_bias feat_extract_norm feat_extract_activation
num_feat_extract_layers feat_proj_layer_norm hidden_size num_hidden_layers num_attention_heads
intermediate_size hidden_act layer_norm_eps do_stable_layer_norm num_conv_pos_embeddings
num_conv_pos_embedding_groups conv_pos_batch_norm num_buckets max_bucket_distance
"""
FIELDS = FIELD_LIST.split()
TRAINING_ONLY = "masked_spec_embed"  # a weight that published folders may lack

EXTRACTOR = ["speechbrain.lobes.models.wav2vec.W2VLatentExtractor"]
WRAPPER = ["speechbrain.lobes.models.wav2vec.EncoderWrapper"]
EXTRACTOR_WEIGHTS, ENCODER_WEIGHTS = "latent_extractor.ckpt", "latent_encoder.ckpt"
SPEECHBRAIN_FILES = [SETTINGS, EXTRACTOR_WEIGHTS, ENCODER_WEIGHTS]


class Encoder:
    """An encoder in memory: ``frames`` turns samples into frames.

    Attributes
    ----------
    window, hop : int, samples at 16 kHz
    """

    def __init__(self, folder: Path | str) -> None:
        """Load an encoder's folder; BadInput says which file or field is not of this kind."""
        folder = Path(folder)
        if not folder.is_dir():
            hub_files = ", ".join([HUB_SETTINGS, HUB_PREPARATION, " or ".join(HUB_WEIGHTS)])
            raise BadInput(
                f"{folder}: not found "
                f"(a folder with {', '.join(SPEECHBRAIN_FILES)}, or with {hub_files})"
            )
        is_of_hub = (folder / HUB_SETTINGS).exists()
        self.folder = folder
        self.network: Any = HubNetwork(folder) if is_of_hub else SpeechBrainNetwork(folder)
        self.hop, self.window = 1, 1
        for kernel, stride in zip(self.network.kernels, self.network.strides, strict=True):
            self.window += (kernel - 1) * self.hop
            self.hop *= stride

    def frames(self, samples: Floats) -> Floats:
        """Frames (F, D) float32 of the samples (N,) of one utterance at 16 kHz.

        F = 1 + (N - window) // hop.
        """
        wave = torch.from_numpy(np.ascontiguousarray(samples, dtype=np.float32))[None]
        # Speech longer than the positional encoding, or parts that do not fit each other.
        message = f"{self.folder}: cannot encode {len(samples)} samples"
        with torch.inference_mode(), single_thread(), refusing(message, errors=RuntimeError):
            return self.network(wave)[0].numpy()


class SpeechBrainNetwork(torch.nn.Module):
    """The network of SpeechBrain's own wav2vec 2.0: waves (1, N) -> frames (1, F, D).

    Attributes
    ----------
    kernels, strides : list of int
        Of the convolutions.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__()
        settings = Hyperparameters(folder / SETTINGS)
        self.extractor = settings.section("extractor", classes=EXTRACTOR).build()
        self.encoder = settings.section("encoder_wrapper", classes=WRAPPER).build()
        load_weights(self.extractor, folder / EXTRACTOR_WEIGHTS)
        load_weights(self.encoder, folder / ENCODER_WEIGHTS)
        self.kernels, self.strides = self.extractor.kernel_sizes, self.extractor.strides
        self.eval()

    def forward(self, waves: torch.Tensor) -> torch.Tensor:
        """Frames of waves."""
        return self.encoder(self.extractor(waves))["embeddings"]


class HubNetwork(torch.nn.Module):
    """The network of a folder of the hub: called and described as ``SpeechBrainNetwork``."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        for name in (HUB_SETTINGS, HUB_PREPARATION):
            read_unchanged(folder / name)
        self.normalises = normalises(folder / HUB_PREPARATION)
        self.model = network_of(folder / HUB_SETTINGS)
        self.kernels, self.strides = self.model.config.conv_kernel, self.model.config.conv_stride
        present = [folder / name for name in HUB_WEIGHTS if (folder / name).exists()]
        _load(self.model, present[0] if present else folder / HUB_WEIGHTS[0])
        self.eval()

    def forward(self, waves: torch.Tensor) -> torch.Tensor:
        """Frames of waves."""
        return self.model(self._prepared(waves)).last_hidden_state

    def layers(self, waves: torch.Tensor) -> torch.Tensor:
        """Outputs (B, L, F, D) of all transformer layers for waves (B, N) of equal length.

        Of a network that normalises before each layer, transformers' ``hidden_states`` have the
        last output normalised; here it is as the layer gives it.
        """
        outputs: list[torch.Tensor] = []

        def keep(_layer, _inputs, output):
            outputs.append(output[0] if isinstance(output, tuple) else output)

        hooks = [layer.register_forward_hook(keep) for layer in self.model.encoder.layers]
        try:
            self.model(self._prepared(waves))
        finally:
            for hook in hooks:
                hook.remove()
        return torch.stack(outputs, dim=1)

    def _prepared(self, waves):
        return layer_norm(waves, waves.shape[1:]) if self.normalises else waves


def normalises(path: Path) -> bool:
    """Whether speech is scaled to mean 0 and variance 1; BadInput if not heard at 16 kHz."""
    settings = _json_object(path)
    if settings.get("sampling_rate", SAMPLE_RATE) != SAMPLE_RATE:
        raise BadInput(
            f"{path}: sampling_rate is {settings['sampling_rate']}, expected {SAMPLE_RATE}"
        )
    return bool(settings.get("do_normalize", True))


def network_of(path: Path, settings: Mapping[str, Any] | None = None) -> Any:
    """The network of a config.json, or of fields as in one, with random weights."""
    settings = _json_object(path) if settings is None else settings
    kind = KINDS.get(str(settings.get("model_type")))
    if kind is None:
        raise BadInput(
            f"{path}: model_type is '{settings.get('model_type')}', expected {', '.join(KINDS)}"
        )
    if settings.get("add_adapter"):
        raise BadInput(f"{path}: add_adapter is true; frames behind an adapter are not read")
    transformers = hub_library()
    fields = {key: settings[key] for key in FIELDS if key in settings}
    with refusing(f"{path}: no network can be built from it"):
        config = getattr(transformers, f"{kind}Config")(**fields)
        return getattr(transformers, f"{kind}Model")(config)


def _json_object(path):
    settings = read_json(path)
    if not isinstance(settings, dict):
        raise BadInput(f"{path}: is not a JSON object of fields")
    return settings


def hub_library() -> Any:
    """The package transformers; BadInput where it is not installed."""
    try:
        import transformers  # seconds, and of use to few: not for everybody
    except ImportError:
        raise BadInput(
            "the package transformers, which encoders of the Hugging Face hub need, "
            "is not installed here: install the version that envs/requirements.txt names"
        ) from None
    return transformers


def _load(model, path):
    """Load the weights of a network; what belongs to a head on top of it is left out."""
    state = _tensors(path, read_unchanged(path))
    prefix = f"{model.base_model_prefix}."
    inner = {
        name.removeprefix(prefix): tensor
        for name, tensor in state.items()
        if name.startswith(prefix)
    }
    with refusing(f"{path}: not the weights of the network in {HUB_SETTINGS}"):
        unfit = model.load_state_dict(inner or state, strict=False)
    missing = sorted(set(unfit.missing_keys) - {TRAINING_ONLY})
    if missing:
        raise BadInput(
            f"{path}: has no weights {missing[0]}, so it does not belong to {HUB_SETTINGS}"
        )


def _tensors(path, content):
    """The tensors {name: tensor} in the bytes of a file of weights."""
    import safetensors.torch  # comes with transformers

    with refusing(f"{path}: holds no weights"):
        if path.suffix == ".safetensors":
            return safetensors.torch.load(content)
        return dict(torch.load(io.BytesIO(content), map_location="cpu", weights_only=True))
