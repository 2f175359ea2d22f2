"""ECAPA-TDNN that also listens through a frozen self-supervised encoder: the attacker of 2026.

The model of the VoicePrivacy Challenge 2026 ("ecapa_ssl"), built from the facts of its public
recipe and from SpeechBrain's ECAPA blocks.

Conventions
-----------
* Branch A: mel filter banks through the blocks of an ECAPA-TDNN. Branch B: the sum of all
  transformer layers of WavLM, with learnt weights that a softmax makes positive, through
  SE-Res2Net blocks of the same kernels and dilations. Of each branch, the outputs of all blocks but
  the first are stacked.
* B is brought to A's number of frames (``aligned``), and both are multiplied element by element.
  ECAPA's aggregation, attentive statistics, batch normalisation and linear layer follow.
* The encoder is frozen: it gets no gradient, stays in evaluation, and is no part of the model's
  weights. A trained folder holds it beside them, in ``encoder/`` (files of the hub: ``encoders``).
* In training, the filter banks see a piece of a file. The encoder hears a random part of the whole
  file, ``encoder_s`` seconds long and zero-padded, as in the published program (``batches``). Both
  get the whole utterance when it is embedded.

* Where an utterance is embedded, branch A hears it without the zeros at both ends, as in the
  published program; in training it hears a piece as it is.
* A folder of the organisers' (``embedding_model.ckpt``, and ``WavLM-Large.pt`` of Microsoft's
  layout) is a model of this kind, too. Names of its weights may begin with ``module.``, and all may
  lie inside ``state_dict``. Its sizes are those of its weights (``sizes``).

References
----------
Chen et al., WavLM, JSTSP 2022. Desplanques et al., ECAPA-TDNN, Interspeech 2020.
Ravanelli et al., SpeechBrain, 2021. VoicePrivacy Challenge 2026, public recipe (facts only).
Arefeen et al., DAST, arXiv 2603.12840, and the layout of its published weights.
"""

import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from speechbrain.lobes.models.ECAPA_TDNN import ECAPA_TDNN, SERes2NetBlock

from voiceprivacy.errors import BadInput
from voiceprivacy.models.encoders import (
    HUB_PREPARATION,
    HUB_SETTINGS,
    HUB_WEIGHTS,
    HubNetwork,
)
from voiceprivacy.models.hub import WAVLM
from voiceprivacy.models.wavlm_checkpoint import CheckpointNetwork

ENCODER_FOLDER = "encoder"  # in the folder of a trained model
OF_ENCODER = (HUB_SETTINGS, HUB_PREPARATION, *HUB_WEIGHTS, WAVLM)
# How the organisers' weights are called, and what they are called here.
PREFIX, BLOCKS = "module.", "ecapa.blocks"
NAMES = {
    "blocks_features.": "encoder_blocks.",
    "weighted_sum.layer_weights": "layer_weights",
    **{f"{part}.": f"ecapa.{part}." for part in ("blocks", "mfa", "asp", "asp_bn", "fc")},
}


