"""Judge the evidence of a run: how much of the speaker every anonymiser leaves."""

import argparse
from pathlib import Path

from voiceprivacy.inout.files import counted
from voiceprivacy.inout.json_files import write_json
from voiceprivacy.privacy.verdict.verdict import verdict
from voiceprivacy.running.command import add_json, run, say


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    add_json(parser, "--plan", required=True, help="sets, attacks and thresholds as JSON")
    parser.add_argument(
        "--evidence",
        required=True,
        type=Path,
        help="folder of CORPUS/TRIALS/ANONYMISER/EXTRACTOR/BACKEND.json",
    )
    parser.add_argument(
        "--utility", type=Path, help="folder of CORPUS.tsv of assess_utility, with its replicates"
    )
    parser.add_argument("--verdict", required=True, type=Path, help="JSON to write")
    arguments = parser.parse_args()

    judged = verdict(arguments.plan, arguments.evidence, arguments.utility)
    write_json(arguments.verdict, judged)
    say(f"{counted(len(judged['sets']), 'set')}: {arguments.verdict}")


if __name__ == "__main__":
    run(main)
