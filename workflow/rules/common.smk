"""Input functions and parameters: wildcards put into the answers of voiceprivacy.plan. Logic lives there, not here."""

import json
import os
import shlex
import sys
from pathlib import Path


envvars:
    "PATH",


sys.path.insert(0, f"{workflow.basedir}/scripts")
search_path = os.environ["PATH"]
os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), search_path])

from voiceprivacy import configuration
from voiceprivacy.dependencies import modules
from voiceprivacy.files import RESOURCES, SCRIPTS, BadInput, ours
from voiceprivacy.plan import CONDITIONS, GIVEN, MODEL_FILES, PARTS, PICTURES, TABLES, Attack, Plan
from voiceprivacy.report.figures import KINDS

try:
    config.update(configuration.check(config))
except BadInput as error:
    sys.exit(f"error: {error}")

plan = Plan(config)
OPENSLR = "https://www.openslr.org/resources/12"
PAGE = Path(workflow.basedir) / "workflow" / "report"


def one_of(names):
    """Regular expression of a wildcard that is one of these names (of none: one that never matches)."""
    return "|".join(dict.fromkeys(names)) or "(?!)"


wildcard_constraints:
    corpus=one_of([*plan.corpora, *plan.given_names("corpus")]),
    part=one_of(PARTS),
    trials=one_of([trials for _, trials in plan.all_trial_lists() + plan.all_galleries()] + plan.given_names("trials")),
    anonymiser=one_of(["original", *plan.protected, *plan.given_names("anonymiser")]),
    extractor=one_of(plan.extractors),
    backend=one_of(plan.backends),
    condition=one_of(CONDITIONS),
    picture=one_of(PICTURES),
    table=one_of(TABLES),
    shard=r"\d+",
    subset=r"[^/]+",
    gender="f|m|mixed",


def corpus_modules(script):
    """Input function: a script's modules and those of the kind of corpus and protocol, which it imports by name."""

    def files(wildcards):
        protocol = plan.corpora[wildcards.corpus].get("protocol", {})
        kinds = map(plan.corpus_kind, (wildcards.corpus, *plan.training_sources(wildcards.corpus)))
        by_name = [f"voiceprivacy/corpora/{name}" for name in (*kinds, *protocol)]
        found = {module for name in (script, *by_name) for module in modules(name)}
        return sorted(found | {SCRIPTS / f"{name}.py" for name in by_name})

    return files


TRIAL_LISTS = one_of(trials for _, trials in plan.all_trial_lists())
GALLERIES = one_of(gallery for _, gallery in plan.all_galleries())


def features(kind):
    """Regular expression of the extractors that are one kind of histogram."""
    return one_of(name for name in plan.extractors if plan.feature(name) == kind)


def sampling_options(wildcards):
    return json.dumps(plan.corpora[wildcards.corpus]["protocol"]["rank_sampling"])


def gallery(wildcards):
    """Gender and numbers of observations of a gallery as arguments."""
    return "--gender {} --test {} --template {}".format(*plan.galleries(wildcards.corpus)[wildcards.trials])


def units_manifest(wildcards):
    return f"results/audio/{plan.extractors[wildcards.extractor]['units']['corpus']}/train/original/manifest.tsv"


def dictionary(wildcards):
    return plan.extractors[wildcards.extractor]["style"].get("dictionary", [])


def dictionary_argument(wildcards):
    return f"--dictionary '{dictionary(wildcards)}'" if dictionary(wildcards) else ""


def corpus_source(wildcards):
    return json.dumps(plan.source(wildcards.corpus))


def training_sources(wildcards):
    return json.dumps(plan.training_sources(wildcards.corpus))


def all_downloads(wildcards):
    """Downloads of a corpus and of those that train attackers, which its check lists too."""
    corpora = [wildcards.corpus, *plan.training_sources(wildcards.corpus)]
    return [file for corpus in dict.fromkeys(corpora) for file in plan.downloads(corpus)]


def download_root(wildcards):
    return plan.corpora[wildcards.corpus]["librispeech"]["root"]


def download_address(wildcards):
    download = plan.corpora[wildcards.corpus]["librispeech"]["download"]
    return download if isinstance(download, str) else OPENSLR


