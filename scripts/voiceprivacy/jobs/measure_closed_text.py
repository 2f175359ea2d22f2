"""Measure closed-text word errors: which words a recogniser that knows the sentences finds."""

import argparse
from itertools import chain

from tqdm import tqdm

from voiceprivacy.inout.files import counted
from voiceprivacy.inout.tables import read_manifest, read_rows, write_table
from voiceprivacy.running.command import run, say
from voiceprivacy.utility.closed_text import measure
from voiceprivacy.utility.measures import COLUMNS
from voiceprivacy.vocabulary import UNDEFINED


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--manifest", required=True, help="TSV of the speech to measure")
    parser.add_argument("--original", help="TSV of the original speech; it is not needed")
    parser.add_argument("--transcripts", required=True, help="TSV of what is said: utterance text")
    parser.add_argument("--output", required=True, help="TSV to write: utterance metric value")
    arguments = parser.parse_args()

    rows = read_rows(arguments.transcripts, ["utterance", "text"])
    transcripts = {row["utterance"]: row["text"] for _, row in rows}
    utterances = read_manifest(arguments.manifest)
    errors = measure(utterances, transcripts)
    measured = list(tqdm(errors, total=len(utterances), unit="utterance", mininterval=1.0))
    write_table(arguments.output, COLUMNS, chain.from_iterable(measured))
    n_undefined = sum(lines[0].value == UNDEFINED for lines in measured)
    left_out = f"{n_undefined} without words in the transcripts"
    say(f"{counted(len(measured), 'utterance')}, {left_out}: {arguments.output}")


if __name__ == "__main__":
    run(main)
