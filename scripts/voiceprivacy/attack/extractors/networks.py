"""Speaker embeddings from SpeechBrain's ECAPA-TDNN and x-vector models.

Conventions
-----------
* A model is a folder in the layout of spkrec-ecapa-voxceleb and spkrec-xvect-voxceleb: hyperparams.yaml and
  embedding_model.ckpt. Nothing in it runs as code: see ``hyperparameters``; weights are loaded as tensors only.
* An embedding is what ``EncoderClassifier.encode_batch`` gives for the utterance alone: (D,) float32, raw.
* It depends on nothing but the samples and the model. On a CPU every utterance is computed alone by one thread, in as
  many processes as are asked for. On a GPU only utterances of exactly one length make a batch: padding would reach
  into an embedding through the convolutions.

References
----------
Snyder et al., X-vectors, ICASSP 2018. Desplanques et al., ECAPA-TDNN, Interspeech 2020.
Ravanelli et al., SpeechBrain, 2021.
"""

import contextlib
import inspect
import multiprocessing
import pickle  # nosec B403  # for the name of an error only
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import voiceprivacy.attack.torchaudio_loader  # noqa: F401

import numpy as np
import torch
from tqdm import tqdm

from voiceprivacy.attack.extractors.hyperparameters import Hyperparameters
from voiceprivacy.attack.extractors.preparation import NOTHING, prepared
from voiceprivacy.inout import audio
from voiceprivacy.inout.arrays import Embeddings
from voiceprivacy.inout.files import BadInput, refuse_endless
from voiceprivacy.running import pools

FEATURES = ["speechbrain.lobes.features.Fbank"]
NORMALISATION = ["speechbrain.processing.features.InputNormalization"]
EMBEDDING = [
    "speechbrain.lobes.models.ECAPA_TDNN.ECAPA_TDNN",
    "speechbrain.lobes.models.Xvector.Xvector",
]
SETTINGS, WEIGHTS = "hyperparams.yaml", "embedding_model.ckpt"
BATCH_SIZE, READ_AHEAD = 16, 256  # utterances


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

    def __init__(self, folder, *, device="cpu", preparation=NOTHING):
        """Load a SpeechBrain folder; BadInput says which file or field is not of this kind."""
        folder = Path(folder)
        if not folder.is_dir():
            raise BadInput(f"{folder}: not found (a folder with {SETTINGS} and {WEIGHTS})")
        settings = Hyperparameters(folder / SETTINGS)
        features = settings.section("compute_features", classes=FEATURES)
        embedding = settings.section("embedding_model", classes=EMBEDDING)
        self.folder, self.device, self.preparation = folder, torch_device(device), preparation
        self.sample_rate = features.fields.get("sample_rate", 16000)
        self.shortest = _shortest(features, embedding)
        self.batch_size = (
            BATCH_SIZE if embedding.of_class.endswith("ECAPA_TDNN") else 1
        )  # x-vectors add noise, below
        self.features = features.build().to(self.device).eval()
        self.normalise = _normalisation(settings).to(self.device).eval()
        self.model = embedding.build()
        load_weights(self.model, folder / WEIGHTS)
        self.model.to(self.device).eval()

    def embed(self, samples):
        """Embedding (D,) float32 of the samples (N,) of one utterance."""
        return self.embed_batch(samples[None])[0]

    def embed_batch(self, samples):
        """Embeddings (B, D) float32 of the samples (B, N) of utterances of equal length."""
        waves = torch.from_numpy(np.ascontiguousarray(samples, dtype=np.float32)).to(self.device)
        with torch.inference_mode(), torch.random.fork_rng(devices=_generators(self.device)):
            torch.manual_seed(
                0
            )  # SpeechBrain's x-vector adds noise (1e-5) to the pooled statistics
            return self._embed(waves).reshape(len(waves), -1).cpu().numpy()

    def _embed(self, waves):
        whole = torch.ones(len(waves), device=self.device)
        return self.model(self.normalise(self.features(waves), whole), whole)

    def embed_utterance(self, utterance):
        """Embedding (D,) of an Utterance; BadInput names it where it cannot be embedded."""
        return checked(self.embed(self.samples_of(utterance)), utterance)

    def samples_of(self, utterance):
        """The prepared samples (N,) of an Utterance; BadInput names it where it is too short or at another rate."""
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


def model_folder(model, *, revision=None):
    """The folder of a model: ``model`` itself, or where the hub's model of this name and commit lies."""
    if Path(model).is_dir():
        return Path(model)
    from voiceprivacy.attack.extractors import (
        hub,  # a tenth of the start-up, which most jobs need not take
    )

    return hub.local_folder(model, revision=revision)


def kind(*, trust):
    """The class that loads a model's folder: Extractor, or TrustedExtractor for one that somebody vouches for."""
    if not trust:
        return Extractor
    from voiceprivacy.attack.extractors.trusted import TrustedExtractor  # likewise

    return TrustedExtractor


def checked(embedding, utterance):
    """The embedding of an Utterance, which must be finite."""
    if not np.isfinite(embedding).all():
        raise BadInput(
            f"{utterance.path}: utterance '{utterance.utterance}': its embedding is not finite"
        )
    return embedding


