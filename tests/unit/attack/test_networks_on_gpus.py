"""What is chosen for a GPU: batches of one length, processes that load, several GPUs.

Torch's device "meta" stands for a GPU where tensors of two devices must not meet. It refuses those
of the CPU as a GPU does, and computes shapes only.
"""

import threading
from unittest.mock import Mock

import numpy as np
import pytest
import speechbrain
import torch
from torch.amp import autocast_mode

from voiceprivacy.attack.extractors.networks import BATCH_SIZE, Extractor, embed_manifest
from voiceprivacy.attack.training import training
from voiceprivacy.attack.training.brain import SpeakerBrain, keep_precision
from voiceprivacy.inout.manifests import Utterance
from voiceprivacy.models.folders import Hyperparameters
from voiceprivacy.vocabulary import RESOURCES

LENGTHS = [500] * 20 + [400] * 3 + [700]


class StandIn:
    """An extractor that tells what it was given: an embedding is the first sample."""

    batch_size = BATCH_SIZE

    def __init__(self):
        self.device, self.batches = "cuda", []

    def samples_of(self, utterance):
        return np.full(round(utterance.duration_s * 1000), int(utterance.utterance), np.float32)

    def embed_batch(self, samples):
        self.batches.append(samples.shape)
        return samples[:, :1]


def test_batches_on_a_gpu_are_of_one_length_and_at_most_of_the_batch_size():
    extractor = StandIn()
    make = Mock(return_value=extractor)
    utterances = [Utterance(str(n), "s", "f", None, size / 1000) for n, size in enumerate(LENGTHS)]
    made = embed_manifest(utterances, folder="model", device="cuda", threads=2, make=make)
    assert made.embeddings[:, 0].tolist() == list(range(len(LENGTHS)))
    make.assert_called_once_with("model", device="cuda")
    assert extractor.batches == [(3, 400), (16, 500), (4, 500), (1, 700)]


@pytest.fixture
def other_device(monkeypatch):
    """The device meta, of which torch's mixed precision is told that it has none."""
    monkeypatch.setattr(torch, "get_autocast_dtype", lambda device: torch.float32)
    monkeypatch.setattr(torch, "is_autocast_enabled", lambda *device: False)
    monkeypatch.setattr(autocast_mode, "is_autocast_available", lambda device: True)
    with pytest.raises(RuntimeError):
        torch.ones(2, device="meta") + torch.ones(2)
    return torch.device("meta")


def test_an_embedding_is_computed_on_the_device_alone(other_device, ecapa):
    extractor = Extractor(ecapa, device="meta")
    embeddings = extractor._embed(torch.ones(3, 8000, device=other_device))
    assert (embeddings.device, embeddings.shape) == (other_device, (3, 1, 10))


@pytest.mark.parametrize("name", ["ecapa_vpc2024", "xvector"])
def test_a_step_of_training_is_computed_on_the_device_alone(other_device, name):
    settings = Hyperparameters(RESOURCES / "recipes" / f"{name}.yaml")
    settings.placeholders[training.SPEAKERS] = 7
    modules = training._modules(settings)
    deferred = settings.get("compute_cost").deferred
    cost = settings.section("compute_cost", classes=training.COST, deferred=deferred).build()
    hparams = {"compute_cost": cost}
    brain = SpeakerBrain(modules=modules, hparams=hparams, run_opts={"device": "meta"})
    batch = torch.ones(4, 48000), torch.tensor([0, 1, 2, 3])
    scores = brain.compute_forward(batch, speechbrain.Stage.TRAIN)
    assert (scores.device, scores.shape) == (other_device, (4, 1, 7))
    loss = brain.hparams.compute_cost(scores, batch[1].to(other_device)[:, None])
    loss.backward()
    learnt = modules["embedding_model"].parameters()
    assert all(weights.grad.device == other_device for weights in learnt)


def test_a_thread_of_its_own_computes_in_the_precision_of_the_training():
    """As DataParallel calls its replicas: in mixed precision, but of the thread's own kind."""
    precisions = {}

    def replica(module):
        with torch.autocast("cpu"):
            precisions[module] = module(torch.ones(1, 2)).dtype

    plain, kept = torch.nn.Linear(2, 2), torch.nn.Linear(2, 2)
    keep_precision(kept, "fp16", device_type="cpu")
    for module in (plain, kept):
        thread = threading.Thread(target=replica, args=(module,))
        thread.start()
        thread.join()
    assert precisions == {plain: torch.bfloat16, kept: torch.float16}


def test_several_gpus_save_the_names_and_weights_of_one(train, whole, tmp_path, monkeypatch):
    """DataParallel without any GPU passes everything on to the module that it wraps."""
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    several = {"device": "cpu", "precision": "fp32", "data_parallel_backend": True}
    monkeypatch.setattr(training, "_run_options", lambda computer: several)
    wrapped, wrap = [], SpeakerBrain._wrap_distributed

    def wrap_noting(self):
        wrap(self)
        wrapped.extend(map(type, self.modules.values()))

    monkeypatch.setattr(SpeakerBrain, "_wrap_distributed", wrap_noting)
    train(tmp_path / "several")
    assert wrapped.count(torch.nn.DataParallel) == 2
    for name in ("embedding_model.ckpt", "classifier.ckpt"):
        assert (tmp_path / "several" / name).read_bytes() == (whole / name).read_bytes()
