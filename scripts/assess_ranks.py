"""Assess similarity ranks: how many bits of the speaker's identity does the rank of the true template disclose?"""

import argparse
import sys

from voiceprivacy.inout.arrays import read_matrix
from voiceprivacy.inout.files import naming, write_json
from voiceprivacy.inout.tables import write_table
from voiceprivacy.privacy.matrices import ranks
from voiceprivacy.privacy.matrices import speakers as rank_speakers
from voiceprivacy.privacy.uncertainty import interval_files
from voiceprivacy.running.command import flat_unless_labelled, label_inputs, print_metrics, run

RANKS = ["rank", "p", "gamma"]
TABLES = {
    "curves": RANKS,
    "speakers": [*rank_speakers.Disclosure._fields],
    "examples": ["speaker", *RANKS],
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--matrix", required=True, nargs="+", help="npz: test utterances (rows) against templates"
    )
    parser.add_argument("--label", nargs="+", help="a name for each matrix")
    parser.add_argument("--metrics", required=True, help="JSON to write")
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
    for name, what in (
        ("curves", "histogram and model"),
        ("speakers", "each"),
        ("examples", "three speakers"),
    ):
        parser.add_argument(
            f"--{name}", help=f"TSV to write: label {' '.join(TABLES[name])} ({what})"
        )
    parser.add_argument(
        "--plot", help="picture of the rank histograms to write: png, pdf, svg or tex"
    )
    interval_files.add_arguments(parser)
    arguments = parser.parse_args()

    metrics, curves, resampled, notes, lines = {}, {}, {}, [], {name: [] for name in TABLES}
    for label, path in label_inputs(arguments.matrix, arguments.label).items():
        matrix = read_matrix(path)
        with naming(path):
            metrics[label], p, gamma, remarks = ranks.assess(
                matrix, fit=arguments.fit, ties=arguments.ties
            )
            resampled |= (
                {label: interval_files.of_ranks(matrix, arguments)} if arguments.bootstrap else {}
            )
        curves[label] = {"p": p, "gamma": gamma}
        lines["curves"] += [(label, *row) for row in rank_speakers.by_rank(p, gamma)]
        notes += [f"note: {label}: {remark}\n" for remark in remarks]
        if arguments.all_fits:
            metrics[label] |= {
                "gallery_eer_percent": ranks.gallery_eer_percent(matrix),
                **ranks.goodness_of_fits(p),
            }
        if arguments.speakers or arguments.examples:
            summary, *tables = rank_speakers.lines(matrix, ties=arguments.ties)
            metrics[label] |= summary
            for name, rows in zip(("speakers", "examples"), tables, strict=True):
                lines[name] += [(label, *row) for row in rows]
    if arguments.plot:
        from voiceprivacy.report.plots import style
        from voiceprivacy.report.plots.ranks import ranks_picture

        style.save(ranks_picture(curves=curves, metrics=metrics), arguments.plot)
    for name, columns in TABLES.items():
        if getattr(arguments, name):
            write_table(getattr(arguments, name), ["label", *columns], lines[name])
    write_json(arguments.metrics, flat_unless_labelled(metrics, arguments.label))
    print_metrics(
        interval_files.write_intervals(arguments.metrics, metrics, resampled, arguments.label)
    )
    sys.stderr.writelines(notes)


if __name__ == "__main__":
    run(main)
