"""Assess voice similarity matrices: is the speaker de-identified, and do voices remain different from each other?"""

import argparse
import sys

from voiceprivacy.inout.arrays import read_matrix
from voiceprivacy.inout.files import naming, write_json
from voiceprivacy.inout.tables import write_table
from voiceprivacy.privacy.matrices import similarity, zoo
from voiceprivacy.privacy.uncertainty import interval_files
from voiceprivacy.running.command import print_metrics, run

COLUMNS = similarity.CELLS
ZOO = ["label", *zoo.Animal._fields]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--oo", required=True, help="npz: scores of original against original utterances"
    )
    parser.add_argument(
        "--op", required=True, help="npz: original (rows) against protected (columns)"
    )
    parser.add_argument("--pp", required=True, help="npz: protected against protected")
    parser.add_argument("--metrics", required=True, help="JSON to write")
    parser.add_argument(
        "--definition",
        choices=similarity.DEFINITIONS,
        default="geometric",
        help="default: geometric",
    )
    parser.add_argument(
        "--pairs", choices=similarity.PAIRS, default="all", help="upper: as the challenge's recipe"
    )
    parser.add_argument("--curves", help=f"TSV to write: {' '.join(COLUMNS)}")
    parser.add_argument(
        "--zoo", help="TSV to write: every speaker's mean LLRs and animals in each condition"
    )
    parser.add_argument("--plot", help="picture of the matrices to write: png, pdf or svg")
    interval_files.add_arguments(parser)
    arguments = parser.parse_args()

    scores, matrices, animals = {}, {}, []
    for condition in ("oo", "op", "pp"):
        path = getattr(arguments, condition)
        scores[condition] = read_matrix(path)
        with naming(path):
            comparisons = similarity.compare(scores[condition], pairs=arguments.pairs)
        matrices[condition] = similarity.similarities(comparisons, definition=arguments.definition)
        animals += [(condition, *animal) for animal in zoo.zoo(comparisons)]
    metrics, notes = similarity.assess(**matrices)
    headline = f"DeID {metrics['deid_percent']:.2f} %, G_VD {metrics['gvd_db']:.2f} dB"
    if arguments.plot:
        from voiceprivacy.report.plots import style
        from voiceprivacy.report.plots.speakers import similarity_picture

        values = {condition: of.values for condition, of in matrices.items()}
        style.save(
            similarity_picture(**values, speakers=matrices["oo"].speakers, title=headline),
            arguments.plot,
        )
    if arguments.curves:
        write_table(arguments.curves, COLUMNS, similarity.cells(**matrices))
    if arguments.zoo:
        write_table(arguments.zoo, ZOO, animals)
    write_json(arguments.metrics, metrics)
    interval_files.write_similarity_intervals(arguments, metrics, scores)
    print(
        f"{len(matrices['oo'].speakers)} speakers, {arguments.definition}, pairs: {arguments.pairs}: {headline}"
    )
    print_metrics({condition: metrics[condition] for condition in matrices})
    for note in notes:
        print(f"note: {note}", file=sys.stderr)


if __name__ == "__main__":
    run(main)
