"""Describe corpora in two tables: speech by part, trials by list."""

import argparse
from pathlib import Path

from voiceprivacy.inout.tables import write_table
from voiceprivacy.report.sections import DescribedList, PartOfCorpus, describe_list, describe_speech
from voiceprivacy.running.command import run, say


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--manifests",
        nargs="+",
        required=True,
        type=Path,
        help="CORPUS/PART/original/manifest.tsv, all of one folder",
    )
    parser.add_argument(
        "--trials",
        nargs="*",
        default=[],
        type=Path,
        help="CORPUS/TRIALS.tsv, enrolments beside them",
    )
    parser.add_argument(
        "--speech", required=True, help=f"TSV to write: {' '.join(PartOfCorpus._fields)}"
    )
    parser.add_argument(
        "--lists", required=True, help=f"TSV to write: {' '.join(DescribedList._fields)}"
    )
    arguments = parser.parse_args()

    folder = arguments.manifests[0].parents[3]  # that of CORPUS
    speech = [describe_speech(path) for path in arguments.manifests]
    lists = [
        describe_list(path, folder / path.parent.name / "enrolment" / "original" / "manifest.tsv")
        for path in arguments.trials
    ]
    write_table(arguments.speech, PartOfCorpus._fields, speech)
    write_table(arguments.lists, DescribedList._fields, lists)
    for part in speech:
        n_speakers = part.women + part.men + part.of_unknown_gender
        say(f"{part.corpus:<20}{part.part:<12}{n_speakers:>6} speakers{part.hours:>9.2f} h")
    for row in lists:
        trials = f"{row.target:>9} target{row.nontarget:>11} nontarget trials"
        say(f"{row.corpus:<20}{row.trials:<12}{trials}")


if __name__ == "__main__":
    run(main)
