"""The job assess_similarity."""

import sys
from typing import Annotated

from voiceprivacy.errors import BadInput, counted
from voiceprivacy.inout.tables import write_table
from voiceprivacy.privacy.matrices import assessment, similarity
from voiceprivacy.privacy.matrices.speakers import ZOO
from voiceprivacy.privacy.uncertainty.interval_files import Draws, print_metrics
from voiceprivacy.running.adapter import run
from voiceprivacy.running.command import say
from voiceprivacy.vocabulary import UNDEFINED


def assess_similarity(
    *,
    oo: str,
    op: str,
    pp: str,
    metrics: str | None = None,
    definition: Annotated[str, similarity.DEFINITIONS] = "geometric",
    pairs: Annotated[str, similarity.PAIRS] = "all",
    curves: str | None = None,
    zoo: str | None = None,
    plot: str | None = None,
    bootstrap: int = 0,
    seed: int = 0,
) -> None:
    """Assess voice similarity matrices: is the speaker de-identified, and do voices stay different?

    Parameters
    ----------
    oo : npz: scores of original against original utterances
    op : npz: original (rows) against protected (columns)
    pp : npz: protected against protected
    metrics : JSON to write
    definition : how the similarity of voices is defined
    pairs : upper: as the challenge's recipe
    curves : TSV to write: matrix row_speaker column_speaker similarity
    zoo : TSV to write: every speaker's mean LLRs and animals in each condition
    plot : picture of the matrices to write: png, pdf or svg
    bootstrap : replicates of intervals; 0 for none
    seed : of the draws of speakers
    """
    paths = {"oo": oo, "op": op, "pp": pp}
    options = {"pairs": pairs, "definition": definition}
    assessed = assessment.assess_similarity(paths, Draws.of(bootstrap, seed), **options)
    if assessed.metrics["deid_percent"] == UNDEFINED:
        raise BadInput(similarity.NO_DIAGONAL)  # who asks for one number is told why there is none
    matrices = assessed.matrices
    if plot:  # matplotlib takes long to import
        from voiceprivacy.report.plots import drawing
        from voiceprivacy.report.plots.speakers import similarity_picture

        values = {condition: matrix.values for condition, matrix in matrices.items()}
        speakers = matrices["oo"].speakers.tolist()
        drawing.save(similarity_picture(**values, speakers=speakers, title=assessed.headline), plot)
    if curves:
        write_table(curves, similarity.CELLS, similarity.cells(**matrices))
    if zoo:
        write_table(zoo, ZOO, assessed.animals)
    say(f"{counted(len(matrices['oo'].speakers), 'speaker')}, {definition}, pairs: {pairs}")
    print_metrics(assessment.write_similarity(metrics, assessed))
    for note in assessed.notes:
        say(f"note: {note}", file=sys.stderr)


if __name__ == "__main__":
    run(assess_similarity)
