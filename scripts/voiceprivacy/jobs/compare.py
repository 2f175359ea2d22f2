"""The job compare."""

from itertools import product
from pathlib import Path

from voiceprivacy.errors import BadInput
from voiceprivacy.inout.foreign import not_ours, plain_file
from voiceprivacy.organise.compared_repositories import comparison_lines, is_repository
from voiceprivacy.report.verdict_words import NO_CHANGE, SINCE
from voiceprivacy.running.adapter import run
from voiceprivacy.running.command import say
from voiceprivacy.tools.changes import change_lines
from voiceprivacy.vocabulary import COMPARED


def compare(old: Path, new: Path) -> None:
    """What has changed between two folders of results.

    Of two folders that export-result has written, perhaps of two laboratories: which systems can
    be told apart on the lists that both have.

    Parameters
    ----------
    old : folder of a finished run; results/previous is what the run before has found
    new : folder of a later one
    """
    if is_repository(old) and is_repository(new):
        say(*comparison_lines(old, new))
        return
    with not_ours(f"{old} or {new}"):
        for folder, file in product((old, new), COMPARED):
            if not (folder / file).exists():
                raise BadInput(
                    f"{folder / file}: not found: compare takes the results of two finished runs,"
                    " or two folders that export-result has written"
                )
            plain_file(folder / file, folder)
        lines = change_lines(old, new) or [NO_CHANGE]
    say(SINCE.format(f"From {old} to {new}"), *lines)


if __name__ == "__main__":
    run(compare)
