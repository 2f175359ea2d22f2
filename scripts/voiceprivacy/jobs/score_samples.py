"""Score the tests of sampled galleries against their templates (protocol rank_sampling)."""

import argparse

from voiceprivacy.attack.backends import backends
from voiceprivacy.inout.arrays import write_matrix
from voiceprivacy.inout.files import naming
from voiceprivacy.running.command import run, say


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--enrolment", required=True, help="npz: embeddings of the enrolment utterances"
    )
    parser.add_argument("--trial", required=True, help="npz: embeddings of the trial utterances")
    parser.add_argument("--samples", required=True, help="TSV: shift speaker role utterance")
    parser.add_argument(
        "--backend",
        required=True,
        help="cosine, jensen_shannon (histograms), or the npz of train_backend.py",
    )
    parser.add_argument(
        "--protected",
        nargs="*",
        choices=["enrolment", "trial"],
        default=[],
        help="which of them is protected speech; only a Procrustes back-end asks",
    )
    parser.add_argument(
        "--matrix",
        required=True,
        help="npz to write: rows columns row_speakers column_speakers scores",
    )
    arguments = parser.parse_args()

    shifts = backends.read_samples(arguments.samples)
    galleries = {
        side: backends.read_gallery(
            path, backend=arguments.backend, is_protected=side in arguments.protected
        )
        for side, path in (("enrolment", arguments.enrolment), ("trial", arguments.trial))
    }
    with naming(arguments.samples):
        matrix = backends.sample_matrix(backends.scorer(arguments.backend), shifts, **galleries)
    write_matrix(arguments.matrix, matrix)
    say(f"{len(matrix.rows)} tests x {len(matrix.columns)} templates")


if __name__ == "__main__":
    run(main)
