"""Another processor: the same speech, embeddings to five digits, equal error rates to one trial.

The libraries that compute choose their instructions when they start, and can be told to take those
of an old processor.
"""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
from numpy._core._multiarray_umath import __cpu_dispatch__
from support.calls import call as in_a_process
from support.calls import flags, succeeds
from support.runs import ROOT, SPEAKERS, make_kaldi_directory
from support.trees import prepare_list

from voiceprivacy.inout import audio
from voiceprivacy.inout.arrays import read_embeddings
from voiceprivacy.inout.tables import read_manifest

pytestmark = pytest.mark.nightly
MODEL = ROOT / "workflow" / "resources" / "ecapa_small"
OLD_PROCESSOR = {  # without AVX; nothing to the ones without x86's instructions
    "ATEN_CPU_CAPABILITY": "default",
    "ONEDNN_MAX_CPU_ISA": "SSE41",
    "MKL_CBWR": "COMPATIBLE",
    "OPENBLAS_CORETYPE": "Nehalem",
    "NPY_DISABLE_CPU_FEATURES": " ".join(__cpu_dispatch__),
    "NUMBA_CPU_NAME": "generic",
    "NUMBA_CPU_FEATURES": "",
}


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """Speech, embeddings, scores and metrics of a small list, here and as by an old processor."""
    shared = tmp_path_factory.mktemp("speech")
    data = str(shared / "data")
    make_kaldi_directory(shared / "data", utterances=4, enrolled=1)
    prepare_list(shared, {"kaldi": data}, {"given": {"all": data}}, "all")
    old = OLD_PROCESSOR | {"NUMBA_CACHE_DIR": str(shared)}
    return [
        evaluate(shared, tmp_path_factory.mktemp(name), variables)
        for name, variables in {"here": {}, "there": old}.items()
    ]


def evaluate(shared, folder, variables):
    def call(script, **options):
        succeeds(script, *flags(**options), by=in_a_process, env={**os.environ, **variables})

    for part in ("enrolment", "trial"):
        manifests = {"o": shared / f"{part}.tsv", "p": folder / f"{part}.tsv"}
        made = {"audio_dir": folder / part, "output_manifest": manifests["p"]}
        how = {"seed": 1, "alpha": 0.8, "level": "corpus"}
        call("anonymise_mcadams", manifest=manifests["o"], **how, **made)
        for speech, manifest in manifests.items():
            embeddings = folder / f"{speech}_{part}.npz"
            call("extract_embeddings", manifest=manifest, model=MODEL, embeddings=embeddings)
    lists = {"trials": shared / "all.tsv", "enrolments": shared / "all.enrolments.tsv"}
    for condition in ("oo", "op", "pp"):
        heard = {
            part: folder / f"{speech}_{part}.npz"
            for speech, part in zip(condition, ("enrolment", "trial"), strict=True)
        }
        scores = folder / f"{condition}.tsv"
        call("score_trials", **heard, **lists, backend="cosine", scores=scores)
        call("assess_verification", scores=scores, metrics=folder / f"{condition}.json")
    return folder


def test_the_old_processor_is_one():
    command = [sys.executable, "-c", "import torch; print(torch.backends.cpu.get_cpu_capability())"]
    said = subprocess.check_output(command, env={**os.environ, **OLD_PROCESSOR})
    assert said == b"DEFAULT\n"


def test_protected_speech_is_the_same_to_the_last_bit_but_one(folders):
    here, there = (read_manifest(folder / "trial.tsv") for folder in folders)
    for one, other in zip(here, there, strict=True):
        difference = np.abs(audio.read(one.path)[0] - audio.read(other.path)[0])
        assert one.utterance == other.utterance and difference.max() <= 1 / 32768


@pytest.mark.parametrize("speech", ["o", "p"])
def test_embeddings_agree_to_five_digits(folders, speech):
    here, there = (read_embeddings(folder / f"{speech}_trial.npz") for folder in folders)
    assert here.ids.tolist() == there.ids.tolist()
    np.testing.assert_allclose(
        there.embeddings, here.embeddings, rtol=0, atol=1e-5 * np.abs(here.embeddings).max()
    )


@pytest.mark.parametrize("condition", ["oo", "op", "pp"])
def test_equal_error_rates_agree_to_one_trial(folders, condition):
    here, there = (json.loads((folder / f"{condition}.json").read_text()) for folder in folders)
    assert here["n_target"] == there["n_target"] == 3 * len(SPEAKERS)
    assert abs(here["eer_percent"] - there["eer_percent"]) <= 100 / here["n_target"]
