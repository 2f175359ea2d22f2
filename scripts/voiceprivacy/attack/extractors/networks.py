"""Speaker embeddings from SpeechBrain's ECAPA-TDNN and x-vector models, and from ecapa_ssl.

Conventions
-----------
* A model is a folder in the layout of spkrec-ecapa-voxceleb and spkrec-xvect-voxceleb:
  hyperparams.yaml and embedding_model.ckpt. Or it is one of the organisers of 2026, with
  embedding_model.ckpt and WavLM-Large.pt (``ecapa_ssl``). Nothing in it runs as code: see
  ``folders``; weights are loaded as tensors only. Folders that somebody vouches for are the
  exception: see ``TrustedExtractor``.
* An embedding is what ``EncoderClassifier.encode_batch`` gives for the utterance alone: (D,)
  float32, raw.
* It depends on nothing but the samples and the model. On a CPU every utterance is computed alone by
  one thread, in as many processes as are asked for. On a GPU only utterances of exactly one length
  make a batch: padding would reach into an embedding through the convolutions.
* Before that, speech can be prepared as in challenges (``Preparation``; all steps are off by
  default): loudness, trim, vad, in this order. Frames are 25 ms long and begin every 10 ms.
* The preparation vpc2024 is the challenge's: a peak of 1, then zeros are cut at both ends. It also
  brings speech to -30 LUFS before, which dividing by the peak undoes.

References
----------
Snyder et al., X-vectors, ICASSP 2018. Desplanques et al., ECAPA-TDNN, Interspeech 2020.
Ravanelli et al., SpeechBrain, 2021.
ITU-T P.56, Objective measurement of active speech level (here the mean power of active frames).
Kaldi's energy-based voice activity detection (compute-vad), with the settings of its speaker
recipes.
"""

import inspect
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch

from voiceprivacy.attack import Floats
from voiceprivacy.attack.extractors import one_by_one
from voiceprivacy.errors import BadInput
from voiceprivacy.inout import audio
from voiceprivacy.inout.arrays import Embeddings
from voiceprivacy.inout.files import naming
from voiceprivacy.inout.manifests import Utterance
from voiceprivacy.models.devices import single_thread, torch_device
from voiceprivacy.models.folders import (
    SETTINGS,
    WEIGHTS,
    Hyperparameters,
    Section,
    load_weights,
    read_weights,
    refusing,
)
from voiceprivacy.models.hub import WAVLM, speaker_settings

FEATURES = ["speechbrain.lobes.features.Fbank"]
NORMALISATION = ["speechbrain.processing.features.InputNormalization"]
LISTENING = "voiceprivacy.attack.extractors.ecapa_ssl.EcapaSSL"  # through an encoder, too
EMBEDDING = [
    "speechbrain.lobes.models.ECAPA_TDNN.ECAPA_TDNN",
    "speechbrain.lobes.models.Xvector.Xvector",
    LISTENING,
]
PRETRAINED_PATH = "pretrained_path"
KERNELS = ("kernel_sizes", "tdnn_kernel_sizes")  # as ECAPA-TDNN and as x-vectors call them
DILATIONS = ("dilations", "tdnn_dilations")
BATCH_SIZE = 16  # utterances of one length that a GPU embeds together

# Of what challenges do to speech before it is embedded (see ``prepared``).
LEVEL_DB = -26.0  # of active speech, relative to full scale
SILENCE_DB = 40.0  # a frame that far below the loudest one is silent
# Kaldi's --vad-energy-threshold and --vad-energy-mean-scale: log energies are natural logarithms
# of sums over a frame of 16-bit samples.
THRESHOLD, MEAN_SCALE = 5.5, 0.5
FULL_SCALE = 32768.0
# Kaldi's --vad-frames-context and --vad-proportion-threshold: a frame is kept if 12 % of the two
# frames before it, itself and the two after it are loud.
CONTEXT, PROPORTION = 2, 0.12
FRAME_S, HOP_S = 0.025, 0.010


class Preparation(NamedTuple):
    """Which steps are taken; ``challenge`` is one of CHALLENGES, or None."""

    loudness: bool = False
    trim: bool = False
    vad: bool = False
    challenge: str | None = None


NOTHING = Preparation()


