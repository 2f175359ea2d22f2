"""The job show_metrics."""

from collections.abc import Sequence
from pathlib import Path

from voiceprivacy.errors import BadInput
from voiceprivacy.inout.foreign import not_ours
from voiceprivacy.inout.json_files import read_json
from voiceprivacy.inout.typed_tables import read_typed
from voiceprivacy.report.answer import evaluated
from voiceprivacy.report.comparison import compare
from voiceprivacy.report.described_corpora import PartOfCorpus
from voiceprivacy.report.metrics import read_metrics
from voiceprivacy.report.releases import released
from voiceprivacy.report.terminal import summary
from voiceprivacy.report.uncertainty import NONE, read_comparisons
from voiceprivacy.report.verdict import NOT_GIVEN, no_verdict, read_verdict
from voiceprivacy.running.adapter import run
from voiceprivacy.running.command import say
from voiceprivacy.tools.changes import since_last_run


def show_metrics(
    *,
    metrics: Path = Path("results/metrics.tsv"),
    comparisons: Path | None = None,
    verdict: Path | None = None,
    previous: Path | None = None,
    report: Path | None = None,
    note: Sequence[str] = (),
    brief: bool = False,
) -> None:
    """Print the main numbers of a run as a table, and where the report is.

    Parameters
    ----------
    metrics : metrics.tsv of a run
    comparisons : folder of CORPUS/TRIALS/EXTRACTOR/BACKEND.tsv, which has intervals (default: the
        folder comparisons beside metrics.tsv)
    verdict : verdict.json: what is said first (default: the one beside metrics.tsv)
    previous : results of the run before: show what has changed
    report : the page to point to
    note : a line at the end: what was not measured
    brief : the verdict without tables
    """
    if previous and not previous.exists():
        raise BadInput(f"{previous}: not found")
    with not_ours(metrics.parent):
        numbers = read_metrics(metrics)
        folder = comparisons or beside(metrics, "comparisons")
        sure = read_comparisons(folder, numbers) if folder else NONE
        # Which systems are controls, and how lists are averaged, stands in the config of the run.
        file = verdict or beside(metrics, "verdict.json")
        speech = beside(metrics, "report/tables/speech.tsv")
        record = beside(metrics, "provenance.json")
        known = {}
        if speech and record:
            known = evaluated(read_typed(PartOfCorpus, speech), read_json(record))
        judged = no_verdict(NOT_GIVEN)
        if file:
            judged = read_verdict(file, numbers=numbers, evaluated=known)
        systems = released(compare(numbers, sure))
        lines = summary(systems, sure, numbers, judged, brief=brief)
        say(*lines)
        if previous:
            say(*since_last_run(previous, metrics.parent))
        if note:
            say("", *note)
        if report:
            say("", f"Report: {report.absolute()}")


def beside(metrics: Path, name: str) -> Path | None:
    """What is called so beside metrics.tsv; None where nothing is."""
    path = metrics.parent / name
    return path if path.exists() else None


if __name__ == "__main__":
    run(show_metrics)