def corpus_protocol(wildcards):
    return json.dumps(plan.corpora[wildcards.corpus].get("protocol", {}))


def sample_rate(wildcards):
    return plan.corpora[wildcards.corpus]["sample_rate"]


def anonymiser_argument(wildcards):
    return json.dumps(plan.anonymiser_call(wildcards.anonymiser, wildcards.corpus, wildcards.part))


def anonymiser_inputs(wildcards):
    entry = plan.anonymiser(wildcards.anonymiser)
    own = [entry["function"].rpartition(":")[0]] if "function" in entry else []
    files = [ours(file) for file in own + entry["inputs"]]
    scripts = [Path(file).stem for file in files if Path(file).parent == SCRIPTS]
    return files + [module for script in scripts for module in modules(script)]


def anonymiser_environment(wildcards):
    return environment(plan.anonymiser(wildcards.anonymiser)["env"])


def anonymiser_manifest(wildcards):
    return plan.anonymiser_manifest(wildcards.corpus, wildcards.part)


def anonymiser_field(name):
    return lambda wildcards: plan.anonymiser(wildcards.anonymiser)[name]


def anonymiser_seed(wildcards):
    return plan.anonymiser_seed(wildcards.anonymiser, wildcards.part)


def anonymiser_shards(wildcards):
    folder = f"results/audio/{wildcards.corpus}/{wildcards.part}/{wildcards.anonymiser}/shards"
    return [f"{folder}/{shard}.tsv" for shard in range(plan.anonymiser(wildcards.anonymiser)["shards"])]


def first_run(wildcards):
    """Of a second run: the manifest of the first."""
    first = plan.first_run(wildcards.anonymiser)
    return f"results/audio/{wildcards.corpus}/{wildcards.part}/{first}/manifest.tsv" if first else []


def first_run_argument(wildcards):
    return f"--first-run {first_run(wildcards)}" if first_run(wildcards) else ""


def model_folder(wildcards):
    return plan.model_folder(wildcards.extractor)


def model_files(wildcards):
    return plan.model_files(wildcards.extractor)


def extractor_field(name):
    return lambda wildcards: plan.extractors[wildcards.extractor][name]


def training_manifest(wildcards):
    return plan.training_manifest(plan.extractors[wildcards.extractor])


def start_files(wildcards):
    folder = plan.start(wildcards.extractor)
    return [f"{folder}/{name}" for name in MODEL_FILES] if folder else []


def start_argument(wildcards):
    folder = plan.start(wildcards.extractor)
    return f"--start {shlex.quote(folder)}" if folder else ""


def training_threads(wildcards):
    """One, so that a machine's number of cores does not change the weights; beside a GPU, some that load speech."""
    return 8 if gpus(wildcards) else 1


def gpus(wildcards):
    return int(plan.extractors[wildcards.extractor].get("device") == "cuda")


def extraction(wildcards):
    arguments = plan.extraction(wildcards.extractor, wildcards.corpus, wildcards.part, wildcards.anonymiser)
    return shlex.join(arguments)


def extractor_files(wildcards):
    """What embeddings depend on: the model, or the ready-made file."""
    if "embeddings" in plan.extractors[wildcards.extractor]:
        return [plan.ready(wildcards.extractor, wildcards.corpus, wildcards.part, wildcards.anonymiser)]
    return plan.model_files(wildcards.extractor) + [
        ours(path) for path in plan.extractors[wildcards.extractor]["inputs"]
    ]


def extractor_environment(wildcards):
    return environment(plan.extractors[wildcards.extractor]["env"])


def backend_environment(wildcards):
    is_speechbrains = plan.backends[wildcards.backend]["type"] == "speechbrain_plda"
    return environment("speechbrain" if is_speechbrains else "evaluate")


def environment(name):
    return name if len(Path(name).parts) > 1 else f"{workflow.basedir}/envs/{name}.yaml"


def recipe(wildcards):
    name = plan.extractors[wildcards.extractor]["recipe"]
    return name if name.endswith(".yaml") else RESOURCES / "recipes" / f"{name}.yaml"


def backend_training_embeddings(wildcards):
    return plan.training_embeddings(wildcards.backend, wildcards.extractor)


def backend_training_manifest(wildcards):
    return plan.training_manifest(plan.backends[wildcards.backend])


