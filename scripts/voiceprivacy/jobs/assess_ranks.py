"""Assess similarity ranks: how many bits of identity does the true template's rank disclose?"""

import argparse
import sys

from voiceprivacy.privacy.matrices import ranks
from voiceprivacy.privacy.matrices.assessment import (
    RANK_TABLES,
    assess_ranks,
    read_seconds,
    write_ranks,
)
from voiceprivacy.privacy.uncertainty.interval_files import Draws
from voiceprivacy.running.command import add_draws, label_inputs, print_metrics, run, say

MEANING = {"curves": "histogram and model", "speakers": "each", "examples": "three speakers"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--matrix", required=True, nargs="+", help="npz: test utterances (rows) against templates"
    )
    parser.add_argument("--label", nargs="+", help="a name for each matrix")
    parser.add_argument("--metrics", help="JSON to write")
    parser.add_argument(
        "--fit", choices=ranks.FITS, default="auto", help="loss of the beta-binomial fit; auto: ll"
    )
    parser.add_argument(
        "--ties",
        choices=ranks.TIES,
        default="shared",
        help="rank of tied templates; default: shared",
    )
    parser.add_argument(
        "--all-fits", action="store_true", help="add the goodness of all five losses and the EER"
    )
    for name, columns in RANK_TABLES.items():
        parser.add_argument(
            f"--{name}", help=f"TSV to write: label {' '.join(columns)} ({MEANING[name]})"
        )
    parser.add_argument("--plot", help="picture of the rank histograms to write: svg, pdf or png")
    parser.add_argument(
        "--seconds", help="JSON of list_samples.py: how long tests and templates of a gallery last"
    )
    add_draws(parser, n_replicates=0)
    arguments = parser.parse_args()

    assessed = assess_ranks(
        label_inputs(arguments.matrix, arguments.label),
        Draws.of(arguments),
        fit=arguments.fit,
        ties=arguments.ties,
        all_fits=arguments.all_fits,
        by_speaker=bool(arguments.speakers or arguments.examples),
        seconds=read_seconds(arguments.seconds) if arguments.seconds else {},
    )
    if arguments.plot:  # matplotlib takes long to import
        from voiceprivacy.report.plots import style
        from voiceprivacy.report.plots.ranks import ranks_picture

        style.save(ranks_picture(curves=assessed.curves, metrics=assessed.metrics), arguments.plot)
    tables = {name: getattr(arguments, name) for name in RANK_TABLES}
    print_metrics(write_ranks(arguments.metrics, assessed, tables, arguments.label))
    for note in assessed.notes:
        say(f"note: {note}", file=sys.stderr)


if __name__ == "__main__":
    run(main)
