"""Assess every speaker: who is still at risk where the average says that speakers are protected?"""

import argparse

import numpy as np

from voiceprivacy.inout.files import BadInput, naming
from voiceprivacy.inout.tables import read_manifest, read_scored_trials, write_table
from voiceprivacy.privacy.matrices import similarity, speakers
from voiceprivacy.running.command import label_inputs, run

COLUMNS = ["label", *speakers.Exposure._fields, "deid_percent"]
SHOWN = 3


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--scores", required=True, nargs="+", help="TSV: enrolment trial label score"
    )
    parser.add_argument(
        "--label", required=True, nargs="+", help="a name for each score file, such as oo op pp"
    )
    parser.add_argument("--manifest", required=True, help="TSV of the trial part: who speaks")
    parser.add_argument(
        "--similarity", help="TSV of assess_similarity.py --curves: adds de-identification (op)"
    )
    parser.add_argument("--table", required=True, help=f"TSV to write: {' '.join(COLUMNS)}")
    arguments = parser.parse_args()

    speaker_of = {
        utterance.utterance: utterance.speaker for utterance in read_manifest(arguments.manifest)
    }
    deid = {"op": deid_of(arguments.similarity)} if arguments.similarity else {}
    rows = []
    for label, path in label_inputs(arguments.scores, arguments.label).items():
        with naming(path):
            found = speakers.exposures(*read_speakers(path, speaker_of))
        rows += [(label, *of, deid.get(label, {}).get(of.speaker, "-")) for of in found]
        highest = sorted(
            (of for of in found if of.dece_bit != "undefined"), key=lambda of: -of.dece_bit
        )[:SHOWN]
        print(
            f"{label}: most at risk: "
            + ", ".join(f"{of.speaker} ({of.dece_bit:.3f} bit)" for of in highest)
        )
    write_table(arguments.table, COLUMNS, rows)


def read_speakers(path, speaker_of):
    scored = read_scored_trials(path)
    for trial, _ in (pair for of in scored.values() for pair in of):
        if trial.trial not in speaker_of:
            raise BadInput(f"trial '{trial.trial}' is not in the manifest of the trial part")
    scores = {label: np.array([score for _, score in of]) for label, of in scored.items()}
    return scores, {
        label: np.array([speaker_of[trial.trial] for trial, _ in of])
        for label, of in scored.items()
    }


def deid_of(path):
    cells = similarity.read_cells(path)
    return speakers.deid_percents(**{name: speakers.gaps(cells[name]) for name in ("oo", "op")})


if __name__ == "__main__":
    run(main)
