"""Draw what the speech of every speaker gives away, the most exposed first."""

import argparse
from pathlib import Path

from voiceprivacy.command import run
from voiceprivacy.report.colours import palette
from voiceprivacy.report.plots import style
from voiceprivacy.report.plots.speakers import picture
from voiceprivacy.report.speakers import EXPOSURES, read_speakers


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--speakers", required=True, type=Path, help="TSV of assess_speakers.py")
    parser.add_argument("--title", default="", help="what stands above the picture")
    parser.add_argument("--palette", nargs="*", default=[], metavar="NAME", help="all anonymisers, for the colours")
    parser.add_argument("--anonymiser", default="", help="whose speakers they are, for the colour")
    parser.add_argument("--figures", nargs="+", required=True, metavar="FILE", help="the same picture as svg, pdf, png")
    arguments = parser.parse_args()

    colour = palette([*arguments.palette, arguments.anonymiser])[arguments.anonymiser]
    figure = picture(exposures=read_speakers(arguments.speakers, EXPOSURES), title=arguments.title, colour=colour)
    for path in arguments.figures:
        style.save(figure, path)
        print(f"wrote {path}")


if __name__ == "__main__":
    run(main)
