"""Let aggregates out of a house whose corpora nobody else sees: numbers of ten speakers or more."""

import argparse
from pathlib import Path

from voiceprivacy.inout.files import counted
from voiceprivacy.inout.tables import write_table
from voiceprivacy.running.command import run, say
from voiceprivacy.tools import aggregates


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--results", default=Path("results"), type=Path, help="of a finished run (default results)"
    )
    parser.add_argument(
        "--output", required=True, type=Path, help="folder for what leaves: aggregates.tsv"
    )
    parser.add_argument(
        "--audit", required=True, type=Path, help="log of all releases; it stays inside"
    )
    parser.add_argument(
        "--smallest",
        default=aggregates.SMALLEST,
        type=int,
        help="speakers that a group has to have (default 10)",
    )
    arguments = parser.parse_args()
    if arguments.smallest < 2:
        parser.error("--smallest has to be 2 or more: a number of one speaker is no aggregate")

    release = aggregates.choose(arguments.results, smallest=arguments.smallest)
    inside = arguments.results / aggregates.WITHHELD
    write_table(inside, aggregates.WITHHELD_COLUMNS, release.withheld)
    aggregates.let_out(
        release,
        arguments.output,
        arguments.audit,
        smallest=arguments.smallest,
        results=arguments.results,
    )
    n_withheld = sum(withheld.numbers for withheld in release.withheld)
    leaves = arguments.output / aggregates.AGGREGATES
    say(f"{counted(len(release.numbers), 'number')} may leave: {leaves}")
    say(f"{counted(n_withheld, 'number')} stay inside: {inside}")
    say(f"The release stands in {arguments.audit}, which stays inside too.")


if __name__ == "__main__":
    run(main)
