"""Frames of encoders, SpeechBrain's and the hub's: equal to SpeechBrain's own; what is refused."""

import json
import shutil
import sys

import numpy as np
import pytest
import torch
import transformers
from hyperpyyaml import load_hyperpyyaml
from safetensors.torch import load_file
from speechbrain.integrations.huggingface import hubert, wav2vec2, wavlm
from support import models
from support.sounds import recording

from voiceprivacy.attack.extractors import histograms
from voiceprivacy.errors import BadInput
from voiceprivacy.models.encoders import Encoder

SPEECH = models.tone(0, 0, seconds=0.5)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return models.wav2vec(tmp_path_factory.mktemp("encoders") / "wav2vec")


def assert_same(frames, expected, tolerance=1e-5):
    """Equal but for a share of the largest number."""
    np.testing.assert_allclose(frames, expected, rtol=0, atol=tolerance * np.abs(expected).max())


def test_frames_are_those_of_speechbrain(folder):
    text = (folder / "hyperparams.yaml").read_text().split("epoch_counter")[0]
    theirs = load_hyperpyyaml(text)
    theirs["extractor"].load_state_dict(torch.load(folder / "latent_extractor.ckpt"))
    theirs["encoder_wrapper"].load_state_dict(torch.load(folder / "latent_encoder.ckpt"))
    with torch.inference_mode():
        latents = theirs["extractor"].eval()(torch.from_numpy(SPEECH)[None])
        expected = theirs["encoder_wrapper"].eval()(latents)["embeddings"][0].numpy()
    assert_same(Encoder(folder).frames(SPEECH), expected)


def test_a_folder_runs_no_code(folder, tmp_path, in_tmp_path):
    """Its file names os.system, which HyperPyYAML would call."""
    Encoder(folder)
    assert not (tmp_path / "ran").exists()


