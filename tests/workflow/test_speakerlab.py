"""CAM++ of 3D-Speaker itself, in an environment of its own: our embeddings are the same."""

import json
import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import numpy as np
import pytest
from support import needs

from voiceprivacy.attack.extractors import packages
from voiceprivacy.inout import audio
from voiceprivacy.inout.manifests import Utterance
from voiceprivacy.models import fetching
from voiceprivacy.models.pinned import is_installed

pytestmark = [pytest.mark.nightly, needs.data("VOICEPRIVACY_SPEECH")]
SHA256 = "e780449e8bafd8d44fa04e3d9e1a57abb41d16850d8f0da9473531a560036fe8"
THEIRS = """
import json, sys
import numpy as np, soundfile, torch
import voiceprivacy.models  # so that torchaudio can be imported on a torch for CPUs
from torchaudio.compliance import kaldi
from speakerlab.models.campplus.DTDNN import CAMPPlus

weights, recordings, output = sys.argv[1:]
network = CAMPPlus(feat_dim=80, embedding_size=192)
network.load_state_dict(torch.load(weights, map_location="cpu", weights_only=True))
network.eval()
embeddings = []
for path in json.loads(recordings):
    samples = torch.from_numpy(soundfile.read(path, dtype="float32")[0])
    bands = kaldi.fbank(samples[None], num_mel_bins=80, sample_frequency=16000, dither=0)
    with torch.inference_mode():
        embeddings.append(network((bands - bands.mean(dim=0))[None])[0].numpy())
np.save(output, np.stack(embeddings))
"""


def call(*words):
    finished = subprocess.run(list(map(str, words)), capture_output=True, text=True, check=False)
    assert finished.returncode == 0, finished.stderr


@pytest.mark.skipif(not is_installed("campplus"), reason="campplus: make installs it")
def test_embeddings_of_real_speech_are_those_of_3d_speaker(tmp_path):
    recordings = sorted(Path(os.environ["VOICEPRIVACY_SPEECH"]).glob("test-other/*/*/*.flac"))[::5]
    assert len(recordings) > 5
    wanted, python = tmp_path / "wanted.txt", tmp_path / "venv/bin/python"
    wanted.write_text(f"speakerlab-slim==0.1.0 --hash=sha256:{SHA256}\n")
    call(sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv")
    install = ["uv", "pip", "install", "--no-deps", "--require-hashes", "--requirement", wanted]
    call(sys.executable, "-m", *install, "--python", python)
    (site,) = (tmp_path / "venv/lib").glob("python*/site-packages")
    (site / "lent.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
    weights = fetching.folder() / "campplus/campplus_cn_en_common.pt"
    paths = json.dumps(list(map(str, recordings)))
    call(python, "-c", THEIRS, weights, paths, tmp_path / "theirs.npy")
    utterances = [
        Utterance(path.stem, "s", "f", path, audio.header(path).duration_s) for path in recordings
    ]
    ours = packages.embed_manifest(utterances, package="campplus", threads=2)
    np.testing.assert_allclose(ours.embeddings, np.load(tmp_path / "theirs.npy"), atol=1e-4)
