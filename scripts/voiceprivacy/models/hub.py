"""Models of the Hugging Face hub: fetched at a pinned commit, because a branch or a tag can move.

The package huggingface_hub is imported where it is used: a tenth of a command's start-up.
"""

import os
import re
import shutil
from pathlib import Path
from typing import NamedTuple

from voiceprivacy.errors import BadInput
from voiceprivacy.inout.writing import FULL, naming_full_disk, whole_folder_or_absent
from voiceprivacy.vocabulary import RESOURCES

NAME = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*")
COMMIT = re.compile(r"[0-9a-f]{7,40}")
WAVLM = "WavLM-Large.pt"  # in the folder of the attacker of 2026, as its organisers published it
TIMEOUT_S = 10  # until the hub has answered; a download may take longer


class Wanted(NamedTuple):
    """What is fetched of a model.

    Attributes
    ----------
    needed : files that it must have
    one_of : files of which it must have one; any will do where the list is empty
    others : files that are taken where they are there
    kind, example : what it is, and the name of one, for messages
    """

    needed: list[str]
    one_of: list[str]
    others: list[str]
    kind: str
    example: str

    @property
    def files(self) -> list[str]:
        """All names."""
        return [*self.needed, *self.one_of, *self.others]

    def missing(self, folder: Path) -> list[str]:
        """Names of files that a folder must have and has not."""
        names = _missing(folder, self.needed)
        has_one = not self.one_of or len(_missing(folder, self.one_of)) < len(self.one_of)
        return names if has_one else [*names, " or ".join(self.one_of)]


SPEAKER_MODEL = Wanted(
    needed=["hyperparams.yaml", "embedding_model.ckpt"],
    one_of=[],
    others=["mean_var_norm_emb.ckpt", "classifier.ckpt", "label_encoder.txt"],
    kind="SpeechBrain speaker model",
    example="speechbrain/spkrec-ecapa-voxceleb",
)
ENCODER = Wanted(
    needed=["config.json", "preprocessor_config.json"],
    one_of=["model.safetensors", "pytorch_model.bin"],
    others=[],
    kind="self-supervised encoder",
    example="microsoft/wavlm-large",
)

# Of folders of SpeechBrain, and of the hub's own.
OF_HUB = [
    "config.json",
    "preprocessor_config.json",
    *ENCODER.one_of,
    "generation_config.json",
    "vocab.json",
    "merges.txt",
    "normalizer.json",
    "added_tokens.json",
    "special_tokens_map.json",
    "tokenizer.json",
    "tokenizer_config.json",
    "processor_config.json",
]
RECOGNISER = Wanted(
    needed=[],
    one_of=["hyperparams.yaml", "config.json"],
    others=["wav2vec2.ckpt", "asr.ckpt", "tokenizer.ckpt", *OF_HUB[1:]],
    kind="recogniser of speech",
    example="speechbrain/asr-wav2vec2-librispeech",
)
CLASSIFIER = Wanted(
    needed=[],
    one_of=["hyperparams.yaml", "config.json"],
    others=["wav2vec2.ckpt", "model.ckpt", "label_encoder.txt", *OF_HUB[1:]],
    kind="classifier of speech",
    example="speechbrain/emotion-recognition-wav2vec2-IEMOCAP",
)
WHISPER = Wanted(
    needed=["model.bin", "config.json"],
    one_of=["vocabulary.txt", "vocabulary.json"],
    others=[],
    kind="Whisper of CTranslate2",
    example="Systran/faster-whisper-base",
)
KINDS = {
    "speakers": SPEAKER_MODEL,
    "recogniser": RECOGNISER,
    "classifier": CLASSIFIER,
    "whisper": WHISPER,
    "encoder": ENCODER,
}


def speaker_files(folder: Path | str) -> list[str]:
    """The files that a folder of a speaker model must have: SpeechBrain's, or the organisers'."""
    own = [SPEAKER_MODEL.needed[1], WAVLM]
    return own if os.path.exists(f"{folder}/{WAVLM}") else SPEAKER_MODEL.needed


