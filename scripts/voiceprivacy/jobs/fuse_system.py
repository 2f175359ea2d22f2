"""The job fuse_system."""

from pathlib import Path

from voiceprivacy.attack.backends import fusion as fusing
from voiceprivacy.inout.files import BadInput
from voiceprivacy.inout.scored_trials import write_scores
from voiceprivacy.running.adapter import run
from voiceprivacy.running.command import say


def fuse_system(
    *,
    fusion: str,
    parts: list[str],
    original: bool = False,
    scores: list[str],
) -> None:
    """Fuse the scores of several attackers on the same trials into one LLR for each trial.

    Files are named by their condition (oo, op, pp, p0p1, rr). For each file to write there is one
    of every attacker, in the order of the attackers in the fusion.

    Parameters
    ----------
    fusion : JSON of train_fusion.py
    parts : TSV: the attackers' scores
    original : they are of unprotected speech
    scores : TSV to write
    """
    learnt = fusing.read_fusion(fusion)
    for path in scores:
        condition = Path(path).stem
        paths = [part for part in parts if Path(part).stem == condition]
        if len(paths) != len(learnt.parts):
            attackers = ", ".join(learnt.parts)
            raise BadInput(f"{path}: --parts has {len(paths)} files of {condition} for {attackers}")
        weights = learnt.under(condition, of_original=original)
        trials, llrs = fusing.read_parts(paths)
        write_scores(path, trials, fusing.fuse(llrs, weights))
        say(f"{len(trials)} trials of {len(paths)} attackers: {path}")


if __name__ == "__main__":
    run(fuse_system)