def backend_options(wildcards):
    entry = plan.backends[wildcards.backend]
    if entry["type"] == "speechbrain_plda":
        return f"--type speechbrain_plda --rank {entry['rank']}"
    lda_dim = f" --lda-dim {entry['lda_dim']}" if "lda_dim" in entry else ""
    centre = "" if entry["centre"] else " --no-centre"
    return f"--length-norm {entry['length_norm']} --shrinkage {entry['shrinkage']}{lda_dim}{centre}"


def backend_model(wildcards):
    return plan.backend_file(wildcards.backend, wildcards.extractor) or []


def backend_argument(wildcards):
    return backend_model(wildcards) or plan.backends[wildcards.backend]["type"]


def embeddings(part, side):
    """Input function: embeddings of a part as the enrolling (0) or the tried (1) side of a condition speaks it."""

    def file(wildcards):
        speech = plan.speech(wildcards.condition, wildcards.anonymiser)[side]
        return f"results/embeddings/{wildcards.corpus}/{part}/{speech}/{wildcards.extractor}.npz"

    return file


def matrix(path):
    """A score matrix: large, so removed after use unless the config keeps it."""
    return path if config["report"]["keep_matrices"] else temp(path)


def condition_labels(wildcards):
    return plan.conditions(wildcards.anonymiser)


def per_condition(kind, ending):
    """Input function: one file for each condition of the wildcards' system."""

    def files(wildcards):
        folder = "{0.corpus}/{0.trials}/{0.anonymiser}/{0.extractor}/{0.backend}".format(wildcards)
        return [f"results/{kind}/{folder}/{condition}.{ending}" for condition in condition_labels(wildcards)]

    return files


def calibration_scores(run):
    """Input function: the scores that C_ECE is measured on, of an anonymiser or of its second run."""

    def files(wildcards):
        folder = f"{{0.corpus}}/{{0.trials}}/{{0.anonymiser}}{run}/{{0.extractor}}/{{0.backend}}".format(wildcards)
        return [f"results/scores/{folder}/{condition}.tsv" for condition in config["report"]["cece"]]

    return files


def scores_of_all_systems(wildcards):
    attack = Attack(wildcards.corpus, wildcards.trials, wildcards.extractor, wildcards.backend)
    systems = plan.systems(wildcards.extractor, wildcards.backend)
    return [
        f"results/scores/{attack.path(system)}/{condition}.tsv"
        for system in systems
        for condition in plan.conditions(system)
    ]


def labels_of_all_systems(wildcards):
    systems = plan.systems(wildcards.extractor, wildcards.backend)
    return [f"{system}/{condition}" for system in systems for condition in plan.conditions(system)]


def protected_systems(wildcards):
    return [system for system in systems(wildcards) if system != "original"]


def of_all_sets(family, kind):
    """Input function: curves of all systems (or anonymisers only) on all trial lists, those of a system together."""
    of = {"systems": systems, "anonymisers": protected_systems}[kind]

    def files(wildcards):
        attacker = f"{wildcards.extractor}/{wildcards.backend}"
        return [
            f"results/curves/{family}/{corpus}/{trials}/{system}/{attacker}.tsv"
            for system in of(wildcards)
            for corpus, trials in plan.all_trial_lists()
        ]

    return files


def all_sets(wildcards):
    return [f"{corpus} {trials}" for corpus, trials in plan.all_trial_lists()]


def all_trial_manifests(wildcards):
    return [f"results/audio/{corpus}/trial/original/manifest.tsv" for corpus, _ in plan.all_trial_lists()]


def trial_features(wildcards):
    """Features of the trial part of all systems."""
    folder = f"results/embeddings/{wildcards.corpus}/trial"
    return [f"{folder}/{system}/{wildcards.extractor}.npz" for system in ["original", *plan.anonymisers]]


def feature_of(wildcards):
    return plan.feature(wildcards.extractor)


def all_layouts(wildcards):
    return [f"results/paper/{layout}.svg" for layout in plan.layouts()]


def all_papers(wildcards):
    pictures, tables = plan.papers()
    files = [f"{picture}.{ending}" for picture in pictures for ending in ("pdf", "png", "svg", "tex")]
    return files + [f"{table}.{ending}" for table in tables for ending in ("md", "tsv", "tex")]


