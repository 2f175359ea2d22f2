"""Check a config and all that it names before hours of work: every finding at once, with file and line."""

import argparse
import sys

from voiceprivacy import configuration
from voiceprivacy.command import run
from voiceprivacy.corpora import checks
from voiceprivacy.corpora.listing import Findings


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--config", required=True, help="YAML config of a run")
    arguments = parser.parse_args()

    findings = Findings()
    config = configuration.read(arguments.config)
    for problem in configuration.problems(config):
        findings.error(arguments.config, configuration.line_of(arguments.config, problem.place), str(problem))
    if not findings:
        for name, entry in configuration.check(config)["corpora"].items():
            print(f"checking corpus {name}", file=sys.stderr)
            findings += checks.check_entry(entry)
    for finding in findings:
        print(f"{finding.level:<7} {finding}")
    errors = len(findings.errors())
    print(f"{errors} errors, {len(findings) - errors} oddities")
    if errors:
        sys.exit(2)


if __name__ == "__main__":
    run(main)
