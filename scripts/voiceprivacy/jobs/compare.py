"""The job compare."""

import re
from pathlib import Path

from voiceprivacy.inout.files import BadInput
from voiceprivacy.inout.foreign import not_ours
from voiceprivacy.organise.comparing import write_compared_page
from voiceprivacy.organise.finished_run import FinishedRun
from voiceprivacy.running.adapter import run
from voiceprivacy.running.command import say


def compare(
    results: tuple[Path, Path],
    *,
    name: tuple[str, str] = ("a", "b"),
    output: Path = Path("comparison"),
) -> None:
    """Two folders of results (two teams, two years) in one report, by set, and what differs.

    Parameters
    ----------
    results : folder with metrics.tsv of a finished run
    name : what they are called
    output : folder to write
    """
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
