"""Assess the score files of one system: verification, ZEBRA, and what an anonymiser changed.

It writes what assess_verification.py and assess_zebra.py write, and curves of the law.
"""

import argparse

from voiceprivacy.inout.json_files import write_json
from voiceprivacy.inout.tables import write_curves
from voiceprivacy.privacy.law import curves
from voiceprivacy.privacy.scores import zebra
from voiceprivacy.privacy.scores.assessment import FAMILIES, assess
from voiceprivacy.privacy.uncertainty.interval_files import Draws, write_intervals
from voiceprivacy.privacy.uncertainty.normalised import Proportion, write_normalised
from voiceprivacy.running.command import add_intervals, label_inputs, print_metrics, run
from voiceprivacy.vocabulary import WITHIN_RELEASE


def main() -> None:
    arguments = parsed()
    draws = Draws.of(arguments)
    tags = zebra.read_tags(arguments.tags) if arguments.tags else zebra.TABLE_1
    assessed = {
        label: assess(
            label,
            path,
            draws=draws,
            trials=arguments.release if label in WITHIN_RELEASE else arguments.trials,
            speakers=arguments.speakers,
            tags=tags,
            law=bool(arguments.law),
        )
        for label, path in label_inputs(arguments.scores, arguments.label).items()
    }
    write_curves(arguments.curves, {label: own.curve for label, own in assessed.items()})
    if arguments.law:
        curves.write_curves(arguments.law, {label: own.law for label, own in assessed.items()})
    for family in FAMILIES:
        path = getattr(arguments, family)
        metrics = {label: own.metrics[family] for label, own in assessed.items()}
        resampled = {
            label: own.resampled[family] for label, own in assessed.items() if own.resampled
        }
        write_json(path, metrics)
        print_metrics(write_intervals(path, metrics, resampled, arguments.label))
    if arguments.normalised:
        print_metrics(write_proportions(arguments, draws))


def parsed() -> argparse.Namespace:
    """The arguments of the command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scores", required=True, nargs="+", help="enrolment trial label score")
    parser.add_argument("--label", required=True, nargs="+", help="a name for each score file")
    parser.add_argument("--trials", help="TSV: the trial list that all but rr must be scores of")
    parser.add_argument("--release", help="TSV: the list that those of rr must be scores of")
    parser.add_argument(
        "--tags", help="YAML with tags of your own: {tag: {from_log10: 1, meaning: ...}}"
    )
    add_intervals(parser)
    for family in ("verification", "zebra"):
        parser.add_argument(f"--{family}", required=True, help="JSON to write")
        parser.add_argument(
            f"--{family}-original", help=f"what --{family} wrote of original speech, label oo"
        )
    parser.add_argument(
        "--curves", required=True, help="TSV to write: label prior_log_odds ece_bit ece_default_bit"
    )
    parser.add_argument(
        "--normalised", help="JSON to write: op and pp in proportion to the original's metrics"
    )
    parser.add_argument("--law", help="TSV to write: singling out and linkability over N and L")
    arguments = parser.parse_args()
    if arguments.normalised and not (arguments.verification_original and arguments.zebra_original):
        parser.error("--normalised needs --verification-original and --zebra-original")
    return arguments


def write_proportions(arguments: argparse.Namespace, draws: Draws) -> dict:
    """Write the normalised metrics; they can be printed then."""
    return write_normalised(
        arguments.normalised,
        dece=Proportion(arguments.zebra_original, arguments.zebra, "dece_bit"),
        cllr_min=Proportion(
            arguments.verification_original, arguments.verification, "cllr_min_bit"
        ),
        draws=draws if arguments.speakers else draws._replace(n_replicates=0),
    )


if __name__ == "__main__":
    run(main)
