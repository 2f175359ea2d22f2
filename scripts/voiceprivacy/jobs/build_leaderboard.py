"""Build the leaderboard of a repository of results, or begin such a repository.

The site is static and loads nothing from elsewhere. It is made of what was checked in the same
call, or not at all. A new repository has the checks that its host runs, and what the baselines of
the VoicePrivacy challenges of 2020 to 2026 published.
"""

import argparse
from pathlib import Path

from voiceprivacy.jobs.check_result import CONTRIBUTION_S, add_seconds, refuse
from voiceprivacy.organise.checking import checked, differences
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
    add_seconds(parser)
    arguments = parser.parse_args()

    if arguments.new:
        say(*new_repository(arguments.new))
        return
    changed, seconds = None, arguments.seconds
    if arguments.compared_with:
        changed = differences(arguments.compared_with, arguments.repository).all
        seconds = seconds or CONTRIBUTION_S
    repository, findings = checked(arguments.repository, changed=changed, seconds=seconds)
    if not all(finding.is_note for finding in findings):
        refuse(arguments.repository, findings)
    if arguments.compared_with:
        say(*changes(read_repository(arguments.compared_with), repository))
    else:
        say(*write_site(repository, arguments.output))


if __name__ == "__main__":
    run(main)
