"""Compare the numbers of a run with expected (published) ones: PASS or FAIL for each."""

import argparse

from voiceprivacy.report.expected import compare, read_expected, write_comparison
from voiceprivacy.report.metrics import read_metrics
from voiceprivacy.running.command import run


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--metrics", required=True, help="metrics.tsv")
    parser.add_argument(
        "--expected", required=True, help="TSV: what stands where, its value, tolerance and source"
    )
    parser.add_argument("--comparison", required=True, help="TSV to write")
    arguments = parser.parse_args()

    compared = compare(read_expected(arguments.expected), read_metrics(arguments.metrics))
    write_comparison(arguments.comparison, compared)
    for of in compared:
        print(
            f"{of.verdict}  {of.place}: {of.measured:.2f}, expected {of.value:g} within {of.tolerance:g}"
        )


if __name__ == "__main__":
    run(main)
