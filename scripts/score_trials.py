"""Score every trial of a list; higher means more likely the same speaker."""

import argparse

from voiceprivacy.attack.backends import backends
from voiceprivacy.inout.arrays import read_embeddings
from voiceprivacy.inout.tables import read_enrolments, read_trials, write_scores
from voiceprivacy.running.command import run


def main():
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
        "--backend", required=True, help="cosine, jensen_shannon (histograms) or a PLDA npz"
    )
    parser.add_argument("--scores", required=True, help="TSV to write: enrolment trial label score")
    arguments = parser.parse_args()

    trials = read_trials(arguments.trials)
    enrolments = None
    if arguments.enrolments:
        enrolments = read_enrolments(arguments.enrolments)
        enrolments = backends.Lookup(enrolments, path=arguments.enrolments, what="enrolment")
    scores = backends.score_trials(
        backends.scorer(arguments.backend),
        trials,
        enrolment=backends.Gallery(read_embeddings(arguments.enrolment), arguments.enrolment),
        trial=backends.Gallery(read_embeddings(arguments.trial), arguments.trial),
        enrolments=enrolments,
    )
    write_scores(arguments.scores, trials, scores)
    for label in ("target", "nontarget"):
        of_label = [
            score for trial, score in zip(trials, scores, strict=True) if trial.label == label
        ]
        if of_label:
            print(
                f"{label:<10}{len(of_label):>10} trials, mean score {sum(of_label) / len(of_label):>12.6g}"
            )


if __name__ == "__main__":
    run(main)
