"""The job build_leaderboard."""

from pathlib import Path

from voiceprivacy.errors import BadInput
from voiceprivacy.jobs.check_result import refuse
from voiceprivacy.organise.checking import checked, differences
from voiceprivacy.organise.site import new_repository, write_site
from voiceprivacy.running.adapter import run
from voiceprivacy.running.command import say


def build_leaderboard(
    repository: Path | None = None,
    *,
    new: Path | None = None,
    output: Path = Path("site"),
    compared_with: Path | None = None,
    seconds: float = 10,
) -> None:
    """Build the leaderboard of a repository of results, or begin such a repository.

    The site is static and loads nothing from elsewhere. It is made of what was checked in the same
    call, or not at all. A new repository has the checks that its host runs, and what the baselines
    of the VoicePrivacy challenges of 2020 to 2026 published.

    Parameters
    ----------
    repository : folder of results, as a checkout
    new : folder in which a repository begins
    output : folder of the site
    compared_with : no site: print as Markdown what the repository changes in this one
    seconds : processor seconds after which the check of a contribution ends
    """
    if (repository is None) == (new is None):
        raise BadInput("give a repository or --new")
    if new:
        say(*new_repository(new))
    elif repository:
        differ = differences(compared_with, repository) if compared_with else None
        results, findings = checked(repository, changes=differ, seconds=seconds)
        if findings:
            refuse(repository, findings)
        if differ:
            say(*(f"* {line}" for line in differ.lines or ["nothing changes"]))
        else:
            say(*write_site(results, output))


if __name__ == "__main__":
    run(build_leaderboard)
