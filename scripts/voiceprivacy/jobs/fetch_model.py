"""Fetch a model from the hub at a pinned commit: one of speakers, words or emotions."""

import argparse
from pathlib import Path

from voiceprivacy.models.folders import write_list
from voiceprivacy.models.hub import KINDS, fetch
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
    parser.add_argument(
        "--kind", choices=KINDS, default="speakers", help="what it listens for (default speakers)"
    )
    arguments = parser.parse_args()

    wanted, folder = KINDS[arguments.kind], Path(arguments.folder)
    fetch(arguments.model, revision=arguments.revision, folder=folder, wanted=wanted)
    write_list(folder)
    say(f"{arguments.model} at {arguments.revision}: {arguments.folder}")


if __name__ == "__main__":
    run(main)
