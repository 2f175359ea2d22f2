"""CAM++: an encoder of speakers with dense connections and context-aware masks.

The weights are those of 3D-Speaker for Chinese and English, which lie inside a package
(``fetching``). Names of layers are those of the weights.

Conventions
-----------
* Speech has 16 kHz and samples in [-1, 1]. Features are Kaldi's log mel filter banks: 80 bands,
  windows of 25 ms every 10 ms (povey, pre-emphasis 0.97, no dither). The mean of each band over
  the utterance is subtracted.
* An embedding (192,) float32 is raw. It depends on the utterance alone: only utterances of exactly
  one length make a batch, because padding would reach into an embedding.
* Memory grows slowly with an utterance: filter banks and the first convolutions, which are large,
  are computed in blocks. A block has as many neighbours on both sides as a frame there can see.
* Maps of the head are (B, channels, bands, F). Everything after it is (B, channels, F / 2).

References
----------
Wang et al., CAM++: A fast and efficient network for speaker verification using context-aware
masking, Interspeech 2023. He et al., Identity mappings in deep residual networks, ECCV 2016.
Huang et al., Densely connected convolutional networks, CVPR 2017.
"""

import io
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import avg_pool1d, relu
from torchaudio.compliance import kaldi

from voiceprivacy.models import Floats
from voiceprivacy.models.devices import torch_device
from voiceprivacy.models.pinned import read_pinned

SAMPLE_RATE = 16000
WINDOW, HOP = 400, 160  # samples
SEGMENT = 100  # frames of 20 ms whose mean is the context of each of them
BLOCK = 1024  # frames that the head takes at once
BANKS = 4096  # frames whose filter banks are computed at once
WEIGHTS = "campplus_cn_en_common.pt"


class Sizes(NamedTuple):
    """Of a network; ``blocks`` are layers and dilation of each dense block."""

    bands: int = 80
    head: int = 32
    first: int = 128
    inner: int = 128
    growth: int = 32
    blocks: tuple[tuple[int, int], ...] = ((12, 1), (24, 2), (16, 2))
    embedding: int = 192


SIZES = Sizes()


class Campplus:
    """The encoder in memory."""

    def __init__(self, device: str = "cpu") -> None:
        """Load the weights; BadInput where they are not there."""
        content = io.BytesIO(read_pinned("campplus", WEIGHTS))
        self.device = torch_device(device)
        with torch.device("meta"):  # random weights would take longer than an utterance
            self.network = Network()
        state = torch.load(content, map_location="cpu", weights_only=True)
        self.network.load_state_dict(state, assign=True)
        self.network.to(self.device).eval()

    def embed_batch(self, samples: Floats) -> Floats:
        """Embeddings (B, 192) of the samples (B, N) of utterances of equal length."""
        waves = torch.from_numpy(np.ascontiguousarray(samples, dtype=np.float32)).to(self.device)
        with torch.inference_mode():
            frames = torch.stack([filter_banks(wave) for wave in waves])
            embeddings: Floats = self.network(frames).cpu().numpy()
            return embeddings


def filter_banks(wave: Tensor, n_bands: int = SIZES.bands) -> Tensor:
    """Log mel filter banks (F, bands) of samples (N,), without their mean over the frames."""
    n_frames = 1 + (len(wave) - WINDOW) // HOP
    starts = range(0, n_frames, BANKS)
    ends = [min(start + BANKS, n_frames) for start in starts]
    banks = [
        kaldi.fbank(
            wave[None, start * HOP : (end - 1) * HOP + WINDOW],
            num_mel_bins=n_bands,
            sample_frequency=SAMPLE_RATE,
            frame_length=WINDOW * 1000 / SAMPLE_RATE,
            frame_shift=HOP * 1000 / SAMPLE_RATE,
            window_type="povey",
            preemphasis_coefficient=0.97,
            dither=0.0,
        )
        for start, end in zip(starts, ends, strict=True)
    ]
    together = torch.cat(banks)
    return together - together.mean(dim=0)


