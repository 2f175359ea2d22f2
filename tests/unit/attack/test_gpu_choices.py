"""What is chosen for a GPU, with a stand-in for one: batches of one length, processes that load, several GPUs."""

import numpy as np
import pytest
import torch

from voiceprivacy.attack import training
from voiceprivacy.attack.extractors import BATCH_SIZE, embed_manifest
from voiceprivacy.attack.pieces import Batches
from voiceprivacy.tables import Utterance

LENGTHS = [500] * 20 + [400] * 3 + [700]


class StandIn:
    """An extractor on a device that no machine has: it tells what it was given, an embedding is its first sample."""

    batch_size = BATCH_SIZE

    def __init__(self, folder, *, device):
        self.device, self.batches = device, []

    def samples_of(self, utterance):
        return np.full(round(utterance.duration_s * 1000), int(utterance.utterance), np.float32)

    def embed_batch(self, samples):
        self.batches.append(samples.shape)
        return samples[:, :1]


def test_batches_on_a_gpu_are_of_one_length_and_at_most_of_the_batch_size():
    made = []

    def make(folder, *, device):
        made.append(StandIn(folder, device=device))
        return made[0]

    utterances = [Utterance(str(index), "s", "f", None, length / 1000) for index, length in enumerate(LENGTHS)]
    found = embed_manifest(utterances, folder="model", device="cuda", threads=2, make=make)
    assert found.embeddings[:, 0].tolist() == list(range(len(LENGTHS)))
    assert made[0].device == "cuda"
    assert made[0].batches == [(3, 400), (16, 500), (4, 500), (1, 700)]


@pytest.mark.parametrize(("gpus", "several"), [(1, False), (4, True)])
def test_training_takes_all_gpus_that_torch_sees(monkeypatch, gpus, several):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: gpus)
    options = training._run_options(training.Computer("cuda", 8, "fp16"))
    assert options == {"device": "cuda", "precision": "fp16", "data_parallel_backend": several}


@pytest.mark.parametrize(("device", "processes"), [("cuda", 1), ("cpu", 0)])
def test_processes_load_speech_beside_a_gpu_only(device, processes):
    schedule = training.Schedule(1, 4, 1.0, 16000, 0, 1.0, 1)
    loader = training._loader(list(range(10)), schedule, training.Computer(device, 1), seed=0)
    assert loader.num_workers == processes
    assert isinstance(loader.batch_sampler, Batches)
