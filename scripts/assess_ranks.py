"""Assess similarity ranks: how many bits of the speaker's identity does the rank of the true template disclose?"""

import argparse
import sys

from voiceprivacy.arrays import read_matrix
from voiceprivacy.command import flat_unless_labelled, label_inputs, print_metrics, run
from voiceprivacy.files import naming, write_json
from voiceprivacy.privacy import ranks
from voiceprivacy.tables import write_table

COLUMNS = ["label", "rank", "p", "gamma"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matrix", required=True, nargs="+", help="npz: test utterances (rows) against templates")
    parser.add_argument("--label", nargs="+", help="a name for each matrix")
    parser.add_argument("--metrics", required=True, help="JSON to write")
    parser.add_argument("--fit", choices=ranks.FITS, default="auto", help="loss of the beta-binomial fit; auto: ll")
    parser.add_argument("--ties", choices=ranks.TIES, default="shared", help="rank of tied templates; default: shared")
    parser.add_argument("--curves", help=f"TSV to write: {' '.join(COLUMNS)} (histogram and model)")
    parser.add_argument("--plot", help="picture of the rank histograms to write: png, pdf or svg")
    arguments = parser.parse_args()

    assessed = {}
    for label, path in label_inputs(arguments.matrix, arguments.label).items():
        matrix = read_matrix(path)
        with naming(path):
            assessed[label] = ranks.assess(matrix, fit=arguments.fit, ties=arguments.ties)
    metrics = {label: of.metrics for label, of in assessed.items()}
    curves = {label: {"p": of.p, "gamma": of.gamma} for label, of in assessed.items()}
    if arguments.plot:
        from voiceprivacy.report.plots import style
        from voiceprivacy.report.plots.ranks import picture

        style.save(picture(curves=curves, metrics=metrics), arguments.plot)
    if arguments.curves:
        rows = [
            (label, rank, p, gamma)
            for label, curve in curves.items()
            for rank, (p, gamma) in enumerate(zip(curve["p"], curve["gamma"], strict=True), start=1)
        ]
        write_table(arguments.curves, COLUMNS, rows)
    write_json(arguments.metrics, flat_unless_labelled(metrics, arguments.label))
    print_metrics(metrics)
    for label, of in assessed.items():
        for note in of.notes:
            print(f"note: {label}: {note}", file=sys.stderr)


if __name__ == "__main__":
    run(main)