class Network(nn.Module):
    """From filter banks (B, F, bands) to embeddings (B, D), of at least three frames."""

    def __init__(self, sizes: Sizes = SIZES) -> None:
        super().__init__()
        self.head = Head(sizes.head)
        n_channels = sizes.head * (sizes.bands // 8)
        layers: dict[str, nn.Module] = {}
        every_second = nn.Conv1d(n_channels, sizes.first, 5, stride=2, padding=2, bias=False)
        layers["tdnn"] = LinearThenNorm(every_second, Norm(sizes.first))
        n_channels = sizes.first
        for number, (n_layers, dilation) in enumerate(sizes.blocks, 1):
            layers[f"block{number}"] = DenseBlock(n_channels, n_layers, dilation, sizes)
            n_channels += n_layers * sizes.growth
            layers[f"transit{number}"] = Transit(n_channels, n_channels // 2)
            n_channels //= 2
        layers["out_nonlinear"] = Norm(n_channels)
        last = nn.Conv1d(2 * n_channels, sizes.embedding, 1, bias=False)
        layers["dense"] = LinearThenNorm(last, Norm(sizes.embedding, is_last=True))
        self.xvector = nn.ModuleDict(layers)

    def forward(self, frames: Tensor) -> Tensor:
        """Embed utterances of one length."""
        *layers, dense = self.xvector.values()
        maps = self.head.in_blocks(frames.transpose(1, 2)[:, None])
        for layer in layers:
            maps = layer(maps)
        pooled = torch.cat([maps.mean(dim=2), maps.std(dim=2)], dim=1)
        return dense(pooled[:, :, None])[:, :, 0]


class Head(nn.Module):
    """Convolutions over bands and frames; they keep every frame and an eighth of the bands."""

    # Frames on either side that reach into one: one for each of ten convolutions in a row.
    sees = 10

    def __init__(self, n_channels: int) -> None:
        super().__init__()
        self.conv1 = _around(1, n_channels)
        self.bn1 = nn.BatchNorm2d(n_channels)
        self.layer1 = nn.Sequential(Residual(n_channels, 2), Residual(n_channels, 1))
        self.layer2 = nn.Sequential(Residual(n_channels, 2), Residual(n_channels, 1))
        self.conv2 = _around(n_channels, n_channels, 2)
        self.bn2 = nn.BatchNorm2d(n_channels)

    def forward(self, bands: Tensor) -> Tensor:
        """From (B, 1, bands, F) to (B, channels * bands / 8, F)."""
        maps = self.layer2(self.layer1(relu(self.bn1(self.conv1(bands)))))
        return relu(self.bn2(self.conv2(maps))).flatten(1, 2)

    def in_blocks(self, bands: Tensor) -> Tensor:
        """The same, of BLOCK frames at a time."""
        n_frames = bands.shape[3]
        blocks = []
        for start in range(0, n_frames, BLOCK):
            first = max(0, start - self.sees)
            maps = self(bands[..., first : start + BLOCK + self.sees])
            blocks.append(maps[..., start - first :][..., :BLOCK])
        return torch.cat(blocks, dim=2)


class Residual(nn.Module):
    """Two convolutions beside a shortcut; with a stride of 2 half of the bands remain."""

    def __init__(self, n_channels: int, stride: int) -> None:
        super().__init__()
        self.conv1 = _around(n_channels, n_channels, stride)
        self.bn1 = nn.BatchNorm2d(n_channels)
        self.conv2 = _around(n_channels, n_channels)
        self.bn2 = nn.BatchNorm2d(n_channels)
        self.shortcut = nn.Sequential()
        if stride > 1:
            thinned = nn.Conv2d(n_channels, n_channels, 1, stride=(stride, 1), bias=False)
            self.shortcut = nn.Sequential(thinned, nn.BatchNorm2d(n_channels))

    def forward(self, maps: Tensor) -> Tensor:
        """From (B, channels, bands, F) to the same channels and frames."""
        changed = self.bn2(self.conv2(relu(self.bn1(self.conv1(maps)))))
        return relu(changed + self.shortcut(maps))


def _around(n_channels: int, n_made: int, stride: int = 1) -> nn.Conv2d:
    """A convolution over three bands and three frames, which keeps one band of ``stride``."""
    return nn.Conv2d(n_channels, n_made, 3, stride=(stride, 1), padding=1, bias=False)


class Norm(nn.Module):
    """Channels by their mean and spread in training; below 0 they are 0, but for the last norm."""

    def __init__(self, n_channels: int, *, is_last: bool = False) -> None:
        super().__init__()
        self.is_last = is_last
        self.batchnorm = nn.BatchNorm1d(n_channels, affine=not is_last)

    def forward(self, maps: Tensor) -> Tensor:
        """(B, channels, F) as they are given."""
        scaled = self.batchnorm(maps)
        return scaled if self.is_last else relu(scaled)


class LinearThenNorm(nn.Module):
    """A convolution over frames, and a norm."""

    def __init__(self, linear: nn.Conv1d, norm: Norm) -> None:
        super().__init__()
        self.linear = linear
        self.nonlinear = norm

    def forward(self, maps: Tensor) -> Tensor:
        """From (B, channels, F) to (B, channels made, frames made)."""
        return self.nonlinear(self.linear(maps))


class Transit(nn.Module):
    """A norm, and fewer channels."""

    def __init__(self, n_channels: int, n_made: int) -> None:
        super().__init__()
        self.nonlinear = Norm(n_channels)
        self.linear = nn.Conv1d(n_channels, n_made, 1, bias=False)

    def forward(self, maps: Tensor) -> Tensor:
        """From (B, channels, F) to (B, channels made, F)."""
        return self.linear(self.nonlinear(maps))


class DenseBlock(nn.Module):
    """Layers each of which adds a few channels to all that came before."""

    def __init__(self, n_channels: int, n_layers: int, dilation: int, sizes: Sizes) -> None:
        super().__init__()
        for number in range(n_layers):
            layer = DenseLayer(n_channels + number * sizes.growth, dilation, sizes)
            self.add_module(f"tdnnd{number + 1}", layer)

    def forward(self, maps: Tensor) -> Tensor:
        """From (B, channels, F) to (B, channels + layers * growth, F)."""
        for layer in self.children():
            maps = torch.cat([maps, layer(maps)], dim=1)
        return maps


class DenseLayer(nn.Module):
    """What a dense block adds: channels that a mask of their context lets through."""

    def __init__(self, n_channels: int, dilation: int, sizes: Sizes) -> None:
        super().__init__()
        self.nonlinear1 = Norm(n_channels)
        self.linear1 = nn.Conv1d(n_channels, sizes.inner, 1, bias=False)
        self.nonlinear2 = Norm(sizes.inner)
        self.cam_layer = Masked(sizes.inner, sizes.growth, dilation)

    def forward(self, maps: Tensor) -> Tensor:
        """From (B, channels, F) to (B, growth, F)."""
        return self.cam_layer(self.nonlinear2(self.linear1(self.nonlinear1(maps))))


class Masked(nn.Module):
    """A convolution over three frames, whose channels are masked by their context.

    The context of a frame is the mean of the utterance plus that of its segment.
    """

    def __init__(self, n_channels: int, n_made: int, dilation: int) -> None:
        super().__init__()
        options = {"padding": dilation, "dilation": dilation}
        self.linear_local = nn.Conv1d(n_channels, n_made, 3, bias=False, **options)
        self.linear1 = nn.Conv1d(n_channels, n_channels // 2, 1)
        self.linear2 = nn.Conv1d(n_channels // 2, n_made, 1)

    def forward(self, maps: Tensor) -> Tensor:
        """From (B, channels, F) to (B, channels made, F)."""
        # A frame shares its mask with its segment: one is computed for each.
        of_segments = avg_pool1d(maps, SEGMENT, ceil_mode=True)  # the last may be shorter
        context = maps.mean(dim=2, keepdim=True) + of_segments
        masks = torch.sigmoid(self.linear2(relu(self.linear1(context))))
        masks = masks.repeat_interleave(SEGMENT, dim=2)[:, :, : maps.shape[2]]
        return self.linear_local(maps) * masks
