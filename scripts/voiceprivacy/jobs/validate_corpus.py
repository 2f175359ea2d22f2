"""Check a corpus before it is used: its listing, its audio, its trial lists.

Errors fail, oddities are noted.
"""

import argparse
import sys

from voiceprivacy.corpora import checks
from voiceprivacy.corpora.listing import read_facts
from voiceprivacy.corpora.parts import write_excluded
from voiceprivacy.inout.tables import FINDINGS, write_facts, write_table
from voiceprivacy.running.command import add_json, run, say


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    add_json(parser, "--source", required=True, help='JSON {"kind": options}, as in the config')
    add_json(parser, "--protocol", default={}, help='JSON {"protocol": options}; none for train')
    parser.add_argument("--sample-rate", default=16000, type=int, help="Hz (default 16000)")
    parser.add_argument(
        "--not-compared",
        action="store_true",
        help="no attacker compares utterances, because all scores are given",
    )
    parser.add_argument("--checks", required=True, help="TSV to write: level file line what sound")
    parser.add_argument(
        "--excluded", help="TSV to write: utterance why, of those that are left out of everything"
    )
    parser.add_argument(
        "--speakers", help="TSV to write: speaker attribute value, what is known besides genders"
    )
    arguments = parser.parse_args()

    examined = checks.examine(
        arguments.source,
        arguments.protocol,
        arguments.sample_rate,
        compared=not arguments.not_compared,
    )
    for finding in examined.findings:
        say(f"{finding.level}: {finding}", file=sys.stderr)
    if examined.findings.errors():
        sys.exit(2)
    if arguments.excluded:
        write_excluded(arguments.excluded, examined.excluded)
    if arguments.speakers:
        write_facts(arguments.speakers, read_facts(arguments.source))
    write_table(arguments.checks, FINDINGS, examined.findings)


if __name__ == "__main__":
    run(main)
