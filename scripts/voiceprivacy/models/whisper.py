"""Whisper by CTranslate2: what is said, on a processor and without a network.

Conventions
-----------
* A model is ``base`` (models.pinned) or a folder as CTranslate2 converts it: model.bin, config.json
  and vocabulary.txt or .json.
* Speech is brought to 16 kHz. Spectra are those of OpenAI's program: 80 mel bands (as many as the
  network wants), windows of 25 ms every 10 ms, logarithms within 80 dB of the loudest.
* OpenAI's program pads every piece with silence to 30 s. Here 5 to 10 s of silence follow, up to a
  multiple of 5 s and at most 30 s: utterances of 8 s take half the time and have as many wrong
  words (docs/internals/load.md). With 2 s of silence the network begins to repeat itself; they are
  enough where only the encoder's frames are wanted.
* More than 30 s are cut at the quietest 20 ms of the last third of every 30 s, and heard piece by
  piece.
* Greedy search, products in 8 bits, one thread: the same text on one kind of processor. There is no
  second attempt at a higher temperature. A text has at most 10 tokens a second (and 20 more), so
  that one that turns in circles ends. Such a text, which zlib shortens to less than 1 / 2.4
  (Radford et al., section 4.5), is heard again with silence up to 30 s.
* The language is given. Which one it sounds like is reported, not obeyed.

References
----------
Radford et al., Robust speech recognition via large-scale weak supervision, ICML 2023.
"""

import importlib
import json
import zlib
from math import ceil, gcd
from typing import Any, NamedTuple

import numpy as np
from scipy.signal import resample_poly

from voiceprivacy.errors import BadInput
from voiceprivacy.models import Floats
from voiceprivacy.models.mel import SAMPLE_RATE, hann, mel_bands
from voiceprivacy.models.pinned import read_model
from voiceprivacy.vocabulary import ENGLISH

FILES = ("model.bin", "config.json", "vocabulary.*")
WINDOW, HOP, FRAME = 400, 160, 320  # samples; the encoder halves the rate
LONGEST, FIRST_CUT = 30 * SAMPLE_RATE, 20 * SAMPLE_RATE  # samples
SILENCE, SILENCE_OF_FRAMES = 5 * SAMPLE_RATE, 2 * SAMPLE_RATE  # samples
QUIET = SAMPLE_RATE // 50  # samples of which the energy is taken
TOKENS_PER_S, MORE_TOKENS, MOST_TOKENS = 10, 20, 224
MOST_COMPRESSION = 2.4
LEAST_POWER = 1e-10
START, TRANSCRIBE, NO_TIMES = "<|startoftranscript|>", "<|transcribe|>", "<|notimestamps|>"


class Heard(NamedTuple):
    """What was heard: the words, which language it sounds like, and how certainly (0 to 1)."""

    text: str
    language: str
    certainty: float


