"""Unpack the image of a container, which becomes the root of a box."""

import argparse

from voiceprivacy.inout.files import ours
from voiceprivacy.running.command import run, say
from voiceprivacy.running.images import unpack


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--image", required=True, help="SIF or squashfs file")
    parser.add_argument("--folder", required=True, help="folder to make")
    arguments = parser.parse_args()

    unpack(ours(arguments.image), arguments.folder)
    say(f"{arguments.image}: {arguments.folder}")


if __name__ == "__main__":
    run(main)
