"""Draw what the speech of every speaker gives away, the most exposed first."""

import argparse
from pathlib import Path

from voiceprivacy.report.colours import COLOURS
from voiceprivacy.report.curves import EXPOSURES, read_speakers
from voiceprivacy.report.plots import style
from voiceprivacy.report.plots.speakers import picture
from voiceprivacy.running.command import run


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--speakers", required=True, type=Path, help="TSV of assess_speakers.py")
    parser.add_argument("--title", default="", help="what stands above the picture")
    parser.add_argument(
        "--colour",
        default=COLOURS[0],
        help="of the bars, such as #0072B2: the one of the anonymiser",
    )
    parser.add_argument(
        "--figures",
        nargs="+",
        required=True,
        metavar="FILE",
        help="the same picture as svg, pdf, png",
    )
    arguments = parser.parse_args()

    exposures = read_speakers(arguments.speakers, EXPOSURES)
    figure = picture(exposures=exposures, title=arguments.title, colour=arguments.colour)
    style.save_each(figure, arguments.figures)


if __name__ == "__main__":
    run(main)
