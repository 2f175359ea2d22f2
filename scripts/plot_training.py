"""Draw the loss and the held-out EER of an extractor's training, epoch by epoch."""

import argparse

from voiceprivacy.report.curves import read_curve
from voiceprivacy.report.plots import style
from voiceprivacy.report.plots.training import picture
from voiceprivacy.running.command import run


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--curve", required=True, help="training.tsv of the model")
    parser.add_argument("--title", default="", help="what stands above the picture")
    parser.add_argument(
        "--figures",
        nargs="+",
        required=True,
        metavar="FILE",
        help="the same picture as svg, pdf, png",
    )
    arguments = parser.parse_args()

    figure = picture(read_curve(arguments.curve), title=arguments.title)
    style.save_each(figure, arguments.figures)


if __name__ == "__main__":
    run(main)
