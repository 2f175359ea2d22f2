"""List the files that the numbers, the page and the pictures of a run are made of."""

import argparse
from pathlib import Path

from voiceprivacy.inout.files import counted
from voiceprivacy.plan.plan import Plan
from voiceprivacy.report.contents import contents_of, write_contents
from voiceprivacy.running.command import add_json, run


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    add_json(parser, "--config", required=True, help="the completed config as JSON")
    parser.add_argument("--plan", required=True, type=Path, help="JSON to write")
    arguments = parser.parse_args()

    contents = contents_of(Plan(arguments.config))
    write_contents(arguments.plan, contents)
    print(f"{counted(len(contents.figures), 'figure')}: {arguments.plan}")


if __name__ == "__main__":
    run(main)
