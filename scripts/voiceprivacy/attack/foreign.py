"""Embeddings that are made elsewhere: by a command in any language, or ready-made in a file.

Conventions
-----------
A command is called as ``<command> --manifest IN.tsv --embeddings OUT.npz`` and writes ids (N,) and embeddings (N, D),
one row for every utterance. Whatever arrives is checked: every utterance once, finite numbers.
"""

import os
import shlex
import subprocess
import tempfile
from pathlib import Path

import numpy as np

from voiceprivacy.arrays import Embeddings, read_embeddings
from voiceprivacy.files import BadInput, ours


def from_command(command, utterances, *, manifest, threads):
    """Run somebody's extractor on a manifest: Embeddings of ``utterances``, in their order.

    {scripts}, {resources} and {threads} in the command are filled in; no shell is involved.
    """
    try:
        words = [ours(word).replace("{threads}", str(threads)) for word in shlex.split(command)]
    except ValueError as error:
        raise BadInput(f"command '{command}': {error}") from None
    if not words:
        raise BadInput("command: is empty")
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "embeddings.npz"
        words += ["--manifest", str(manifest), "--embeddings", str(made)]
        environment = {**os.environ, "OMP_NUM_THREADS": str(threads)}
        try:
            status = subprocess.run(words, stdin=subprocess.DEVNULL, env=environment, check=False).returncode
        except OSError as error:
            raise BadInput(f"command '{command}': {words[0]}: {error.strerror}") from None
        if status:
            raise BadInput(f"command '{command}' ended with exit code {status}; what it said stands above")
        if not made.exists():
            raise BadInput(f"command '{command}' wrote no --embeddings")
        return of_utterances(made, utterances)


def of_utterances(path, utterances):
    """Read the Embeddings of ``utterances`` from a file that may hold more.

    Raises
    ------
    BadInput : an utterance is missing or occurs twice, or its embedding is not finite
    """
    found = read_embeddings(path)
    rows = {name: row for row, name in enumerate(found.ids.tolist())}
    for utterance in utterances:
        if utterance.utterance not in rows:
            raise BadInput(f"{path}: has no embedding of '{utterance.utterance}'")
        if not np.isfinite(found.embeddings[rows[utterance.utterance]]).all():
            raise BadInput(f"{path}: the embedding of '{utterance.utterance}' is not finite")
    names = np.array([of.utterance for of in utterances])
    wanted = [rows[name] for name in names.tolist()]
    return Embeddings(names, found.embeddings[wanted].astype(np.float32))
