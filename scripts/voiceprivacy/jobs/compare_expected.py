"""Compare the numbers of a run with expected (published) ones: PASS or FAIL, each and all."""

import argparse

from voiceprivacy.report.expected import compare, read_expected, write_comparison
from voiceprivacy.report.metrics import read_metrics
from voiceprivacy.running.command import run, say


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--metrics", required=True, help="metrics.tsv")
    parser.add_argument(
        "--expected",
        required=True,
        help="TSV: the key of a number, its value, tolerance and source, perhaps joint",
    )
    parser.add_argument("--comparison", required=True, help="TSV to write")
    arguments = parser.parse_args()

    compared = compare(read_expected(arguments.expected), read_metrics(arguments.metrics))
    write_comparison(arguments.comparison, compared)
    for one in compared:
        expected = f"{one.value:g} within {one.tolerance:.3g}"
        say(f"{one.verdict}  {one.place}: {one.measured:.2f}, expected {expected}")
    failed = sum(one.verdict != "PASS" for one in compared)
    say(f"{'FAIL' if failed else 'PASS'}  {failed} of {len(compared)} numbers fail")


if __name__ == "__main__":
    run(main)
