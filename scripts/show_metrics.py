"""Print the main numbers of a run as a table, and where the report is."""

import argparse
from pathlib import Path

from voiceprivacy.command import run
from voiceprivacy.report.comparison import compare
from voiceprivacy.report.metrics import read_metrics
from voiceprivacy.report.terminal import summary


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--metrics", required=True, type=Path, help="metrics.tsv")
    parser.add_argument("--report", type=Path, help="the page to point to")
    arguments = parser.parse_args()

    print(*summary(compare(read_metrics(arguments.metrics))), sep="\n")
    if arguments.report:
        print(f"\nReport: {arguments.report.absolute()}")


if __name__ == "__main__":
    run(main)
