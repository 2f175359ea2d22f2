"""Build the leaderboard of a repository of results, or begin such a repository.

The site is static and loads nothing from elsewhere. A new repository has the checks that its host
runs, and what the baselines of the VoicePrivacy challenges of 2020 to 2026 published.
"""

import argparse
from pathlib import Path

from voiceprivacy.organise.records import read_repository
from voiceprivacy.organise.seeding import new_repository
from voiceprivacy.organise.site import write_site
from voiceprivacy.organise.standings import changes
from voiceprivacy.running.command import run, say


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    task = parser.add_mutually_exclusive_group(required=True)
    task.add_argument("repository", nargs="?", type=Path, help="folder of results, as a checkout")
    task.add_argument("--new", type=Path, metavar="FOLDER", help="begin a repository there")
    parser.add_argument(
        "--output", default=Path("site"), type=Path, help="folder of the site (default site)"
    )
    parser.add_argument(
        "--compared-with",
        type=Path,
        metavar="BASE",
        help="no site: print as Markdown what the repository changes in this one",
    )
    arguments = parser.parse_args()

    if arguments.new:
        say(*new_repository(arguments.new))
    elif arguments.compared_with:
        base = read_repository(arguments.compared_with)
        say(*changes(base, read_repository(arguments.repository)))
    else:
        say(*write_site(read_repository(arguments.repository), arguments.output))


if __name__ == "__main__":
    run(main)
