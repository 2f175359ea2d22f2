"""Say which jobs of a Snakemake run failed and why: errors or last lines of their logs."""

import argparse

from voiceprivacy.inout.files import read_lines
from voiceprivacy.running.command import run
from voiceprivacy.running.progress import failures, reasons


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--log", required=True, help="Snakemake's log of the run")
    parser.add_argument(
        "--lines", default=5, type=int, help="how many lines of each job's log (default 5)"
    )
    arguments = parser.parse_args()

    for failure in failures(read_lines(arguments.log)):
        print(f"\n{failure.rule} failed. Its log is {failure.log}:")
        for line in reasons(failure, arguments.lines):
            print(f"    {line}")
    again = "give the same command again: finished jobs are not repeated."
    print(f"\nCorrect what is named there and {again}")


if __name__ == "__main__":
    run(main)
