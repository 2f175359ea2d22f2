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
from support.runs import ROOT, SPEAKERS, spoken

from voiceprivacy.inout import audio
from voiceprivacy.inout.arrays import read_embeddings
from voiceprivacy.inout.tables import (
    Trial,
    Utterance,
    read_manifest,
    write_enrolments,
    write_manifest,
    write_trials,
)

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
    names = {speaker: [f"{speaker}-{number}" for number in range(4)] for speaker in SPEAKERS}
    utterances = []
    for speaker, own in names.items():
        gender, pitch_hz = SPEAKERS[speaker]
        for name in own:
            samples = spoken(speaker, name, pitch_hz)
            audio.write(shared / f"{name}.wav", samples, 16000)
            utterances.append(
                Utterance(name, speaker, gender, shared / f"{name}.wav", len(samples) / 16000)
            )
    write_manifest(shared / "original.tsv", utterances)
    write_enrolments(
        shared / "enrolments.tsv", {speaker: own[:1] for speaker, own in names.items()}
    )
    tried = [(speaker, name) for speaker, own in names.items() for name in own[1:]]
    trials = [
        Trial(one, name, "target" if one == speaker else "nontarget")
        for one in names
        for speaker, name in tried
    ]
    write_trials(shared / "trials.tsv", trials)
    folders = [tmp_path_factory.mktemp(name) for name in ("here", "there")]
    for folder, variables in zip(
        folders, ({}, OLD_PROCESSOR | {"NUMBA_CACHE_DIR": str(shared)}), strict=True
    ):
        evaluate(shared, folder, variables)
    return folders


def evaluate(shared, folder, variables):
    def call(script, **options):
        succeeds(script, *flags(**options), by=in_a_process, env={**os.environ, **variables})

    manifests = {"o": shared / "original.tsv", "p": folder / "protected.tsv"}
    made = {"audio_dir": folder / "wav", "output_manifest": manifests["p"]}
    call("anonymise_mcadams", manifest=manifests["o"], seed=1, alpha=0.8, level="corpus", **made)
    for speech, manifest in manifests.items():
        call(
            "extract_embeddings",
            manifest=manifest,
            model=MODEL,
            embeddings=folder / f"{speech}.npz",
        )
    lists = {
        "trials": shared / "trials.tsv",
        "enrolments": shared / "enrolments.tsv",
        "backend": "cosine",
    }
    for condition in ("oo", "op", "pp"):
        enrolment, trial = condition
        call(
            "score_trials",
            enrolment=folder / f"{enrolment}.npz",
            trial=folder / f"{trial}.npz",
            scores=folder / f"{condition}.tsv",
            **lists,
        )
        call(
            "assess_verification",
            scores=folder / f"{condition}.tsv",
            metrics=folder / f"{condition}.json",
        )


def test_the_old_processor_is_one():
    command = [sys.executable, "-c", "import torch; print(torch.backends.cpu.get_cpu_capability())"]
    said = subprocess.run(
        command, capture_output=True, text=True, env={**os.environ, **OLD_PROCESSOR}, check=True
    )
    assert said.stdout == "DEFAULT\n"


def test_protected_speech_is_the_same_to_the_last_bit_but_one(folders):
    here, there = (read_manifest(folder / "protected.tsv") for folder in folders)
    for one, other in zip(here, there, strict=True):
        difference = np.abs(audio.read(one.path)[0] - audio.read(other.path)[0])
        assert one.utterance == other.utterance and difference.max() <= 1 / 32768


@pytest.mark.parametrize("speech", ["o", "p"])
def test_embeddings_agree_to_five_digits(folders, speech):
    here, there = (read_embeddings(folder / f"{speech}.npz") for folder in folders)
    assert here.ids.tolist() == there.ids.tolist()
    np.testing.assert_allclose(
        there.embeddings, here.embeddings, rtol=0, atol=1e-5 * np.abs(here.embeddings).max()
    )


@pytest.mark.parametrize("condition", ["oo", "op", "pp"])
def test_equal_error_rates_agree_to_one_trial(folders, condition):
    here, there = (json.loads((folder / f"{condition}.json").read_text()) for folder in folders)
    assert here["n_target"] == there["n_target"] == 3 * len(SPEAKERS)
    assert abs(here["eer_percent"] - there["eer_percent"]) <= 100 / here["n_target"]
