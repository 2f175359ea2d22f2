"""Fetch a self-supervised encoder from the hub at a pinned commit."""

import argparse
from pathlib import Path

from voiceprivacy.models.folders import write_list
from voiceprivacy.models.hub import ENCODER, fetch
from voiceprivacy.running.command import run, say


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--model", required=True, help=f"name on the hub, such as {ENCODER.example}"
    )
    parser.add_argument("--revision", required=True, help="commit")
    parser.add_argument(
        "--folder",
        required=True,
        help="folder to make: config.json, preprocessor_config.json and the weights",
    )
    arguments = parser.parse_args()

    folder = Path(arguments.folder)
    fetch(arguments.model, revision=arguments.revision, folder=folder, wanted=ENCODER)
    write_list(folder)
    say(f"{arguments.model} at {arguments.revision}: {arguments.folder}")


if __name__ == "__main__":
    run(main)
