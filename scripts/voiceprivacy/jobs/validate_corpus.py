"""The job validate_corpus."""

import sys

from voiceprivacy.corpora import checks as checking
from voiceprivacy.corpora.listing import read_facts
from voiceprivacy.corpora.parts import write_excluded
from voiceprivacy.inout.enrolments import write_facts
from voiceprivacy.inout.tables import FINDINGS, write_table
from voiceprivacy.running.adapter import run
from voiceprivacy.running.command import say


def validate_corpus(
    *,
    source: dict,
    protocol: dict | None = None,
    sample_rate: int = 16000,
    not_compared: bool = False,
    checks: str,
    excluded: str | None = None,
    speakers: str | None = None,
) -> None:
    """Check a corpus before it is used: its listing, its audio, its trial lists.

    Errors fail, oddities are noted.

    Parameters
    ----------
    source : JSON {"kind": options}, as in the config
    protocol : JSON {"protocol": options}; none for train
    sample_rate : in Hz
    not_compared : no attacker compares utterances, because all scores are given
    checks : TSV to write: level file line what sound
    excluded : TSV to write: utterance why, of those that are left out of everything
    speakers : TSV to write: speaker attribute value, what is known besides genders
    """
    examined = checking.examine(source, protocol or {}, sample_rate, compared=not not_compared)
    for finding in examined.findings:
        say(f"{finding.level}: {finding}", file=sys.stderr)
    if examined.findings.errors():
        sys.exit(2)
    if excluded:
        write_excluded(excluded, examined.excluded)
    if speakers:
        write_facts(speakers, read_facts(source))
    write_table(checks, FINDINGS, examined.findings)


if __name__ == "__main__":
    run(validate_corpus)
