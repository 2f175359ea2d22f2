"""Check training speech: no speaker of it is evaluated, whom attackers would know already.

There must be enough of it to learn from.
"""

import argparse
import sys

from voiceprivacy.corpora import checks
from voiceprivacy.inout.tables import FINDINGS, write_table
from voiceprivacy.running.command import add_json, run, say


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    add_json(
        parser,
        "--evaluated",
        required=True,
        help='JSON {"corpus": {"source": ..., "protocol": ...}}, both as in the config',
    )
    add_json(parser, "--training", required=True, help='JSON {"corpus": source}, likewise')
    add_json(
        parser,
        "--learnt",
        default={},
        help='JSON {"corpus": utterances that some speaker must have}, where speakers are learnt',
    )
    add_json(
        parser,
        "--least",
        default={},
        help='JSON {"corpus": [speakers, utterances]} that there must be in all, for PLDA',
    )
    parser.add_argument("--checks", required=True, help="TSV to write: level file line what sound")
    arguments = parser.parse_args()

    findings = checks.compare_speakers(arguments.evaluated, arguments.training)
    findings += checks.check_learnt(arguments.training, arguments.learnt, arguments.least)
    for finding in findings:
        say(f"{finding.level}: {finding}", file=sys.stderr)
    if findings:  # all of them are errors
        sys.exit(2)
    write_table(arguments.checks, FINDINGS, findings)


if __name__ == "__main__":
    run(main)
