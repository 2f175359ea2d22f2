"""Score every trial of a list; higher means more likely the same speaker."""

import argparse
import sys

from voiceprivacy.attack import Floats
from voiceprivacy.attack.backends import backends
from voiceprivacy.inout.tables import Trial, read_trials, warning_of_itself, write_scores
from voiceprivacy.running.command import run, say


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--enrolment", required=True, help="npz: embeddings of the enrolment utterances"
    )
    parser.add_argument("--trial", required=True, help="npz: embeddings of the trial utterances")
    parser.add_argument("--trials", required=True, help="TSV: enrolment trial label")
    parser.add_argument(
        "--enrolments",
        help="TSV: enrolment utterance; without it an enrolment id is an utterance id",
    )
    parser.add_argument(
        "--backend",
        required=True,
        help="cosine, jensen_shannon (histograms), or the npz of train_backend.py",
    )
    parser.add_argument(
        "--protected",
        nargs="*",
        choices=["enrolment", "trial"],
        default=[],
        help="which of them is protected speech; only a Procrustes back-end asks",
    )
    parser.add_argument("--scores", required=True, help="TSV to write: enrolment trial label score")
    arguments = parser.parse_args()

    trials = read_trials(arguments.trials)
    lists = backends.read_enrolments(arguments.enrolments) if arguments.enrolments else None
    if warning := warning_of_itself(trials, lists):
        say(f"warning: {arguments.trials}: {warning}", file=sys.stderr)
    galleries = {
        side: backends.read_gallery(
            path, backend=arguments.backend, is_protected=side in arguments.protected
        )
        for side, path in (("enrolment", arguments.enrolment), ("trial", arguments.trial))
    }
    scores = backends.score_trials(
        backends.scorer(arguments.backend),
        trials,
        **galleries,
        enrolments=lists,
    )
    write_scores(arguments.scores, trials, scores)
    for label in ("target", "nontarget"):
        show_mean(label, trials, scores)


def show_mean(label: str, trials: list[Trial], scores: Floats) -> None:
    """Print how many trials have a label, and their mean score."""
    pairs = zip(trials, scores, strict=True)
    values = [score for trial, score in pairs if trial.label == label]
    if values:
        mean = sum(values) / len(values)
        say(f"{label:<10}{len(values):>10} trials, mean score {mean:>12.6g}")


if __name__ == "__main__":
    run(main)
