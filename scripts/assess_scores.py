"""Assess the score files of one system: verification, ZEBRA, and what an anonymiser changed.

It writes what assess_verification.py and assess_zebra.py write, and evidence for the verdict.
"""

import argparse
import sys
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from voiceprivacy.inout.json_files import write_json
from voiceprivacy.inout.tables import read_scored_trials, write_curves
from voiceprivacy.privacy.law import beyond
from voiceprivacy.privacy.scores import verification, zebra
from voiceprivacy.privacy.scores.trials import arranged, ids_of, scores_of
from voiceprivacy.privacy.uncertainty import null
from voiceprivacy.privacy.uncertainty.interval_files import (
    Draws,
    Resampled,
    resampled_trials,
    write_intervals,
)
from voiceprivacy.privacy.uncertainty.normalised import Proportion, write_normalised
from voiceprivacy.privacy.verdict.record import (
    ATTACKS,
    Record,
    record_of,
    trials_of_unknown,
    write_records,
)
from voiceprivacy.running.command import add_intervals, label_inputs, print_metrics, run, say
from voiceprivacy.vocabulary import WITHIN_RELEASE, LawPoint

FAMILIES = ("verification", "zebra")


class Assessed(NamedTuple):
    """What one score file says; ``resampled`` is empty without speakers.

    ``metrics`` {family: {metric: value}}, ``resampled`` {family: Resampled}, ``curve`` as
    zebra.assess gives it. ``record`` and ``law`` are those of an attack.
    """

    metrics: Mapping[str, dict[str, Any]]
    resampled: Mapping[str, Resampled]
    curve: Mapping[str, Any]
    record: Record | None
    law: list[LawPoint]


def main() -> None:
    arguments = parsed()
    draws = Draws.of(arguments)
    tags = zebra.read_tags(arguments.tags) if arguments.tags else zebra.TABLE_1
    assessed = {
        label: assess(label, path, arguments, draws, tags)
        for label, path in label_inputs(arguments.scores, arguments.label).items()
    }
    write_curves(arguments.curves, {label: own.curve for label, own in assessed.items()})
    if arguments.evidence:
        records = {label: own.record for label, own in assessed.items() if own.record}
        write_records(arguments.evidence, records)
    if arguments.law:
        beyond.write_curves(arguments.law, {label: own.law for label, own in assessed.items()})
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


def assess(
    label: str, path: str, arguments: argparse.Namespace, draws: Draws, tags: Sequence[zebra.Tag]
) -> Assessed:
    """Assess one score file.

    Nothing that is as long as the list is kept: a million trials of three conditions fit into
    600 MB.
    """
    # Under rr, trial utterances are compared with each other: those are not listed.
    listed = None if label in WITHIN_RELEASE else arguments.trials
    scored = read_scored_trials(path, key=listed)
    scores: dict[str, Any] = scores_of(scored)
    has_speakers = arguments.speakers and draws.n_replicates
    trials = arranged(path, scored, arguments.speakers) if has_speakers else None
    wanted = label in ATTACKS and (arguments.evidence or arguments.law)
    known = (trials or trials_of_unknown(path, scored)) if wanted else None
    ids = ids_of(scored, alike=label in WITHIN_RELEASE) if known else None
    del scored  # names and numbers as Python has them: six times as large as arrays of them
    zebra_metrics, curve = zebra.assess(**scores, tags=tags)
    metrics = {"verification": verification.assess(**scores), "zebra": zebra_metrics}
    resampled = {}
    if trials:  # one set of draws serves both families
        drawn = resampled_trials(trials, zebra.measure_of_both(scores), draws)
        resampled = {family: drawn.part(metrics[family]) for family in FAMILIES}
        if label not in WITHIN_RELEASE:  # its band is part of the evidence
            metrics["zebra"] |= null.assess(trials, **draws._asdict())
    warning = verification.warning_of_ties(**scores)
    if warning:
        say(f"warning: {path}: {warning}", file=sys.stderr)
    record = None
    law: list[LawPoint] = []
    if known and ids and arguments.evidence:
        record = record_of(label, known, ids, **draws._asdict())
    if known and ids and arguments.law:
        law = beyond.curves_of(label, known, ids, **draws._asdict())
    return Assessed(metrics, resampled, curve, record, law)


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
