"""Draw the ECE profiles of all systems, a panel for every set (Figure 10 of Noe et al., CSL 2022)."""

import argparse
from itertools import product

from voiceprivacy.inout.files import BadInput
from voiceprivacy.report.curves import read_curves
from voiceprivacy.report.plots import style
from voiceprivacy.report.plots.layouts import profiles_picture
from voiceprivacy.running.command import run

COLUMNS = ["prior_log_odds", "ece_bit", "ece_default_bit"]
SHOWN = ("oo", "op")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--systems", nargs="+", required=True, metavar="NAME", help="original and anonymisers"
    )
    parser.add_argument("--sets", nargs="+", required=True, metavar="NAME", help="the panels")
    parser.add_argument(
        "--curves",
        nargs="+",
        required=True,
        metavar="TSV",
        help="of assess_zebra.py: all sets of each system",
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

    places = list(product(arguments.systems, arguments.sets))
    if len(places) != len(arguments.curves):
        raise BadInput(
            f"{len(arguments.curves)} curves for {len(places)} profiles: give one for each system and set"
        )
    profiles = {name: {} for name in arguments.sets}
    for (system, name), path in zip(places, arguments.curves, strict=True):
        curves = read_curves(path, COLUMNS)
        profiles[name] |= {f"{system}/{label}": curves[label] for label in SHOWN if label in curves}
    figure = profiles_picture(profiles, anonymisers=arguments.palette)
    style.save_each(figure, arguments.figures)


if __name__ == "__main__":
    run(main)
