"""Assess voice similarity matrices: is the speaker de-identified, and do voices stay different?"""

import argparse
import sys

from voiceprivacy.inout.files import BadInput
from voiceprivacy.inout.tables import write_table
from voiceprivacy.privacy.matrices import similarity
from voiceprivacy.privacy.matrices.assessment import assess_similarity, write_similarity
from voiceprivacy.privacy.matrices.speakers import ZOO
from voiceprivacy.privacy.uncertainty.interval_files import Draws
from voiceprivacy.running.command import add_draws, print_metrics, run, say
from voiceprivacy.vocabulary import UNDEFINED


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--oo", required=True, help="npz: scores of original against original utterances"
    )
    parser.add_argument(
        "--op", required=True, help="npz: original (rows) against protected (columns)"
    )
    parser.add_argument("--pp", required=True, help="npz: protected against protected")
    parser.add_argument("--metrics", help="JSON to write")
    parser.add_argument(
        "--definition",
        choices=similarity.DEFINITIONS,
        default="geometric",
        help="default: geometric",
    )
    parser.add_argument(
        "--pairs", choices=similarity.PAIRS, default="all", help="upper: as the challenge's recipe"
    )
    parser.add_argument("--curves", help=f"TSV to write: {' '.join(similarity.CELLS)}")
    parser.add_argument(
        "--zoo", help="TSV to write: every speaker's mean LLRs and animals in each condition"
    )
    parser.add_argument("--plot", help="picture of the matrices to write: png, pdf or svg")
    add_draws(parser, n_replicates=0)
    arguments = parser.parse_args()

    paths = {condition: getattr(arguments, condition) for condition in ("oo", "op", "pp")}
    options = {"pairs": arguments.pairs, "definition": arguments.definition}
    assessed = assess_similarity(paths, Draws.of(arguments), **options)
    if assessed.metrics["deid_percent"] == UNDEFINED:
        raise BadInput(similarity.NO_DIAGONAL)  # who asks for one number is told why there is none
    matrices = assessed.matrices
    if arguments.plot:  # matplotlib takes long to import
        from voiceprivacy.report.plots import style
        from voiceprivacy.report.plots.speakers import similarity_picture

        values = {condition: matrix.values for condition, matrix in matrices.items()}
        speakers = matrices["oo"].speakers.tolist()
        style.save(
            similarity_picture(**values, speakers=speakers, title=assessed.headline), arguments.plot
        )
    if arguments.curves:
        write_table(arguments.curves, similarity.CELLS, similarity.cells(**matrices))
    if arguments.zoo:
        write_table(arguments.zoo, ZOO, assessed.animals)
    if arguments.metrics:
        write_similarity(arguments.metrics, assessed)
    say(
        f"{len(matrices['oo'].speakers)} speakers, {arguments.definition},"
        f" pairs: {arguments.pairs}: {assessed.headline}"
    )
    print_metrics({condition: assessed.metrics[condition] for condition in matrices})
    for note in assessed.notes:
        say(f"note: {note}", file=sys.stderr)


if __name__ == "__main__":
    run(main)
