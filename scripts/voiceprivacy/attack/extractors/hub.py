"""Fetch a SpeechBrain speaker model from the Hugging Face hub, at a pinned commit, once."""

import re
import shutil
from pathlib import Path

from huggingface_hub import HfApi, snapshot_download
from huggingface_hub.errors import HTTPError, LocalEntryNotFoundError

from voiceprivacy.inout.files import BadInput, whole_folder_or_absent

NAME = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*")
COMMIT = re.compile(r"[0-9a-f]{7,40}")
NEEDED = ["hyperparams.yaml", "embedding_model.ckpt"]
FILES = [*NEEDED, "mean_var_norm_emb.ckpt", "classifier.ckpt", "label_encoder.txt"]
TIMEOUT_S = 10


def local_folder(model, *, revision=None):
    """Where the hub's model of this name and commit was downloaded to."""
    if not NAME.fullmatch(str(model)):
        raise BadInput(f"{model}: not found")
    if revision is None:
        raise BadInput(
            f"{model}: not found; if it is a model of the hub, give the commit to use with --revision"
        )
    return _snapshot(model, revision)


def fetch(model, *, revision, folder):
    """Download a model of the hub into ``folder``, which is whole or absent afterwards."""
    if not NAME.fullmatch(model):
        raise BadInput(
            f"'{model}' is not the name of a model on the hub, such as speechbrain/spkrec-ecapa-voxceleb"
        )
    snapshot = _snapshot(model, revision)
    with whole_folder_or_absent(folder) as temporary:
        for name in FILES:
            if (snapshot / name).exists():
                shutil.copyfile(snapshot / name, temporary / name)


def _snapshot(model, revision):
    """The hub's own cached folder; the network is asked where a file is missing: a download may have been killed."""
    if not COMMIT.fullmatch(revision):
        raise BadInput(
            f"revision '{revision}' of {model} is not a commit (7 to 40 hexadecimal digits): a name can move"
        )
    cached = _cached(model, revision)
    if cached and not _missing(cached, FILES):
        return cached
    try:
        HfApi().model_info(
            model, revision=revision, timeout=TIMEOUT_S
        )  # answers at once; a download would retry first
        folder = Path(
            snapshot_download(
                model, revision=revision, allow_patterns=FILES, etag_timeout=TIMEOUT_S
            )
        )
    except (HTTPError, OSError, ValueError) as error:
        if cached and not _missing(cached, NEEDED):
            return cached
        reason = " ".join(str(error).split())[:200]
        raise BadInput(
            f"{model} at {revision}: cannot be fetched ({reason}); without a network, give the folder of a copy"
        ) from None
    if _missing(folder, NEEDED):
        raise BadInput(
            f"{model}: has no {_missing(folder, NEEDED)[0]}, so it is not a SpeechBrain speaker model"
        )
    return folder


def _cached(model, revision):
    try:
        return Path(
            snapshot_download(model, revision=revision, allow_patterns=FILES, local_files_only=True)
        )
    except LocalEntryNotFoundError:
        return None


def _missing(folder, names):
    return [name for name in names if not (folder / name).exists()]
