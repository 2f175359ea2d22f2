"""Draw the conventional pictures of score files, several files in one picture."""

import argparse

from voiceprivacy.inout.tables import read_scores
from voiceprivacy.privacy.scores.profiles import PROFILES
from voiceprivacy.report.plots import scores, style
from voiceprivacy.running.command import label_inputs, run

PICTURES = """
ece: empirical cross-entropy (actual, minimum, default); bayes_error: APE plot; normalised_bayes_error: the same
divided by the default; det, roc: error trade-off with convex hull; tippett: shares of trials above an LLR;
scores, llrs: histograms; calibration: empirical calibration plot. Where LLRs are wanted, scores are taken at their
word as natural logarithms. For ZEBRA's own picture: assess_zebra.py --plot.
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, epilog=PICTURES)
    parser.add_argument(
        "--scores",
        required=True,
        nargs="+",
        help="TSV: enrolment trial label score; or Kaldi scores",
    )
    parser.add_argument("--label", nargs="+", help="a name for each score file")
    parser.add_argument("--trials", help="key of Kaldi scores: enrolment trial target|nontarget")
    parser.add_argument("--picture", required=True, choices=PROFILES)
    parser.add_argument(
        "--plot", required=True, nargs="+", help="files to write: svg, pdf, png or tex (pgfplots)"
    )
    arguments = parser.parse_args()

    curves = {
        label: PROFILES[arguments.picture](**read_scores(path, key=arguments.trials))
        for label, path in label_inputs(arguments.scores, arguments.label).items()
    }
    figure = scores.picture(arguments.picture, curves)
    style.save_each(figure, arguments.plot)


if __name__ == "__main__":
    run(main)
