"""What others made: models of the Hugging Face hub, commands in any language, embeddings.

Conventions
-----------
* A model of the hub is fetched at a pinned commit: a branch or a tag can move.
* A command is called as ``<command> --manifest IN.tsv --embeddings OUT.npz``, with absolute paths
  also in the manifest. It writes ids (N,) and embeddings (N, D), one row for every utterance.
* Whatever arrives is checked: every utterance once, finite numbers.

The package huggingface_hub is imported where it is used: a tenth of a command's start-up.
"""

import re
import shutil
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from voiceprivacy.inout.arrays import Embeddings, read_embeddings
from voiceprivacy.inout.checksums import check_speech
from voiceprivacy.inout.files import BadInput, naming, whole_folder_or_absent
from voiceprivacy.inout.tables import Utterance, write_manifest
from voiceprivacy.running import boxes, programs
from voiceprivacy.running.handed_over import hand_over

NAME = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*")
COMMIT = re.compile(r"[0-9a-f]{7,40}")
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
KINDS = {"speakers": SPEAKER_MODEL, "recogniser": RECOGNISER, "classifier": CLASSIFIER}


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


def from_command(
    command: str,
    utterances: list[Utterance],
    *,
    threads: int,
    minutes: float | None = None,
    sandbox: dict[str, Any] | None = None,
) -> Embeddings:
    """Run somebody's extractor: Embeddings of ``utterances``, in their order.

    Parameters
    ----------
    command : str
        {scripts}, {resources} and {threads} in it are filled in; no shell is involved.
    utterances : list of Utterance
    threads : int
    minutes : float, optional
        After which it is ended, with all that it started.
    sandbox : dict, optional
        It runs in a box, with what its entry says of it (see ``voiceprivacy.running.boxes``).
    """
    words = programs.words_of(command, threads=threads)
    check_speech(utterance.path for utterance in utterances)  # the command would not
    with tempfile.TemporaryDirectory() as folder:
        manifest, written = Path(folder) / "manifest.tsv", Path(folder) / "embeddings.npz"
        box = None
        if sandbox is None:
            write_manifest(manifest, utterances)
        else:
            options = {"sandbox": True, **sandbox}
            box = boxes.of_entry(options, words, Path(folder), threads=threads)
            manifest = hand_over(utterances, Path(folder))
        programs.run(
            words + programs.options_of({"manifest": manifest, "embeddings": written}),
            name=f"command '{command}'",
            threads=threads,
            minutes=minutes,
            box=box,
        )
        if not written.exists():
            raise BadInput(f"command '{command}' wrote no --embeddings")
        with naming(f"what command '{command}' wrote"):
            return from_file(written, utterances)


def from_file(path: Path | str, utterances: list[Utterance]) -> Embeddings:
    """Read the Embeddings of ``utterances`` from a file that may hold more.

    Raises
    ------
    BadInput : an utterance is missing or occurs twice, or its embedding is not finite
    """
    ids, embeddings = read_embeddings(path)
    # A file may hold a whole corpus, and in another order.
    row_of = {name: row for row, name in enumerate(ids.tolist())}
    for utterance in utterances:
        if utterance.utterance not in row_of:
            raise BadInput(f"{path}: has no embedding of '{utterance.utterance}'")
        if not np.isfinite(embeddings[row_of[utterance.utterance]]).all():
            raise BadInput(f"{path}: the embedding of '{utterance.utterance}' is not finite")
    rows = [row_of[utterance.utterance] for utterance in utterances]
    return Embeddings(ids[rows], embeddings[rows].astype(np.float32))


def _snapshot(model, revision, wanted):
    """The hub's own cached folder of a model.

    A download may have been killed: where a file is missing, the network is asked for it. Without
    a network, a folder that has what is needed will do.
    """
    from huggingface_hub import HfApi, snapshot_download
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
        folder = Path(snapshot_download(model, revision=revision, **options))
    except (HTTPError, OSError, ValueError) as error:
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
