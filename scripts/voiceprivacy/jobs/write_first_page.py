"""The job write_first_page."""

from pathlib import Path

from voiceprivacy.inout.typed_tables import read_typed
from voiceprivacy.report.answer import evaluated
from voiceprivacy.report.described_corpora import PartOfCorpus
from voiceprivacy.report.page import TEMPLATE, write_page
from voiceprivacy.report.verdict import read_verdict
from voiceprivacy.running.adapter import run
from voiceprivacy.running.command import say


def write_first_page(
    *,
    verdict: Path,
    speech: Path | None = None,
    internal: bool = False,
    page: Path,
) -> None:
    """Write the first page of a run: its verdict alone, before utility is measured.

    Parameters
    ----------
    verdict : verdict.json
    speech : table of describe_corpora: what was evaluated
    internal : whether the page says at its top that it is not to be handed on
    page : HTML to write
    """
    about = evaluated(read_typed(PartOfCorpus, speech), {}) if speech else {}
    write_page(
        page,
        template=TEMPLATE,
        systems=[],
        metrics=[],
        figures=[],
        provenance={},
        verdict=read_verdict(verdict, evaluated=about),
        internal=internal,
        first=True,
    )
    say(f"wrote {page}")


if __name__ == "__main__":
    run(write_first_page)
