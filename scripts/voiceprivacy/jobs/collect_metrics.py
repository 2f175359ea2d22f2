"""The job collect_metrics."""

from pathlib import Path

from voiceprivacy.errors import counted
from voiceprivacy.report.contents import read_contents
from voiceprivacy.report.measured import metric_lines, read_inferred, read_utility
from voiceprivacy.report.metrics import collect, write_metrics
from voiceprivacy.running.adapter import run
from voiceprivacy.running.command import say


def collect_metrics(*, plan: Path, folder: Path, metrics: Path) -> None:
    """Gather the numbers of all metrics files of a run in one tidy table.

    Parameters
    ----------
    plan : plan.json, which lists the files: those of a large run do not fit on a command line
    folder : folder of FAMILY/CORPUS/TRIALS/ANONYMISER/EXTRACTOR/BACKEND.json
    metrics : TSV to write
    """
    contents = read_contents(plan)
    tables = contents.utility or []
    numbers = collect(contents.metrics, folder=folder, intervals=contents.intervals)
    numbers += [measured.metric_line for measured in read_utility(tables)]
    numbers += metric_lines(read_inferred(contents.inference))
    write_metrics(metrics, sorted(numbers))
    n_files = len(contents.metrics) + len(tables) + len(contents.inference)
    say(f"{counted(len(numbers), 'number')} from {counted(n_files, 'file')} in {metrics}")


if __name__ == "__main__":
    run(collect_metrics)
