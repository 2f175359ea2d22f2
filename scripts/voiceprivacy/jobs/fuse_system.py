"""Fuse the scores of several attackers on the same trials into one LLR for each trial.

Files are named by their condition (oo, op, pp, p0p1, rr). For each file to write there is one of
every attacker, in the order of the attackers in the fusion.
"""

import argparse
from pathlib import Path

from voiceprivacy.attack.backends import fusion
from voiceprivacy.inout.files import BadInput
from voiceprivacy.inout.tables import write_scores
from voiceprivacy.running.command import run, say


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fusion", required=True, help="JSON of train_fusion.py")
    parser.add_argument("--parts", required=True, nargs="+", help="TSV: the attackers' scores")
    parser.add_argument("--original", action="store_true", help="they are of unprotected speech")
    parser.add_argument("--scores", required=True, nargs="+", help="TSV to write")
    arguments = parser.parse_args()

    learnt = fusion.read_fusion(arguments.fusion)
    for path in arguments.scores:
        condition = Path(path).stem
        paths = [part for part in arguments.parts if Path(part).stem == condition]
        if len(paths) != len(learnt.parts):
            parts = ", ".join(learnt.parts)
            raise BadInput(f"{path}: --parts has {len(paths)} files of {condition} for {parts}")
        weights = learnt.under(condition, of_original=arguments.original)
        trials, scores = fusion.read_parts(paths)
        write_scores(path, trials, fusion.fuse(scores, weights))
        say(f"{len(trials)} trials of {len(paths)} attackers: {path}")


if __name__ == "__main__":
    run(main)
