"""Check a submission (folder or zip): what is missing, what is unknown, which score is none."""

import argparse
import sys
from pathlib import Path

from voiceprivacy.inout.files import BadInput, counted
from voiceprivacy.organise.finished_run import unchanged
from voiceprivacy.organise.submission import ABOUT, Submission, anonymiser_of, check, plan_of
from voiceprivacy.plan import configuration
from voiceprivacy.running.command import run, say


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "submission", type=Path, help="folder or zip, as export_submission.py writes it"
    )
    parser.add_argument(
        "--config",
        required=True,
        help="YAML of the run that is asked for; its anonymisers do not matter",
    )
    parser.add_argument("--anonymiser", help="whose it is (default: as submission.json says)")
    parser.add_argument(
        "--results",
        type=Path,
        help="finished run whose lists count; without, they are made from the corpora",
    )
    parser.add_argument(
        "--audio", action="store_true", help="protected speech must be there for every utterance"
    )
    arguments = parser.parse_args()

    finished = unchanged(arguments.results) if arguments.results else None
    submitted = Submission(arguments.submission)
    anonymiser = arguments.anonymiser or anonymiser_of(submitted)
    if not anonymiser:
        raise BadInput(
            f"{arguments.submission}: {ABOUT} does not say whose it is: give --anonymiser"
        )
    plan = plan_of(configuration.read(arguments.config), anonymiser)
    n_findings = 0
    for finding in check(submitted, plan, anonymiser, run=finished, with_audio=arguments.audio):
        n_findings += 1
        say(finding)  # at once: speech is read for minutes
    in_words = counted(n_findings, "finding") if n_findings else "no findings"
    say(f"{arguments.submission}, anonymiser {anonymiser}: {in_words}")
    if n_findings:
        sys.exit(2)


if __name__ == "__main__":
    run(main)