def embed_manifest(utterances, *, folder, device="cpu", threads=1, make=Extractor):
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
    rows = [None] * len(utterances)
    with single_thread(), contextlib.ExitStack() as at_the_end:
        extractor = make(folder, device=device)
        if device != "cpu":
            embedded = in_batches(extractor, utterances, threads)
        elif min(threads, len(utterances)) > 1:
            processes = min(threads, len(utterances))
            embedded = enumerate(
                at_the_end.enter_context(_in_processes(utterances, extractor, processes))
            )
        else:
            embedded = enumerate(map(extractor.embed_utterance, utterances))
        for index, embedding in _with_progress(embedded, utterances):
            rows[index] = embedding
    return Embeddings(np.array([utterance.utterance for utterance in utterances]), np.stack(rows))


def in_batches(extractor, utterances, threads):
    """Yield (index, embedding) of all utterances, those of equal length together; ``threads`` read them."""
    order = sorted(range(len(utterances)), key=lambda index: utterances[index].duration_s)
    with ThreadPoolExecutor(threads) as pool:
        for start in range(0, len(order), READ_AHEAD):
            read = order[start : start + READ_AHEAD]
            by_length = {}
            samples = pool.map(extractor.samples_of, [utterances[index] for index in read])
            for index, of in zip(read, samples, strict=True):
                by_length.setdefault(len(of), []).append((index, of))
            for equal in by_length.values():
                for first in range(0, len(equal), extractor.batch_size):
                    batch = equal[first : first + extractor.batch_size]
                    embeddings = extractor.embed_batch(np.stack([of for _, of in batch]))
                    for (index, _), embedding in zip(batch, embeddings, strict=True):
                        yield index, checked(embedding, utterances[index])


def _with_progress(embedded, utterances):
    """Pass (index, embedding) on and show utterances and hours of speech per second."""
    started, hours = time.monotonic(), 0.0
    with tqdm(total=len(utterances), unit="utterance", mininterval=1.0) as bar:
        for index, embedding in embedded:
            hours += utterances[index].duration_s / 3600
            bar.set_postfix_str(
                f"{hours / max(time.monotonic() - started, 1e-3):.4f} h/s", refresh=False
            )
            bar.update()
            yield index, embedding


def load_weights(module, path, *, model=f"the model in {SETTINGS}"):
    """Load the tensors of a .ckpt file into a module; everything must fit. ``model`` is the module's name in errors."""
    refuse_endless(path)
    try:
        state = torch.load(path, map_location="cpu", weights_only=True)
        module.load_state_dict(state)
    except FileNotFoundError:
        raise BadInput(f"{path}: not found") from None
    except (
        RuntimeError,
        pickle.UnpicklingError,
        EOFError,
        OSError,
        ValueError,
        TypeError,
        AttributeError,
    ) as error:
        reason = " ".join(str(error).split())[:200]
        raise BadInput(f"{path}: not the weights of {model} ({reason})") from None


@contextlib.contextmanager
def single_thread():
    """Let torch compute with one thread: sums in another order would give other last digits."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


@contextlib.contextmanager
def _in_processes(utterances, extractor, processes):
    """Embeddings in the order of the utterances, from copies of this process that hold the same extractor.

    They are forked, so that none of them imports torch or reads the weights again, and at once, before the progress
    bar starts its thread. Torch has one thread in them (see ``single_thread``), so it has no team of threads to lose.
    """
    fork = multiprocessing.get_context("fork")
    pool = ProcessPoolExecutor(
        processes, mp_context=fork, initializer=_start, initargs=(extractor,)
    )
    chunk = max(1, min(16, len(utterances) // (16 * processes)))
    try:
        yield pool.map(_embed, utterances, chunksize=chunk)
    except BrokenProcessPool:
        raise BadInput(
            "a process that computed embeddings was killed (out of memory?): use fewer --threads"
        ) from None
    finally:  # what is handed out already is not waited for, whenever we are interrupted
        pool.shutdown(cancel_futures=True)


def _start(extractor):
    global _extractor
    pools.begin()
    torch.set_num_threads(1)
    _extractor = extractor


def _embed(utterance):
    return _extractor.embed_utterance(utterance)


def _normalisation(settings):
    section = settings.section("mean_var_norm", classes=NORMALISATION)
    if section.fields.get("norm_type", "global") != "sentence":
        raise BadInput(
            f"{section.place}: norm_type must be sentence, other statistics depend on the rest of the data"
        )
    return section.build()


def _shortest(features, embedding):
    """Samples seen by one frame of the last convolution: windows of features, kernels and dilations of the model."""
    kernels, dilations = (_field(embedding, *names) for names in (KERNELS, DILATIONS))
    frames = sum(
        (kernel - 1) * dilation for kernel, dilation in zip(kernels, dilations, strict=False)
    )
    hop_ms, window_ms = _field(features, "hop_length"), _field(features, "win_length")
    return round((frames * hop_ms + window_ms) * _field(features, "sample_rate") / 1000)


KERNELS = ("kernel_sizes", "tdnn_kernel_sizes")
DILATIONS = ("dilations", "tdnn_dilations")


def _field(section, *names):
    """A field of a section, or the default of its class; under the first of these names that the class knows."""
    defaults = inspect.signature(section.class_()).parameters
    name = next(name for name in names if name in defaults)
    return section.fields.get(name, defaults[name].default)


def torch_device(device):
    if device == "cuda" and not torch.cuda.is_available():
        raise BadInput("--device cuda: torch sees no GPU here; use --device cpu")
    torch.backends.cudnn.allow_tf32 = False
    torch.backends.cudnn.deterministic = True
    return torch.device(device)


def _generators(device):
    return [torch.cuda.current_device()] if device.type == "cuda" else []
