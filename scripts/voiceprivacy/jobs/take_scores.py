"""Take over a score file that somebody else made, as our own, after it was checked."""

import argparse

from voiceprivacy.inout.files import counted
from voiceprivacy.inout.tables import read_scored_trials, write_scores
from voiceprivacy.running.command import run, say


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--given", required=True, help="TSV: enrolment trial label score; with --trials headerless"
    )
    parser.add_argument(
        "--trials", help="headerless key: enrolment trial target|nontarget; or our list"
    )
    parser.add_argument("--scores", required=True, help="TSV to write")
    arguments = parser.parse_args()

    scored = read_scored_trials(arguments.given, key=arguments.trials)
    # Targets first, whatever order they were given in.
    trials, scores = zip(*scored["target"], *scored["nontarget"], strict=True)
    write_scores(arguments.scores, trials, scores)
    say(f"{counted(len(trials), 'trial')}: {arguments.scores}")


if __name__ == "__main__":
    run(main)
