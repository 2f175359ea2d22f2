"""Draw what a calibration that is trained on one run of an anonymiser is worth on the other, a panel per condition."""

import argparse

from voiceprivacy.inout.files import read_json
from voiceprivacy.report.curves import read_curves, read_limits
from voiceprivacy.report.plots import style
from voiceprivacy.report.plots.zebra import CALIBRATIONS, calibration_picture
from voiceprivacy.running.command import run

COLUMNS = ["prior_log_odds", *(f"ece_{name}_bit" for name in CALIBRATIONS)]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--curves", required=True, metavar="TSV", help="of assess_calibration.py")
    parser.add_argument(
        "--metrics", required=True, metavar="JSON", help="of assess_calibration.py, with labels"
    )
    parser.add_argument(
        "--figures",
        nargs="+",
        required=True,
        metavar="FILE",
        help="the same picture as svg, pdf, tex",
    )
    arguments = parser.parse_args()

    curves, limits = read_curves(arguments.curves, COLUMNS), read_limits(arguments.metrics)
    metrics = {
        label: of | {"limits": limits.get(label, {})}
        for label, of in read_json(arguments.metrics).items()
    }
    figure = calibration_picture(curves=curves, metrics=metrics)
    style.save_each(figure, arguments.figures)


if __name__ == "__main__":
    run(main)
