"""Draw how rank disclosure is spread over speakers, for all anonymisers under one attacker."""

import argparse
from pathlib import Path

from voiceprivacy.report.plots import style
from voiceprivacy.report.plots.rank_speakers import picture
from voiceprivacy.report.rank_tables import read_disclosures, read_examples
from voiceprivacy.running.command import run


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--anonymisers", nargs="+", required=True, metavar="NAME", help="in the order of the files"
    )
    parser.add_argument(
        "--speakers", nargs="+", required=True, metavar="TSV", type=Path, help="of assess_ranks.py"
    )
    parser.add_argument(
        "--examples", nargs="+", required=True, metavar="TSV", type=Path, help="of assess_ranks.py"
    )
    parser.add_argument(
        "--palette", nargs="*", default=[], metavar="NAME", help="all anonymisers, for the colours"
    )
    parser.add_argument(
        "--figures",
        nargs="+",
        required=True,
        metavar="FILE",
        help="the same picture as svg, pdf, png",
    )
    arguments = parser.parse_args()

    disclosures = read_disclosures(
        dict(zip(arguments.anonymisers, arguments.speakers, strict=True))
    )
    shown = list(zip(arguments.anonymisers, arguments.examples, strict=True))
    anonymiser, path = shown[min(1, len(shown) - 1)]  # the first that protects, where there is one
    label, examples = read_examples(path)
    n_templates = len(next(iter(examples.values()))[0])
    figure = picture(
        disclosures=disclosures,
        examples=examples,
        example_of=f"{anonymiser}/{label}",
        n_templates=n_templates,
        anonymisers=arguments.palette,
    )
    style.save_each(figure, arguments.figures)


if __name__ == "__main__":
    run(main)