def test_window_and_hop_by_hand(folder):
    """Kernels 11, 3, 3 with strides 5, 4, 4: 11 + 2 * 5 + 2 * 20 samples a frame, every 80."""
    encoder = Encoder(folder)
    assert (encoder.window, encoder.hop) == (61, 80)
    for length in (61, 140, 141, 4000):
        assert encoder.frames(SPEECH[:length]).shape == (1 + (length - 61) // 80, 8)


def test_units_of_an_encoder_count_its_frames(folder, tmp_path):
    utterances = [recording(tmp_path, f"u{n}", models.tone(n % 4, n, seconds=2)) for n in range(8)]
    encoder = Encoder(folder)
    codebook = histograms.train_codebook(utterances, seed=0, encoder=encoder)
    assert codebook.centres.shape == (256, 8)
    counts = histograms.unit_histogram(codebook, encoder)(SPEECH, 16000)
    assert counts.sum() == len(encoder.frames(SPEECH))
    with pytest.raises(BadInput, match="its frames have 39 numbers, those of the codebook 8"):
        histograms.unit_histogram(codebook)(SPEECH, 16000)


def test_speech_that_is_too_short_or_too_long_is_refused(folder):
    with pytest.raises(BadInput, match=r"shorter than a frame of 3\.8125 ms"):
        histograms.frames(np.ones(60, np.float32), 16000, Encoder(folder))
    with pytest.raises(BadInput, match="cannot encode 208000 samples"):
        Encoder(folder).frames(np.ones(208_000, np.float32))


def test_what_is_no_such_folder_is_refused(folder, ecapa, tmp_path):
    with pytest.raises(BadInput, match=r"not found \(a folder with hyperparams\.yaml, latent_ext"):
        Encoder(tmp_path / "nowhere")
    with pytest.raises(BadInput, match="has no field 'extractor'"):
        Encoder(ecapa)
    (tmp_path / "hyperparams.yaml").write_text((folder / "hyperparams.yaml").read_text())
    with pytest.raises(BadInput, match=r"latent_extractor\.ckpt: not found"):
        Encoder(tmp_path)


WRAPPERS = {"wav2vec2": wav2vec2.Wav2Vec2, "hubert": hubert.HuBERT, "wavlm": wavlm.WavLM}
# As the large published ones.
LARGE = {"do_stable_layer_norm": True, "feat_extract_norm": "layer", "conv_bias": True}


@pytest.fixture(scope="module")
def of_the_hub(tmp_path_factory):
    return models.hub_encoder(tmp_path_factory.mktemp("hub") / "hubert", "hubert")


def change(folder, name="config.json", **fields):
    """Set fields of one of a folder's JSON files."""
    settings = json.loads((folder / name).read_text())
    (folder / name).write_text(json.dumps(settings | fields))


def copy_of(folder, copy, without=""):
    shutil.copytree(folder, copy, ignore=shutil.ignore_patterns(without), dirs_exist_ok=True)


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
def test_frames_of_the_hub_are_those_of_speechbrain(tmp_path, kind, head, normalises, fields):
    folder = models.hub_encoder(tmp_path / kind, kind, head=head, normalises=normalises, **fields)
    theirs = WRAPPERS[kind](source=str(folder), save_path=str(tmp_path / "cache"), freeze=True)
    with torch.inference_mode():
        expected = theirs(torch.from_numpy(SPEECH)[None])[0].numpy()
    frames = Encoder(folder).frames(SPEECH)
    assert frames.shape == (1 + (len(SPEECH) - 61) // 80, 16) == expected.shape
    assert_same(frames, expected)
    assert expected.std(axis=0).max() > 0.1, "frames that are all the same would show nothing"


def test_weights_in_the_formats_of_older_models(of_the_hub, tmp_path):
    """A file of torch in half precision, with the names of torch's former weight_norm."""
    state = load_file(of_the_hub / "model.safetensors")
    renamed = {"original0": "weight_g", "original1": "weight_v"}
    for name in [name for name in state if ".parametrizations.weight." in name]:
        layer, _, number = name.partition(".parametrizations.weight.")
        state[f"{layer}.{renamed[number]}"] = state.pop(name)
    half = {name: tensor.half() for name, tensor in state.items()}
    torch.save(half, tmp_path / "pytorch_model.bin")
    copy_of(of_the_hub, tmp_path, without="model.safetensors")
    frames = [Encoder(folder).frames(SPEECH) for folder in (tmp_path, of_the_hub)]
    assert_same(*frames, tolerance=0.02)


def test_fewer_layers_in_the_settings_give_the_frames_of_a_lower_layer(tmp_path):
    models.hub_encoder(tmp_path, "hubert")
    theirs = transformers.HubertModel.from_pretrained(tmp_path).eval()
    with torch.inference_mode():
        layers = theirs(torch.from_numpy(SPEECH)[None], output_hidden_states=True).hidden_states
    change(tmp_path, num_hidden_layers=1)
    assert_same(Encoder(tmp_path).frames(SPEECH), layers[1][0].numpy())


def test_a_folder_of_the_hub_runs_no_code(of_the_hub, tmp_path):
    """It names its own code wherever transformers would look; its weights hold a call."""
    classes = ("AutoConfig", "AutoModel", "AutoFeatureExtractor")
    everywhere = {"auto_map": dict.fromkeys(classes, "own.Network")}
    everywhere |= {"_attn_implementation": "someone/kernels"}
    everywhere |= {"quantization_config": {"quant_method": "own"}}
    copy_of(of_the_hub, tmp_path)
    change(tmp_path, **everywhere)
    change(tmp_path, "preprocessor_config.json", **everywhere, feature_extractor_type="Own")
    (tmp_path / "own.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    expected = Encoder(of_the_hub).frames(SPEECH)
    np.testing.assert_array_equal(Encoder(tmp_path).frames(SPEECH), expected)
    (tmp_path / "model.safetensors").unlink()
    evil = models.Evil(f"touch {tmp_path / 'ran'}")
    torch.save({"weights": evil}, tmp_path / "pytorch_model.bin")
    with pytest.raises(BadInput, match=r"pytorch_model\.bin: holds no weights \(UnpicklingError"):
        Encoder(tmp_path)
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"model_type": "whisper"}, r"config\.json: model_type is 'whisper', expected wav2vec2"),
        ({"add_adapter": True}, "add_adapter is true"),
        ({"hidden_size": "large"}, r"no network can be built from it .*'hidden_size' expected int"),
        ({"hidden_act": "os.system"}, r"can be built from it \(KeyError: 'os\.system'\)"),
        ({"hidden_size": 32}, r"model\.safetensors: not the weights of the network .*mismatch"),
        ({"num_hidden_layers": 3}, r"has no weights encoder\.layers\.2\."),
        ({"sampling_rate": 8000}, "sampling_rate is 8000, expected 16000"),
    ],
)
def test_what_does_not_fit_is_refused(of_the_hub, tmp_path, fields, message):
    copy_of(of_the_hub, tmp_path)
    of_speech = "preprocessor_config.json" if "sampling_rate" in fields else "config.json"
    change(tmp_path, of_speech, **fields)
    with pytest.raises(BadInput, match=message):
        Encoder(tmp_path)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("model.safetensors", b"", "holds no weights"),
        ("model.safetensors", b"\x10\0\0\0\0\0\0\0not json, but long", "holds no weights"),
        ("model.safetensors", b'{"a": 1}', "holds no weights"),
        ("config.json", b"[]", "is not a JSON object"),
        ("preprocessor_config.json", b"[]", "is not a JSON object"),
        ("preprocessor_config.json", None, "not found"),
        ("model.safetensors", None, "not found"),
    ],
)
def test_a_file_that_is_missing_or_none_is_named(of_the_hub, tmp_path, name, content, said):
    copy_of(of_the_hub, tmp_path, without=name)
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(BadInput, match=f"^{tmp_path / name}: {said}"):
        Encoder(tmp_path)


def test_without_the_package_one_line_says_so(of_the_hub, monkeypatch):
    monkeypatch.setitem(sys.modules, "transformers", None)
    with pytest.raises(BadInput, match=r"the package transformers, .*, is not installed here"):
        Encoder(of_the_hub)
