"""Stand-ins of neural systems, of the same layout, for machines that have none of them.

The recogniser hears one word of its vocabulary for each half second that is not silent.
"""

import json
import sys
import types

import numpy as np
import pytest

from voiceprivacy.models import voices, whisper
from voiceprivacy.models.pinned import is_installed

needs_neural = pytest.mark.skipif(not is_installed("base"), reason="neural systems: make neural")
SPECIAL = [whisper.START, "<|en|>", "<|de|>", whisper.TRANSCRIBE, whisper.NO_TIMES]
WORDS = ("One", "two", "three", "four", "five", "six")


class StorageView(np.ndarray):
    @classmethod
    def from_array(cls, array):
        assert array.dtype == np.float32 and array.shape[:2] == (1, 80)
        assert array.shape[2] in range(200, 3001, 2) and array.flags.c_contiguous
        return array.view(cls)


class Network:
    """CTranslate2's network of Whisper."""

    n_mels = 80

    def __init__(self, name, *, device, compute_type, intra_threads, files):
        assert (device, compute_type, intra_threads) == ("cpu", "int8", 1)
        if not {"model.bin", "config.json"} < files.keys():
            raise RuntimeError("no model.bin")
        described = json.loads(files["model.bin"])
        self.words, self.language = described["words"], described["language"]
        self.is_multilingual = described["language"] is not None

    def encode(self, features, *, to_cpu):
        loud = features[0].max(axis=0) > features.min() + 1e-3
        return int(np.rint(loud.sum() / 50))  # frames of 10 ms

    def detect_language(self, encoded):
        return [[(f"<|{self.language}|>", 0.9), ("<|en|>", 0.1)]]

    def generate(self, encoded, prompts, *, beam_size, max_length):
        assert beam_size == 1 and prompts[0][0] == whisper.START
        tokens = [f"\N{LATIN CAPITAL LETTER G WITH DOT ABOVE}{word}" for word in self.words]
        spoken = tokens[:encoded][: max_length - len(prompts[0])]
        return [types.SimpleNamespace(sequences=[[*spoken, "<|endoftext|>"]])]


def install_recogniser(monkeypatch):
    """Put the stand-in of CTranslate2 where the recogniser imports it."""
    models = types.SimpleNamespace(Whisper=Network)
    library = types.SimpleNamespace(models=models, StorageView=StorageView)
    monkeypatch.setitem(sys.modules, "ctranslate2", library)
    english = types.SimpleNamespace(EnglishTextNormalizer=lambda: str.lower)
    monkeypatch.setitem(sys.modules, "whisper_normalizer", types.SimpleNamespace())
    monkeypatch.setitem(sys.modules, "whisper_normalizer.english", english)


def recogniser_files(*, words=WORDS, language="en"):
    """The files of a model that the stand-in loads: {name: content}."""
    described = {"words": words, "language": language}
    vocabulary = "\n".join([*SPECIAL, *words])
    contents = {
        "model.bin": json.dumps(described),
        "config.json": "{}",
        "vocabulary.txt": vocabulary,
    }
    return {name: content.encode() for name, content in contents.items()}


def write_recogniser(folder, **options):
    folder.mkdir(parents=True)
    for name, content in recogniser_files(**options).items():
        (folder / name).write_bytes(content)
    return folder


class Session:
    """onnxruntime's session of a voice: a hum whose length is that of the numbers, 50 ms each.

    Its pitch comes from the mean of a style, where there is one.
    """

    def __init__(self, network):
        assert network == b"network"
        self.asked = []

    def run(self, outputs, inputs):
        self.asked.append(inputs)
        if "tokens" in inputs:
            numbers, rate, pitch_hz = inputs["tokens"], 24000, 100 * inputs["style"].mean()
            assert inputs["style"].shape == (1, 256) and inputs["speed"].tolist() == [1.0]
        else:
            numbers, rate, pitch_hz = inputs["input"], 22050, 150
            assert inputs["input_lengths"].tolist() == [numbers.shape[1]]
            assert inputs["scales"].tolist() == [0, 1, 0]
        time = np.arange(numbers.shape[1] * rate // 20) / rate
        return [0.3 * np.sin(2 * np.pi * pitch_hz * time)[None].astype(np.float32)]


SIGNS = ["_", "^", "$", *voices.SIGNS, " ", *"abdefhijklmnopstuvwzæðŋɐɑɔəɚɛɜɡɪɹɾʃʊʌʒˈˌːθᵻA"]


def install_voices(monkeypatch):
    """Let voices be heard by the stand-in of onnxruntime's session."""
    monkeypatch.setattr(voices, "_session", Session)


def write_piper(folder, *, language="en-us", speakers=1):
    folder.mkdir(parents=True)
    settings = {
        "num_speakers": speakers,
        "phoneme_id_map": {sign: [number] for number, sign in enumerate(SIGNS)},
        "inference": {"noise_scale": 0.667, "length_scale": 1, "noise_w": 0.8},
        "espeak": {"voice": language},
        "audio": {"sample_rate": 22050},
    }
    (folder / "tiny.onnx").write_bytes(b"network")
    (folder / "tiny.onnx.json").write_text(json.dumps(settings))
    return folder


def write_kokoro(folder):
    """Write the folder of Kokoro with the voices high and low, whose styles are 3 and 1."""
    folder.mkdir(parents=True)
    (folder / "tiny.onnx").write_bytes(b"network")
    vocabulary = {sign: number for number, sign in enumerate(SIGNS, start=1)}
    (folder / "vocab.json").write_text(json.dumps({"vocab": vocabulary}))
    tables = {"high": np.full((510, 1, 256), 3.0), "low": np.full((510, 1, 256), 1.0)}
    np.savez(folder / "voices.npz", **tables)
    return folder
