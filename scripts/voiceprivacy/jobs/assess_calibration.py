"""Assess what a calibration trained on one run of an anonymiser is worth on another (C_ECE)."""

import argparse
import functools

from voiceprivacy.inout.files import BadInput, naming
from voiceprivacy.inout.json_files import write_json
from voiceprivacy.inout.tables import write_curves
from voiceprivacy.privacy.scores import zebra
from voiceprivacy.privacy.scores.trials import read_score_file
from voiceprivacy.privacy.uncertainty.interval_files import Draws, resampled_runs, write_intervals
from voiceprivacy.running.command import (
    add_intervals,
    flat_unless_labelled,
    label_inputs,
    print_metrics,
    run,
)


def main() -> None:
    arguments = parsed()
    draws = Draws.of(arguments)
    metrics, curves, resampled = {}, {}, {}
    laplace = not arguments.without_laplace
    # Without replicates nobody needs to know who speaks.
    speaker_map = arguments.speakers if draws.n_replicates else None
    tests = label_inputs(arguments.test, arguments.label)
    for (label, test_path), train_path in zip(tests.items(), arguments.train, strict=True):
        train = read_score_file(train_path, key=arguments.train_trials, speaker_map=speaker_map)
        test = read_score_file(test_path, key=arguments.test_trials, speaker_map=speaker_map)
        with naming(train_path):
            metrics[label], curves[label] = zebra.assess_calibration(
                train=train.scores, test=test.scores, laplace=laplace
            )
        if train.trials and test.trials:
            measure = functools.partial(zebra.runs_metrics, laplace=laplace)
            resampled[label] = resampled_runs(train.trials, test.trials, measure, draws)
    if arguments.plot:  # matplotlib takes long to import
        from voiceprivacy.report.plots import style
        from voiceprivacy.report.plots.evidence import calibration_picture

        style.save(calibration_picture(curves=curves, metrics=metrics), arguments.plot)
    if arguments.curves:
        write_curves(arguments.curves, curves)
    if arguments.metrics:
        write_json(arguments.metrics, flat_unless_labelled(metrics, arguments.label))
    print_metrics(write_intervals(arguments.metrics, metrics, resampled, arguments.label))


def parsed() -> argparse.Namespace:
    """The arguments of the command."""
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
    parser.add_argument(
        "--train-trials", help="key, if --train are Kaldi scores; or the trial list of ours"
    )
    parser.add_argument(
        "--test-trials", help="key, if --test are Kaldi scores; or the trial list of ours"
    )
    parser.add_argument(
        "--without-laplace", action="store_true", help="isotonic calibration with infinite LLRs"
    )
    parser.add_argument("--metrics", help="JSON to write")
    parser.add_argument("--curves", help="TSV of the ECE profiles to write")
    parser.add_argument("--plot", help="picture of the ECE profiles to write: svg, pdf or png")
    add_intervals(parser)
    arguments = parser.parse_args()
    if len(arguments.train) != len(arguments.test):
        raise BadInput(
            f"--train names {len(arguments.train)} files, --test {len(arguments.test)};"
            " give one for each"
        )
    return arguments


if __name__ == "__main__":
    run(main)
