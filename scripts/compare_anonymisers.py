"""Compare every two anonymisers on the same trials: which protects better, and can they be told apart at all?"""

import argparse
from pathlib import Path

from voiceprivacy.inout.tables import write_table
from voiceprivacy.privacy.uncertainty import paired
from voiceprivacy.running.command import run

SHOWN = "eer_percent"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--intervals",
        required=True,
        nargs="+",
        type=Path,
        help="intervals.json of one attacker, with bootstrap.npz",
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
        "--comparisons", required=True, help=f"TSV to write: {' '.join(paired.Pair._fields)}"
    )
    parser.add_argument(
        "--systems", help=f"TSV to write: {' '.join(paired.SystemInterval._fields)}"
    )
    arguments = parser.parse_args()

    weights = paired.parse_weights(arguments.weights)
    found = paired.read_systems(
        sorted(arguments.intervals), folder=arguments.folder, weights=weights
    )
    pairs, systems = paired.compare_all(found)
    write_table(arguments.comparisons, paired.Pair._fields, pairs)
    if arguments.systems:
        write_table(arguments.systems, paired.SystemInterval._fields, systems)
    for pair in pairs:
        if pair.metric == SHOWN:
            print(paired.describe(pair))


if __name__ == "__main__":
    run(main)
