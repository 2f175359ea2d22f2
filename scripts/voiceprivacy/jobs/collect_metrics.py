"""The job collect_metrics."""

from collections.abc import Sequence
from pathlib import Path

from voiceprivacy.report.contents import Contents, read_contents
from voiceprivacy.report.inference import metric_lines, read_inferred
from voiceprivacy.report.metrics import collect, write_metrics
from voiceprivacy.report.sections import read_utility
from voiceprivacy.running.adapter import run
from voiceprivacy.running.command import say


def collect_metrics(
    jsons: Sequence[str] = (),
    *,
    plan: Path | None = None,
    folder: Path,
    intervals: Sequence[str] = (),
    utility: Sequence[str] = (),
    inference: Sequence[str] = (),
    metrics: Path,
) -> None:
    """Gather the numbers of all metrics files in one tidy table.

    Parameters
    ----------
    jsons : metrics files below the folder
    plan : plan.json, which lists more of all these files
    folder : folder of FAMILY/CORPUS/TRIALS/ANONYMISER/EXTRACTOR/BACKEND.json
    intervals : BACKEND.intervals.json below the folder
    utility : tables of assess_utility
    inference : tables of assess_inference
    metrics : TSV to write
    """
    contents = read_contents(plan) if plan else Contents()
    # The plan of a large run names more files than fit on a command line.
    json_files = [*contents.metrics, *jsons]
    interval_files = [*contents.intervals, *intervals]
    tables = [*(contents.utility or []), *utility]
    numbers = collect(json_files, folder=folder, intervals=interval_files)
    numbers += [measured.metric_line for measured in read_utility(tables)]
    inferred = [*contents.inference, *inference]
    numbers += metric_lines(read_inferred(inferred))
    write_metrics(metrics, sorted(numbers))
    n_files = len(json_files) + len(tables) + len(inferred)
    say(f"{len(numbers)} numbers from {n_files} files in {metrics}")


if __name__ == "__main__":
    run(collect_metrics)
