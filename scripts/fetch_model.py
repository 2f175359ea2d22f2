"""Fetch a SpeechBrain speaker model from the hub at a pinned commit."""

import argparse

from voiceprivacy.attack.extractors.foreign import fetch
from voiceprivacy.running.command import run, say


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--model", required=True, help="name on the hub, such as speechbrain/spkrec-ecapa-voxceleb"
    )
    parser.add_argument("--revision", required=True, help="commit")
    parser.add_argument(
        "--folder",
        required=True,
        help="folder to make: hyperparams.yaml, embedding_model.ckpt, ...",
    )
    arguments = parser.parse_args()

    fetch(arguments.model, revision=arguments.revision, folder=arguments.folder)
    say(f"{arguments.model} at {arguments.revision}: {arguments.folder}")


if __name__ == "__main__":
    run(main)
