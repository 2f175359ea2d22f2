"""The job check_submission."""

import sys
from pathlib import Path

from voiceprivacy.inout.files import BadInput, counted
from voiceprivacy.organise.finished_run import unchanged
from voiceprivacy.organise.submission import ABOUT, Submission, anonymiser_of, check, plan_of
from voiceprivacy.plan import configuration
from voiceprivacy.running.adapter import run
from voiceprivacy.running.command import say


def check_submission(
    submission: Path,
    *,
    config: str,
    anonymiser: str | None = None,
    results: Path | None = None,
    audio: bool = False,
) -> None:
    """Check a submission (folder or zip): what is missing, what is unknown, which score is none.

    Parameters
    ----------
    submission : folder or zip, as export_submission.py writes it
    config : YAML of the run that is asked for; its anonymisers do not matter
    anonymiser : whose it is (default: as submission.json says)
    results : finished run whose lists count; without, they are made from the corpora
    audio : protected speech must be there for every utterance
    """
    finished = unchanged(results) if results else None
    submitted = Submission(submission)
    whose = anonymiser or anonymiser_of(submitted)
    if not whose:
        raise BadInput(f"{submission}: {ABOUT} does not say whose it is: give --anonymiser")
    plan = plan_of(configuration.read(config), whose)
    n_findings = 0
    for finding in check(submitted, plan, whose, run=finished, with_audio=audio):
        n_findings += 1
        say(finding)  # at once: speech is read for minutes
    in_words = counted(n_findings, "finding") if n_findings else "no findings"
    say(f"{submission}, anonymiser {whose}: {in_words}")
    if n_findings:
        sys.exit(2)


if __name__ == "__main__":
    run(check_submission)
