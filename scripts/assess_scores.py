"""Assess the score files of one system: verification, ZEBRA, and what an anonymiser changed.

It writes what assess_verification.py and assess_zebra.py write, and evidence for the verdict.
"""

import argparse
import sys
from typing import Any

from voiceprivacy.inout.files import write_json
from voiceprivacy.inout.tables import read_scored_trials, write_curves
from voiceprivacy.privacy.law import beyond
from voiceprivacy.privacy.scores import verification, zebra
from voiceprivacy.privacy.scores.trials import arranged, scores_of
from voiceprivacy.privacy.uncertainty import null
from voiceprivacy.privacy.uncertainty.interval_files import (
    Draws,
    resampled_trials,
    write_intervals,
)
from voiceprivacy.privacy.uncertainty.normalised import Proportion, write_normalised
from voiceprivacy.privacy.verdict.record import (
    ATTACKS,
    records_of,
    trials_of_unknown,
    write_records,
)
from voiceprivacy.running.command import add_intervals, label_inputs, print_metrics, run, say
from voiceprivacy.vocabulary import WITHIN_RELEASE


def main() -> None:
    arguments = parsed()
    draws = Draws.of(arguments)
    tags = zebra.read_tags(arguments.tags) if arguments.tags else zebra.TABLE_1
    metrics: dict[str, dict] = {"verification": {}, "zebra": {}}
    resampled: dict[str, dict] = {"verification": {}, "zebra": {}}
    curves, attacks = {}, {}
    for label, path in label_inputs(arguments.scores, arguments.label).items():
        # Under rr, trial utterances are compared with each other: those are not listed.
        listed = None if label in WITHIN_RELEASE else arguments.trials
        scored = read_scored_trials(path, key=listed)
        scores: dict[str, Any] = scores_of(scored)
        has_speakers = arguments.speakers and draws.n_replicates
        trials = arranged(path, scored, arguments.speakers) if has_speakers else None
        metrics["verification"][label] = verification.assess(**scores)
        metrics["zebra"][label], curves[label] = zebra.assess(**scores, tags=tags)
        if trials:  # one set of draws serves both families
            drawn = resampled_trials(trials, zebra.measure_of_both(scores), draws)
            for family, values in metrics.items():
                resampled[family][label] = drawn.part(values[label])
            if label not in WITHIN_RELEASE:  # its band is part of the evidence
                metrics["zebra"][label] |= null.assess(trials, **draws._asdict())
        wanted = label in ATTACKS and (arguments.evidence or arguments.law)
        known = (trials or trials_of_unknown(path, scored)) if wanted else None
        if known:
            attacks[label] = scored, known
        warning = verification.warning_of_ties(**scores)
        if warning:
            say(f"warning: {path}: {warning}", file=sys.stderr)
    write_curves(arguments.curves, curves)
    if arguments.evidence:
        write_records(arguments.evidence, records_of(attacks, **draws._asdict()))
    if arguments.law:
        beyond.write_curves(arguments.law, attacks, **draws._asdict())
    for family, values in metrics.items():
        path = getattr(arguments, family)
        write_json(path, values)
        print_metrics(write_intervals(path, values, resampled[family], arguments.label))
    if arguments.normalised:
        print_metrics(write_proportions(arguments, draws))


def parsed() -> argparse.Namespace:
    """The arguments of the command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scores", required=True, nargs="+", help="enrolment trial label score")
    parser.add_argument("--label", required=True, nargs="+", help="a name for each score file")
    parser.add_argument("--trials", help="TSV: the trial list that all but rr must be scores of")
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
    parser.add_argument(
        "--evidence", help="JSON to write, with an npz beside it: what the verdict is made of"
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
