"""A command plug-in: hands the speech back as it is. A zero point, and the contract at its
shortest.

It needs nothing of this project, only soundfile: any program in any language can do the same.
"""

import argparse
import csv
from pathlib import Path

import soundfile

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument(
    "--manifest", required=True, type=Path, help="TSV: utterance speaker gender path duration_s"
)
parser.add_argument(
    "--seed", required=True, type=int, help="the only source of randomness; not needed here"
)
parser.add_argument("--audio-dir", required=True, type=Path, help="folder for the protected files")
parser.add_argument(
    "--output-manifest", required=True, type=Path, help="same TSV, with the paths of these files"
)
arguments = parser.parse_args()

with open(arguments.manifest, newline="", encoding="utf-8") as file:
    utterances = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
for utterance in utterances:
    samples, sample_rate = soundfile.read(
        arguments.manifest.parent / utterance["path"], dtype="int16"
    )
    protected = arguments.audio_dir / f"{utterance['utterance']}.flac"
    soundfile.write(protected, samples, sample_rate)
    utterance["path"] = protected.absolute()
with open(arguments.output_manifest, "w", newline="", encoding="utf-8") as file:
    dialect = {
        "delimiter": "\t",
        "lineterminator": "\n",
        "quoting": csv.QUOTE_NONE,
        "quotechar": None,
    }
    writer = csv.DictWriter(file, utterances[0].keys(), **dialect)
    writer.writeheader()
    writer.writerows(utterances)
