"""Say in a few lines which jobs of a Snakemake run failed and why: errors or last lines of their logs."""

import argparse
import re
from pathlib import Path

from voiceprivacy.command import run
from voiceprivacy.files import read_lines

FAILED = re.compile(r"^(?:Error in rule|RuleException in rule) (\w+)")
OWN_LOG = re.compile(r"^\s+log: (.+?)(?: \(check log file|$)")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--log", required=True, help="Snakemake's log of the run")
    parser.add_argument("--lines", default=5, type=int, help="how many lines of each job's log (default 5)")
    arguments = parser.parse_args()

    for rule, log in failed_jobs(read_lines(arguments.log)):
        print(f"\n{rule} failed. Its log is {log}:")
        for line in reasons(log, arguments.lines):
            print(f"    {line}")
    print("\nCorrect what is named there and give the same command again: finished jobs are not repeated.")


def reasons(log, count):
    """The last lines of a job's log that begin with error:, else its last lines."""
    text = Path(log).read_text(encoding="utf-8", errors="replace") if Path(log).exists() else ""
    lines = [line for line in text.splitlines() if line.strip()] or ["(empty)"]
    return ([line for line in lines if line.startswith("error:")] or lines)[-count:]


def failed_jobs(lines):
    """(rule, its log) of every failed job of a Snakemake log, each once."""
    rule, found = None, {}
    for line in lines:
        if match := FAILED.match(line):
            rule = match.group(1)
        elif rule and (match := OWN_LOG.match(line)):
            found[rule, match.group(1)] = None
            rule = None
    return list(found)


if __name__ == "__main__":
    run(main)