def systems(wildcards):
    return plan.systems(wildcards.extractor, wildcards.backend)


def of_all_systems(kind, family, ending):
    """Input function: one file of a family for each system under the wildcards' attack."""

    def files(wildcards):
        before, after = "{0.corpus}/{0.trials}".format(wildcards), "{0.extractor}/{0.backend}".format(wildcards)
        return [f"results/{kind}/{family}/{before}/{system}/{after}.{ending}" for system in systems(wildcards)]

    return files


def all_metrics(wildcards):
    return plan.metrics() + plan.given_metrics()


def expected(wildcards):
    return ours(config["expected"])


def expected_comparison(wildcards):
    return "results/report/tables/expected.tsv" if "expected" in config else []


def expected_argument(wildcards):
    return f"--expected {expected_comparison(wildcards)}" if "expected" in config else ""


def given_attack(wildcards):
    return Attack(wildcards.corpus, wildcards.trials, wildcards.extractor, GIVEN)


def given_file(wildcards):
    return plan.given_file(given_attack(wildcards), wildcards.anonymiser, wildcards.condition)


def given_key(wildcards):
    """The key of a score file in Kaldi's format."""
    key = config["attacks"][wildcards.extractor].get("key")
    return key.replace("{corpus}", wildcards.corpus).replace("{trials}", wildcards.trials) if key else []


def given_key_argument(wildcards):
    return f"--trials {shlex.quote(given_key(wildcards))}" if given_key(wildcards) else ""


def given_conditions(wildcards):
    return plan.given_systems(given_attack(wildcards))[wildcards.anonymiser]


def given_scores(wildcards):
    folder = f"results/scores/{given_attack(wildcards).path(wildcards.anonymiser)}"
    return [f"{folder}/{condition}.tsv" for condition in given_conditions(wildcards)]


def all_manifests(wildcards):
    return plan.manifests()


def all_trials(wildcards):
    return plan.trials()


def all_checks(wildcards):
    return plan.checks()


def described_corpora(wildcards):
    """The two tables that describe_corpora makes of a run with a corpus."""
    tables = [f"results/report/tables/{name}.tsv" for name in ("speech", "trials")]
    return tables if plan.manifests() else []


def corpora_arguments(wildcards):
    """Arguments that hand write_report what is known of the corpora."""
    if not plan.manifests():
        return ""
    speech, lists = described_corpora(wildcards)
    return f"--speech {speech} --lists {lists} --checks {' '.join(plan.checks())}"


def all_figures(wildcards):
    return plan.figures()


def used_files(wildcards):
    return plan.used_files()


def for_papers(path):
    """Outputs of a picture besides the svg that the page shows."""
    return {ending: f"results/report/figures/{path}.{ending}" for ending in ("pdf", "png")}


def folder_of_tables(wildcards, output):
    return Path(output.tsv).parent


def config_as_used(wildcards):
    return json.dumps(config)


def intervals(family):
    """Outputs of a family of metrics besides its numbers; none if the config switches intervals off."""
    path = f"results/metrics/{family}/{{corpus}}/{{trials}}/{{anonymiser}}/{{extractor}}/{{backend}}"
    files = {"intervals": f"{path}.intervals.json", "replicates": f"{path}.bootstrap.npz"}
    return files if plan.n_replicates() else {}


def bootstrap_arguments(wildcards):
    return f"--bootstrap {plan.n_replicates()} --seed {config['report']['seed']}" if plan.n_replicates() else ""


def speakers(wildcards):
    return f"results/trials/{wildcards.corpus}/{wildcards.trials}.speakers.tsv" if plan.n_replicates() else []


def speakers_argument(wildcards):
    return f"--speakers {speakers(wildcards)}" if plan.n_replicates() else ""


def compared_intervals(wildcards):
    return plan.compared_intervals(Attack(*[wildcards[name] for name in Attack._fields]))


def compared_replicates(wildcards):
    return [path.replace(".intervals.json", ".bootstrap.npz") for path in compared_intervals(wildcards)]


def all_intervals(wildcards):
    return plan.intervals()


def all_comparisons(wildcards):
    return plan.comparisons()
