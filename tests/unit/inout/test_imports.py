"""How libraries are changed while they are imported."""

import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import numpy as np

import voiceprivacy.inout.torch_imports as imports  # before torchaudio  # isort: skip
from torchaudio.functional import functional

from voiceprivacy.inout import audio
from voiceprivacy.vocabulary import SCRIPTS

LOADED = """
import voiceprivacy.inout.torch_imports
import importlib.machinery
import torch.nn.functional
loader = torch.__spec__.loader
assert isinstance(loader, importlib.machinery.SourceFileLoader), loader
assert torch.__spec__.submodule_search_locations == list(torch.__path__)
"""


def test_torch_is_set_up_by_one_thread_as_soon_as_it_is_loaded():
    called = []
    module = SimpleNamespace(zeros=lambda n: [0.0] * n, exp=called.append)
    loader = SimpleNamespace(exec_module=lambda loaded: called.append(loaded is module))
    imports._load_set_up(loader, module)
    assert called == [True, [0.0]]


def test_a_changed_package_is_as_others_are():
    environment = {**os.environ, "PYTHONPATH": str(SCRIPTS)}
    subprocess.run([sys.executable, "-c", LOADED], check=True, env=environment)


def test_a_filter_is_computed_by_one_thread_at_a_time_and_the_last_one_is_kept():
    running, most, computed = threading.Semaphore(1), [], []

    def compute(rate, *, width):
        most.append(running.acquire(blocking=False))
        time.sleep(0.02)
        computed.append((rate, width))
        running.release()
        return rate * width

    module = SimpleNamespace(_get_sinc_resample_kernel=compute)
    imports._load_with_filters_kept(SimpleNamespace(exec_module=lambda module: None), module)

    def filter_of(rate):
        return module._get_sinc_resample_kernel(rate, width=6)

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(filter_of, [2, 3, 2, 5, 3, 2])) == [12, 18, 12, 30, 18, 12]
        assert all(most)
        filter_of(7)
        computed.clear()
        assert list(pool.map(filter_of, [7] * 6)) == [42] * 6 and computed == []
    filter_of(2)
    assert computed == [(2, 6)]


def test_the_resampler_keeps_its_filters():
    samples = np.sin(np.arange(4410) / 20).astype(np.float32)
    first = audio.resample(samples, source_rate=22050, target_rate=16000)
    kept, _ = functional._get_sinc_resample_kernel(22050, 16000, 50)
    assert functional._get_sinc_resample_kernel(22050, 16000, 50)[0] is kept
    assert np.array_equal(first, audio.resample(samples, source_rate=22050, target_rate=16000))