class Extractor:
    """A model in memory: ``embed`` turns samples into an embedding.

    Attributes
    ----------
    sample_rate : int, Hz
    shortest : int
        Samples that one output frame sees: shorter utterances are refused.
    batch_size : int
        Utterances of equal length that can be embedded together.
    """

    def __init__(
        self, folder: Path | str, *, device: str = "cpu", preparation: Preparation = NOTHING
    ) -> None:
        """Load a SpeechBrain folder; BadInput says which file or field is not of this kind."""
        folder = Path(folder)
        if not folder.is_dir():
            raise BadInput(f"{folder}: not found (a folder with {SETTINGS} and {WEIGHTS})")
        settings, features, embedding = _described(speaker_settings(folder))
        if (folder / WAVLM).exists():
            _take_sizes(folder / WEIGHTS, features, embedding)
        self.folder, self.device, self.preparation = folder, torch_device(device), preparation
        self.sample_rate = features.fields.get("sample_rate", 16000)
        self.shortest = _shortest(features, embedding)
        # The noise that an x-vector adds depends on its place in a batch, so it is computed alone.
        self.batch_size = BATCH_SIZE if embedding.of_class.endswith("ECAPA_TDNN") else 1
        self.features = features.build().to(self.device).eval()
        self.normalise = _normalisation(settings).to(self.device).eval()
        self.model = embedding.build()
        load_weights(self.model, folder / WEIGHTS)
        self.model.to(self.device).eval()
        is_listening = embedding.of_class == LISTENING
        self.encoder = frozen_encoder(folder, self.model, self.device) if is_listening else None

    def embed(self, samples: Floats) -> Floats:
        """Embedding (D,) float32 of the samples (N,) of one utterance."""
        return self.embed_batch(samples[None])[0]

    def embed_batch(self, samples: Floats) -> Floats:
        """Embeddings (B, D) float32 of the samples (B, N) of utterances of equal length."""
        waves = torch.from_numpy(np.ascontiguousarray(samples, dtype=np.float32)).to(self.device)
        with torch.inference_mode(), torch.random.fork_rng(devices=_random_states(self.device)):
            # SpeechBrain's x-vector adds noise (1e-5) to the pooled statistics.
            torch.manual_seed(0)
            return self._embed(waves).reshape(len(waves), -1).cpu().numpy()

    def _embed(self, waves):
        whole = torch.ones(len(waves), device=self.device)
        if self.encoder is None:
            return self.model(self.normalise(self.features(waves), whole), whole)
        # The encoder hears the whole; only its own branch is given no zeros at the ends.
        heard = _without_zeros_at_ends(waves)
        if heard.shape[1] < self.shortest:
            raise BadInput(
                f"holds too little besides zeros: the model needs {self.shortest} samples"
            )
        frames = self.normalise(self.features(heard), whole)
        return self.model(frames, self.encoder.layers(waves))

    def embed_utterance(self, utterance: Utterance) -> Floats:
        """Embedding (D,) of an Utterance; BadInput names it where it cannot be embedded."""
        with naming(utterance.path):
            return one_by_one.checked(self.embed(self.samples_of(utterance)), utterance)

    def samples_of(self, utterance: Utterance) -> Floats:
        """The prepared samples (N,) of an Utterance.

        Raises
        ------
        BadInput : it has another sample rate than the model, or is too short
        """
        samples, sample_rate = audio.read(utterance.path)
        name = f"{utterance.path}: utterance '{utterance.utterance}'"
        if sample_rate != self.sample_rate:
            raise BadInput(
                f"{name} has {sample_rate} Hz, the model {self.folder} is for {self.sample_rate} Hz"
            )
        samples = prepared(samples, sample_rate, self.preparation)
        if len(samples) < self.shortest:
            lasts = "lasts" if self.preparation == NOTHING else "holds speech of"
            raise BadInput(
                f"{name} {lasts} {len(samples) / sample_rate:.3f} s, the model needs at least "
                f"{self.shortest / sample_rate:.3f} s: leave it out"
            )
        return samples


