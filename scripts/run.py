"""Run the workflow: Snakemake with our Snakefile. All of Snakemake's own options may follow."""

import argparse
import os
import sys

from voiceprivacy.plan.sources import REMAKE
from voiceprivacy.running.command import run


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__,
        epilog="For example: voiceprivacy run --cores 4 --configfile my.yaml."
        " Snakemake's options: python -m snakemake --help",
        allow_abbrev=False,  # else an option of Snakemake's might be taken for ours
    )
    parser.add_argument(
        "--remake",
        action="store_true",
        help="make everything again, also where results/ is of another version's format",
    )
    arguments, snakemakes_own = parser.parse_known_args()

    from voiceprivacy.tools import launcher  # Snakemake: half a second

    if arguments.remake:
        os.environ[REMAKE] = "1"
        snakemakes_own = ["--forceall", *snakemakes_own]
    options = launcher.parse(snakemakes_own)
    launcher.take_configs(options)
    sys.exit(launcher.start(options))


if __name__ == "__main__":
    run(main)
