"""The job assess_ranks."""

import sys
from typing import Annotated

from voiceprivacy.privacy.matrices import assessment, ranks
from voiceprivacy.privacy.uncertainty.interval_files import Draws, print_metrics
from voiceprivacy.running.adapter import run
from voiceprivacy.running.command import label_inputs, say


def assess_ranks(
    *,
    matrix: list[str],
    label: list[str] | None = None,
    metrics: str | None = None,
    fit: Annotated[str, ranks.FITS] = "auto",
    ties: Annotated[str, ranks.TIES] = "shared",
    all_fits: bool = False,
    curves: str | None = None,
    speakers: str | None = None,
    examples: str | None = None,
    plot: str | None = None,
    seconds: str | None = None,
    bootstrap: int = 0,
    seed: int = 0,
) -> None:
    """Assess similarity ranks: how many bits of identity does the true template's rank disclose?

    Parameters
    ----------
    matrix : npz: test utterances (rows) against templates
    label : a name for each matrix
    metrics : JSON to write
    fit : loss of the beta-binomial fit; auto: ll
    ties : rank of tied templates
    all_fits : add the goodness of all five losses and the EER
    curves : TSV to write: label rank p gamma (histogram and model)
    speakers : TSV to write: label speaker n_utterances identification_rate_percent mean_rank
        model_mean_disclosure_bit model_alpha model_beta shrunken_disclosure_bit shrunken_low_bit
        shrunken_high_bit (each)
    examples : TSV to write: label speaker rank p gamma (three speakers)
    plot : picture of the rank histograms to write: svg, pdf or png
    seconds : JSON with the seconds of tests and templates of a gallery
    bootstrap : replicates of intervals; 0 for none
    seed : of the draws of speakers
    """
    assessed = assessment.assess_ranks(
        label_inputs(matrix, label),
        Draws.of(bootstrap, seed),
        fit=fit,
        ties=ties,
        all_fits=all_fits,
        by_speaker=bool(speakers or examples),
        seconds=assessment.read_seconds(seconds) if seconds else None,
    )
    if plot:  # matplotlib takes long to import
        from voiceprivacy.report.plots import drawing
        from voiceprivacy.report.plots.ranks import ranks_picture

        drawing.save(ranks_picture(curves=assessed.curves, metrics=assessed.metrics), plot)
    tables = {"curves": curves, "speakers": speakers, "examples": examples}
    print_metrics(assessment.write_ranks(metrics, assessed, tables, label))
    for note in assessed.notes:
        say(f"note: {note}", file=sys.stderr)


if __name__ == "__main__":
    run(assess_ranks)
