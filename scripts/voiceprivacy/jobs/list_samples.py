"""List the tests and templates of one gallery for similarity ranks (protocol rank_sampling)."""

import argparse
import sys

from voiceprivacy.corpora.listing import GENDERS
from voiceprivacy.corpora.protocols import rank_sampling
from voiceprivacy.inout.files import naming
from voiceprivacy.inout.json_files import write_json
from voiceprivacy.inout.tables import read_manifest, write_table
from voiceprivacy.running.command import add_json, run, say


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    add_json(parser, "--options", required=True, help="JSON of the protocol, as in the config")
    parser.add_argument("--manifest", required=True, help="manifest of the part trial")
    parser.add_argument("--gender", required=True, choices=GENDERS, help="whom the gallery holds")
    parser.add_argument("--test", required=True, type=int, help="observations of a test")
    parser.add_argument("--template", required=True, type=int, help="observations of a template")
    parser.add_argument(
        "--samples", required=True, help="TSV to write: shift speaker role utterance"
    )
    parser.add_argument(
        "--seconds", required=True, help="JSON to write: how long tests and templates last"
    )
    arguments = parser.parse_args()

    utterances = read_manifest(arguments.manifest)
    with naming(arguments.manifest):
        samples, left_out = rank_sampling.sample(
            arguments.options,
            utterances,
            gender=arguments.gender,
            test=arguments.test,
            template=arguments.template,
        )
    write_table(arguments.samples, rank_sampling.Sample._fields, samples)
    write_json(arguments.seconds, rank_sampling.seconds(samples, utterances))
    n_speakers = len({sample.speaker for sample in samples})
    n_shifts = len({sample.shift for sample in samples})
    say(f"{n_speakers} speakers, {n_shifts} shifts: {n_speakers * n_shifts} tests")
    if left_out:
        say(f"note: left out for want of observations: {', '.join(left_out)}", file=sys.stderr)


if __name__ == "__main__":
    run(main)
