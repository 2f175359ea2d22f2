"""Compare anonymisers with unprotected speech and each other, each under the strongest attack on it, in pairs."""

import argparse
from pathlib import Path

from voiceprivacy.inout.tables import write_table
from voiceprivacy.privacy.uncertainty import paired, strongest
from voiceprivacy.running.command import run


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--intervals",
        required=True,
        nargs="+",
        type=Path,
        help="intervals.json of all attackers, with bootstrap.npz",
    )
    parser.add_argument(
        "--folder",
        required=True,
        type=Path,
        help="folder of FAMILY/CORPUS/TRIALS/ANONYMISER/EXTRACTOR/BACKEND.intervals.json; lists are averaged",
    )
    parser.add_argument(
        "--weights",
        nargs="*",
        default=[],
        metavar="CORPUS/TRIALS=WEIGHT",
        help="of the lists (default equal)",
    )
    parser.add_argument(
        "--comparisons", required=True, help=f"TSV to write: {' '.join(strongest.Pair._fields)}"
    )
    arguments = parser.parse_args()

    weights = paired.parse_weights(arguments.weights)
    pairs = strongest.compare(
        strongest.read_attacks(arguments.intervals, folder=arguments.folder, weights=weights)
    )
    write_table(arguments.comparisons, strongest.Pair._fields, pairs)
    for pair in pairs:
        print(strongest.describe(pair))


if __name__ == "__main__":
    run(main)
