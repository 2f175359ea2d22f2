"""Gather the numbers of all metrics files in one tidy table."""

import argparse
from pathlib import Path

from voiceprivacy.report.contents import Contents, read_contents
from voiceprivacy.report.inference import metric_lines, read_inferred
from voiceprivacy.report.metrics import collect, write_metrics
from voiceprivacy.report.sections import read_utility
from voiceprivacy.running.command import run, say


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "jsons", nargs="*", type=Path, metavar="JSON", help="metrics files below the folder"
    )
    parser.add_argument("--plan", type=Path, help="plan.json, which lists more of all these files")
    parser.add_argument(
        "--folder",
        required=True,
        type=Path,
        help="folder of FAMILY/CORPUS/TRIALS/ANONYMISER/EXTRACTOR/BACKEND.json",
    )
    parser.add_argument(
        "--intervals",
        nargs="*",
        default=[],
        type=Path,
        metavar="JSON",
        help="BACKEND.intervals.json below the folder",
    )
    parser.add_argument(
        "--utility",
        nargs="*",
        default=[],
        type=Path,
        metavar="TSV",
        help="tables of assess_utility",
    )
    parser.add_argument(
        "--inference",
        nargs="*",
        default=[],
        type=Path,
        metavar="TSV",
        help="tables of assess_inference",
    )
    parser.add_argument("--metrics", required=True, type=Path, help="TSV to write")
    arguments = parser.parse_args()

    contents = read_contents(arguments.plan) if arguments.plan else Contents()
    # The plan of a large run names more files than fit on a command line.
    jsons = [*contents.metrics, *arguments.jsons]
    intervals = [*contents.intervals, *arguments.intervals]
    tables = [*(contents.utility or []), *arguments.utility]
    numbers = collect(jsons, folder=arguments.folder, intervals=intervals)
    numbers += [measured.metric_line for measured in read_utility(tables)]
    inferred = [*contents.inference, *arguments.inference]
    numbers += metric_lines(read_inferred(inferred))
    write_metrics(arguments.metrics, sorted(numbers))
    n_files = len(jsons) + len(tables) + len(inferred)
    say(f"{len(numbers)} numbers from {n_files} files in {arguments.metrics}")


if __name__ == "__main__":
    run(main)
