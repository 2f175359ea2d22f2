"""Run the workflow: Snakemake with our Snakefile. All of Snakemake's own options may follow."""

import argparse
import contextlib
import os
import sys
from pathlib import Path

from voiceprivacy.plan.earlier import REMAKE, SEED_FILE, format_of_results
from voiceprivacy.plan.sources import CHECK
from voiceprivacy.running import adapter
from voiceprivacy.running.command import say
from voiceprivacy.running.progress import nothing_to_do
from voiceprivacy.vocabulary import RESULTS_FORMAT


def run() -> None:
    """Start Snakemake with the words of the command line, but for ours."""
    parser = argparse.ArgumentParser(
        description=__doc__,
        epilog="For example: voiceprivacy run --cores 4 --configfile my.yaml."
        " Snakemake's options: python -m snakemake --help",
        allow_abbrev=False,  # else an option of Snakemake's might be taken for ours
    )
    parser.add_argument(
        "--remake",
        action="store_true",
        help="train models again where needed, and make all results of another format again",
    )
    parser.add_argument(
        "--check-audio",
        action="store_true",
        help="read all files that the config names: even an edit that keeps all times is noticed",
    )
    parser.add_argument(
        "--seed-file",
        help="repeat a run whose config has no seed: a copy of its results/secret_seed",
    )
    arguments, snakemakes_own = parser.parse_known_args()

    from voiceprivacy.tools import launcher  # Snakemake: half a second

    options = launcher.parse(snakemakes_own)
    if arguments.check_audio:
        os.environ[CHECK] = "1"
    if arguments.seed_file:
        os.environ[SEED_FILE] = os.path.abspath(arguments.seed_file)
    if arguments.remake:
        os.environ[REMAKE] = "1"
        its_format = format_of_results(Path(options.directory or ".", "results"))
        options.forceall = options.forceall or its_format != RESULTS_FORMAT
    sys.exit(carried_out(options))


def carried_out(options: argparse.Namespace) -> int:
    """Run Snakemake by its options, as ``launcher.parse`` returns them; the exit code."""
    from voiceprivacy.tools import launcher

    launcher.check_configs(options)
    launcher.check_folders(options)
    page = Path(options.directory or ".", "results", "report", "index.html")
    before = page.stat().st_mtime_ns if page.exists() else None
    exit_code = launcher.start(options)
    if exit_code and not options.dryrun and before and _is_still_of(page, before):
        say(f"{page} is of an earlier run: this one failed before it made its page")
    if nothing_to_do.is_set() and not (options.targets or options.dryrun):
        say(*standing(Path(options.directory or ".", "results")))
    return exit_code


def _is_still_of(page, before):
    """Whether a page is there, and was not written since."""
    return page.exists() and page.stat().st_mtime_ns == before


def standing(results: Path) -> list[str]:
    """What an earlier run of the same command has found: states, and where the page is."""
    from voiceprivacy.errors import BadInput
    from voiceprivacy.report.typeset import listed
    from voiceprivacy.report.verdict import read_verdict

    lines = []
    with contextlib.suppress(BadInput):  # an analysis of ranks has no verdict
        for judged in read_verdict(results / "verdict.json").sets:
            systems: dict[str, list[str]] = {}
            for row in judged.rows:
                if row.words:  # unprotected speech has no state
                    systems.setdefault(row.words, []).append(row.system)
            states = [f"{listed(names)} {words}" for words, names in systems.items()]
            lines.append(f"{judged.name}: {'; '.join(states)}")
    return [*lines, f"Report: {(results / 'report' / 'index.html').absolute()}"]


if __name__ == "__main__":
    adapter.run(run)
