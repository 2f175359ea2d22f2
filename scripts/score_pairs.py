"""Score a list's trial utterances against themselves: every pair, rows from --enrolment, columns from --trial."""

import argparse

from voiceprivacy.attack.backends import backends
from voiceprivacy.inout.arrays import read_embeddings, write_matrix
from voiceprivacy.inout.tables import read_manifest, read_trials
from voiceprivacy.running.command import run


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--enrolment", required=True, help="npz: embeddings of the trial utterances for the rows"
    )
    parser.add_argument(
        "--trial", required=True, help="npz: embeddings of the trial utterances for the columns"
    )
    parser.add_argument("--manifest", required=True, help="TSV of the trial part: who speaks")
    parser.add_argument("--trials", required=True, help="TSV: enrolment trial label")
    parser.add_argument(
        "--backend", required=True, help="cosine, jensen_shannon (histograms) or a PLDA npz"
    )
    parser.add_argument(
        "--matrix",
        required=True,
        help="npz to write: rows columns row_speakers column_speakers scores",
    )
    arguments = parser.parse_args()

    speakers = {of.utterance: of.speaker for of in read_manifest(arguments.manifest)}
    matrix = backends.pair_matrix(
        backends.scorer(arguments.backend),
        read_trials(arguments.trials),
        enrolment=backends.Gallery(read_embeddings(arguments.enrolment), arguments.enrolment),
        trial=backends.Gallery(read_embeddings(arguments.trial), arguments.trial),
        speakers=backends.Lookup(speakers, path=arguments.manifest, what="utterance"),
    )
    write_matrix(arguments.matrix, matrix)
    print(
        f"{len(matrix.rows)} x {len(matrix.columns)} scores, {len(set(matrix.row_speakers.tolist()))} speakers"
    )


if __name__ == "__main__":
    run(main)
