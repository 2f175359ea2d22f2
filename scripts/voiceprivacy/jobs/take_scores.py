"""The job take_scores."""

from voiceprivacy.inout.files import counted
from voiceprivacy.inout.tables import read_scored_trials, write_scores
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
    # Targets first, whatever order they were given in.
    listed, values = zip(*scored["target"], *scored["nontarget"], strict=True)
    write_scores(scores, listed, values)
    say(f"{counted(len(listed), 'trial')}: {scores}")


if __name__ == "__main__":
    run(take_scores)