def speaker_settings(folder: Path | str) -> Path:
    """The hyperparameters of a folder of a speaker model; the organisers' has those of the recipe.

    Sizes of the organisers' network are those of its weights, whatever this file says.
    """
    is_organisers = os.path.exists(f"{folder}/{WAVLM}")
    own = RESOURCES / "recipes" / "ecapa_ssl.yaml"
    return own if is_organisers else Path(folder) / SPEAKER_MODEL.needed[0]


def model_folder(model: str | Path, *, revision: str | None = None) -> Path:
    """The folder of a model.

    Parameters
    ----------
    model : path or str
        A folder, or the name of a model of the hub.
    revision : str, optional
        The commit of the hub's model, which is downloaded into the hub's own cache.
    """
    if Path(model).is_dir():
        return Path(model)
    if Path(model).exists():
        raise BadInput(f"{model}: is a file, expected the folder of a model")
    if not NAME.fullmatch(str(model)):
        raise BadInput(f"{model}: not found")
    if revision is None:
        raise BadInput(
            f"{model}: not found; if it is a model of the hub, "
            "give the commit to use with --revision"
        )
    return _snapshot(str(model), revision, SPEAKER_MODEL)


def fetch(model: str, *, revision: str, folder: Path | str, wanted: Wanted = SPEAKER_MODEL) -> None:
    """Download a model of the hub into ``folder``, which is whole or absent afterwards."""
    if not NAME.fullmatch(model):
        raise BadInput(f"'{model}' is not the name of a model on the hub, such as {wanted.example}")
    snapshot = _snapshot(model, revision, wanted)
    with whole_folder_or_absent(folder) as temporary:
        for name in wanted.files:
            if (snapshot / name).exists():
                shutil.copyfile(snapshot / name, temporary / name)


def _snapshot(model, revision, wanted):
    """The hub's own cached folder of a model.

    A download may have been killed: where a file is missing, the network is asked for it. Without
    a network, a folder that has what is needed will do.
    """
    from huggingface_hub import HfApi, snapshot_download
    from huggingface_hub.constants import HF_HUB_CACHE
    from huggingface_hub.errors import HTTPError

    if not COMMIT.fullmatch(revision):
        raise BadInput(
            f"revision '{revision}' of {model} is not a commit (7 to 40 hexadecimal digits): "
            "a name can move"
        )
    # A commit never changes: what the cache has whole needs no network.
    cached = _cached(model, revision, wanted)
    if cached and not _missing(cached, wanted.files):
        return cached
    options = {"allow_patterns": wanted.files, "etag_timeout": TIMEOUT_S}
    try:
        # The API answers at once where there is no network; a download would try again first.
        HfApi().model_info(model, revision=revision, timeout=TIMEOUT_S)
        with naming_full_disk(
            HF_HUB_CACHE, "make room there, or set HF_HOME to a folder with room"
        ):
            folder = Path(snapshot_download(model, revision=revision, **options))
    except (HTTPError, OSError, ValueError) as error:
        if getattr(error, "errno", None) in FULL:
            raise
        if cached and not wanted.missing(cached):
            return cached
        reason = " ".join(str(error).split())[:200]
        raise BadInput(
            f"{model} at {revision}: cannot be fetched ({reason}); "
            "without a network, give the folder of a copy"
        ) from None
    if wanted.missing(folder):
        missing = wanted.missing(folder)[0]
        raise BadInput(f"{model}: has no {missing}, so it is not a {wanted.kind}")
    return folder


def _cached(model, revision, wanted):
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import LocalEntryNotFoundError

    options = {"allow_patterns": wanted.files, "local_files_only": True}
    try:
        return Path(snapshot_download(model, revision=revision, **options))
    except LocalEntryNotFoundError:
        return None


def _missing(folder, names):
    return [name for name in names if not (folder / name).exists()]
