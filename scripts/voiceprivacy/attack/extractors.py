"""Speaker embeddings from SpeechBrain's ECAPA-TDNN and x-vector models.

Conventions
-----------
* A model is a folder in the layout of spkrec-ecapa-voxceleb and spkrec-xvect-voxceleb: hyperparams.yaml and
  embedding_model.ckpt. Nothing in it runs as code: see ``hyperparameters``; weights are loaded as tensors only.
* An embedding is what ``EncoderClassifier.encode_batch`` gives for the utterance alone: (D,) float32, raw.
* It depends on nothing but the samples and the model: utterances are never put into batches, and on a CPU every
  utterance is computed by one thread, in as many processes as are asked for.

References
----------
Snyder et al., X-vectors, ICASSP 2018. Desplanques et al., ECAPA-TDNN, Interspeech 2020.
Ravanelli et al., SpeechBrain, 2021.
"""

import contextlib
import inspect
import multiprocessing
import pickle
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import voiceprivacy.torchaudio_loader  # noqa: F401

import numpy as np
import torch
from tqdm import tqdm

from voiceprivacy import audio
from voiceprivacy.arrays import Embeddings
from voiceprivacy.attack.hyperparameters import Hyperparameters
from voiceprivacy.files import BadInput

FEATURES = ["speechbrain.lobes.features.Fbank"]
NORMALISATION = ["speechbrain.processing.features.InputNormalization"]
EMBEDDING = ["speechbrain.lobes.models.ECAPA_TDNN.ECAPA_TDNN", "speechbrain.lobes.models.Xvector.Xvector"]
SETTINGS, WEIGHTS = "hyperparams.yaml", "embedding_model.ckpt"


class Extractor:
    """A model in memory: ``embed`` turns samples into an embedding.

    Attributes
    ----------
    sample_rate : int, Hz
    shortest : int
        Samples that one output frame sees: shorter utterances are refused.
    """

    def __init__(self, folder, *, device="cpu"):
        """Load a SpeechBrain folder; BadInput says which file or field is not of this kind."""
        folder = Path(folder)
        if not folder.is_dir():
            raise BadInput(f"{folder}: not found (a folder with {SETTINGS} and {WEIGHTS})")
        settings = Hyperparameters(folder / SETTINGS)
        features = settings.section("compute_features", classes=FEATURES)
        embedding = settings.section("embedding_model", classes=EMBEDDING)
        self.folder, self.device = folder, _device(device)
        self.sample_rate = features.fields.get("sample_rate", 16000)
        self.shortest = _shortest(features, embedding)
        self.features = features.build().to(self.device).eval()
        self.normalise = _normalisation(settings).to(self.device).eval()
        self.model = embedding.build()
        load_weights(self.model, folder / WEIGHTS)
        self.model.to(self.device).eval()

    def embed(self, samples):
        """Embedding (D,) float32 of the samples (N,) of one utterance."""
        waves = torch.from_numpy(np.ascontiguousarray(samples, dtype=np.float32))[None].to(self.device)
        whole = torch.ones(1, device=self.device)
        with torch.inference_mode(), torch.random.fork_rng(devices=_generators(self.device)):
            torch.manual_seed(0)  # SpeechBrain's x-vector adds noise (1e-5) to the pooled statistics
            frames = self.normalise(self.features(waves), whole)
            return self.model(frames, whole).flatten().cpu().numpy()

    def embed_utterance(self, utterance):
        """Embedding (D,) of an Utterance; BadInput names it where it cannot be embedded."""
        samples, sample_rate = audio.read(utterance.path)
        name = f"{utterance.path}: utterance '{utterance.utterance}'"
        if sample_rate != self.sample_rate:
            raise BadInput(f"{name} has {sample_rate} Hz, the model {self.folder} is for {self.sample_rate} Hz")
        if len(samples) < self.shortest:
            raise BadInput(
                f"{name} lasts {len(samples) / sample_rate:.3f} s, the model needs at least "
                f"{self.shortest / sample_rate:.3f} s: leave it out"
            )
        embedding = self.embed(samples)
        if not np.isfinite(embedding).all():
            raise BadInput(f"{name}: its embedding is not finite")
        return embedding


