"""Two folders of results (two teams, two years) in one report, aligned by set, and what differs."""

import argparse
import re
from pathlib import Path

from voiceprivacy.inout.files import BadInput
from voiceprivacy.inout.foreign import not_ours
from voiceprivacy.organise.comparing import write_compared_page
from voiceprivacy.organise.finished_run import FinishedRun
from voiceprivacy.running.command import run, say


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "results",
        nargs=2,
        type=Path,
        metavar="RESULTS",
        help="folder with metrics.tsv of a finished run",
    )
    parser.add_argument(
        "--name", nargs=2, default=["a", "b"], help="what they are called (default a b)"
    )
    parser.add_argument(
        "--output",
        default=Path("comparison"),
        type=Path,
        help="folder to write (default comparison)",
    )
    parser.add_argument(
        "--internal",
        action="store_true",
        help="a page with everything: seeds, ids of speakers, clips of originals; not to be mailed",
    )
    arguments = parser.parse_args()

    for name in arguments.name:
        if not re.fullmatch("[A-Za-z0-9_-]{1,40}", name):
            raise BadInput(f"--name {name}: letters, digits, - and _ only, at most 40")
    if len(set(arguments.name)) == 1:
        raise BadInput(f"--name: both are called '{arguments.name[0]}'")
    named = zip(arguments.name, arguments.results, strict=True)
    # Whatever a reader stumbles over was written by somebody else, not by us.
    with not_ours(" or ".join(map(str, arguments.results))):
        both = [FinishedRun(folder, name) for name, folder in named]
        lines = write_compared_page(both, arguments.output, internal=arguments.internal)
    say(*lines)


if __name__ == "__main__":
    run(main)
