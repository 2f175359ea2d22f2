"""Write the report: one self-contained page, and what papers take: tables, numbers, methods."""

import argparse
from pathlib import Path

from voiceprivacy.inout.files import SCRIPTS
from voiceprivacy.inout.json_files import read_json
from voiceprivacy.report.comparison import compare, write_comparison, write_latex
from voiceprivacy.report.contents import Contents, read_contents
from voiceprivacy.report.figure_tables import run_of
from voiceprivacy.report.mailed import reduced
from voiceprivacy.report.methods import methods, write_methods, write_numbers
from voiceprivacy.report.metrics import read_metrics
from voiceprivacy.report.page import codes_in, read_sections, show_all, write_page
from voiceprivacy.report.releases import released
from voiceprivacy.report.uncertainty import NONE, read_comparisons
from voiceprivacy.report.verdict import NOT_GIVEN, no_verdict, read_verdict
from voiceprivacy.running.command import run, say

TEMPLATE = SCRIPTS.parent / "workflow" / "report" / "index.html.j2"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--metrics", required=True, type=Path, help="metrics.tsv")
    parser.add_argument("--provenance", required=True, type=Path, help="provenance.json")
    parser.add_argument(
        "--plan", type=Path, help="plan.json: what the page shows besides the metrics"
    )
    parser.add_argument(
        "--comparisons", type=Path, help="folder of CORPUS/TRIALS/EXTRACTOR/BACKEND.tsv: how sure"
    )
    parser.add_argument("--verdict", type=Path, help="verdict.json: what the page says first")
    parser.add_argument(
        "--template", default=TEMPLATE, type=Path, help="Jinja2, with captions beside it"
    )
    parser.add_argument("--page", required=True, type=Path, help="HTML to write")
    parser.add_argument(
        "--tables",
        required=True,
        type=Path,
        help="folder for comparison.tsv, comparison.tex, numbers.tex",
    )
    arguments = parser.parse_args()

    metrics, provenance = read_metrics(arguments.metrics), read_json(arguments.provenance)
    contents = read_contents(arguments.plan) if arguments.plan else Contents()
    said = methods(metrics, provenance)  # it names kinds of programs, and no command or seed
    if not contents.internal:
        provenance = reduced(provenance)
    comparisons = NONE
    if arguments.comparisons:
        comparisons = read_comparisons(arguments.comparisons, metrics)
    systems = released(compare(metrics, comparisons))
    shown = run_of(metrics, provenance)
    if arguments.plan:
        shown = shown._replace(codes=codes_in(contents, arguments.plan.parent))
    sections = read_sections(contents, shown.codes, arguments.page)
    verdict = no_verdict(NOT_GIVEN)
    if arguments.verdict:
        verdict = read_verdict(arguments.verdict, numbers=metrics)
    paired = {}
    if arguments.comparisons:
        for table in contents.utility or []:
            beside = arguments.comparisons / "utility" / Path(table).name
            if beside.exists():  # a run without intervals compares nothing
                paired[beside.stem] = beside
    write_page(
        arguments.page,
        template=arguments.template,
        systems=systems,
        metrics=metrics,
        figures=show_all(contents.figures, run=shown, page=arguments.page),
        provenance=provenance,
        comparisons=comparisons,
        verdicts=[verdict],
        paired=paired,
        **sections,
    )
    write_comparison(arguments.tables / "comparison.tsv", systems)
    write_latex(arguments.tables / "comparison.tex", systems)
    write_numbers(arguments.tables / "numbers.tex", systems)
    write_methods(arguments.page.parent, said)
    say(f"wrote {arguments.page}")


if __name__ == "__main__":
    run(main)
