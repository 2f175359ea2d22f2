"""Check a config and all that it names before hours of work: every finding at once, with file and line."""

import argparse
import sys

from voiceprivacy.corpora import checks
from voiceprivacy.corpora.listing import Findings
from voiceprivacy.inout.files import counted
from voiceprivacy.plan import completion, configuration, estimate
from voiceprivacy.running.command import run
from voiceprivacy.tools import file_names


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--config", required=True, help="YAML config of a run")
    arguments = parser.parse_args()

    config = completion.read(arguments.config)
    problems = configuration.problems(config)
    findings = Findings()
    for problem in problems:
        findings.error(
            arguments.config, completion.line_of(arguments.config, problem.place), str(problem)
        )
    show(arguments.config, sorted(findings, key=lambda finding: finding.line))
    examined = examine({problem.place[:2] for problem in problems}, config)
    findings += [finding for of in examined.values() for finding in of.findings]
    if not problems and (ready := file_names.findings_of(configuration.check(config), examined)):
        show("speech that is anonymised already", ready)
        findings += ready
    errors = len(findings.errors())
    if not errors:
        print(estimate.text(estimate.estimate(configuration.check(config), examined)))
    excluded = sum(finding.level == "excluded" for finding in findings)
    left_out = f", {counted(excluded, 'utterance')} excluded" if excluded else ""
    print(
        f"{counted(errors, 'error')}, {counted(len(findings) - errors - excluded, 'oddity', 'oddities')}{left_out}"
    )
    if errors:
        sys.exit(2)


def examine(unusable, config):
    """Examine and show the corpora of a config whose entries (such as ("corpora", "mine")) are not unusable."""
    corpora = completion.complete(config).get("corpora", {})
    corpora = corpora if isinstance(corpora, dict) else {}
    usable = {
        name: entry
        for name, entry in corpora.items()
        if not unusable & {("corpora",), ("corpora", name)}
    }
    usable = completion.expand(usable)
    examined = {}
    for name in usable:
        examined[name] = checks.examine_entry(name, usable)
        show(f"corpus {name}", examined[name].findings)
    return examined


def show(title, findings):
    print(f"{title}: {'' if findings else 'nothing to report'}", flush=True)
    for finding in findings:
        print(f"  {finding.level:<8} {finding}", flush=True)


if __name__ == "__main__":
    run(main)
