"""How many bits of who speaks each channel gives away on a list, one line for each."""

import argparse

from voiceprivacy.inout.tables import write_table
from voiceprivacy.report.atlas import points_of
from voiceprivacy.report.metrics import read_metrics
from voiceprivacy.running.command import add_json, run, say
from voiceprivacy.vocabulary import AtlasPoint, Heard, TrialList


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    add_json(parser, "--heard", required=True, help=f"JSON: lists of {', '.join(Heard._fields)}")
    parser.add_argument("--corpus", required=True, help="of the list")
    parser.add_argument("--trials", required=True, help="the list, or the gallery")
    parser.add_argument("--metrics", required=True, help="metrics.tsv of the run")
    parser.add_argument("--atlas", required=True, help="TSV to write")
    arguments = parser.parse_args()

    trial_list = TrialList(arguments.corpus, arguments.trials)
    heard = [Heard(*each) for each in arguments.heard]
    points = points_of(read_metrics(arguments.metrics), trial_list, heard)
    write_table(arguments.atlas, AtlasPoint._fields, points)
    say(f"{len(points)} channels of systems on {arguments.corpus} {arguments.trials}")


if __name__ == "__main__":
    run(main)
