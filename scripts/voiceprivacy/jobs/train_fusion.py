"""The job train_fusion."""

from collections.abc import Sequence

import numpy as np

from voiceprivacy.attack.backends import backends as scoring
from voiceprivacy.attack.backends import fusion as fusing
from voiceprivacy.attack.held_out import unknown
from voiceprivacy.inout.files import BadInput
from voiceprivacy.inout.json_files import write_json
from voiceprivacy.inout.tables import read_manifest, source_of
from voiceprivacy.running.adapter import run
from voiceprivacy.running.command import say
from voiceprivacy.vocabulary import CONDITIONS, PROTECTED_CONDITIONS


def train_fusion(
    *,
    manifest: str,
    parts: list[str],
    original: list[str],
    protected: Sequence[str] = (),
    backends: list[str],
    recording: str | None = None,
    fusion: str,
    held_out: str,
) -> None:
    """Learn how to fuse attackers: their weights by condition, from pairs of training speech.

    One embedding file and one back-end for each attacker, in the same order. With --protected,
    which is the same speech after an anonymiser, there are weights of their own for OP and PP.

    Parameters
    ----------
    manifest : TSV: speech that no attacker learnt
    parts : names of the attackers
    original : embeddings for each attacker
    protected : likewise
    backends : cosine, jensen_shannon, or the npz of a trained one
    recording : PATTERN: targets are of two recordings: the first group in an utterance's id
    fusion : JSON to write: the weights
    held_out : JSON to write: from how many speakers it learnt
    """
    counts = {len(parts), len(original), len(backends)}
    counts |= {len(protected)} if protected else set()
    if len(counts) > 1:
        raise BadInput(
            "--parts, --original, --protected and --backends: give one for each attacker"
        )
    pairs, n_speakers = fusing.training_pairs(read_manifest(manifest), recording=recording)
    galleries = {
        "original": galleries_of(original, backends, is_protected=False),
        "run0": galleries_of(protected, backends, is_protected=True),
    }
    scorers = [scoring.scorer(name) for name in backends]
    target = np.array([pair.label == "target" for pair in pairs])
    learnt = {}
    for condition in ("oo", *(PROTECTED_CONDITIONS if protected else ())):
        speech = CONDITIONS[condition]
        sides = zip(scorers, galleries[speech.enrolment], galleries[speech.trial], strict=True)
        columns = [
            scoring.score_trials(score, pairs, enrolment=enrolment, trial=trial)
            for score, enrolment, trial in sides
        ]
        learnt[condition] = fusing.learn(np.array(columns).T, target, n_speakers=n_speakers)
        weights = ", ".join(f"{weight:.4g}" for weight in learnt[condition].weights)
        say(f"{condition}: weights {weights}, offset {learnt[condition].offset:.4g}")
    fusing.write_fusion(fusion, fusing.Fusion(tuple(parts), learnt))
    # From how few speakers it learnt is what the verdict asks of semi-informed attackers.
    estimate = unknown(n_speakers, "a fusion is not judged on further speakers")
    write_json(held_out, estimate._asdict())
    say(f"{target.sum()} target and {(~target).sum()} nontarget pairs of {n_speakers} speakers")
    if any(source_of(pair.enrolment) == source_of(pair.trial) for pair in pairs):
        say("note: targets are pieces of one utterance: too few speakers have two utterances")


def galleries_of(
    paths: Sequence[str], names: list[str], *, is_protected: bool
) -> list[scoring.Gallery]:
    """Embeddings for each attacker, as its back-end compares them; none where there are none."""
    return [
        scoring.read_gallery(path, backend=name, is_protected=is_protected)
        for path, name in zip(paths, names, strict=bool(paths))
    ]


if __name__ == "__main__":
    run(train_fusion)
