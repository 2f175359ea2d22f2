"""Print the main numbers of a run as a table, and where the report is."""

import argparse
from pathlib import Path

from voiceprivacy.inout.foreign import not_ours
from voiceprivacy.report.comparison import compare
from voiceprivacy.report.metrics import read_metrics
from voiceprivacy.report.releases import released
from voiceprivacy.report.terminal import summary
from voiceprivacy.report.uncertainty import NONE, read_comparisons
from voiceprivacy.report.verdict import NOT_GIVEN, no_verdict, read_verdict
from voiceprivacy.running.command import run, say


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--metrics",
        default=Path("results/metrics.tsv"),
        type=Path,
        help="metrics.tsv of a run (default: results/metrics.tsv)",
    )
    parser.add_argument(
        "--comparisons",
        type=Path,
        help="folder of CORPUS/TRIALS/EXTRACTOR/BACKEND.tsv, which has intervals (default: the"
        " folder comparisons beside metrics.tsv)",
    )
    parser.add_argument(
        "--verdict",
        type=Path,
        help="verdict.json: what is said first (default: the one beside metrics.tsv)",
    )
    parser.add_argument("--report", type=Path, help="the page to point to")
    parser.add_argument(
        "--note", action="append", default=[], help="a line at the end: what was not measured"
    )
    parser.add_argument("--brief", action="store_true", help="the verdict without tables")
    arguments = parser.parse_args()

    with not_ours(arguments.metrics.parent):
        _show(arguments)


def _show(arguments: argparse.Namespace) -> None:
    numbers = read_metrics(arguments.metrics)
    comparisons = NONE
    if folder := arguments.comparisons or _beside(arguments.metrics, "comparisons"):
        comparisons = read_comparisons(folder, numbers)
    # Which systems are controls, and how lists are averaged, stands in the config of the run.
    file = arguments.verdict or _beside(arguments.metrics, "verdict.json")
    verdict = read_verdict(file) if file else no_verdict(NOT_GIVEN)
    systems = released(compare(numbers, comparisons))
    lines = summary(systems, comparisons, numbers, [verdict], brief=arguments.brief)
    say(*lines)
    if arguments.note:
        say("", *arguments.note)
    if arguments.report:
        say("", f"Report: {arguments.report.absolute()}")


def _beside(metrics: Path, name: str) -> Path | None:
    """What is called so beside metrics.tsv; None where nothing is."""
    path = metrics.with_name(name)
    return path if path.exists() else None


if __name__ == "__main__":
    run(main)
