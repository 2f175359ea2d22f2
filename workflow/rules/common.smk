"""Input functions and parameters: wildcards put into the answers of voiceprivacy.plan. Logic lives there, not here."""

import atexit
import gc
import json
import os
import shutil
import sys
from pathlib import Path


envvars:
    "PATH",


sys.path.insert(0, f"{workflow.basedir}/scripts")
search_path = os.environ["PATH"]
os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), search_path])

from snakemake.logging import logger

from voiceprivacy.inout.files import RESOURCES, SCRIPTS, BadInput, ours
from voiceprivacy.plan import configuration
from voiceprivacy.plan.attackers import MODEL_FILES, recipe_file
from voiceprivacy.plan.outputs import PICTURES, PITCH, TABLES
from voiceprivacy.plan.plan import Plan
from voiceprivacy.plan.speech import environment_file
from voiceprivacy.report import colours
from voiceprivacy.running.command import REFUSALS
from voiceprivacy.running.fingerprints import code, modules
from voiceprivacy.running.progress import show_progress
from voiceprivacy.vocabulary import ACROSS_CORPORA, Attack, CONDITIONS, GIVEN, PARTS

try:
    config.update(configuration.check(config))
except BadInput as error:
    sys.exit(f"error: {error}")

os.environ[REFUSALS] = os.path.abspath(".snakemake/refusals")
plan = Plan(config)
screen = show_progress(logger) if workflow.is_main_process else []
atexit.register(
    gc.freeze
)  # else Python frees a large run's jobs one by one before it ends: a fifth of a dry run
gc.set_threshold(
    1_000_000
)  # planning makes millions of objects that stay; to look for garbage among them takes time
OPENSLR = "https://www.openslr.org/resources/12"
PAGE = Path(workflow.basedir) / "workflow" / "report"


onstart:
    shutil.rmtree(os.environ[REFUSALS], ignore_errors=True)


def one_of(names):
    """Regular expression of a wildcard that is one of these names (of none: one that never matches)."""
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
    gender="f|m|mixed",


TRIAL_LISTS = one_of(trials for _, trials in plan.speech.all_trial_lists())
OURS_AND_GIVEN = {
    "extractor": one_of([*plan.attackers.extractors, *config["attacks"]]),
    "backend": one_of([*plan.attackers.backends, GIVEN]),
}
RESAMPLED_GIVEN = plan.given.resampled()
GALLERIES = one_of(gallery for _, gallery in plan.speech.all_galleries())


def features(kind):
    """Regular expression of the extractors that are one kind of histogram."""
    return one_of(
        name for name in plan.attackers.extractors if plan.attackers.feature(name) == kind
    )


def gallery(wildcards):
    """Gender and numbers of observations of a gallery as arguments."""
    gender, test, template = plan.speech.galleries(wildcards.corpus)[wildcards.trials]
    return ["--gender", gender, "--test", test, "--template", template]


def sample_rate(wildcards):
    return plan.speech.corpora[wildcards.corpus]["sample_rate"]


def matrix(path):
    """A score matrix: large, so removed after use unless the config keeps it."""
    return path if config["report"]["keep_matrices"] else temp(path)


def systems(wildcards):
    if wildcards.backend == GIVEN:
        return list(plan.given.systems(given_attack(wildcards)))
    return plan.attackers.systems(wildcards.extractor, wildcards.backend)


def palette(wildcards):
    """All anonymisers, whose order gives the colours in every picture."""
    return list(config["anonymisers"])


def given_attack(wildcards):
    return Attack(wildcards.corpus, wildcards.trials, wildcards.extractor, GIVEN)


def intervals(family):
    """Outputs of a family of metrics besides its numbers; none if the config switches intervals off."""
    path = (
        f"results/metrics/{family}/{{corpus}}/{{trials}}/{{anonymiser}}/{{extractor}}/{{backend}}"
    )
    files = {"intervals": f"{path}.intervals.json", "replicates": f"{path}.bootstrap.npz"}
    return files if plan.n_replicates else {}


include: "corpora_inputs.smk"
include: "anonymise_inputs.smk"
include: "attack_inputs.smk"
include: "privacy_inputs.smk"
include: "utility_inputs.smk"
include: "page_inputs.smk"
include: "report_inputs.smk"
