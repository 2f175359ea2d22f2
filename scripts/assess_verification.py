"""Assess score files: how well can the attacker still tell speakers apart?"""

import argparse
import functools
import sys

from voiceprivacy.inout.files import BadInput, write_json
from voiceprivacy.inout.tables import read_scores
from voiceprivacy.privacy.scores import verification
from voiceprivacy.privacy.uncertainty import interval_files
from voiceprivacy.running.command import flat_unless_labelled, label_inputs, print_metrics, run


def main():
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
    interval_files.add_arguments(parser, with_speakers=True)
    arguments = parser.parse_args()
    if not 0 < arguments.p_target < 1:
        raise BadInput(f"--p-target: {arguments.p_target} is not between 0 and 1")

    metrics, resampled = {}, {}
    for label, path in label_inputs(arguments.scores, arguments.label).items():
        scores = read_scores(path, key=arguments.trials)
        metrics[label] = verification.assess(**scores, p_target=arguments.p_target)
        of_speakers = interval_files.speaker_trials(path, arguments, key=arguments.trials)
        if of_speakers:
            measure = functools.partial(
                verification.of_sample, bins=verification.histogram_bins(**scores)
            )
            resampled[label] = interval_files.of_scores(of_speakers, measure, arguments)
        tied_percent = verification.tied_percent(**scores)
        if tied_percent > 1:
            warning = f"{tied_percent:.3g} % of the trials have a score that a trial of the other class has too"
            advice = "eer_percent (Kaldi's) counts that as errors, eer_rocch_percent is right"
            print(f"warning: {path}: {warning}; {advice}", file=sys.stderr)
    write_json(arguments.metrics, flat_unless_labelled(metrics, arguments.label))
    print_metrics(
        interval_files.write_intervals(arguments.metrics, metrics, resampled, arguments.label)
    )


if __name__ == "__main__":
    run(main)
