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
    """Fetch a model from the hub at a pinned commit: one of speakers, words or emotions.

    Parameters
    ----------
    model : name on the hub, such as speechbrain/spkrec-ecapa-voxceleb
    revision : commit
    folder : folder to make: hyperparams.yaml, embedding_model.ckpt, ...
    kind : what it listens for
    """
    fetch(model, revision=revision, folder=folder, wanted=KINDS[kind])
    write_list(folder)
    say(f"{model} at {revision}: {folder}")


if __name__ == "__main__":
    run(fetch_model)
