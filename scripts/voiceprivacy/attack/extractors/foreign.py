"""Embeddings that are made elsewhere: by a command in any language, or ready-made in a file.

Conventions
-----------
A command is called as ``<command> --manifest IN.tsv --embeddings OUT.npz``, with absolute paths also in the manifest,
and writes ids (N,) and embeddings (N, D), one row for every utterance. Whatever arrives is checked: every utterance
once, finite numbers.
"""

import tempfile
from pathlib import Path

import numpy as np

from voiceprivacy.inout.arrays import Embeddings, read_embeddings
from voiceprivacy.inout.files import BadInput, naming
from voiceprivacy.inout.tables import write_manifest
from voiceprivacy.running import programs


def from_command(command, utterances, *, threads, minutes=None, sandbox=False):
    """Run somebody's extractor: Embeddings of ``utterances``, in their order.

    {scripts}, {resources} and {threads} in the command are filled in; no shell is involved. After ``minutes`` it is
    ended, with all that it started. With ``sandbox`` it runs in a box of voiceprivacy.running.box.
    """
    words = programs.words_of(command, threads=threads)
    with tempfile.TemporaryDirectory() as folder:
        manifest, made = Path(folder) / "manifest.tsv", Path(folder) / "embeddings.npz"
        write_manifest(manifest, utterances)
        words += ["--manifest", str(manifest), "--embeddings", str(made)]
        box = {"writable": folder if sandbox else None}
        programs.run(words, name=f"command '{command}'", threads=threads, minutes=minutes, **box)
        if not made.exists():
            raise BadInput(f"command '{command}' wrote no --embeddings")
        with naming(f"what command '{command}' wrote"):
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
