"""The job fetch_model."""

from pathlib import Path
from typing import Annotated

from voiceprivacy.models.folders import write_list
from voiceprivacy.models.hub import KINDS, fetch
from voiceprivacy.running.adapter import run
from voiceprivacy.running.command import say


def fetch_model(
    *,
    model: str,
    revision: str,
    folder: Path,
    kind: Annotated[str, KINDS] = "speakers",
) -> None:
    """Fetch a model from the hub at a pinned commit: of speakers, words, emotions, or an encoder.

    Parameters
    ----------
    model : name on the hub, such as speechbrain/spkrec-ecapa-voxceleb
    revision : commit
    folder : folder to make, with its settings and weights, and SHA256SUMS
    kind : what it listens for; encoder: a self-supervised one
    """
    fetch(model, revision=revision, folder=folder, wanted=KINDS[kind])
    write_list(folder)
    say(f"{model} at {revision}: {folder}")


if __name__ == "__main__":
    run(fetch_model)