class TrustedExtractor(Extractor):
    """An Extractor that SpeechBrain itself loads, so that whatever its folder names runs as code.

    Only for folders that somebody vouches for (``trust: true``): models that ``Extractor`` does not
    build. It embeds one utterance at a time.
    """

    def __init__(
        self, folder: Path | str, *, device: str = "cpu", preparation: Preparation = NOTHING
    ) -> None:
        """Load a folder by ``EncoderClassifier``; BadInput says why it cannot be loaded."""
        from speechbrain.inference.speaker import EncoderClassifier  # a tenth of the start-up

        self.folder, self.device, self.preparation = Path(folder), torch_device(device), preparation
        if not self.folder.is_dir():
            raise BadInput(f"{folder}: not found")
        source = str(self.folder.absolute())
        # Published folders name the hub as the place of their weights, whatever lies there today.
        # The weights beside the settings are meant.
        settings = Hyperparameters(self.folder / SETTINGS)
        overrides = {PRETRAINED_PATH: source} if PRETRAINED_PATH in settings else {}
        cannot = refusing(f"{folder}: SpeechBrain cannot load it")
        with tempfile.TemporaryDirectory() as links, cannot:
            self.model = EncoderClassifier.from_hparams(
                source=source,
                savedir=links,
                overrides=overrides,
                run_opts={"device": str(self.device)},
            )
        self.sample_rate = self.model.audio_normalizer.sample_rate
        self.shortest, self.batch_size = 1, 1

    def _embed(self, waves):
        with refusing(f"{self.folder}: cannot embed {waves.shape[1]} samples", errors=RuntimeError):
            return self.model.encode_batch(waves)


def frozen_encoder(folder: Path, model: torch.nn.Module, device: torch.device) -> Any:
    """The encoder of a trained folder of ecapa_ssl, which has to fit its model."""
    # It imports this module, and transformers, which takes seconds.
    from voiceprivacy.attack.extractors.ecapa_ssl import FrozenEncoder, encoder_in

    encoder = FrozenEncoder(encoder_in(folder), device=device)
    encoder.check(model)
    return encoder


def _take_sizes(path, features, embedding):
    """Give the organisers' network, and its filter banks, the sizes of its weights."""
    from voiceprivacy.attack.extractors.ecapa_ssl import sizes

    weights = read_weights(path, model="the attacker of 2026")
    with refusing(f"{path}: not the weights of the attacker of 2026"):
        embedding.fields |= sizes(weights)
    features.fields["n_mels"] = embedding.fields["input_size"]


def _without_zeros_at_ends(waves):
    """Waves (1, M) without the zeros before and after the speech of waves (1, N)."""
    (heard,) = torch.nonzero(waves[0], as_tuple=True)
    return waves[:, heard[0] : heard[-1] + 1] if len(heard) else waves[:, :0]


def prepared(samples: Floats, sample_rate: int, preparation: Preparation) -> Floats:
    """Take the steps of a Preparation; what remains (M,) can be empty."""
    if preparation.challenge:
        samples = CHALLENGES[preparation.challenge](samples)
    if preparation.loudness:
        samples = at_level(samples, sample_rate)
    if preparation.trim:
        samples = trimmed(samples, sample_rate)
    if preparation.vad:
        samples = active(samples, sample_rate)
    return samples


def as_in_2024(samples: Floats) -> Floats:
    """Divide by the absolute peak, and cut zeros at both ends; silence leaves nothing."""
    peak = np.abs(samples).max(initial=0.0)
    return np.trim_zeros(samples / peak if peak else samples)


CHALLENGES: dict[str, Callable[[Floats], Floats]] = {"vpc2024": as_in_2024}


def at_level(samples: Floats, sample_rate: int) -> Floats:
    """Scale so that active frames have a mean power of LEVEL_DB; silence stays."""
    power = _powers(samples, sample_rate)
    active_power = power[_not_silent(power)]
    level = active_power.mean() if len(active_power) else 0.0
    return samples * np.float32(10 ** (LEVEL_DB / 20) / np.sqrt(level)) if level > 0 else samples


def trimmed(samples: Floats, sample_rate: int) -> Floats:
    """Cut silence before the first and after the last frame that is not silent."""
    loud = np.flatnonzero(_not_silent(_powers(samples, sample_rate)))
    hop, length = round(HOP_S * sample_rate), round(FRAME_S * sample_rate)
    return samples[loud[0] * hop : loud[-1] * hop + length] if len(loud) else samples


