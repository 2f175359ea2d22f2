"""Draw rank disclosure against the length of tests and templates of the sampled galleries of one corpus."""

import argparse
from pathlib import Path

from voiceprivacy.report.metrics import read_metrics
from voiceprivacy.report.plots import style
from voiceprivacy.report.plots.rank_lengths import picture
from voiceprivacy.report.rank_tables import by_length
from voiceprivacy.running.command import run


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--metrics", required=True, type=Path, help="metrics.tsv")
    parser.add_argument("--corpus", required=True)
    parser.add_argument("--gender", required=True, help="whom the galleries hold: f, m or mixed")
    parser.add_argument("--extractor", required=True, help="of the attacker")
    parser.add_argument("--backend", required=True, help="of the attacker")
    parser.add_argument(
        "--figures",
        nargs="+",
        required=True,
        metavar="FILE",
        help="the same picture as svg, pdf, png",
    )
    arguments = parser.parse_args()

    place = (arguments.corpus, arguments.gender, arguments.extractor, arguments.backend)
    disclosures, n_templates = by_length(read_metrics(arguments.metrics), place)
    title = f"{arguments.corpus} {arguments.gender}, {arguments.extractor} + {arguments.backend}"
    figure = picture(disclosures=disclosures, n_templates=n_templates, title=title)
    style.save_each(figure, arguments.figures)


if __name__ == "__main__":
    run(main)
