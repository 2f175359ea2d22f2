"""Files and folders that a config names: what they have to be, and whether they are it."""

import os
import stat
from collections.abc import Iterable, Mapping
from glob import escape, iglob
from typing import Any, NamedTuple

from voiceprivacy.inout.iemocap import TRANSCRIBED
from voiceprivacy.inout.placeholders import ours

FILE, A_FOLDER = "file", "folder"
ENCODER_FILES = ["hyperparams.yaml", "latent_extractor.ckpt", "latent_encoder.ckpt"]
MEASURE_SETTINGS = ["hyperparams.yaml", "config.json"]  # one of them, of SpeechBrain or others
# Of an encoder of the Hugging Face hub, and one of its weights.
HUB_ENCODER_FILES = ["config.json", "preprocessor_config.json"]
HUB_TEXT_ENCODER_FILES = ["config.json", "tokenizer.json"]
HUB_ENCODER_WEIGHTS = ["model.safetensors", "pytorch_model.bin"]


class Named(NamedTuple):
    """A file or a folder that a config names.

    ``endings`` are those of the files that are read below a folder: None for all, () for none (it
    only has to be there). ``below`` is False where only the files directly in a folder are read.
    ``root`` is where relative paths in a wav.scp start, if the config says so. ``may_lack`` is True
    where recordings that are not there are left out. ``needed`` is False where a job of its own
    says what is missing. ``member`` names a file of an entry that has a fingerprint of its own,
    because each job reads only one of them. ``without_texts`` is True where the transcripts among
    the files are such a member. ``form`` is what it has to be, if that is certain.
    """

    keys: tuple[str, ...]
    path: str
    form: str = ""
    endings: tuple[str, ...] | None = None
    below: bool = True
    root: str | None = None
    may_lack: bool = False
    needed: bool = True
    member: str = ""
    without_texts: bool = False

    @property
    def source(self) -> str:
        """The entry of the config that names it, and its member: corpora/libri."""
        names = [*self.keys[:2], self.member]
        return "/".join(name for name in names if name)


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
    return None if allowed else "cannot be read (Permission denied)"


def encoder_files(folder: str) -> list[str]:
    """The files in the folder of a self-supervised encoder: of the hub, or of SpeechBrain."""
    is_of_hub = os.path.exists(f"{folder}/{HUB_ENCODER_FILES[0]}")
    return hub_encoder_files(folder) if is_of_hub else ENCODER_FILES


def hub_encoder_files(folder: str) -> list[str]:
    """The files in the folder of a self-supervised encoder, as on the Hugging Face hub."""
    return [*HUB_ENCODER_FILES, _hub_weights(folder)]


def text_encoder_files(folder: str) -> list[str]:
    """The files in the folder of an encoder of sentences, as on the Hugging Face hub."""
    return [*HUB_TEXT_ENCODER_FILES, _hub_weights(folder)]


def _hub_weights(folder):
    weights = [name for name in HUB_ENCODER_WEIGHTS if os.path.exists(f"{folder}/{name}")]
    return (weights or HUB_ENCODER_WEIGHTS)[0]


def why_no_transcripts(corpus: Mapping[str, Any]) -> str | None:
    """Why nobody knows what is said in the trials of a corpus; None if its transcripts are there.

    Parameters
    ----------
    corpus : an entry of a completed config
    """
    if "segments" in corpus:
        return "no transcripts of the pieces that utterances are cut into"
    if "kaldi" in corpus:
        kaldi = corpus["kaldi"] if isinstance(corpus["kaldi"], dict) else {}
        tried = kaldi.get("trial") or [kaldi.get("directory", corpus["kaldi"])]
        is_there = any(os.path.exists(ours(f"{directory}/text")) for directory in tried)
        return None if is_there else "no transcripts were given (the file text of a data directory)"
    if "librispeech" in corpus:
        is_there = all(_has_transcripts(corpus["librispeech"], path) for path in _subsets(corpus))
        return None if is_there else "no transcripts were given (*.trans.txt beside the audio)"
    if "vctk" in corpus:
        is_there = os.path.isdir(ours(f"{corpus['vctk']['root']}/txt"))
        return None if is_there else "no transcripts were given (the folder txt of VCTK)"
    if "iemocap" in corpus:
        iemocap = corpus["iemocap"]
        sessions = [f"{iemocap['root']}/Session{session}" for session in iemocap["sessions"]]
        is_there = all(os.path.isdir(ours(f"{session}/{TRANSCRIBED}")) for session in sessions)
        return None if is_there else f"no transcripts were given ({TRANSCRIBED} of IEMOCAP)"
    if "folder" in corpus and "transcripts" not in corpus["folder"]:
        return "no transcripts were given (transcripts: FILE.tsv in the corpus's entry folder)"
    return None


def _subsets(corpus):
    librispeech = corpus["librispeech"]
    return [ours(f"{librispeech['root']}/{subset}") for subset in librispeech["subsets"]]


def _has_transcripts(librispeech, subset):
    """Whether a subset has a transcript; one that is still to be downloaded will have them."""
    if librispeech.get("download") and not os.path.isdir(subset):
        return True
    return any(True for _ in iglob(f"{escape(subset)}/*/*/*.trans.txt"))