def active(samples: Floats, sample_rate: int) -> Floats:
    """Keep the hops whose frame holds speech, by Kaldi's rule on log energies."""
    hop, length = round(HOP_S * sample_rate), round(FRAME_S * sample_rate)
    energies = _powers(samples, sample_rate) * length * FULL_SCALE**2
    if not len(energies):
        return samples[:0]
    log_energies = np.log(np.maximum(energies, np.finfo(np.float32).tiny))
    loud = log_energies > THRESHOLD + MEAN_SCALE * log_energies.mean()
    window = np.ones(2 * CONTEXT + 1)
    # At both ends the window holds fewer frames, and the share is one of these.
    share = np.convolve(loud, window, "same") / np.convolve(np.ones(len(loud)), window, "same")
    keep = np.repeat(share >= PROPORTION, hop)
    return samples[: len(keep)][keep[: len(samples)]]


def embed_manifest(
    utterances: list[Utterance],
    *,
    folder: Path | str,
    device: str = "cpu",
    threads: int = 1,
    make: Callable[..., Any] = Extractor,
) -> Embeddings:
    """Embed utterances, in their order; the result does not depend on ``threads``.

    Parameters
    ----------
    utterances : list of Utterance
    folder : path
        SpeechBrain folder.
    device : "cpu" or "cuda"
    threads : int
        Processes on a CPU, each with one thread; threads that read speech for a GPU.
    make : function (folder, device=...) -> Extractor

    Returns
    -------
    Embeddings
    """
    with single_thread():
        extractor = make(folder, device=device)
        if device == "cpu":
            return one_by_one.embed_each(_embed_in_process, extractor, utterances, threads=threads)
        return one_by_one.embed_in_batches(extractor, utterances, threads=threads)


def _embed_in_process(extractor, utterance):
    torch.set_num_threads(1)  # a forked process has lost torch's team of threads
    return extractor.embed_utterance(utterance)


def _random_states(device):
    """The GPUs whose random state embedding must leave as it was."""
    return [torch.cuda.current_device()] if device.type == "cuda" else []


def shortest_s(settings: Path | str) -> float:
    """How long a recording has to be, in seconds, for a model by its hyperparameters, or recipe."""
    _, features, embedding = _described(settings)
    return _shortest(features, embedding) / _field(features, "sample_rate")


def _described(path):
    """The settings in a file, and its sections of filter banks and of the network."""
    settings = Hyperparameters(path)
    features = settings.section("compute_features", classes=FEATURES)
    return settings, features, settings.section("embedding_model", classes=EMBEDDING)


def _normalisation(settings: Hyperparameters) -> Any:
    section = settings.section("mean_var_norm", classes=NORMALISATION)
    if section.fields.get("norm_type", "global") != "sentence":
        raise BadInput(
            f"{section.where}: norm_type must be sentence, "
            "other statistics depend on the rest of the data"
        )
    return section.build()


def _shortest(features: Section, embedding: Section) -> int:
    """Samples that one frame of the last convolution sees.

    A convolution with kernel k and dilation d sees (k - 1) d frames besides its own; frames are
    windows of ``win_length`` ms every ``hop_length`` ms.
    """
    kernels, dilations = _field(embedding, *KERNELS), _field(embedding, *DILATIONS)
    # Lists of unequal length are refused when the model is built.
    sizes = zip(kernels, dilations, strict=False)
    frames = sum((kernel - 1) * dilation for kernel, dilation in sizes)
    hop_ms, window_ms = _field(features, "hop_length"), _field(features, "win_length")
    return round((frames * hop_ms + window_ms) * _field(features, "sample_rate") / 1000)


def _field(section, *names):
    """A field of a section, or the default of its class, under the first name that it knows."""
    defaults = inspect.signature(section.class_()).parameters
    name = next(name for name in names if name in defaults)
    return section.fields.get(name, defaults[name].default)


def _not_silent(power):
    return power >= power.max(initial=0) * 10 ** (-SILENCE_DB / 10)


def _powers(samples, sample_rate):
    """Mean power of every frame (F,)."""
    hop, length = round(HOP_S * sample_rate), round(FRAME_S * sample_rate)
    if len(samples) < length:
        return np.empty(0)
    sums = np.concatenate([[0.0], np.cumsum(np.square(samples, dtype=np.float64))])
    starts = np.arange(0, len(samples) - length + 1, hop)
    return np.maximum(sums[starts + length] - sums[starts], 0.0) / length
