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

    config = configuration.read(arguments.config)
    problems = configuration.problems(config)
    findings = Findings()
    for problem in problems:
        findings.error(arguments.config, configuration.line_of(arguments.config, problem.place), str(problem))
    show(arguments.config, sorted(findings, key=lambda finding: finding.line))
    unusable = {problem.place[:2] for problem in problems}
    corpora = configuration.complete(config).get("corpora", {})
    for name in corpora if isinstance(corpora, dict) else []:
        if ("corpora", name) not in unusable:
            of_corpus = checks.check_entry(configuration.expand(corpora[name]))
            show(f"corpus {name}", of_corpus)
            findings += of_corpus
    errors = len(findings.errors())
    print(f"{errors} errors, {len(findings) - errors} oddities")
    if errors:
        sys.exit(2)


def show(title, findings):
    print(f"{title}: {'' if findings else 'nothing to report'}", flush=True)
    for finding in findings:
        print(f"  {finding.level:<7} {finding}", flush=True)


if __name__ == "__main__":
    run(main)
