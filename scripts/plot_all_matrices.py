"""Draw the similarity matrices of all anonymisers on all sets in one picture (Figure 9 of Noe et al., CSL 2022)."""

import argparse
from itertools import product

from voiceprivacy.inout.files import BadInput
from voiceprivacy.inout.tables import read_manifest
from voiceprivacy.report.curves import read_similarities
from voiceprivacy.report.plots import style
from voiceprivacy.report.plots.layouts import matrices_picture
from voiceprivacy.running.command import run


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--anonymisers", nargs="+", required=True, metavar="NAME", help="the rows")
    parser.add_argument("--sets", nargs="+", required=True, metavar="NAME", help="the columns")
    parser.add_argument(
        "--manifests",
        nargs="+",
        required=True,
        metavar="TSV",
        help="of the trial speech of each set",
    )
    parser.add_argument(
        "--curves",
        nargs="+",
        required=True,
        metavar="TSV",
        help="of assess_similarity.py: all sets of each anonymiser",
    )
    parser.add_argument(
        "--figures",
        nargs="+",
        required=True,
        metavar="FILE",
        help="the same picture as svg, pdf, png",
    )
    arguments = parser.parse_args()

    places = list(product(arguments.anonymisers, arguments.sets))
    if len(places) != len(arguments.curves) or len(arguments.sets) != len(arguments.manifests):
        raise BadInput(
            f"{len(arguments.curves)} curves for {len(places)} panels: give one for each, and a manifest a set"
        )
    genders = {
        name: {utterance.speaker: utterance.gender for utterance in read_manifest(path)}
        for name, path in zip(arguments.sets, arguments.manifests, strict=True)
    }
    matrices = {
        place: read_similarities(path, genders=genders[place[1]])[1]
        for place, path in zip(places, arguments.curves, strict=True)
    }
    figure = matrices_picture(matrices)
    style.save_each(figure, arguments.figures)


if __name__ == "__main__":
    run(main)
