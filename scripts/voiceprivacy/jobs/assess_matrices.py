"""Assess all score matrices of one system at once: similarity, zoo, single speakers, and ranks.

It writes what assess_similarity.py and assess_ranks.py write, and what each speaker gives away.
"""

import argparse
import sys

from voiceprivacy.inout.tables import write_table
from voiceprivacy.privacy.matrices import similarity
from voiceprivacy.privacy.matrices.assessment import (
    RANK_TABLES,
    assess_ranks,
    assess_similarity,
    write_ranks,
    write_similarity,
)
from voiceprivacy.privacy.matrices.speakers import ZOO, write_speakers
from voiceprivacy.privacy.uncertainty.interval_files import Draws
from voiceprivacy.running.command import add_draws, label_inputs, print_metrics, run, say

CONDITIONS = ("oo", "op", "pp")


def main() -> None:
    arguments = parsed()
    draws = Draws.of(arguments)
    templates = label_inputs(arguments.templates, arguments.label)
    notes = assess_pairs(arguments, draws)
    if templates:
        ranks = assess_ranks(templates, draws, all_fits=True, by_speaker=True)
        tables = {name: getattr(arguments, f"rank_{name}") for name in RANK_TABLES}
        print_metrics(write_ranks(arguments.ranks, ranks, tables, arguments.label))
        notes += ranks.notes
    for note in notes:
        say(f"note: {note}", file=sys.stderr)


def parsed() -> argparse.Namespace:
    """The arguments of the command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--pairs", required=True, nargs=3, metavar="NPZ", help="utterances under oo, op and pp"
    )
    parser.add_argument(
        "--scores", required=True, nargs=3, metavar="TSV", help="of trials under oo, op and pp"
    )
    parser.add_argument("--trials", help="TSV: the trial list that they must be scores of")
    parser.add_argument("--manifest", required=True, help="TSV of the trial part: who speaks")
    add_draws(parser, n_replicates=0)
    parser.add_argument("--similarity", required=True, help="JSON to write")
    parser.add_argument(
        "--cells", required=True, help=f"TSV to write: {' '.join(similarity.CELLS)}"
    )
    parser.add_argument(
        "--zoo", required=True, help="TSV to write: every speaker's mean LLRs and animals"
    )
    parser.add_argument(
        "--speakers", required=True, help="TSV to write: what every speaker still gives away"
    )
    ranks = parser.add_argument_group("ranks, of corpora that enrol speakers")
    ranks.add_argument(
        "--templates", nargs="+", default=[], metavar="NPZ", help="utterances against templates"
    )
    ranks.add_argument("--label", nargs="+", default=[], help="a name for each of --templates")
    ranks.add_argument("--ranks", help="JSON to write")
    for name, columns in RANK_TABLES.items():
        ranks.add_argument(f"--rank-{name}", help=f"TSV to write: label {' '.join(columns)}")
    return parser.parse_args()


def assess_pairs(arguments: argparse.Namespace, draws: Draws) -> list[str]:
    """Assess similarity, zoo and single speakers; returns remarks."""
    assessed = assess_similarity(dict(zip(CONDITIONS, arguments.pairs, strict=True)), draws)
    write_table(arguments.cells, similarity.CELLS, similarity.cells(**assessed.matrices))
    write_table(arguments.zoo, ZOO, assessed.animals)
    write_similarity(arguments.similarity, assessed)
    say(assessed.headline)
    print_metrics({condition: assessed.metrics[condition] for condition in CONDITIONS})
    scores = dict(zip(CONDITIONS, arguments.scores, strict=True))
    write_speakers(
        arguments.speakers,
        scores,
        manifest=arguments.manifest,
        cells=arguments.cells,
        trial_list=arguments.trials,
    )
    return assessed.notes


if __name__ == "__main__":
    run(main)