def embed_manifest(utterances, *, folder, device="cpu", threads=1):
    """Embed utterances, in their order; the result does not depend on ``threads``.

    Parameters
    ----------
    utterances : list of Utterance
    folder : path
        SpeechBrain folder.
    device : "cpu" or "cuda"
    threads : int
        Processes on a CPU, each with one thread.

    Returns
    -------
    Embeddings
    """
    extractor = Extractor(folder, device=device)
    if device == "cpu" and min(threads, len(utterances)) > 1:
        rows = _in_processes(utterances, folder, min(threads, len(utterances)))
    else:
        rows = map(extractor.embed_utterance, utterances)
    with single_thread():
        embeddings = list(tqdm(rows, total=len(utterances), unit="utterance", mininterval=1.0))
    return Embeddings(np.array([utterance.utterance for utterance in utterances]), np.stack(embeddings))


def load_weights(module, path):
    """Load the tensors of a .ckpt file into a module; everything must fit."""
    try:
        state = torch.load(path, map_location="cpu", weights_only=True)
        module.load_state_dict(state)
    except FileNotFoundError:
        raise BadInput(f"{path}: not found") from None
    except (RuntimeError, pickle.UnpicklingError, EOFError, OSError, ValueError, TypeError, AttributeError) as error:
        reason = " ".join(str(error).split())[:200]
        raise BadInput(f"{path}: not the weights of the model in {SETTINGS} ({reason})") from None


@contextlib.contextmanager
def single_thread():
    """Let torch compute with one thread: sums in another order would give other last digits."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def _in_processes(utterances, folder, processes):
    chunk = max(1, min(16, len(utterances) // (4 * processes)))
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, mp_context=spawn, initializer=_start, initargs=(folder,)) as pool:
        try:
            yield from pool.map(_embed, utterances, chunksize=chunk)
        except BrokenProcessPool:
            raise BadInput(
                "a process that computed embeddings was killed (out of memory?): use fewer --threads"
            ) from None


def _start(folder):
    global _extractor
    torch.set_num_threads(1)
    _extractor = Extractor(folder)


def _embed(utterance):
    return _extractor.embed_utterance(utterance)


def _normalisation(settings):
    section = settings.section("mean_var_norm", classes=NORMALISATION)
    if section.fields.get("norm_type", "global") != "sentence":
        raise BadInput(f"{section.place}: norm_type must be sentence, other statistics depend on the rest of the data")
    return section.build()


def _shortest(features, embedding):
    """Samples seen by one frame of the last convolution: windows of features, kernels and dilations of the model."""
    kernels, dilations = (_field(embedding, *names) for names in (KERNELS, DILATIONS))
    frames = sum((kernel - 1) * dilation for kernel, dilation in zip(kernels, dilations, strict=False))
    hop_ms, window_ms = _field(features, "hop_length"), _field(features, "win_length")
    return round((frames * hop_ms + window_ms) * _field(features, "sample_rate") / 1000)


KERNELS = ("kernel_sizes", "tdnn_kernel_sizes")
DILATIONS = ("dilations", "tdnn_dilations")


def _field(section, *names):
    """A field of a section, or the default of its class; under the first of these names that the class knows."""
    defaults = inspect.signature(section.class_()).parameters
    name = next(name for name in names if name in defaults)
    return section.fields.get(name, defaults[name].default)


def _device(device):
    if device == "cuda" and not torch.cuda.is_available():
        raise BadInput("--device cuda: torch sees no GPU here; use --device cpu")
    torch.backends.cudnn.allow_tf32 = False
    torch.backends.cudnn.deterministic = True
    return torch.device(device)


def _generators(device):
    return [torch.cuda.current_device()] if device.type == "cuda" else []
