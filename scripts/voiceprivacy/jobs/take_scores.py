"""The job take_scores."""

from voiceprivacy.errors import counted
from voiceprivacy.inout.scored_trials import read_scored_trials, write_scores
from voiceprivacy.running.adapter import run
from voiceprivacy.running.command import say


def take_scores(
    *,
    given: str,
    trials: str | None = None,
    scores: str,
) -> None:
    """Take over a score file that somebody else made, as our own, after it was checked.

    Parameters
    ----------
    given : TSV: enrolment trial label score; with --trials headerless
    trials : headerless key: enrolment trial target|nontarget; or our list
    scores : TSV to write
    """
    scored = read_scored_trials(given, key=trials)
    n_trials = len(scored.scores)
    write_scores(scores, map(scored.named, range(n_trials)), scored.scores)
    say(f"{counted(n_trials, 'trial')}: {scores}")


if __name__ == "__main__":
    run(take_scores)
