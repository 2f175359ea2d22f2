"""Fetch a model from the hub at a pinned commit: one of speakers, words or emotions."""

import argparse
from pathlib import Path

from voiceprivacy.inout.checksums import sha256_of
from voiceprivacy.inout.files import whole_or_absent
from voiceprivacy.models.folders import CHECKSUMS
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
    lines = [f"{sha256_of(path)}  {path.name}\n" for path in sorted(folder.iterdir())]
    with whole_or_absent(folder / CHECKSUMS) as temporary:  # whoever loads it looks at them
        temporary.write_text("".join(lines), encoding="utf-8")
    say(f"{arguments.model} at {arguments.revision}: {arguments.folder}")


if __name__ == "__main__":
    run(main)
