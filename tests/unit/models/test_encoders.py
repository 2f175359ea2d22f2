"""Frames of a wav2vec 2.0: equal to SpeechBrain's own, as units, and folders that are refused."""

import numpy as np
import pytest
import torch
from hyperpyyaml import load_hyperpyyaml
from support import models

from voiceprivacy.attack.extractors import histograms
from voiceprivacy.inout import audio
from voiceprivacy.inout.files import BadInput
from voiceprivacy.inout.tables import Utterance
from voiceprivacy.models.encoders import Encoder


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return models.wav2vec(tmp_path_factory.mktemp("encoders") / "wav2vec")


def samples_of(index, seconds=2.0):
    return models.tone(index % 4, index, seconds=seconds)


def test_frames_are_those_of_speechbrain(folder):
    text = (folder / "hyperparams.yaml").read_text().split("epoch_counter")[0]
    theirs = load_hyperpyyaml(text)
    theirs["extractor"].load_state_dict(torch.load(folder / "latent_extractor.ckpt"))
    theirs["encoder_wrapper"].load_state_dict(torch.load(folder / "latent_encoder.ckpt"))
    with torch.inference_mode():
        latents = theirs["extractor"].eval()(torch.from_numpy(samples_of(0))[None])
        expected = theirs["encoder_wrapper"].eval()(latents)["embeddings"][0].numpy()
    np.testing.assert_allclose(Encoder(folder).frames(samples_of(0)), expected, rtol=0, atol=1e-5)


def test_a_folder_runs_no_code(folder, tmp_path, monkeypatch):
    """Its file names os.system, which HyperPyYAML would call."""
    monkeypatch.chdir(tmp_path)
    Encoder(folder)
    assert not (tmp_path / "ran").exists()


def test_window_and_hop_by_hand(folder):
    """Kernels 11, 3, 3 with strides 5, 4, 4: 11 + 2 * 5 + 2 * 20 samples a frame, every 80."""
    encoder = Encoder(folder)
    assert (encoder.window, encoder.hop) == (61, 80)
    for length in (61, 140, 141, 4000):
        assert encoder.frames(samples_of(0)[:length]).shape == (1 + (length - 61) // 80, 8)


def test_units_of_an_encoder_count_its_frames(folder, tmp_path):
    utterances = []
    for index in range(8):
        audio.write(tmp_path / f"u{index}.wav", samples_of(index), 16000)
        utterances.append(
            Utterance(f"u{index}", f"s{index % 4}", "f", tmp_path / f"u{index}.wav", 2.0)
        )
    encoder = Encoder(folder)
    codebook = histograms.train_codebook(utterances, seed=0, encoder=encoder)
    assert codebook.centres.shape == (256, 8)
    counts = histograms.unit_histogram(codebook, encoder)(samples_of(0), 16000)
    assert counts.sum() == len(encoder.frames(samples_of(0)))
    with pytest.raises(BadInput, match="its frames have 39 numbers, those of the codebook 8"):
        histograms.unit_histogram(codebook)(samples_of(0), 16000)


def test_speech_that_is_too_short_or_too_long_is_refused(folder):
    with pytest.raises(BadInput, match=r"shorter than a frame of 3\.8125 ms"):
        histograms.frames(np.ones(60, np.float32), 16000, Encoder(folder))
    with pytest.raises(BadInput, match="cannot encode 208000 samples"):
        Encoder(folder).frames(np.ones(208_000, np.float32))


def test_what_is_no_such_folder_is_refused(folder, ecapa, tmp_path):
    with pytest.raises(
        BadInput, match=r"not found \(a folder with hyperparams\.yaml, latent_extractor\.ckpt"
    ):
        Encoder(tmp_path / "nowhere")
    with pytest.raises(BadInput, match="has no field 'extractor'"):
        Encoder(ecapa)
    (tmp_path / "hyperparams.yaml").write_text((folder / "hyperparams.yaml").read_text())
    with pytest.raises(BadInput, match=r"latent_extractor\.ckpt: not found"):
        Encoder(tmp_path)
