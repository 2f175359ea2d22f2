"""The job compare_expected."""

from voiceprivacy.inout.files import naming
from voiceprivacy.report.expected import compare, read_expected, write_comparison
from voiceprivacy.report.metrics import read_metrics
from voiceprivacy.running.adapter import run
from voiceprivacy.running.command import say


def compare_expected(
    *,
    metrics: str,
    expected: str,
    comparison: str,
) -> None:
    """Compare the numbers of a run with expected (published) ones: PASS or FAIL, each and all.

    Parameters
    ----------
    metrics : metrics.tsv
    expected : TSV: the key of a number, its value, tolerance and source, perhaps joint
    comparison : TSV to write
    """
    rows, numbers = read_expected(expected), read_metrics(metrics)
    with naming(expected):
        compared = compare(rows, numbers)
    write_comparison(comparison, compared)
    for one in compared:
        aim = f"{one.value:g} within {one.tolerance:.3g}"
        say(f"{one.verdict}  {one.place}: {one.measured:.2f}, expected {aim}")
    failed = sum(one.verdict != "PASS" for one in compared)
    say(f"{'FAIL' if failed else 'PASS'}  {failed} of {len(compared)} numbers fail")


if __name__ == "__main__":
    run(compare_expected)
