"""Assess score files: how well can the attacker still tell speakers apart?"""

import argparse
import sys

from voiceprivacy.inout.files import BadInput, write_json
from voiceprivacy.privacy.scores import verification
from voiceprivacy.privacy.scores.trials import read_score_file
from voiceprivacy.privacy.uncertainty.interval_files import (
    Draws,
    resampled_trials,
    write_intervals,
)
from voiceprivacy.running.command import (
    add_draws,
    flat_unless_labelled,
    label_inputs,
    print_metrics,
    run,
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--scores",
        required=True,
        nargs="+",
        help="TSV: enrolment trial label score; or Kaldi scores",
    )
    parser.add_argument("--label", nargs="+", help="a name for each score file")
    parser.add_argument("--trials", help="key of Kaldi scores: enrolment trial target|nontarget")
    parser.add_argument(
        "--p-target", type=float, default=0.01, help="prior of min_dcf (default 0.01)"
    )
    parser.add_argument("--metrics", required=True, help="JSON to write")
    parser.add_argument(
        "--speakers", help="TSV: id speaker, of enrolments and trials; adds intervals"
    )
    add_draws(parser, n_replicates=1000)
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
            print(f"warning: {path}: {warning}", file=sys.stderr)
    write_json(arguments.metrics, flat_unless_labelled(metrics, arguments.label))
    print_metrics(write_intervals(arguments.metrics, metrics, resampled, arguments.label))


if __name__ == "__main__":
    run(main)