class EcapaSSL(torch.nn.Module):
    """Filter banks and an encoder's layers -> embeddings.

    Parameters
    ----------
    input_size : mel bins of a frame
    encoder_size : channels D of an encoder's layer
    encoder_layers : transformer layers L of the encoder
    channels, kernel_sizes, dilations : of the blocks and, last, of the aggregation, as in
        SpeechBrain's ECAPA_TDNN
    lin_neurons, attention_channels, res2net_scale, se_channels, dropout : the same
    """

    def __init__(
        self,
        input_size: int = 80,
        encoder_size: int = 1024,
        encoder_layers: int = 24,
        channels: Sequence[int] = (1024, 1024, 1024, 1024, 3072),
        kernel_sizes: Sequence[int] = (5, 3, 3, 3, 1),
        dilations: Sequence[int] = (1, 2, 3, 4, 1),
        lin_neurons: int = 192,
        attention_channels: int = 128,
        res2net_scale: int = 8,
        se_channels: int = 128,
        dropout: float = 0.3,
    ) -> None:
        super().__init__()
        of_blocks = {"res2net_scale": res2net_scale, "se_channels": se_channels, "dropout": dropout}
        self.ecapa = ECAPA_TDNN(
            input_size,
            channels=list(channels),
            kernel_sizes=list(kernel_sizes),
            dilations=list(dilations),
            lin_neurons=lin_neurons,
            attention_channels=attention_channels,
            **of_blocks,
        )
        # Equal weights at first: softmax of zeros.
        self.layer_weights = torch.nn.Parameter(torch.zeros(encoder_layers))
        self.encoder_blocks = torch.nn.ModuleList()
        n_channels = encoder_size
        for index in range(len(channels) - 1):
            block = SERes2NetBlock(
                n_channels,
                channels[index],
                kernel_size=kernel_sizes[index],
                dilation=dilations[index],
                **of_blocks,
            )
            self.encoder_blocks.append(block)
            n_channels = channels[index]

    def forward(self, frames: torch.Tensor, layers: torch.Tensor) -> torch.Tensor:
        """Embeddings (B, 1, E) of filter banks (B, T, M) and of an encoder's layers (B, L, T', D).

        T and T' may be any two lengths, of different pieces of one speaker's speech.
        """
        heard = _stacked(self.ecapa.blocks, frames.transpose(1, 2))
        encoded = _stacked(self.encoder_blocks, self.summed(layers))
        together = heard * aligned(encoded, heard.shape[2])
        pooled = self.ecapa.asp(self.ecapa.mfa(together))
        return self.ecapa.fc(self.ecapa.asp_bn(pooled)).transpose(1, 2)

    def load_state_dict(self, state_dict: Mapping[str, Any], *given: Any, **named: Any) -> Any:
        """Load weights under their names here, or under the organisers'."""
        return super().load_state_dict(our_names(state_dict), *given, **named)

    def summed(self, layers: torch.Tensor) -> torch.Tensor:
        """The weighted sum (B, D, T') of an encoder's layers (B, L, T', D)."""
        weights = torch.softmax(self.layer_weights, dim=0)
        return torch.einsum("l,bltd->bdt", weights, layers)


def _stacked(blocks, x):
    """Outputs of all blocks but the first, one above the other: (B, channels, T)."""
    outputs = []
    for block in blocks:
        x = block(x)
        outputs.append(x)
    return torch.cat(outputs[1:], dim=1)


