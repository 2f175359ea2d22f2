"""Neural voices that speak a text: Piper and Kokoro, by onnxruntime.

Conventions
-----------
* A voice is named (models.pinned: ``joe`` of Piper, ``kokoro``) or a folder: of Piper NAME.onnx and
  NAME.onnx.json with one speaker, of Kokoro a .onnx, a .json with its ``vocab``, and voices*, an
  npz of style tables (T, 1, 256).
* Phonemes are those of espeak-ng, in a process of its own (running.espeak). Signs of punctuation
  stay between them. What a voice has no number for is left out.
* A text is spoken in pieces of at most 400 phonemes, which end at a sign or between words.
* Piper draws nothing (both of its noises are 0) and Kokoro has nothing random: the same text has
  the same samples. One thread computes.
* A style of Kokoro is the mean of those of several voices, by weights that sum to one. It depends
  on the number of phonemes of a piece.

References
----------
Kim, Kong, Son, Conditional variational autoencoder with adversarial learning for end-to-end
text-to-speech, ICML 2021 (Piper). Li et al., StyleTTS 2, NeurIPS 2023 (Kokoro-82M).
"""

import io
import json
import re
import unicodedata
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from voiceprivacy.errors import BadInput
from voiceprivacy.models import Floats, onnx_network
from voiceprivacy.models.pinned import read_model
from voiceprivacy.models.whisper import library
from voiceprivacy.running.espeak_jobs import run_espeak

MOST_PHONEMES = 400  # of a piece; Kokoro takes 508
SIGNS = ",.;:!?"
PIPER_FILES = ("*.onnx", "*.onnx.json")
KOKORO_FILES = ("*.onnx", "*.json", "voices*")
KOKORO_RATE, KOKORO_ESPEAK = 24000, "en-us"
# From espeak-ng's English to the phonemes that Kokoro has learnt.
KOKORO_PHONEMES = {
    "eɪ": "A",
    "aɪ": "I",
    "oʊ": "O",
    "aʊ": "W",
    "ɔɪ": "Y",
    "dʒ": "ʤ",
    "tʃ": "ʧ",
    "ʲ": "j",
    "r": "ɹ",
    "x": "k",
    "ɚ": "əɹ",
    "ɐ": "ə",
}


class Piper:
    """A voice of Piper; ``language`` is the one that it speaks, as ISO 639 has it."""

    def __init__(self, voice: str) -> None:
        files = read_model(voice, PIPER_FILES)
        settings = json.loads(_of(files, ".json"))
        if settings["num_speakers"] > 1:
            raise BadInput(f"{voice}: has {settings['num_speakers']} speakers, expected one")
        self.numbers: dict[str, list[int]] = settings["phoneme_id_map"]
        self.length = settings["inference"]["length_scale"]
        self.espeak_voice = settings["espeak"]["voice"]
        self.language = self.espeak_voice.partition("-")[0]
        self.sample_rate = settings["audio"]["sample_rate"]
        self.session = _session(_of(files, ".onnx"))

    def speak(self, text: str) -> Floats:
        """Samples (N,) of a text, none where it has no phonemes."""
        return _joined(self._speak(piece) for piece in pieces_of(text, self.espeak_voice))

    def _speak(self, phonemes):
        known = [sign for sign in unicodedata.normalize("NFD", phonemes) if sign in self.numbers]
        if not known:
            return np.zeros(0, np.float32)
        numbers = [*self.numbers["^"], *self.numbers["_"]]
        for sign in known:
            numbers += [*self.numbers[sign], *self.numbers["_"]]
        numbers += self.numbers["$"]
        inputs = {
            "input": np.array([numbers], np.int64),
            "input_lengths": np.array([len(numbers)], np.int64),
            "scales": np.array([0, self.length, 0], np.float32),
        }
        return self.session.run(None, inputs)[0].ravel()


class Kokoro:
    """The voices of Kokoro; ``voices`` are their names."""

    sample_rate, language = KOKORO_RATE, "en"

    def __init__(self, voice: str) -> None:
        files = read_model(voice, KOKORO_FILES)
        self.numbers: dict[str, int] = json.loads(_of(files, ".json"))["vocab"]
        (voices,) = (content for name, content in files.items() if name.startswith("voices"))
        with np.load(io.BytesIO(voices), allow_pickle=False) as tables:
            self.styles = {name: tables[name].astype(np.float32) for name in sorted(tables.files)}
        self.voices = list(self.styles)
        self.session = _session(_of(files, ".onnx"))

    def speak(self, text: str, *, weights: Sequence[float]) -> Floats:
        """Samples (N,) of a text, none without phonemes; ``weights`` are of ``voices``."""
        pieces = pieces_of(text, KOKORO_ESPEAK)
        return _joined(self._speak(piece, weights) for piece in pieces)

    def _speak(self, phonemes, weights):
        for sign, own in KOKORO_PHONEMES.items():
            phonemes = phonemes.replace(sign, own)
        tokens = [self.numbers[sign] for sign in phonemes if sign in self.numbers]
        if not tokens:
            return np.zeros(0, np.float32)
        styles = [table[min(len(tokens), len(table) - 1)] for table in self.styles.values()]
        style = sum(weight * one for weight, one in zip(weights, styles, strict=True))
        inputs = {
            "tokens": np.array([[0, *tokens, 0]], np.int64),
            "style": np.reshape(style, (1, -1)).astype(np.float32),
            "speed": np.ones(1, np.float32),
        }
        return self.session.run(None, inputs)[0].ravel()


def pieces_of(text: str, voice: str) -> Iterator[str]:
    """The phonemes of a text, with its signs, in pieces that a voice can speak at once."""
    said = rf"(?:[^{SIGNS}]|(?<=\d)[{SIGNS}](?=\d))*"  # a sign between digits is of a number
    clauses = re.findall(rf"({said}[^{SIGNS}\s]{said})([{SIGNS}]*)", text)
    spoken = _phonemes([clause.strip() for clause, _ in clauses], voice)
    marked = [clause + signs[:1] for clause, (_, signs) in zip(spoken, clauses, strict=True)]
    piece = ""
    for word in " ".join(marked).split():
        if piece and len(piece) + 1 + len(word) > MOST_PHONEMES:
            yield piece
            piece = ""
        piece = f"{piece} {word}".strip()
    if piece:
        yield piece


def _phonemes(texts, language):
    """Phonemes of texts by espeak-ng."""
    with TemporaryDirectory() as folder:
        names = [str(number) for number in range(len(texts))]
        jobs = [
            {"name": name, "language": language, "text": text}
            for name, text in zip(names, texts, strict=True)
        ]
        run_espeak(jobs, Path(folder))
        written = [Path(folder, f"{name}.txt").read_text(encoding="utf-8") for name in names]
    return [" ".join(text.split()) for text in written]


def _of(files, ending):
    """The content of the file whose name has this ending."""
    return next(content for name, content in files.items() if name.endswith(ending))


def _joined(pieces):
    return np.concatenate([np.zeros(0, np.float32), *pieces])


def _session(network: bytes) -> Any:
    library("onnxruntime", "a voice")
    return onnx_network.session(network)
