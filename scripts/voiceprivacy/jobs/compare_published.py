"""The job compare_published."""

from voiceprivacy.errors import counted
from voiceprivacy.report.metrics import read_metrics
from voiceprivacy.report.published import PublishedBy, beside, write_published
from voiceprivacy.running.adapter import run
from voiceprivacy.running.command import say


def compare_published(
    *,
    metrics: str,
    config: PublishedBy,
    published: str,
) -> None:
    """Put what others published about the same sets and systems beside the numbers of a run.

    Parameters
    ----------
    metrics : metrics.tsv
    config : corpora, anonymisers and utility as JSON
    published : TSV to write
    """
    rows = beside(read_metrics(metrics), config)
    write_published(published, rows)
    say(f"{counted(len(rows), 'published number')}: {published}")


if __name__ == "__main__":
    run(compare_published)
