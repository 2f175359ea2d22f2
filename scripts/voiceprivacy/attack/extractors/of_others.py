"""What others made: commands in any language, and embeddings.

Conventions
-----------
* A command is called as ``<command> --manifest IN.tsv --embeddings OUT.npz``, with absolute paths
  also in the manifest. It writes ids (N,) and embeddings (N, D), one row for every utterance.
* Whatever arrives is checked: every utterance once, finite numbers.
"""

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from voiceprivacy.errors import BadInput
from voiceprivacy.inout.arrays import Embeddings, read_embeddings_of
from voiceprivacy.inout.files import naming
from voiceprivacy.inout.manifests import Utterance
from voiceprivacy.running import programs


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
    command, threads, minutes, sandbox : as of ``voiceprivacy.running.programs.call``
    utterances : list of Utterance
    """
    with tempfile.TemporaryDirectory() as folder:
        written = Path(folder) / "embeddings.npz"
        speech = {"manifest": utterances}
        programs.call(command, speech, written, threads=threads, minutes=minutes, sandbox=sandbox)
        with naming(f"what command '{command}' wrote"):
            return from_file(written, utterances)


def from_file(path: Path | str, utterances: Sequence[Any]) -> Embeddings:
    """Read the Embeddings of ``utterances`` (Utterance or Listed) from a file, which may hold more.

    Raises
    ------
    BadInput : an utterance is missing or occurs twice, or its embedding is not finite or zero
    """
    # A file may hold a whole corpus, and in another order.
    ids, embeddings = read_embeddings_of(path, [line.utterance for line in utterances])
    zero = np.abs(embeddings).max(axis=1) < np.finfo(np.float32).tiny
    if zero.any():
        raise BadInput(f"{path}: the embedding of '{ids[zero][0]}' is zero in single precision")
    return Embeddings(ids, embeddings.astype(np.float32))
