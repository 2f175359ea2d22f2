"""Measure the quality of speech: DNSMOS, and ESTOI where it lasts as long as the original."""

import argparse

from tqdm import tqdm

from voiceprivacy.inout.files import counted
from voiceprivacy.inout.tables import read_manifest, write_table
from voiceprivacy.running.command import run, say
from voiceprivacy.utility.measures import COLUMNS
from voiceprivacy.utility.quality import ESTOI, POLYNOMIALS, measure
from voiceprivacy.vocabulary import UNDEFINED


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--manifest", required=True, help="TSV of the protected speech")
    parser.add_argument("--original", required=True, help="TSV of the original speech")
    parser.add_argument("--output", required=True, help="TSV to write: utterance metric value")
    arguments = parser.parse_args()

    original, protected = read_manifest(arguments.original), read_manifest(arguments.manifest)
    n_values = len(protected) * (len(POLYNOMIALS) + 1)
    measured = list(tqdm(measure(original, protected), total=n_values, mininterval=1.0))
    write_table(arguments.output, COLUMNS, measured)
    undefined = [line for line in measured if line.metric == ESTOI and line.value == UNDEFINED]
    say(f"{counted(len(protected), 'utterance')}: {arguments.output}")
    if undefined:
        lines = f"{counted(len(undefined), 'utterance')}, such as '{undefined[0].utterance}'"
        say(f"ESTOI is undefined of {lines}: not as long as the original, or hardly any speech")


if __name__ == "__main__":
    run(main)
