"""The job validate."""

import sys
from collections.abc import Iterable, Sequence
from itertools import product
from typing import Any

from voiceprivacy.attack.extractors import of_others
from voiceprivacy.corpora import checks, training_checks
from voiceprivacy.corpora.listing import Finding, Findings
from voiceprivacy.corpus_kinds import why_no_transcripts
from voiceprivacy.errors import BadInput, counted
from voiceprivacy.inout.placeholders import ours
from voiceprivacy.inout.scored_trials import read_scored_trials
from voiceprivacy.kinds import MEASURES, module_of
from voiceprivacy.plan import configuration, defaults, estimate
from voiceprivacy.plan.measures import shipped
from voiceprivacy.plan.plan import Plan, embedded
from voiceprivacy.plan.verdict import attack_lines
from voiceprivacy.running.adapter import run
from voiceprivacy.running.command import say
from voiceprivacy.tools import ready_speech, tryout
from voiceprivacy.vocabulary import CHOSEN_BY


def validate(
    *,
    config: list[str],
    call: bool = False,
) -> None:
    """Check a config and all that it names before hours of work: what is wrong, with file and line.

    Parameters
    ----------
    config : YAML config of a run; later files win
    call : call the functions of anonymisers on a second of speech: they run as you
    """
    merged = read(config)
    problems = configuration.problems(merged)
    findings = Findings()
    for problem in problems:
        findings.error(*configuration.located(problem, config))
    if not any(merged.values()):
        findings.error(config[-1], 1, "is empty: expected sections such as corpora:")
    show(", ".join(config), sorted(findings, key=lambda finding: (finding.file, finding.line)))
    # Corpora without a mistake are examined even where the rest of the config has some.
    plan = None if problems else Plan(defaults.complete(merged))
    compared = plan is None or bool(plan.attackers.extractors)
    examined = examine(configuration.usable_corpora(merged, problems), compared=compared)
    for examination in examined.values():
        findings += examination.findings
    if plan:
        for title, odd in (
            ("speech that is anonymised already", ready_speech.findings_of(plan.config, examined)),
            ("speech to learn from", too_little(plan)),
            ("speech for attackers", tryout.too_short(plan, examined)),
            ("recipes of training", tryout.wrong_recipes(plan)),
            ("scores of other people's attackers", wrong_scores(plan)),
            ("embeddings that are made already", wrong_embeddings(plan, examined)),
            ("tables of measures", wrong_tables(plan, examined)),
            ("programs of the config", tried(config, plan, findings, call=call)),
        ):
            if odd:
                show(title, odd)
                findings += odd
        for group, reason in plan.utility.not_measured().items():
            say(f"{group}: {reason}")
        say(*attack_lines(plan))
    n_errors = len(findings.errors())
    if plan and not n_errors:
        say(*estimate.text(estimate.estimate(plan, examined)).splitlines())
    n_excluded = sum(finding.level == "excluded" for finding in findings)
    oddities = counted(len(findings) - n_errors - n_excluded, "oddity", "oddities")
    left_out = f", {counted(n_excluded, 'utterance')} excluded" if n_excluded else ""
    say(f"{counted(n_errors, 'error')}, {oddities}{left_out}")
    if n_errors:
        sys.exit(2)


def read(paths: Sequence[str]) -> dict[str, Any]:
    """The config of one file, or of several as ``voiceprivacy run`` merges them."""
    if len(paths) == 1:
        return configuration.read(paths[0])
    from snakemake.utils import update_config  # which takes a second to import

    config: dict[str, Any] = {}
    for path in paths:
        update_config(config, configuration.read(path))
    return config


def examine(corpora: dict[str, dict], *, compared: bool) -> dict[str, checks.Examination]:
    """Examine and show corpora, completed as in a config; ``compared`` as in checks.examine."""
    examined = {}
    for name in corpora:
        transcripts = why_no_transcripts(corpora[name]) is None
        examined[name] = checks.examine_entry(
            name, corpora, compared=compared, transcripts=transcripts
        )
        show(f"corpus {name}", examined[name].findings)
    return examined


