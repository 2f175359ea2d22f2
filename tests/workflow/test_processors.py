"""Another processor: the same speech, embeddings to five digits, equal error rates to one trial.

The libraries that compute choose their instructions when they start, and can be told to take those
of an old processor.
"""

import os
import subprocess
import sys

import numpy as np
import pytest
from numpy._core._multiarray_umath import __cpu_dispatch__
from support import runs

from voiceprivacy.inout import audio
from voiceprivacy.inout.arrays import read_embeddings
from voiceprivacy.inout.manifests import read_manifest

pytestmark = pytest.mark.nightly
OLD_PROCESSOR = {  # without AVX; nothing to the ones without x86's instructions
    "ATEN_CPU_CAPABILITY": "default",
    "ONEDNN_MAX_CPU_ISA": "SSE41",
    "MKL_CBWR": "COMPATIBLE",
    "OPENBLAS_CORETYPE": "Nehalem",
    "NPY_DISABLE_CPU_FEATURES": " ".join(__cpu_dispatch__),
    "NUMBA_CPU_NAME": "generic",
    "NUMBA_CPU_FEATURES": "",
}


SYSTEMS = ("original", "b2")


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """Results of the same run here and as by an old processor."""
    folders = [tmp_path_factory.mktemp(name) for name in ("here", "there")]
    old = OLD_PROCESSOR | {"NUMBA_CACHE_DIR": str(folders[1])}
    for folder, variables in zip(folders, ({}, old), strict=True):
        runs.make_kaldi_directory(folder / "data" / "tiny", utterances=4, enrolled=1)
        runs.write_config(
            folder,
            anonymisers={"b2": {"command": runs.B2}},
            extractors={"ecapa": {"model": "{resources}/ecapa_small"}},
            utility=runs.WITHOUT_MEASURES,
            report={"bootstrap": 0},
        )
        heard = [f"results/embeddings/tiny/trial/{system}/ecapa.npz" for system in SYSTEMS]
        runs.finish(folder, "results/metrics.tsv", *heard, **variables)
    return [folder / "results" for folder in folders]


def test_the_old_processor_is_one():
    command = [sys.executable, "-c", "import torch; print(torch.backends.cpu.get_cpu_capability())"]
    said = subprocess.check_output(command, env={**os.environ, **OLD_PROCESSOR})
    assert said == b"DEFAULT\n"


def test_protected_speech_is_the_same_to_the_last_bit_but_one(folders):
    here, there = (read_manifest(folder / "audio/tiny/trial/b2/manifest.tsv") for folder in folders)
    for one, other in zip(here, there, strict=True):
        difference = np.abs(audio.read(one.path)[0] - audio.read(other.path)[0])
        assert one.utterance == other.utterance and difference.max() <= 1 / 32768


@pytest.mark.parametrize("system", SYSTEMS)
def test_embeddings_agree_to_five_digits(folders, system):
    path = f"embeddings/tiny/trial/{system}/ecapa.npz"
    here, there = (read_embeddings(folder / path) for folder in folders)
    assert here.ids.tolist() == there.ids.tolist()
    np.testing.assert_allclose(
        there.embeddings, here.embeddings, rtol=0, atol=1e-5 * np.abs(here.embeddings).max()
    )


def test_equal_error_rates_agree_to_one_trial(folders):
    here, there = (
        {
            (row["anonymiser"], row["condition"]): float(row["value"])
            for row in runs.rows(folder / "metrics.tsv")
            if row["metric"] == "eer_percent"
        }
        for folder in folders
    )
    assert here.keys() >= {("original", "oo"), ("b2", "op"), ("b2", "pp")}
    assert here == pytest.approx(there, rel=0, abs=100 / (3 * len(runs.SPEAKERS)))
