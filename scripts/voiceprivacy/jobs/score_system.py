"""Score all conditions of one system under one attacker: a trial list, its pairs and its templates.

Every file to write is named by its condition: oo, op, pp, p0p1 or rr. Embeddings are given as
WHOSE=FILE, where WHOSE is original, run0 (the protected speech) or run1 (its second run). Under rr
the list's trial utterances are compared with each other, as --release lists them; of original
speech, too.
"""

import argparse
from pathlib import Path
from typing import Any

from voiceprivacy.attack.backends import backends
from voiceprivacy.inout.arrays import write_matrix
from voiceprivacy.inout.files import BadInput
from voiceprivacy.inout.tables import read_trials, write_scores
from voiceprivacy.running.command import run, say
from voiceprivacy.vocabulary import CONDITIONS, WITHIN_RELEASE


def main() -> None:
    arguments = parsed()

    score = backends.scorer(arguments.backend)
    trials = read_trials(arguments.trials)
    enrolments = backends.read_enrolments(arguments.enrolments)
    enrolment_speakers = backends.read_speakers(arguments.enrolment_manifest)
    trial_speakers = backends.read_speakers(arguments.trial_manifest)
    enrolled = galleries(arguments.enrolment, "--enrolment", backend=arguments.backend)
    tried = galleries(arguments.trial, "--trial", backend=arguments.backend)

    for path in arguments.scores:
        if Path(path).stem in WITHIN_RELEASE:
            if not arguments.release:
                raise BadInput(f"{path}: needs --release, the list that list_trials.py writes")
            listed = read_trials(arguments.release)
            gallery = tried["run0" if "run0" in tried else "original"]  # the released speech
            scores = backends.score_trials(score, listed, enrolment=gallery, trial=gallery)
        else:
            listed, sides = trials, compared(path, enrolled, tried)
            scores = backends.score_trials(score, listed, **sides, enrolments=enrolments)
        write_scores(path, listed, scores)
        say(f"{len(listed)} trials: {path}")
    for path in arguments.pairs:
        sides = compared(path, tried, tried)
        matrix = backends.pair_matrix(score, trials, **sides, speakers=trial_speakers)
        write_matrix(path, matrix)
        say(f"{len(matrix.rows)} x {len(matrix.columns)} trial utterances: {path}")
    for path in arguments.templates:
        matrix = backends.template_matrix(
            score,
            trials,
            **compared(path, enrolled, tried),
            enrolments=enrolments,
            enrolment_speakers=enrolment_speakers,
            trial_speakers=trial_speakers,
        )
        write_matrix(path, matrix)
        say(f"{len(matrix.rows)} trial utterances x {len(matrix.columns)} speakers: {path}")


def parsed() -> argparse.Namespace:
    """The arguments of this command."""
    parser = argparse.ArgumentParser(description=__doc__)
    speech: dict[str, Any] = {"nargs": "+", "required": True, "metavar": "WHOSE=NPZ"}
    parser.add_argument("--enrolment", **speech, help="embeddings of the enrolment utterances")
    parser.add_argument("--trial", **speech, help="embeddings of the trial utterances")
    parser.add_argument("--enrolment-manifest", required=True, help="TSV: who speaks")
    parser.add_argument("--trial-manifest", required=True, help="TSV: who speaks")
    parser.add_argument("--trials", required=True, help="TSV: enrolment trial label")
    parser.add_argument("--enrolments", required=True, help="TSV: enrolment utterance")
    parser.add_argument(
        "--backend",
        required=True,
        help="cosine, jensen_shannon (histograms), or the npz of train_backend.py",
    )
    parser.add_argument("--release", help="TSV: enrolment trial label, the pairs to score under rr")
    files: dict[str, Any] = {"nargs": "*", "default": [], "metavar": "CONDITION"}
    parser.add_argument("--scores", **files, help="TSV to write: enrolment trial label score")
    parser.add_argument(
        "--pairs", **files, help="npz to write: the list's trial utterances against themselves"
    )
    parser.add_argument(
        "--templates", **files, help="npz to write: trial utterances against enrolled speakers"
    )
    return parser.parse_args()


def galleries(words: list[str], option: str, *, backend: str) -> backends.Lookup[backends.Gallery]:
    """Embeddings by whose speech they are of, from WHOSE=FILE; each file is read once."""
    read = {}
    for word in words:
        whose, _, path = word.partition("=")
        is_protected = whose != "original"
        read[whose] = backends.read_gallery(path, backend=backend, is_protected=is_protected)
    return backends.Lookup(read, path=option, kind="embeddings of")


def compared(
    path: str,
    enrolled: backends.Lookup[backends.Gallery],
    tried: backends.Lookup[backends.Gallery],
) -> dict[str, backends.Gallery]:
    """The two sides of the condition by which a file is named."""
    condition = Path(path).stem
    if condition not in CONDITIONS:
        raise BadInput(f"{path}: is not named by a condition ({', '.join(CONDITIONS)})")
    speech = CONDITIONS[condition]
    return {"enrolment": enrolled[speech.enrolment], "trial": tried[speech.trial]}


if __name__ == "__main__":
    run(main)
