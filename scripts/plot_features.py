"""Draw the mean histogram of a feature (F0, units, style) over all speakers, for original and protected speech."""

import argparse

from voiceprivacy.inout.arrays import read_embeddings
from voiceprivacy.inout.files import BadInput
from voiceprivacy.report.plots import style
from voiceprivacy.report.plots.features import picture
from voiceprivacy.running.command import run

F0_RATE_HZ, F0_SHORTEST_LAG = 8000, 17  # bins of histograms.f0_histogram


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--embeddings", nargs="+", required=True, metavar="NPZ", help="one histogram an utterance"
    )
    parser.add_argument(
        "--systems", nargs="+", required=True, metavar="NAME", help="in the order of the files"
    )
    parser.add_argument(
        "--feature", required=True, choices=["f0", "units", "style"], help="what the bins are"
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

    if len(arguments.systems) != len(arguments.embeddings):
        raise BadInput(
            f"{len(arguments.systems)} systems for {len(arguments.embeddings)} files: give one each"
        )
    histograms = {
        system: read_embeddings(path).embeddings
        for system, path in zip(arguments.systems, arguments.embeddings, strict=True)
    }
    bins = range(next(iter(histograms.values())).shape[1])
    labels, name = [str(place) for place in bins], arguments.feature
    if arguments.feature == "f0":
        labels, name = (
            [f"{F0_RATE_HZ / (F0_SHORTEST_LAG + place):.0f}" for place in bins],
            "F0 [Hz], a bin each lag",
        )
    figure = picture(histograms=histograms, bins=(labels, name), title=arguments.title)
    style.save_each(figure, arguments.figures)


if __name__ == "__main__":
    run(main)
