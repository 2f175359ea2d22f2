"""Assess what a calibration that is trained on one run of an anonymiser is worth on another (C_ECE)."""

import argparse

from voiceprivacy.command import flat_unless_labelled, label_inputs, print_metrics, run
from voiceprivacy.files import BadInput, write_json
from voiceprivacy.privacy import zebra
from voiceprivacy.tables import read_scores, write_table


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--train", required=True, nargs="+", help="scores that train the calibrations")
    parser.add_argument("--test", required=True, nargs="+", help="scores that are calibrated, a file for each --train")
    parser.add_argument("--label", nargs="+", help="a name for each pair of score files")
    parser.add_argument("--train-trials", help="key, if --train are Kaldi scores")
    parser.add_argument("--test-trials", help="key, if --test are Kaldi scores")
    parser.add_argument("--without-laplace", action="store_true", help="isotonic calibration with infinite LLRs")
    parser.add_argument("--metrics", required=True, help="JSON to write")
    parser.add_argument("--curves", help="TSV of the ECE profiles to write")
    parser.add_argument("--plot", help="picture of the ECE profiles to write: svg, pdf, png or tex (pgfplots)")
    arguments = parser.parse_args()
    if len(arguments.train) != len(arguments.test):
        raise BadInput(f"--train names {len(arguments.train)} files, --test {len(arguments.test)}; give one for each")

    metrics, curves = {}, {}
    tests = label_inputs(arguments.test, arguments.label)
    for (label, test), train in zip(tests.items(), arguments.train, strict=True):
        runs = {
            "train": read_scores(train, key=arguments.train_trials),
            "test": read_scores(test, key=arguments.test_trials),
        }
        metrics[label] = zebra.assess_calibration(**runs, laplace=not arguments.without_laplace)
        curves[label] = zebra.calibration_profiles(**runs, laplace=not arguments.without_laplace)
    if arguments.plot:
        from voiceprivacy.report.plots import style
        from voiceprivacy.report.plots.zebra import calibration_picture

        style.save(calibration_picture(curves=curves, metrics=metrics), arguments.plot)
    if arguments.curves:
        columns = ["label", *next(iter(curves.values()))]
        rows = [(label, *row) for label, curve in curves.items() for row in zip(*curve.values(), strict=True)]
        write_table(arguments.curves, columns, rows)
    write_json(arguments.metrics, flat_unless_labelled(metrics, arguments.label))
    print_metrics(metrics)


if __name__ == "__main__":
    run(main)
