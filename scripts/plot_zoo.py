"""Draw every condition's similarity matrix above its zoo plot."""

import argparse
from pathlib import Path

from voiceprivacy.inout.tables import read_manifest
from voiceprivacy.report.curves import ZOO, read_similarities, read_speakers
from voiceprivacy.report.leaderboard import ORDERS, arrange
from voiceprivacy.report.plots import style
from voiceprivacy.report.plots.zoo import picture
from voiceprivacy.running.command import run


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--curves", required=True, type=Path, help="TSV of assess_similarity.py --curves"
    )
    parser.add_argument("--zoo", required=True, type=Path, help="TSV of assess_similarity.py --zoo")
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
    zoo = read_speakers(arguments.zoo, ZOO)
    figure = picture(zoo=zoo, matrices=matrices, speakers=speakers, title=arguments.title)
    style.save_each(figure, arguments.figures)


if __name__ == "__main__":
    run(main)
