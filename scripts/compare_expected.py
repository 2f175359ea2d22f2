"""Compare the numbers of a run with expected (published) ones: PASS or FAIL for each."""

import argparse

from voiceprivacy.report.metrics import read_metrics
from voiceprivacy.report.published import compare, read_expected, write_comparison
from voiceprivacy.running.command import run


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--metrics", required=True, help="metrics.tsv")
    parser.add_argument(
        "--expected",
        required=True,
        help="TSV: the key of a number, its value, tolerance and source",
    )
    parser.add_argument("--comparison", required=True, help="TSV to write")
    arguments = parser.parse_args()

    compared = compare(read_expected(arguments.expected), read_metrics(arguments.metrics))
    write_comparison(arguments.comparison, compared)
    for one in compared:
        expected = f"{one.value:g} within {one.tolerance:g}"
        print(f"{one.verdict}  {one.place}: {one.measured:.2f}, expected {expected}")


if __name__ == "__main__":
    run(main)