class Whisper:
    """A network of Whisper.

    Parameters
    ----------
    model : a name of models.pinned, or a folder
    language : as ISO 639 has it
    """

    def __init__(self, model: str, *, language: str = ENGLISH) -> None:
        self.library = library("ctranslate2", "whisper")
        files = read_model(model, FILES)
        try:
            self.network: Any = self.library.models.Whisper(
                "whisper",
                device="cpu",
                compute_type="int8",
                intra_threads=1,
                files=files,
            )
        except RuntimeError as error:
            raise BadInput(f"{model}: CTranslate2 cannot load it ({error})") from None
        spelled = next(files[name] for name in files if name.startswith("vocabulary"))
        known = json.loads(spelled) if spelled[:1] == b"[" else spelled.decode().splitlines()
        if self.network.is_multilingual and f"<|{language}|>" not in known:
            raise BadInput(f"language: Whisper does not know '{language}'")
        if not self.network.is_multilingual and language != ENGLISH:
            raise BadInput(f"{model}: hears English only, not '{language}'")
        self.language = language
        of_language = [f"<|{language}|>", TRANSCRIBE] if self.network.is_multilingual else []
        self.prompt = [START, *of_language, NO_TIMES]

    def hear(self, samples: Floats, sample_rate: int) -> Heard:
        """What is said in samples (N,)."""
        speech = resampled(samples, sample_rate, SAMPLE_RATE).astype(np.float32)
        pieces = [self._hear(piece) for piece in cut(speech)]
        first = pieces[0]  # the language of the beginning is that of all
        text = " ".join(piece.text for piece in pieces if piece.text)
        return Heard(text, first.language, first.certainty)

    def frames(self, samples: Floats) -> Floats:
        """What the encoder makes (F, D) of samples (N,) at 16 kHz: a frame for every 20 ms."""
        pieces = []
        for piece in cut(samples):
            n_frames = ceil(len(piece) / FRAME)
            length = min(LONGEST, n_frames * FRAME + SILENCE_OF_FRAMES)
            encoded = np.array(self._encoded(piece, length), dtype=np.float32)[0]
            pieces.append(encoded[:n_frames])
        return np.concatenate(pieces)

    def _encoded(self, samples, length=0):
        bands = log_mel(samples, self.network.n_mels, length)
        return self.network.encode(self.library.StorageView.from_array(bands[None]), to_cpu=True)

    def _hear(self, samples):
        most = min(MOST_TOKENS, ceil(TOKENS_PER_S * len(samples) / SAMPLE_RATE) + MORE_TOKENS)
        for length in (0, LONGEST):
            encoded = self._encoded(samples, length)
            (heard,) = self.network.generate(
                encoded,
                [self.prompt],
                beam_size=1,
                max_length=len(self.prompt) + most,
            )
            text = decoded(heard.sequences[0])
            if len(text.encode()) <= MOST_COMPRESSION * len(zlib.compress(text.encode())):
                break
        language, certainty = self.language, 1.0
        if self.network.is_multilingual:
            token, certainty = self.network.detect_language(encoded)[0][0]
            language = token.strip("<|>")
        return Heard(text, language, float(certainty))


def library(name: str, wanted_by: str) -> Any:
    """Import a runtime; BadInput says how it is installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        raise BadInput(
            f"{wanted_by} needs the Python package {name}, which is not installed here: "
            "make neural, the wheel with its extra [neural], or --sdm conda (env: neural)"
        ) from None


def resampled(samples: Floats, source: int, target: int) -> Floats:
    """Samples (N,) at another rate."""
    common = gcd(source, target)
    if source == target:
        return samples
    return resample_poly(samples, target // common, source // common)


def cut(samples: Floats) -> list[Floats]:
    """Pieces of at most 30 s, cut where it is quietest; at least one."""
    pieces = []
    while len(samples) > LONGEST:
        search = samples[FIRST_CUT:LONGEST].reshape(-1, QUIET)
        quietest = int((search.astype(np.float64) ** 2).sum(axis=1).argmin())
        at = FIRST_CUT + quietest * QUIET + QUIET // 2
        pieces.append(samples[:at])
        samples = samples[at:]
    return [*pieces, samples]


def log_mel(samples: Floats, n_bands: int, length: int = 0) -> Floats:
    """Log-mel spectrogram (B, F) float32 of samples (N,) at 16 kHz, N at most 480,000.

    F are the frames of 10 ms of the samples and the silence behind them, at most 3000; ``length``
    is how many samples there are together, 0 for the least.
    """
    length = length or min(LONGEST, (ceil(len(samples) / SILENCE) + 1) * SILENCE)
    padded = np.zeros(length, np.float32)
    padded[: len(samples)] = samples
    padded = np.pad(padded, WINDOW // 2, mode="reflect")
    frames = np.lib.stride_tricks.sliding_window_view(padded, WINDOW)[::HOP][: length // HOP]
    powers = np.abs(np.fft.rfft(frames * hann(WINDOW))) ** 2
    logs = np.log10(np.maximum(mel_bands(WINDOW, n_bands) @ powers.T, LEAST_POWER))
    return ((np.maximum(logs, logs.max() - 8) + 4) / 4).astype(np.float32)


def decoded(tokens: list[str]) -> str:
    """The text of tokens, whose letters stand for bytes as in GPT-2; special ones have none."""
    letters = "".join(token for token in tokens if not token.startswith("<|"))
    content = bytes(BYTE_OF[letter] for letter in letters if letter in BYTE_OF)
    return content.decode("utf-8", errors="replace").strip()


def _bytes_of_letters():
    """{letter: byte}: bytes that can be printed are themselves, the others are from 256 on."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in printable]
    of_others = {chr(256 + number): byte for number, byte in enumerate(others)}
    return {chr(byte): byte for byte in printable} | of_others


BYTE_OF = _bytes_of_letters()
