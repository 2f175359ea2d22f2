"""Assess score files: how well can the attacker still tell speakers apart?"""

import argparse
import sys

from voiceprivacy.inout.files import BadInput
from voiceprivacy.inout.json_files import write_json
from voiceprivacy.privacy.scores import verification
from voiceprivacy.privacy.scores.trials import read_score_file
from voiceprivacy.privacy.uncertainty.interval_files import (
    Draws,
    resampled_trials,
    write_intervals,
)
from voiceprivacy.running.command import (
    add_intervals,
    add_score_files,
    flat_unless_labelled,
    label_inputs,
    print_metrics,
    run,
    say,
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    add_score_files(parser)
    parser.add_argument(
        "--p-target", type=float, default=0.01, help="prior of min_dcf (default 0.01)"
    )
    parser.add_argument("--metrics", help="JSON to write")
    add_intervals(parser)
    arguments = parser.parse_args()
    if not 0 < arguments.p_target < 1:
        raise BadInput(f"--p-target: {arguments.p_target} is not between 0 and 1")
    draws = Draws.of(arguments)

    metrics, resampled = {}, {}
    for label, path in label_inputs(arguments.scores, arguments.label).items():
        speaker_map = arguments.speakers if draws.n_replicates else None
        scores, trials = read_score_file(path, key=arguments.trials, speaker_map=speaker_map)
        metrics[label] = verification.assess(**scores, p_target=arguments.p_target)
        if trials:
            measure = verification.resampled_metrics(**scores)
            resampled[label] = resampled_trials(trials, measure, draws)
        warning = verification.warning_of_ties(**scores)
        if warning:
            say(f"warning: {path}: {warning}", file=sys.stderr)
    if arguments.metrics:
        write_json(arguments.metrics, flat_unless_labelled(metrics, arguments.label))
    print_metrics(write_intervals(arguments.metrics, metrics, resampled, arguments.label))


if __name__ == "__main__":
    run(main)
