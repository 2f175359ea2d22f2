"""What all rules share: the plan of this run, wildcards, and what a run begins and ends with."""

import json
import os
import sys
from functools import partial
from pathlib import Path

from snakemake.io import flag
from snakemake.path_modifier import PATH_MODIFIER_FLAG as WHOLE


envvars:
    "PATH",


HERE = Path(workflow.current_basedir).parents[1]
sys.path.insert(0, str(HERE / "scripts"))
# Jobs without an environment of their own start the Python that Snakemake runs with.
search_path = os.environ["PATH"]
os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), search_path])

from voiceprivacy.errors import BadInput
from voiceprivacy.vocabulary import RESOURCES, evaluation_notes
from voiceprivacy.inout.placeholders import OurPath, ours
from voiceprivacy.layout import Layout
from voiceprivacy.plan import configuration, defaults, earlier
from voiceprivacy.plan.inputs.attackers import AttackerInputs
from voiceprivacy.plan.inputs.results import AttackInputs, UtilityInputs
from voiceprivacy.plan.inputs.speech import AnonymiserInputs, CorpusInputs, Threads
from voiceprivacy.plan.inputs.wildcards import (
    as_is,
    ask,
    ask_option,
    command,
    in_json,
    one_of,
    tables,
)
from voiceprivacy.plan.outputs import PICTURES, TABLES
from voiceprivacy.plan.plan import Plan, keep_all_objects
from voiceprivacy.plan.planted_leaks import PlantedLeaks
from voiceprivacy.plan.sources import CHECK
from voiceprivacy.plan.verdict import attack_lines, other_files, score_files, verdict_plan
from voiceprivacy.running.command import say, showing_package
from voiceprivacy.running.fingerprints import code, code_alone
from voiceprivacy.running import turns
from voiceprivacy.running.progress import SCREEN
from voiceprivacy.vocabulary import ACROSS_CORPORA, CONDITIONS, GIVEN, PARTS, PREVIOUS, SECOND_RUN

# Snakemake fills in what stands in braces.
shell.prefix(showing_package().replace("{", "{{").replace("}", "}}"))

# Priorities of jobs: what can refuse an input or a program comes before what only takes hours. Of
# that, what the verdict waits for comes before other numbers and measures of utility, which have 0.
FIRST, EARLY, BY_PROGRAMS, BY_ATTACKERS, TO_VERDICT = 40, 30, 20, 10, 5
PAGE = HERE / "workflow" / "report"
PUBLIC_SEED = config.get("seed", 0)  # of what attackers learn; only anonymisers draw secretly
REMAKE = earlier.REMAKE in os.environ
BRIEF = ["--brief"] if SCREEN in os.environ else []


def layout_of_module():
    """Say where results lie: in a module with a prefix, Snakemake puts it before literal paths."""
    root = workflow.modifier.path_modifier.replace_prefix("results/").rstrip("/")
    # Paths that Python knows are whole. Without a prefix they take a default storage, if any.
    return Layout() if root == "results" else Layout(root, partial(flag, flag_type=WHOLE))


def shared_cores():
    """Cores of this machine, which its jobs share; None where they run on a cluster."""
    is_here = workflow.is_main_process and workflow.local_exec
    return workflow.resource_settings.cores if is_here else None


def begin():
    """Check the config, and look once at the files that it names: the plan."""
    dry_run = workflow.output_settings.dryrun
    try:
        configuration.refuse_braces(Path.cwd(), workflow.basedir)
        earlier.refuse_other_format(Path(RESULTS), remake=REMAKE, dry_run=dry_run)
        config.update(configuration.check(config, LAYOUT))
        earlier.draw_secret(config, Path(RESULTS), dry_run=dry_run)
        plan = Plan(config, LAYOUT)
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


LAYOUT = layout_of_module()
RESULTS = LAYOUT.root
keep_all_objects()
if workflow.is_main_process:
    plan = begin()
else:  # a job of the run on a cluster: all of that is done
    config.update(defaults.complete(config))
    plan = Plan(config, LAYOUT)

# What rules ask.
speech_threads = Threads(shared_cores)
corpora = CorpusInputs(plan)
anonymisers = AnonymiserInputs(plan)
attackers = AttackerInputs(plan)
planted_leaks = PlantedLeaks(plan)
scored = AttackInputs(plan)
utility = UtilityInputs(plan)


onstart:
    refuse_training()
    earlier.keep_state(Path(RESULTS))


onsuccess:
    notes = plan.utility.notes()
    for line in attack_lines(plan):
        notes += ["--note", line]
    from voiceprivacy.tools.history import keep  # what reports load: only now

    for line in keep(Path(RESULTS)):
        notes += ["--note", line]
    if Path(RESULTS, PREVIOUS).exists():
        notes += ["--previous", f"{RESULTS}/{PREVIOUS}"]
    shell(
        "test ! -e results/report/index.html || python -P -m voiceprivacy.jobs.show_metrics"
        " --metrics results/metrics.tsv"
        " --comparisons results/comparisons"
        " --verdict results/verdict.json"
        " --report results/report/index.html {BRIEF:q} {notes:q}"
    )


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
OURS_AND_GIVEN = {
    "extractor": one_of([*plan.attackers.extractors, *config["attacks"]]),
    "backend": one_of([*plan.attackers.backends, GIVEN]),
}
RESAMPLED_GIVEN = plan.given.resampled()
GALLERIES = one_of(gallery for _, gallery in plan.speech.all_galleries())
