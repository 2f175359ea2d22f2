"""Run the workflow: Snakemake with our Snakefile. All of Snakemake's own options may follow."""

import argparse
import os
import sys

from voiceprivacy.inout.files import SCRIPTS
from voiceprivacy.plan.sources import REMAKE
from voiceprivacy.running.command import run


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__,
        epilog="For example: python scripts/run.py --cores 4 --configfile my.yaml",
        allow_abbrev=False,  # else an option of Snakemake's might be taken for ours
    )
    parser.add_argument(
        "--remake",
        action="store_true",
        help="make everything again, also where results/ is of another version's format",
    )
    arguments, snakemakes_own = parser.parse_known_args()

    words = [sys.executable, "-m", "snakemake", "--snakefile", str(SCRIPTS.parent / "Snakefile")]
    if arguments.remake:
        os.environ[REMAKE] = "1"
        words.append("--forceall")
    # Snakemake takes our place: signals and its exit code are its own.
    os.execv(sys.executable, [*words, *snakemakes_own])


if __name__ == "__main__":
    run(main)
