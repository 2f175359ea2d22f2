"""Draw the rank histograms of all anonymisers under one attacker with the fitted model, one panel for each attack."""

import argparse

from voiceprivacy.report.curves import read_systems
from voiceprivacy.report.plots import style
from voiceprivacy.report.plots.ranks import picture
from voiceprivacy.running.command import run

COLUMNS = ["rank", "p", "gamma"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--anonymisers", nargs="+", required=True, metavar="NAME", help="in the order of the files"
    )
    parser.add_argument(
        "--curves", nargs="+", required=True, metavar="TSV", help="one each, of assess_ranks.py"
    )
    parser.add_argument(
        "--metrics", nargs="+", required=True, metavar="JSON", help="one each, of assess_ranks.py"
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

    curves, metrics = read_systems(
        anonymisers=arguments.anonymisers,
        curves=arguments.curves,
        metrics=arguments.metrics,
        columns=COLUMNS,
    )
    figure = picture(curves=curves, metrics=metrics, anonymisers=arguments.palette)
    style.save_each(figure, arguments.figures)


if __name__ == "__main__":
    run(main)
