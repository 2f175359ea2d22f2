"""The job score_samples."""

from collections.abc import Sequence
from typing import Literal

from voiceprivacy.attack.backends import backends
from voiceprivacy.inout.files import naming
from voiceprivacy.privacy.matrices.matrix_files import write_matrix
from voiceprivacy.running.adapter import run
from voiceprivacy.running.command import say


def score_samples(
    *,
    enrolment: str,
    trial: str,
    samples: str,
    backend: str,
    protected: Sequence[Literal["enrolment", "trial"]] = (),
    matrix: str,
) -> None:
    """Score the tests of sampled galleries against their templates (protocol rank_sampling).

    Parameters
    ----------
    enrolment : npz: embeddings of the enrolment utterances
    trial : npz: embeddings of the trial utterances
    samples : TSV: shift speaker role utterance
    backend : cosine, jensen_shannon (histograms), vpc2026_june, vpc2026_september (its cosines), or
        the npz of a trained back-end
    protected : which of them is protected speech; only a Procrustes back-end asks
    matrix : npz to write: rows columns row_speakers column_speakers scores
    """
    shifts = backends.read_samples(samples)
    sides = {"enrolment": enrolment, "trial": trial}
    galleries = backends.read_galleries(sides, backend=backend, protected=protected)
    with naming(samples):
        scored = backends.sample_matrix(backends.scorer(backend), shifts, **galleries)
    write_matrix(matrix, scored)
    say(f"{len(scored.rows)} tests x {len(scored.columns)} templates")


if __name__ == "__main__":
    run(score_samples)
