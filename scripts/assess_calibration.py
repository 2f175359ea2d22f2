"""Assess what a calibration that is trained on one run of an anonymiser is worth on another (C_ECE)."""

import argparse
import functools

from voiceprivacy.inout.files import BadInput, naming, write_json
from voiceprivacy.inout.tables import read_scores, write_curves
from voiceprivacy.privacy.scores import zebra
from voiceprivacy.privacy.uncertainty import interval_files
from voiceprivacy.running.command import flat_unless_labelled, label_inputs, print_metrics, run


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--train", required=True, nargs="+", help="scores that train the calibrations"
    )
    parser.add_argument(
        "--test",
        required=True,
        nargs="+",
        help="scores that are calibrated, a file for each --train",
    )
    parser.add_argument("--label", nargs="+", help="a name for each pair of score files")
    parser.add_argument("--train-trials", help="key, if --train are Kaldi scores")
    parser.add_argument("--test-trials", help="key, if --test are Kaldi scores")
    parser.add_argument(
        "--without-laplace", action="store_true", help="isotonic calibration with infinite LLRs"
    )
    parser.add_argument("--metrics", required=True, help="JSON to write")
    parser.add_argument("--curves", help="TSV of the ECE profiles to write")
    parser.add_argument(
        "--plot", help="picture of the ECE profiles to write: svg, pdf, png or tex (pgfplots)"
    )
    interval_files.add_arguments(parser, with_speakers=True)
    arguments = parser.parse_args()
    if len(arguments.train) != len(arguments.test):
        raise BadInput(
            f"--train names {len(arguments.train)} files, --test {len(arguments.test)}; give one for each"
        )

    metrics, curves, resampled = {}, {}, {}
    options = {"laplace": not arguments.without_laplace}
    keys = {"train": arguments.train_trials, "test": arguments.test_trials}
    tests = label_inputs(arguments.test, arguments.label)
    for (label, test), train in zip(tests.items(), arguments.train, strict=True):
        paths = {"train": train, "test": test}
        runs = {run: read_scores(path, key=keys[run]) for run, path in paths.items()}
        with naming(train):
            metrics[label], curves[label] = zebra.assess_calibration(**runs, **options)
        arranged = [
            interval_files.speaker_trials(path, arguments, key=keys[run])
            for run, path in paths.items()
        ]
        if all(arranged):
            measure = functools.partial(zebra.of_runs, **options)
            resampled[label] = interval_files.of_runs(*arranged, measure, arguments)
    if arguments.plot:
        from voiceprivacy.report.plots import style
        from voiceprivacy.report.plots.evidence import calibration_picture

        style.save(calibration_picture(curves=curves, metrics=metrics), arguments.plot)
    if arguments.curves:
        write_curves(arguments.curves, curves)
    write_json(arguments.metrics, flat_unless_labelled(metrics, arguments.label))
    print_metrics(
        interval_files.write_intervals(arguments.metrics, metrics, resampled, arguments.label)
    )


if __name__ == "__main__":
    run(main)
