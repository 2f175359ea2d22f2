"""The job compare."""

import re
from itertools import product
from pathlib import Path

from voiceprivacy.inout.files import BadInput
from voiceprivacy.inout.foreign import not_ours
from voiceprivacy.organise.comparing import write_compared_page
from voiceprivacy.organise.finished_run import FinishedRun
from voiceprivacy.report.verdict_words import NO_CHANGE, SINCE
from voiceprivacy.running.adapter import run
from voiceprivacy.running.command import say
from voiceprivacy.tools.changes import change_lines
from voiceprivacy.vocabulary import COMPARED


def compare(
    results: tuple[Path, Path],
    *,
    name: tuple[str, str] = ("a", "b"),
    output: Path | None = None,
) -> None:
    """What has changed between two folders of results, old and new; or one page of both.

    Parameters
    ----------
    results : folder of a finished run; results/previous is what the run before has found
    name : what they are called on the page
    output : folder to write: both (two teams, two years) in one page, by set, and what differs
    """
    if output is None:
        with not_ours(" or ".join(map(str, results))):
            for folder, file in product(results, COMPARED):
                FinishedRun(folder).file(file)
            lines = change_lines(*results) or [NO_CHANGE]
        say(SINCE.format("From {} to {}".format(*results)), *lines)
        return
    for word in name:
        if not re.fullmatch("[A-Za-z0-9_-]{1,40}", word):
            raise BadInput(f"--name {word}: letters, digits, - and _ only, at most 40")
    if len(set(name)) == 1:
        raise BadInput(f"--name: both are called '{name[0]}'")
    named = zip(name, results, strict=True)
    # Whatever a reader stumbles over was written by somebody else, not by us.
    with not_ours(" or ".join(map(str, results))):
        both = [FinishedRun(folder, word) for word, folder in named]
        lines = write_compared_page(both, output)
    say(*lines)


if __name__ == "__main__":
    run(compare)
