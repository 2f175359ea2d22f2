"""How much of the speakers' identity do attackers find? The verdict on score files of any origin.

The table has the columns system, attacker, condition, list, enrolment, trial, label and score, in
any order. The system `original` is unprotected speech. Conditions are oo (of original), op, pp and
rr (released recordings against each other).
"""

import argparse
from pathlib import Path

from voiceprivacy.inout.json_files import write_json
from voiceprivacy.inout.score_tables import GIVEN, add_scores
from voiceprivacy.inout.tables import read_speakers
from voiceprivacy.privacy.verdict.score_table import ScoreTable
from voiceprivacy.privacy.verdict.verdict import FORMAT, verdict_of
from voiceprivacy.report.terminal import lines_of_set
from voiceprivacy.report.verdict import judged_of
from voiceprivacy.running.command import run, say


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--scores", required=True, type=Path, action="append", nargs="+", help="TSV of scores"
    )
    parser.add_argument("--speakers", required=True, type=Path, help="TSV: id speaker")
    for name in GIVEN:
        parser.add_argument(f"--{name}", help=f"the {name} of files without this column")
    parser.add_argument("--set", default="scores", help="what the set is called (default scores)")
    parser.add_argument("--output", type=Path, metavar="verdict.json", help="JSON to write")
    arguments = parser.parse_args()

    table = ScoreTable(read_speakers(arguments.speakers))
    given = {name: value for name in GIVEN if (value := getattr(arguments, name)) is not None}
    for paths in arguments.scores:
        for path in paths:
            add_scores(path, given, table.speaker_of, table.scores)
    facts = verdict_of(table)
    if arguments.output:
        write_json(arguments.output, {"format": FORMAT, "sets": {arguments.set: facts}})
    say(*lines_of_set(judged_of(arguments.set, facts)))


if __name__ == "__main__":
    run(main)
