"""Write the report: one self-contained page, and its comparison as tables for papers."""

import argparse
from pathlib import Path

from voiceprivacy.inout.files import read_json
from voiceprivacy.report import page as additions
from voiceprivacy.report.charts.draw import run_of
from voiceprivacy.report.comparison import compare, write_comparison
from voiceprivacy.report.corpora import read_corpora
from voiceprivacy.report.figures import embed
from voiceprivacy.report.metrics import read_metrics
from voiceprivacy.report.page import write_page
from voiceprivacy.report.typeset import write_latex
from voiceprivacy.report.uncertainty import NONE, read_comparisons
from voiceprivacy.running.command import run

TEMPLATE = Path(__file__).parents[1] / "workflow" / "report" / "index.html.j2"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--metrics", required=True, type=Path, help="metrics.tsv")
    parser.add_argument(
        "--comparisons", type=Path, help="folder of CORPUS/TRIALS/EXTRACTOR/BACKEND.tsv: how sure"
    )
    parser.add_argument("--provenance", required=True, type=Path, help="provenance.json")
    parser.add_argument(
        "--figures", nargs="*", default=[], type=Path, help="SVG and PNG below the page's figures/"
    )
    parser.add_argument(
        "--results",
        type=Path,
        help="folder with curves/ and audio/, for charts instead of pictures",
    )
    parser.add_argument("--speech", type=Path, help="TSV of describe_corpora: speech by part")
    parser.add_argument("--lists", type=Path, help="TSV of describe_corpora: trials by list")
    parser.add_argument(
        "--checks", nargs="*", default=[], type=Path, help="TSVs: level file line what"
    )
    additions.add_arguments(parser)
    parser.add_argument(
        "--template",
        default=TEMPLATE,
        type=Path,
        help="Jinja2 template with the captions beside it",
    )
    parser.add_argument("--page", required=True, type=Path, help="HTML to write")
    parser.add_argument(
        "--tables", required=True, type=Path, help="folder for comparison.tsv and comparison.tex"
    )
    arguments = parser.parse_args()

    metrics = read_metrics(arguments.metrics)
    comparisons = (
        read_comparisons(arguments.comparisons, metrics) if arguments.comparisons else NONE
    )
    systems, provenance = compare(metrics, comparisons), read_json(arguments.provenance)
    drawn = (
        run_of(arguments.results, metrics=metrics, provenance=provenance)
        if arguments.results
        else None
    )
    write_page(
        arguments.page,
        template=arguments.template,
        systems=systems,
        metrics=metrics,
        figures=embed(arguments.figures, folder=arguments.page.parent / "figures", run=drawn),
        provenance=provenance,
        run=drawn,
        corpora=read_corpora(arguments.speech, arguments.lists, arguments.checks)
        if arguments.speech
        else None,
        comparisons=comparisons,
        **additions.sections(arguments),
    )
    write_comparison(arguments.tables / "comparison.tsv", systems)
    write_latex(arguments.tables / "comparison.tex", systems)
    print(f"wrote {arguments.page}")


if __name__ == "__main__":
    run(main)
