"""Frames of encoders of the hub: equal to SpeechBrain's wrappers, and folders that are refused."""

import json
import os
import sys

import numpy as np
import pytest
import torch
import transformers
from safetensors.torch import load_file
from speechbrain.integrations.huggingface import hubert, wav2vec2, wavlm
from support import models

from voiceprivacy.attack.extractors import histograms
from voiceprivacy.inout.files import BadInput
from voiceprivacy.models.encoders import Encoder

WRAPPERS = {"wav2vec2": wav2vec2.Wav2Vec2, "hubert": hubert.HuBERT, "wavlm": wavlm.WavLM}
LARGE = {
    "do_stable_layer_norm": True,
    "feat_extract_norm": "layer",
    "conv_bias": True,
}  # as the large published ones


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return models.hub_encoder(tmp_path_factory.mktemp("hub") / "hubert", "hubert")


def change(folder, name="config.json", **fields):
    """Set fields of one of a folder's JSON files."""
    settings = json.loads((folder / name).read_text())
    (folder / name).write_text(json.dumps(settings | fields))


def speech():
    return models.tone(0, 0, seconds=0.5)


@pytest.mark.parametrize(
    ("kind", "head", "normalises", "fields"),
    [
        ("wav2vec2", "Model", False, {}),
        ("wav2vec2", "ForPreTraining", True, LARGE),
        ("hubert", "Model", False, {}),
        ("hubert", "ForCTC", True, LARGE),
        ("wavlm", "Model", True, LARGE),
        ("wavlm", "Model", False, {"num_buckets": 40, "max_bucket_distance": 80}),
    ],
)
def test_frames_are_those_of_speechbrain(tmp_path, kind, head, normalises, fields):
    folder = models.hub_encoder(tmp_path / kind, kind, head=head, normalises=normalises, **fields)
    theirs = WRAPPERS[kind](source=str(folder), save_path=str(tmp_path / "cache"), freeze=True)
    with torch.inference_mode():
        expected = theirs(torch.from_numpy(speech())[None])[0].numpy()
    frames = Encoder(folder).frames(speech())
    assert frames.shape == (1 + (len(speech()) - 61) // 80, 16) == expected.shape
    np.testing.assert_allclose(frames, expected, rtol=0, atol=1e-5 * np.abs(expected).max())
    assert expected.std(axis=0).max() > 0.1, "frames that are all the same would show nothing"


def test_weights_in_the_formats_of_older_models(folder, tmp_path):
    """A file of torch in half precision, with the names of torch's former weight_norm."""
    state = load_file(folder / "model.safetensors")
    renamed = {"original0": "weight_g", "original1": "weight_v"}
    for name in [name for name in state if ".parametrizations.weight." in name]:
        layer, _, number = name.partition(".parametrizations.weight.")
        state[f"{layer}.{renamed[number]}"] = state.pop(name)
    half = {name: tensor.half() for name, tensor in state.items()}
    torch.save(half, tmp_path / "pytorch_model.bin")
    for name in ("config.json", "preprocessor_config.json"):
        (tmp_path / name).write_bytes((folder / name).read_bytes())
    expected = Encoder(folder).frames(speech())
    frames = Encoder(tmp_path).frames(speech())
    np.testing.assert_allclose(frames, expected, rtol=0, atol=0.02 * np.abs(expected).max())


def test_fewer_layers_in_the_settings_give_the_frames_of_a_lower_layer(tmp_path):
    models.hub_encoder(tmp_path, "hubert")
    theirs = transformers.HubertModel.from_pretrained(tmp_path).eval()
    with torch.inference_mode():
        layers = theirs(torch.from_numpy(speech())[None], output_hidden_states=True).hidden_states
    change(tmp_path, num_hidden_layers=1)
    frames = Encoder(tmp_path).frames(speech())
    np.testing.assert_allclose(
        frames, layers[1][0].numpy(), rtol=0, atol=1e-5 * np.abs(frames).max()
    )


def test_units_count_the_frames(folder):
    encoder = Encoder(folder)
    draw = np.random.default_rng(0)
    codebook = histograms.Codebook(
        np.ones(16, np.float32), draw.normal(scale=0.3, size=(256, 16)).astype(np.float32)
    )
    counts = histograms.unit_histogram(codebook, encoder)(speech(), 16000)
    assert counts.sum() == len(encoder.frames(speech()))
    assert (counts > 0).sum() > 1


def test_a_folder_runs_no_code(folder, tmp_path):
    """It names its own code wherever transformers would look; its weights hold a call."""
    own = "own.Network"
    everywhere = {"auto_map": {"AutoConfig": own, "AutoModel": own, "AutoFeatureExtractor": own}}
    everywhere |= {
        "_attn_implementation": "someone/kernels",
        "quantization_config": {"quant_method": "own"},
    }
    for name in ("model.safetensors", "config.json", "preprocessor_config.json"):
        (tmp_path / name).write_bytes((folder / name).read_bytes())
    change(tmp_path, **everywhere)
    change(tmp_path, "preprocessor_config.json", **everywhere, feature_extractor_type="Own")
    (tmp_path / "own.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    np.testing.assert_array_equal(
        Encoder(tmp_path).frames(speech()), Encoder(folder).frames(speech())
    )
    (tmp_path / "model.safetensors").unlink()
    torch.save({"weights": Call(f"touch {tmp_path / 'ran'}")}, tmp_path / "pytorch_model.bin")
    with pytest.raises(
        BadInput, match=r"pytorch_model\.bin: holds no weights \(Weights only load failed"
    ):
        Encoder(tmp_path)
    assert not (tmp_path / "ran").exists()


class Call:
    """Runs a command where it is unpickled."""

    def __init__(self, command):
        self.command = command

    def __reduce__(self):
        return os.system, (self.command,)


@pytest.mark.parametrize(
    ("name", "fields", "message"),
    [
        (
            "config.json",
            {"model_type": "whisper"},
            r"config\.json: model_type is 'whisper', expected wav2vec2, hubert",
        ),
        ("config.json", {"add_adapter": True}, "add_adapter is true"),
        (
            "config.json",
            {"hidden_size": "large"},
            r"no network can be built from it .*'hidden_size' expected int",
        ),
        (
            "config.json",
            {"hidden_act": "os.system"},
            r"no network can be built from it \(KeyError: 'os\.system'\)",
        ),
        (
            "config.json",
            {"hidden_size": 32},
            r"model\.safetensors: not the weights of the network .*size mismatch",
        ),
        (
            "config.json",
            {"num_hidden_layers": 3},
            r"has no weights encoder\.layers\.2\.[\w.]+, so it does not belong",
        ),
        (
            "preprocessor_config.json",
            {"sampling_rate": 8000},
            "sampling_rate is 8000, expected 16000",
        ),
    ],
)
def test_what_does_not_fit_is_refused(folder, tmp_path, name, fields, message):
    for file in folder.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    change(tmp_path, name, **fields)
    with pytest.raises(BadInput, match=message):
        Encoder(tmp_path)


@pytest.mark.parametrize("name", ["preprocessor_config.json", "model.safetensors"])
def test_a_missing_file_is_named(folder, tmp_path, name):
    for file in folder.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    (tmp_path / name).unlink()
    with pytest.raises(BadInput, match=rf"^{tmp_path / name}: not found$"):
        Encoder(tmp_path)


@pytest.mark.parametrize("content", [b"", b"\x10\0\0\0\0\0\0\0not json, but long", b'{"a": 1}'])
def test_weights_that_are_none_are_refused(folder, tmp_path, content):
    for name in ("config.json", "preprocessor_config.json"):
        (tmp_path / name).write_bytes((folder / name).read_bytes())
    (tmp_path / "model.safetensors").write_bytes(content)
    with pytest.raises(BadInput, match=r"model\.safetensors: holds no weights"):
        Encoder(tmp_path)


def test_settings_that_are_no_object_are_refused(tmp_path):
    for name in ("config.json", "preprocessor_config.json"):
        (tmp_path / name).write_text("[]")
    with pytest.raises(BadInput, match="is not a JSON object of fields"):
        Encoder(tmp_path)


def test_without_the_package_one_line_says_so(folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "transformers", None)
    with pytest.raises(
        BadInput, match=r"the package transformers, .*, is not installed here: install the version"
    ):
        Encoder(folder)
