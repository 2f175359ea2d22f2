"""Files and folders that a config names: what they have to be, and whether they are it."""

import os
import re
import stat
from collections.abc import Iterable

from voiceprivacy.kinds import A_FOLDER, FILE, Named
from voiceprivacy.models.hub import WAVLM

ENCODER_FILES = ["hyperparams.yaml", "latent_extractor.ckpt", "latent_encoder.ckpt"]
MEASURE_SETTINGS = ["hyperparams.yaml", "config.json"]  # one of them, of SpeechBrain or others
# Of an encoder of the Hugging Face hub, and one of its weights.
HUB_ENCODER_FILES = ["config.json", "preprocessor_config.json"]
HUB_TEXT_ENCODER_FILES = ["config.json", "tokenizer.json"]
HUB_ENCODER_WEIGHTS = ["model.safetensors", "pytorch_model.bin"]
POINTER = b"version https://git-lfs.github.com/spec/"
PAGE = re.compile(rb"\s*<(!doctype html|html)", re.IGNORECASE)
OF_NUMBERS = (".ckpt", ".bin", ".safetensors", ".npz", ".pt", ".pth", ".onnx", ".sif")


def unusable(named: Iterable[Named]) -> dict[Named, str]:
    """What a config names and cannot be used, and why; nothing below a folder that is one of it."""
    reasons: dict[Named, str] = {}
    for path in dict.fromkeys(named):
        folders = tuple(f"{above.path}/" for above in reasons)
        reason = why_unusable(path.path, path.form) if path.needed else None
        if reason and not path.path.startswith(folders):
            reasons[path] = reason
    return reasons


def why_unusable(path: str, form: str = "") -> str | None:
    """Why a path cannot be read as what it has to be, FILE or A_FOLDER; None if it can."""
    try:
        mode = os.stat(path).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return "is a link to what is not there" if os.path.islink(path) else "not found"
    except (OSError, ValueError) as error:
        return f"cannot be read ({getattr(error, 'strerror', error)})"
    if stat.S_ISDIR(mode) and form == FILE:
        return "is a folder, not a file"
    if stat.S_ISREG(mode) and form == A_FOLDER:
        return "is a file, not a folder"
    if not (stat.S_ISDIR(mode) or stat.S_ISREG(mode)):
        return "is a pipe, a socket or a device, not a file"
    allowed = os.access(path, os.R_OK | (os.X_OK if stat.S_ISDIR(mode) else 0))
    if not allowed:
        return "cannot be read (Permission denied)"
    return _why_another(path) if form == FILE else None


def _why_another(path: str) -> str | None:
    """Why a file is not the one that was wanted, by how it begins; None where nothing tells."""
    try:
        with open(path, "rb") as file:
            beginning = file.read(100)
    except OSError as error:
        return f"cannot be read ({error.strerror})"
    if beginning.startswith(POINTER):
        return "is a pointer of Git LFS, not the file itself: git lfs pull fetches it"
    if path.endswith(OF_NUMBERS) and PAGE.match(beginning):
        return "is a web page, which a server gave instead of the file: fetch it again"
    return None


def encoder_files(folder: str) -> list[str]:
    """The files in the folder of a self-supervised encoder: of the hub, or of SpeechBrain."""
    is_of_hub = os.path.exists(f"{folder}/{HUB_ENCODER_FILES[0]}")
    return hub_encoder_files(folder) if is_of_hub else ENCODER_FILES


def hub_encoder_files(folder: str) -> list[str]:
    """The files in the folder of a self-supervised encoder: as on the hub, or Microsoft's WavLM."""
    if os.path.exists(f"{folder}/{WAVLM}"):
        return [WAVLM]
    return [*HUB_ENCODER_FILES, _hub_weights(folder)]


def text_encoder_files(folder: str) -> list[str]:
    """The files in the folder of an encoder of sentences, as on the Hugging Face hub."""
    return [*HUB_TEXT_ENCODER_FILES, _hub_weights(folder)]


def _hub_weights(folder):
    weights = [name for name in HUB_ENCODER_WEIGHTS if os.path.exists(f"{folder}/{name}")]
    return (weights or HUB_ENCODER_WEIGHTS)[0]
