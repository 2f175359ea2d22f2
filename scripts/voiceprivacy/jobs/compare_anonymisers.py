"""Compare anonymisers on the same trials: which has the better numbers, and can they be told apart?

Under one attacker (--comparisons, --systems), or each under the strongest attack on it, whatever
the attacker; then anonymisers are compared with unprotected speech, too (--strongest).
"""

import argparse
from pathlib import Path

from voiceprivacy.inout.tables import write_table
from voiceprivacy.privacy.uncertainty import paired
from voiceprivacy.running.command import run, say

SHOWN = "eer_percent"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--intervals",
        required=True,
        nargs="+",
        type=Path,
        help="intervals.json with bootstrap.npz, of one attacker or, for --strongest, of all",
    )
    parser.add_argument(
        "--folder",
        required=True,
        type=Path,
        help="folder of FAMILY/CORPUS/TRIALS/ANONYMISER/EXTRACTOR/BACKEND.intervals.json;"
        " lists are averaged",
    )
    parser.add_argument(
        "--weights",
        nargs="*",
        default=[],
        metavar="CORPUS/TRIALS=WEIGHT",
        help="of the lists (default equal)",
    )
    parser.add_argument("--comparisons", help=f"TSV to write: {' '.join(paired.Pair._fields)}")
    parser.add_argument(
        "--systems", help=f"TSV to write: {' '.join(paired.SystemInterval._fields)}"
    )
    parser.add_argument(
        "--strongest", help=f"TSV to write: {' '.join(paired.StrongestPair._fields)}"
    )
    arguments = parser.parse_args()
    if not (arguments.comparisons or arguments.systems or arguments.strongest):
        parser.error("say what to write: --comparisons, --systems or --strongest")

    read = {"folder": arguments.folder, "weights": paired.parse_weights(arguments.weights)}
    if arguments.comparisons or arguments.systems:
        numbers = paired.read_systems(sorted(arguments.intervals), **read)
        pairs, systems = paired.compare_all(numbers)
        if arguments.comparisons:
            write_table(arguments.comparisons, paired.Pair._fields, pairs)
        if arguments.systems:
            write_table(arguments.systems, paired.SystemInterval._fields, systems)
        for pair in pairs:
            if pair.metric == SHOWN:
                say(paired.describe(pair))
    if arguments.strongest:
        attacked = paired.compare_strongest(paired.read_attacks(arguments.intervals, **read))
        write_table(arguments.strongest, paired.StrongestPair._fields, attacked)
        for attacked_pair in attacked:
            say(paired.describe(attacked_pair))


if __name__ == "__main__":
    run(main)
