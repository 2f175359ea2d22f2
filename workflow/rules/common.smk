"""What all rules share: the plan of this run, wildcards, and what a run begins and ends with."""

import itertools
import json
import os
import sys
from pathlib import Path


envvars:
    "PATH",


HERE = Path(workflow.current_basedir).parents[1]
PACKAGE = str(HERE / "scripts")
sys.path.insert(0, PACKAGE)
# Jobs without an environment of their own start the Python that Snakemake runs with.
search_path = os.environ["PATH"]
os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), search_path])

from voiceprivacy.inout.files import (
    RESOURCES,
    BadInput,
    OurPath,
    ours,
    paths_behind,
)
from voiceprivacy.plan import configuration, defaults, earlier
from voiceprivacy.plan.attackers import recipe_file
from voiceprivacy.plan.outputs import PICTURES, TABLES
from voiceprivacy.plan.plan import Plan, keep_all_objects
from voiceprivacy.plan.sources import CHECK
from voiceprivacy.plan.speech import environment_file, sandbox_arguments
from voiceprivacy.running.command import say, show_package
from voiceprivacy.running.fingerprints import code, code_alone
from voiceprivacy.running import turns
from voiceprivacy.running.progress import SCREEN
from voiceprivacy.vocabulary import (
    ACROSS_CORPORA,
    Attack,
    CONDITIONS,
    FUSED,
    GIVEN,
    PARTS,
    SECOND_RUN,
    TRAIN,
    TrialList,
    WITHIN_RELEASE,
)

show_package()

MOST_THREADS = 4  # of jobs that read speech
# Priorities of jobs: what can refuse an input or a program comes before what only takes hours. Of
# that the longest begins first: at the end, it would work alone.
FIRST, EARLY, BY_PROGRAMS, BY_ATTACKERS, LONGEST = 40, 30, 20, 10, 5
PAGE = HERE / "workflow" / "report"
REMAKE = earlier.REMAKE in os.environ
BRIEF = ["--brief"] if SCREEN in os.environ else []


def few_threads(wildcards):
    """Threads of jobs that read speech and come in numbers: at most half of this machine's cores.

    A program starts on one core, while another works. Jobs of a cluster do not share a machine.
    """
    is_here = workflow.is_main_process and workflow.local_exec
    cores = workflow.resource_settings.cores if is_here else None
    return max(1, min(MOST_THREADS, cores // 2)) if cores else MOST_THREADS


def speech_threads(wildcards):
    """Threads of a job that reads a part: speech to learn from is long, and one job has it all."""
    return MOST_THREADS if wildcards.get("part") == TRAIN else few_threads(wildcards)


def begin():
    """Check the config, and look once at the files that it names: the plan."""
    dry_run = workflow.output_settings.dryrun
    try:
        configuration.refuse_braces(Path.cwd(), workflow.basedir)
        earlier.refuse_other_format(remake=REMAKE, dry_run=dry_run)
        config.update(configuration.check(config))
        plan = Plan(config)
        plan.sources.refresh(check=CHECK in os.environ)
    except configuration.WrongConfig as error:
        paths = [] if workflow.config_settings.config else workflow.configfiles
        say(f"error: {configuration.with_line(error.problem, paths)}", file=sys.stderr)
        sys.exit(2)
    except BadInput as error:
        say(f"error: {error}", file=sys.stderr)
        sys.exit(2)
    if not dry_run:
        turns.take()  # if another run has it, Snakemake's own lock refuses this one
    return plan


def refuse_training():
    """Stop before a model that is there is trained again, unless --remake says so."""
    lines = [] if REMAKE or workflow.touch else earlier.retrained(workflow.dag)
    if lines:
        say(f"error: {earlier.refusal(lines)}", file=sys.stderr)
        sys.exit(2)


keep_all_objects()
if workflow.is_main_process:
    plan = begin()
else:  # a job of the run on a cluster: all of that is done
    config.update(defaults.complete(config))
    plan = Plan(config)


def not_measured():
    """What of utility was not measured, as the last screen says it."""
    reasons = plan.utility.not_measured().items()
    return [word for group, reason in reasons for word in ("--note", f"{group}: {reason}")]


onstart:
    refuse_training()


onsuccess:
    notes = not_measured()
    shell(
        "test ! -e results/report/index.html || python -P -m voiceprivacy.jobs.show_metrics"
        " --metrics results/metrics.tsv"
        " --comparisons results/comparisons"
        " --verdict results/verdict.json"
        " --report results/report/index.html {BRIEF:q} {notes:q}"
    )


def one_of(names):
    """Regular expression of a wildcard with one of these names; of none it never matches."""
    return "|".join(dict.fromkeys(names)) or "(?!)"


wildcard_constraints:
    corpus=one_of([*plan.speech.corpora, *plan.given.names("corpus")]),
    part=one_of(PARTS),
    trials=one_of(
        [trials for _, trials in plan.speech.all_trial_lists() + plan.speech.all_galleries()]
        + plan.given.names("trials")
    ),
    anonymiser=one_of(["original", *plan.speech.protected, *plan.given.names("anonymiser")]),
    extractor=one_of(plan.attackers.extractors),
    backend=one_of(plan.attackers.backends),
    condition=one_of(CONDITIONS),
    picture=one_of(PICTURES),
    table=one_of(TABLES),
    shard=r"\d+",
    subset=r"[^/]+",


TRIAL_LISTS = one_of(trials for _, trials in plan.speech.all_trial_lists())
OURS = {
    "extractor": [*plan.attackers.extractors, FUSED],
    "backend": [*plan.attackers.backends, *plan.attackers.fusions],
}
OURS_AND_GIVEN = {
    "extractor": one_of([*OURS["extractor"], *config["attacks"]]),
    "backend": one_of([*OURS["backend"], GIVEN]),
}
RESAMPLED_GIVEN = plan.given.resampled()
GALLERIES = one_of(gallery for _, gallery in plan.speech.all_galleries())


def option(name, value):
    """An option of a command and its value; nothing where there is no value."""
    return [name, value] if value else []


def sample_rate(wildcards):
    return plan.speech.corpora[wildcards.corpus]["sample_rate"]


def systems(wildcards):
    if wildcards.backend == GIVEN:
        return list(plan.given.systems(given_attack(wildcards)))
    return plan.attackers.systems(wildcards.extractor, wildcards.backend)


def given_attack(wildcards):
    return Attack(wildcards.corpus, wildcards.trials, wildcards.extractor, GIVEN)
