"""The job write_report."""

from pathlib import Path

from voiceprivacy.inout.typed_tables import read_typed
from voiceprivacy.layout import Layout
from voiceprivacy.provenance.record import read_provenance
from voiceprivacy.report.answer import evaluated
from voiceprivacy.report.comparison import compare, write_comparison, write_latex
from voiceprivacy.report.contents import Contents, read_contents
from voiceprivacy.report.described_corpora import PartOfCorpus
from voiceprivacy.report.mailed import reduced
from voiceprivacy.report.methods import methods, write_methods, write_numbers
from voiceprivacy.report.metrics import read_metrics
from voiceprivacy.report.page import TEMPLATE, codes_in, read_sections, show_all, write_page
from voiceprivacy.report.releases import released
from voiceprivacy.report.uncertainty import NONE, read_comparisons
from voiceprivacy.report.verdict import NOT_GIVEN, no_verdict, read_verdict
from voiceprivacy.running.adapter import run
from voiceprivacy.running.command import say


def write_report(
    *,
    metrics: Path,
    provenance: Path,
    plan: Path | None = None,
    comparisons: Path | None = None,
    verdict: Path | None = None,
    page: Path,
    tables: Path,
) -> None:
    """Write the report: one self-contained page, and what papers take: tables, numbers, methods.

    Parameters
    ----------
    metrics : metrics.tsv
    provenance : provenance.json
    plan : plan.json: what the page shows besides the metrics
    comparisons : folder of CORPUS/TRIALS/EXTRACTOR/BACKEND.tsv: how sure
    verdict : verdict.json: what the page says first
    page : HTML to write
    tables : folder for comparison.tsv, comparison.tex, numbers.tex
    """
    numbers, made_from = read_metrics(metrics), read_provenance(provenance)
    contents = read_contents(plan) if plan else Contents()
    speech = list(read_typed(PartOfCorpus, contents.speech)) if contents.speech else []
    about = evaluated(speech, made_from)
    said = methods(numbers, made_from, speech)  # it names kinds of programs, and no command or seed
    if not contents.internal:
        made_from = reduced(made_from)
    sure = NONE
    if comparisons:
        sure = read_comparisons(comparisons, numbers)
    systems = released(compare(numbers, sure))
    codes = codes_in(contents, plan.parent) if plan else {}
    sections = read_sections(contents, codes)
    judged = no_verdict(NOT_GIVEN)
    if verdict:
        judged = read_verdict(verdict, numbers=numbers, evaluated=about)
    write_page(
        page,
        template=TEMPLATE,
        systems=systems,
        metrics=numbers,
        figures=show_all(contents.figures, Layout(metrics.parent), codes),
        provenance=made_from,
        comparisons=sure,
        verdict=judged,
        **sections,
    )
    write_comparison(tables / "comparison.tsv", systems)
    write_latex(tables / "comparison.tex", systems)
    write_numbers(tables / "numbers.tex", systems)
    write_methods(page.parent, said)
    say(f"wrote {page}")


if __name__ == "__main__":
    run(write_report)
