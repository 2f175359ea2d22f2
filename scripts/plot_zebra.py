"""Draw the ECE profiles of all anonymisers under one attacker in one picture."""

import argparse

from voiceprivacy.report.curves import read_systems
from voiceprivacy.report.plots import style
from voiceprivacy.report.plots.zebra import picture
from voiceprivacy.running.command import run

COLUMNS = ["prior_log_odds", "ece_bit", "ece_default_bit"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--anonymisers", nargs="+", required=True, metavar="NAME", help="in the order of the files"
    )
    parser.add_argument(
        "--curves", nargs="+", required=True, metavar="TSV", help="one each, of assess_zebra.py"
    )
    parser.add_argument(
        "--metrics", nargs="+", required=True, metavar="JSON", help="one each, of assess_zebra.py"
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
    figure = picture(curves=curves, metrics=metrics, looks=style.looks(curves, arguments.palette))
    style.save_each(figure, arguments.figures)


if __name__ == "__main__":
    run(main)
