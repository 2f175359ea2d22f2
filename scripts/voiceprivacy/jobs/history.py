"""The job history."""

from pathlib import Path

from voiceprivacy.inout.foreign import not_ours
from voiceprivacy.running.adapter import run
from voiceprivacy.running.command import say
from voiceprivacy.tools.history import history_lines


def history(results: Path = Path("results")) -> None:
    """The rounds of an evening: what each finished state of a run has found, beside the others.

    A run adds a round when it has finished, if the state is a new one. Rounds are compared speaker
    by speaker, with the last one and with the best one before. RESULTS/history.html is the same as
    a page.

    Parameters
    ----------
    results : folder of a finished run
    """
    with not_ours(results):
        lines = history_lines(results)
    say(*lines)


if __name__ == "__main__":
    run(history)
