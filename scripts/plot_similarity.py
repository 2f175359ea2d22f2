"""Draw the voice similarity matrices OO, OP, PO and PP of one anonymiser in one picture."""

import argparse
from pathlib import Path

from voiceprivacy.inout.tables import read_manifest
from voiceprivacy.report.curves import read_similarities
from voiceprivacy.report.leaderboard import ORDERS, arrange
from voiceprivacy.report.plots import style
from voiceprivacy.report.plots.similarity import picture
from voiceprivacy.running.command import run


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--curves",
        required=True,
        type=Path,
        help="TSV: matrix row_speaker column_speaker similarity",
    )
    parser.add_argument(
        "--manifest",
        required=True,
        type=Path,
        help="of the trial speech: orders speakers by gender",
    )
    parser.add_argument(
        "--order", choices=ORDERS, default="gender", help="of the speakers; default: gender"
    )
    parser.add_argument("--title", default="", help="what stands above the picture")
    parser.add_argument(
        "--figures",
        nargs="+",
        required=True,
        metavar="FILE",
        help="the same picture as svg, pdf, png",
    )
    arguments = parser.parse_args()

    genders = {
        utterance.speaker: utterance.gender for utterance in read_manifest(arguments.manifest)
    }
    speakers, matrices = arrange(
        *read_similarities(arguments.curves, genders=genders), arguments.order
    )
    figure = picture(**matrices, speakers=speakers, title=arguments.title)
    style.save_each(figure, arguments.figures)


if __name__ == "__main__":
    run(main)