def aligned(frames: torch.Tensor, length: int) -> torch.Tensor:
    """Frames (B, C, T) as (B, C, length).

    Fewer frames are repeated as a whole, from the first to the last and again. More are averaged in
    runs of T // length frames and, from where these leave too many, of one frame more.
    """
    n_frames = frames.shape[2]
    if n_frames < length:
        return frames.repeat(1, 1, -(-length // n_frames))[:, :, :length]
    size, n_longer = divmod(n_frames, length)
    middle = (length - n_longer) * size
    shorter, longer = frames[:, :, :middle], frames[:, :, middle:]
    means = [
        part.unflatten(2, (-1, of_part)).mean(dim=3)
        for part, of_part in ((shorter, size), (longer, size + 1))
        if part.shape[2]
    ]
    return torch.cat(means, dim=2)


def our_names(weights: Mapping[str, Any]) -> dict[str, Any]:
    """Weights {name: tensor} of the organisers' model, or of ours, under the names here."""
    named = {}
    for name, tensor in weights.items():
        own = name.removeprefix(PREFIX)
        theirs = next((beginning for beginning in NAMES if own.startswith(beginning)), None)
        named[own if theirs is None else own.replace(theirs, NAMES[theirs], 1)] = tensor
    return named


def sizes(weights: Mapping[str, torch.Tensor]) -> dict[str, Any]:
    """The arguments of EcapaSSL that weights are of; dilations are the published ones, 1 2 3 4 1.

    Raises
    ------
    KeyError, IndexError : they are not of such a model
    """
    named = our_names(weights)
    n_blocks = 1 + max(int(name.split(".")[2]) for name in named if name.startswith(f"{BLOCKS}."))
    first = named[f"{BLOCKS}.0.conv.conv.weight"]
    inner = [
        named[f"{BLOCKS}.{index}.res2net_block.blocks.0.conv.conv.weight"]
        for index in range(1, n_blocks)
    ]
    outer = [named[f"{BLOCKS}.{index}.tdnn2.conv.conv.weight"] for index in range(1, n_blocks)]
    last = named["ecapa.mfa.conv.conv.weight"]
    parts = {name.split(".")[5] for name in named if name.startswith(f"{BLOCKS}.1.res2net_block.")}
    return {
        "input_size": first.shape[1],
        "encoder_size": named["encoder_blocks.0.tdnn1.conv.conv.weight"].shape[1],
        "encoder_layers": len(named["layer_weights"]),
        "channels": [len(weight) for weight in (first, *outer, last)],
        "kernel_sizes": [weight.shape[2] for weight in (first, *inner, last)],
        "dilations": [*range(1, n_blocks + 1), 1],
        "lin_neurons": len(named["ecapa.fc.conv.weight"]),
        "attention_channels": len(named["ecapa.asp.tdnn.conv.conv.weight"]),
        "res2net_scale": 1 + len(parts),
        "se_channels": len(named[f"{BLOCKS}.1.se_block.conv1.conv.weight"]),
    }


def encoder_in(folder: Path) -> Path:
    """The folder of the encoder of a trained model, or of the organisers'."""
    return folder if (folder / WAVLM).exists() else folder / ENCODER_FOLDER


class FrozenEncoder:
    """An encoder of the hub that is heard and never trained.

    Attributes
    ----------
    folder : Path
        With its files, as the hub has them, or with the one of Microsoft's.
    """

    def __init__(self, folder: Path | str, *, device: torch.device | str = "cpu") -> None:
        """Load an encoder's folder; BadInput says what is missing, changed or not of this kind."""
        self.folder = Path(folder)
        if (self.folder / WAVLM).exists():
            network: Any = CheckpointNetwork(self.folder / WAVLM)
        elif (self.folder / HUB_SETTINGS).exists():
            network = HubNetwork(self.folder)
        else:
            raise BadInput(
                f"{folder}: not found (a folder with {HUB_SETTINGS}, {HUB_PREPARATION} and "
                f"{' or '.join(HUB_WEIGHTS)}, as the Hugging Face hub has them, or with {WAVLM})"
            )
        self.network = network.to(device).requires_grad_(False)
        self.device = device

    def layers(self, waves: torch.Tensor) -> torch.Tensor:
        """Outputs (B, L, T', D) of all L transformer layers for waves (B, N), without gradient."""
        with torch.no_grad():
            return self.network.layers(waves.to(self.device))

    def check(self, model: EcapaSSL) -> None:
        """BadInput where a model is made for an encoder of another size."""
        config = self.network.model.config
        own = (config.num_hidden_layers, config.hidden_size)
        expected = (len(model.layer_weights), model.encoder_blocks[0].tdnn1.conv.conv.in_channels)
        if own != expected:
            raise BadInput(
                f"{self.folder}: has {own[0]} layers of {own[1]} channels, "
                f"the model is made for {expected[0]} of {expected[1]}"
            )

    def keep_in(self, folder: Path) -> None:
        """Put its files into ``folder/encoder``, so that a trained model is complete.

        They are linked where the disk allows it: WavLM-Large has 1.3 GB, and a run trains one model
        for each anonymiser.
        """
        kept = folder / ENCODER_FOLDER
        kept.mkdir()
        for name in OF_ENCODER:
            source = self.folder / name
            if not source.exists():
                continue
            try:
                # A link of the hub's cache points to the file itself.
                os.link(source.resolve(), kept / name)
            except OSError:
                shutil.copyfile(source, kept / name)
