"""The job assess_matrices."""

import sys
from collections.abc import Sequence
from typing import Annotated

from voiceprivacy.inout.tables import write_table
from voiceprivacy.privacy.matrices import assessment
from voiceprivacy.privacy.matrices import ranks as rank_models
from voiceprivacy.privacy.matrices import similarity as similarities
from voiceprivacy.privacy.matrices.speaker_files import write_speakers
from voiceprivacy.privacy.matrices.speakers import ZOO
from voiceprivacy.privacy.uncertainty.interval_files import Draws, print_metrics
from voiceprivacy.running.adapter import run
from voiceprivacy.running.command import label_inputs, say

CONDITIONS = ("oo", "op", "pp")


def assess_matrices(
    *,
    pairs: tuple[str, str, str],
    scores: tuple[str, str, str],
    trials: str | None = None,
    manifest: str,
    definition: Annotated[str, similarities.DEFINITIONS] = "geometric",
    compared: Annotated[str, similarities.PAIRS] = "all",
    fit: Annotated[str, rank_models.FITS] = "auto",
    bootstrap: int = 0,
    seed: int = 0,
    similarity: str,
    cells: str,
    zoo: str,
    speakers: str,
    templates: Sequence[str] = (),
    label: Sequence[str] = (),
    ranks: str | None = None,
    rank_curves: str | None = None,
    rank_speakers: str | None = None,
    rank_examples: str | None = None,
) -> None:
    """Assess all score matrices of one system at once: similarity, zoo, single speakers, and ranks.

    It writes what assess_similarity.py and assess_ranks.py write, and what each speaker gives away.

    Parameters
    ----------
    pairs : utterances under oo, op and pp
    scores : of trials under oo, op and pp
    trials : TSV: the trial list that they must be scores of
    manifest : TSV of the trial part: who speaks
    definition : how the similarity of voices is defined
    compared : pairs whose similarity counts; upper: as the challenge's recipe
    fit : loss of the beta-binomial fit to ranks; auto: ll
    bootstrap : replicates of intervals; 0 for none
    seed : of the draws of speakers
    similarity : JSON to write
    cells : TSV to write: matrix row_speaker column_speaker similarity
    zoo : TSV to write: every speaker's mean LLRs and animals
    speakers : TSV to write: what every speaker still gives away
    templates : utterances against templates
    label : a name for each of --templates
    ranks : JSON to write, of corpora that enrol speakers
    rank_curves : TSV to write: label rank p gamma
    rank_speakers : TSV to write: label speaker n_utterances identification_rate_percent mean_rank
        model_mean_disclosure_bit model_alpha model_beta shrunken_disclosure_bit shrunken_low_bit
        shrunken_high_bit
    rank_examples : TSV to write: label speaker rank p gamma
    """
    draws = Draws.of(bootstrap, seed)
    labelled = label_inputs(templates, label)
    matrices = dict(zip(CONDITIONS, pairs, strict=True))
    options = {"pairs": compared, "definition": definition}
    assessed = assessment.assess_similarity(matrices, draws, **options)
    notes = assessed.notes
    if labelled and ranks:
        ranked = assessment.assess_ranks(labelled, draws, fit=fit, all_fits=True, by_speaker=True)
        notes += ranked.notes
    of_conditions = dict(zip(CONDITIONS, scores, strict=True))
    write_speakers(
        speakers,
        of_conditions,
        manifest=manifest,
        matrices=assessed.matrices,
        trial_list=trials,
    )
    write_table(cells, similarities.CELLS, similarities.cells(**assessed.matrices))
    write_table(zoo, ZOO, assessed.animals)
    print_metrics(assessment.write_similarity(similarity, assessed))
    if labelled and ranks:
        tables = {"curves": rank_curves, "speakers": rank_speakers, "examples": rank_examples}
        print_metrics(assessment.write_ranks(ranks, ranked, tables, label))
    for note in notes:
        say(f"note: {note}", file=sys.stderr)


if __name__ == "__main__":
    run(assess_matrices)
