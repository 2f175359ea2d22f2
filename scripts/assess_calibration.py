"""Assess what a calibration that is trained on one run of an anonymiser is worth on another (C_ECE)."""

import argparse

from voiceprivacy.command import flat_unless_labelled, label_inputs, print_metrics, run
from voiceprivacy.files import BadInput, write_json
from voiceprivacy.privacy import zebra
from voiceprivacy.tables import read_scores


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--train", required=True, nargs="+", help="scores that train the calibrations")
    parser.add_argument(
        "--test", required=True, nargs="+", help="scores that are calibrated, one file for each --train"
    )
    parser.add_argument("--label", nargs="+", help="a name for each pair of score files")
    parser.add_argument("--train-trials", help="key, if --train are Kaldi scores")
    parser.add_argument("--test-trials", help="key, if --test are Kaldi scores")
    parser.add_argument("--metrics", required=True, help="JSON to write")
    arguments = parser.parse_args()
    if len(arguments.train) != len(arguments.test):
        raise BadInput(f"--train names {len(arguments.train)} files, --test {len(arguments.test)}; give one for each")

    metrics = {}
    tests = label_inputs(arguments.test, arguments.label)
    for (label, test), train in zip(tests.items(), arguments.train, strict=True):
        metrics[label] = zebra.assess_calibration(
            train=read_scores(train, key=arguments.train_trials), test=read_scores(test, key=arguments.test_trials)
        )
    write_json(arguments.metrics, flat_unless_labelled(metrics, arguments.label))
    print_metrics(metrics)


if __name__ == "__main__":
    run(main)
