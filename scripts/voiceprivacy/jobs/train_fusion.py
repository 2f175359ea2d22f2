"""Learn how to fuse attackers: their weights under each condition, from pairs of training speech.

One embedding file and one back-end for each attacker, in the same order. With --protected, which
is the same speech after an anonymiser, there are weights of their own for OP and PP.
"""

import argparse

import numpy as np

from voiceprivacy.attack.backends import backends, fusion
from voiceprivacy.attack.held_out import unknown
from voiceprivacy.inout.files import BadInput
from voiceprivacy.inout.json_files import write_json
from voiceprivacy.inout.tables import read_manifest, source_of
from voiceprivacy.running.command import run, say
from voiceprivacy.vocabulary import CONDITIONS, PROTECTED_CONDITIONS


def main() -> None:
    arguments = parsed()

    pairs, n_speakers = fusion.training_pairs(
        read_manifest(arguments.manifest), recording=arguments.recording
    )
    galleries = {
        "original": galleries_of(arguments.original, arguments.backends, is_protected=False),
        "run0": galleries_of(arguments.protected, arguments.backends, is_protected=True),
    }
    scorers = [backends.scorer(name) for name in arguments.backends]
    target = np.array([pair.label == "target" for pair in pairs])
    learnt = {}
    for condition in ("oo", *(PROTECTED_CONDITIONS if arguments.protected else ())):
        speech = CONDITIONS[condition]
        sides = zip(scorers, galleries[speech.enrolment], galleries[speech.trial], strict=True)
        columns = [
            backends.score_trials(score, pairs, enrolment=enrolment, trial=trial)
            for score, enrolment, trial in sides
        ]
        learnt[condition] = fusion.learn(np.array(columns).T, target, n_speakers=n_speakers)
        weights = ", ".join(f"{weight:.4g}" for weight in learnt[condition].weights)
        say(f"{condition}: weights {weights}, offset {learnt[condition].offset:.4g}")
    fusion.write_fusion(arguments.fusion, fusion.Fusion(tuple(arguments.parts), learnt))
    # From how few speakers it learnt is what the verdict asks of semi-informed attackers.
    told = unknown(n_speakers, "a fusion is not judged on further speakers")
    write_json(arguments.held_out, told._asdict())
    say(f"{target.sum()} target and {(~target).sum()} nontarget pairs of {n_speakers} speakers")
    if any(source_of(pair.enrolment) == source_of(pair.trial) for pair in pairs):
        say("note: targets are pieces of one utterance: too few speakers have two utterances")


def galleries_of(
    paths: list[str], names: list[str], *, is_protected: bool
) -> list[backends.Gallery]:
    """Embeddings for each attacker, as its back-end compares them; none where there are none."""
    return [
        backends.read_gallery(path, backend=name, is_protected=is_protected)
        for path, name in zip(paths, names, strict=bool(paths))
    ]


def parsed() -> argparse.Namespace:
    """The arguments of this command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--manifest", required=True, help="TSV: speech that no attacker learnt")
    parser.add_argument("--parts", required=True, nargs="+", help="names of the attackers")
    files = {"nargs": "+", "metavar": "NPZ"}
    parser.add_argument("--original", required=True, **files, help="embeddings for each attacker")
    parser.add_argument("--protected", default=[], nargs="*", metavar="NPZ", help="likewise")
    parser.add_argument(
        "--backends",
        required=True,
        nargs="+",
        help="cosine, jensen_shannon, or the npz of a trained one",
    )
    parser.add_argument(
        "--recording",
        metavar="PATTERN",
        help="targets are of two recordings: the first group in an utterance's id",
    )
    parser.add_argument("--fusion", required=True, help="JSON to write: the weights")
    parser.add_argument(
        "--held-out", required=True, help="JSON to write: from how many speakers it learnt"
    )
    arguments = parser.parse_args()
    counts = {len(arguments.parts), len(arguments.original), len(arguments.backends)}
    counts |= {len(arguments.protected)} if arguments.protected else set()
    if len(counts) > 1:
        raise BadInput(
            "--parts, --original, --protected and --backends: give one for each attacker"
        )
    return arguments


if __name__ == "__main__":
    run(main)
