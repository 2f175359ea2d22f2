"""Score a list's trial utterances (rows) against its enrolled speakers (columns)."""

import argparse

from voiceprivacy.attack.backends import backends
from voiceprivacy.inout.arrays import read_embeddings, write_matrix
from voiceprivacy.inout.tables import read_enrolments, read_manifest, read_trials
from voiceprivacy.running.command import run


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--enrolment", required=True, help="npz: embeddings of the enrolment utterances"
    )
    parser.add_argument("--trial", required=True, help="npz: embeddings of the trial utterances")
    parser.add_argument(
        "--enrolment-manifest", required=True, help="TSV of the enrolment part: who speaks"
    )
    parser.add_argument("--trial-manifest", required=True, help="TSV of the trial part: who speaks")
    parser.add_argument("--trials", required=True, help="TSV: enrolment trial label")
    parser.add_argument("--enrolments", required=True, help="TSV: enrolment utterance")
    parser.add_argument(
        "--backend", required=True, help="cosine, jensen_shannon (histograms) or a PLDA npz"
    )
    parser.add_argument(
        "--matrix",
        required=True,
        help="npz to write: rows columns row_speakers column_speakers scores",
    )
    arguments = parser.parse_args()

    matrix = backends.template_matrix(
        backends.scorer(arguments.backend),
        read_trials(arguments.trials),
        enrolment=backends.Gallery(read_embeddings(arguments.enrolment), arguments.enrolment),
        trial=backends.Gallery(read_embeddings(arguments.trial), arguments.trial),
        enrolments=backends.Lookup(
            read_enrolments(arguments.enrolments), path=arguments.enrolments, what="enrolment"
        ),
        enrolment_speakers=speakers_of(arguments.enrolment_manifest),
        trial_speakers=speakers_of(arguments.trial_manifest),
    )
    write_matrix(arguments.matrix, matrix)
    print(f"{len(matrix.rows)} trial utterances x {len(matrix.columns)} enrolled speakers")


def speakers_of(manifest):
    speakers = {of.utterance: of.speaker for of in read_manifest(manifest)}
    return backends.Lookup(speakers, path=manifest, what="utterance")


if __name__ == "__main__":
    run(main)