def too_little(plan: Plan) -> Findings:
    """Training speech from which no attacker can learn."""
    fewest = plan.attackers.fewest_utterances()
    there = {name: count for name, count in fewest.items() if not plan.speech.downloads(name)}
    sources, least = plan.speech.training_sources(), plan.attackers.least_speech()
    return training_checks.check_learnt(sources, there, least)


def wrong_scores(plan: Plan) -> Findings:
    """Score files that cannot be read; those of our own lists are compared when these are there."""
    findings = Findings()
    for attacker, files in plan.given.files.items():
        for (corpus, trials, _, _), path in files.items():
            key = plan.given.key(attacker, corpus, trials)
            if key or not plan.speech.list_file(corpus, trials):
                try:
                    read_scored_trials(path, key=key)
                except BadInput as error:
                    findings.bad_file(error)
    return findings


def wrong_tables(plan: Plan, examined: dict[str, checks.Examination]) -> Findings:
    """Tables that measures of utility read and that cannot be read, or lack an utterance."""
    findings = Findings()
    for measure, options in plan.utility.entries.items():
        module = module_of(options["type"], MEASURES) if shipped(options) else None
        if module is None or not hasattr(module, "check"):
            continue
        is_whole = not options.keys() & {*CHOSEN_BY}  # else it is not known yet which are drawn
        measured = [(corpus, "trial") for corpus in plan.utility.corpora(measure)]
        listed = ready_speech.listed_parts(plan, examined, measured)
        for corpus, system in product(plan.utility.corpora(measure), plan.utility.systems(measure)):
            tried = listed.get((corpus, "trial"), []) if is_whole else []
            filled = plan.utility.call(measure, corpus, system)["options"]
            try:
                names = [one.utterance for one in tried]
                module.check(names, **{key: ours(value) for key, value in filled.items()})
            except BadInput as error:
                findings.bad_file(error)
    return Findings(dict.fromkeys(findings))


def wrong_embeddings(plan: Plan, examined: dict[str, checks.Examination]) -> Findings:
    """Files of ready-made embeddings that cannot be read, or lack an utterance."""
    findings = Findings()
    options_of = plan.attackers.extractors.items()
    ready = [name for name, options in options_of if "embeddings" in options]
    listed = ready_speech.listed_parts(plan, examined) if ready else {}
    for extractor in ready:
        dimensions: dict[int, str] = {}
        for corpus, part, system in embedded(plan, extractor):
            path = ours(plan.attackers.ready(extractor, corpus, part, system))
            try:
                if (corpus, part) in listed:
                    read = of_others.from_file(path, listed[corpus, part]).embeddings
                    dimensions.setdefault(read.shape[1], path)
            except BadInput as error:
                findings.bad_file(error)
        if len(dimensions) > 1:
            files = [f"{path} has {number}" for number, path in dimensions.items()]
            findings.error(f"extractor {extractor}", "-", f"dimensions differ: {', '.join(files)}")
    return findings


def tried(paths: Sequence[str], plan: Plan, findings: Findings, *, call: bool) -> Findings:
    """What is wrong with programs, which are tried where the speech is right."""
    if findings.errors():
        return Findings()
    for name, kind in tryout.functions_of(plan).items():
        function = f"anonymisers.{name}: {plan.speech.anonymisers[name][kind]}"
        say(f"calling {function}" if call else f"{function} is not called without --call")
    return tryout.findings_of(paths, plan, call=call)


def show(title: str, findings: Iterable[Finding]) -> None:
    """Print the findings under a title."""
    say(f"{title}: {'' if findings else 'nothing to report'}", flush=True)
    for finding in findings:
        say(f"  {finding.level:<8} {finding}", flush=True)


if __name__ == "__main__":
    run(validate)
