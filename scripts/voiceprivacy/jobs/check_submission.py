"""The job check_submission."""

import sys
from functools import partial
from pathlib import Path

from voiceprivacy.inout.files import BadInput, counted
from voiceprivacy.organise.finished_run import unchanged
from voiceprivacy.organise.submission import (
    ABOUT,
    Submission,
    anonymiser_of,
    check,
    plan_of,
    trials_of,
)
from voiceprivacy.plan import configuration
from voiceprivacy.running.adapter import run
from voiceprivacy.running.command import say


def check_submission(
    submission: Path,
    *,
    config: str,
    anonymiser: str | None = None,
    results: Path | None = None,
) -> None:
    """Check a submission: what is missing, what is unknown, which score is none.

    Parameters
    ----------
    submission : zip, as ``voiceprivacy export`` writes it
    config : YAML of the run that is asked for; its anonymisers do not matter
    anonymiser : whose it is (default: as submission.json says)
    results : finished run whose lists count; without, they are made from the corpora
    """
    finished = unchanged(results) if results else None
    submitted = Submission(submission)
    whose = anonymiser or anonymiser_of(submitted)
    if not whose:
        raise BadInput(f"{submission}: {ABOUT} does not say whose it is: give --anonymiser")
    plan = plan_of(configuration.read(config), whose)
    n_findings = 0
    trials = finished.trials if finished else partial(trials_of, plan)
    for finding in check(submitted, plan, whose, trials=trials):
        n_findings += 1
        say(finding)
    in_words = counted(n_findings, "finding") if n_findings else "no findings"
    say(f"{submission}, anonymiser {whose}: {in_words}")
    if n_findings:
        sys.exit(2)


if __name__ == "__main__":
    run(check_submission)
