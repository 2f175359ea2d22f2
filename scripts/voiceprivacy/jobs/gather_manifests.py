"""Join the shards of an anonymised part into one manifest, in the original's order."""

import argparse

from voiceprivacy.anonymise.part import gather_manifests
from voiceprivacy.inout.files import counted
from voiceprivacy.running.command import run, say


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--original", required=True, help="manifest of the original speech")
    parser.add_argument("--shards", required=True, nargs="+", help="manifests of the shards")
    parser.add_argument(
        "--manifest", required=True, help="TSV to write; coefficients (.alphas.tsv) go beside it"
    )
    parser.add_argument(
        "--first-run", help="manifest of the anonymiser's first run: its audio must be another"
    )
    arguments = parser.parse_args()
    joined = gather_manifests(**vars(arguments))
    shards = counted(len(arguments.shards), "shard")
    say(f"{counted(len(joined), 'utterance')} of {shards}: {arguments.manifest}")


if __name__ == "__main__":
    run(main)
