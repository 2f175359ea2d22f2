"""How many bits of who speaks channels give away on a list: each alone, and several together."""

import argparse

from voiceprivacy.inout.files import BadInput
from voiceprivacy.inout.json_files import read_json
from voiceprivacy.inout.tables import write_table
from voiceprivacy.report.atlas import points_of, together_of
from voiceprivacy.report.exposure import points_of_speakers
from voiceprivacy.report.metrics import read_metrics
from voiceprivacy.running.command import add_json, run, say
from voiceprivacy.vocabulary import (
    AtlasPoint,
    ChannelsPoint,
    ExposedPoint,
    Heard,
    TrialList,
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    add_json(parser, "--heard", required=True, help=f"JSON: lists of {', '.join(Heard._fields)}")
    parser.add_argument("--corpus", required=True, help="of the list")
    parser.add_argument("--trials", required=True, help="the list, or the gallery")
    parser.add_argument("--metrics", required=True, help="metrics.tsv of the run")
    parser.add_argument(
        "--fusions",
        nargs="*",
        default=[],
        metavar="ANONYMISER/CONDITION=JSON",
        help="what assess_atlas.py wrote of each system",
    )
    parser.add_argument("--atlas", required=True, help="TSV to write: channels alone")
    parser.add_argument("--together", required=True, help="TSV to write: sets of channels")
    parser.add_argument(
        "--speakers",
        nargs="*",
        default=[],
        metavar="TSV",
        help="what assess_ranks.py wrote of the speakers, in the order of --heard",
    )
    parser.add_argument("--exposed", required=True, help="TSV to write: every speaker")
    arguments = parser.parse_args()

    trial_list = TrialList(arguments.corpus, arguments.trials)
    heard = [Heard(*each) for each in arguments.heard]
    points = points_of(read_metrics(arguments.metrics), trial_list, heard)
    write_table(arguments.atlas, AtlasPoint._fields, points)
    say(f"{len(points)} channels of systems on {arguments.corpus} {arguments.trials}")
    together: list[ChannelsPoint] = []
    for word in arguments.fusions:
        system, is_split, path = word.partition("=")
        anonymiser, is_named, condition = system.partition("/")
        if not (is_split and is_named):
            raise BadInput(f"--fusions {word}: expected ANONYMISER/CONDITION=JSON")
        together += together_of(read_json(path), anonymiser, condition)
    write_table(arguments.together, ChannelsPoint._fields, together)
    by_channel = dict(zip(heard, arguments.speakers, strict=True)) if arguments.speakers else {}
    write_table(arguments.exposed, ExposedPoint._fields, points_of_speakers(by_channel))
    say(f"{len(together)} numbers of several channels together")


if __name__ == "__main__":
    run(main)
