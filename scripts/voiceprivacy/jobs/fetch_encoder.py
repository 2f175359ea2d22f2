"""The job fetch_encoder."""

from pathlib import Path

from voiceprivacy.models.folders import write_list
from voiceprivacy.models.hub import ENCODER, fetch
from voiceprivacy.running.adapter import run
from voiceprivacy.running.command import say


def fetch_encoder(
    *,
    model: str,
    revision: str,
    folder: Path,
) -> None:
    """Fetch a self-supervised encoder from the hub at a pinned commit.

    Parameters
    ----------
    model : name on the hub, such as microsoft/wavlm-large
    revision : commit
    folder : folder to make: config.json, preprocessor_config.json and the weights
    """
    fetch(model, revision=revision, folder=folder, wanted=ENCODER)
    write_list(folder)
    say(f"{model} at {revision}: {folder}")


if __name__ == "__main__":
    run(fetch_encoder)
