"""Measure how much of the intonation is left: how the pitch of protected and original correlate."""

import argparse

from tqdm import tqdm

from voiceprivacy.inout.files import counted
from voiceprivacy.inout.tables import read_manifest, write_table
from voiceprivacy.running.command import run, say
from voiceprivacy.utility.measures import COLUMNS
from voiceprivacy.utility.pitch import measure
from voiceprivacy.vocabulary import UNDEFINED


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--manifest", required=True, help="TSV of the protected speech")
    parser.add_argument("--original", required=True, help="TSV of the original speech")
    parser.add_argument("--output", required=True, help="TSV to write: utterance metric value")
    arguments = parser.parse_args()

    original, protected = read_manifest(arguments.original), read_manifest(arguments.manifest)
    progress = tqdm(
        measure(original, protected), total=len(protected), unit="utterance", mininterval=1.0
    )
    measured = list(progress)
    write_table(arguments.output, COLUMNS, measured)
    n_undefined = sum(line.value == UNDEFINED for line in measured)
    utterances = counted(len(measured), "utterance")
    say(f"{utterances}, {n_undefined} without enough voice in the original: {arguments.output}")


if __name__ == "__main__":
    run(main)
