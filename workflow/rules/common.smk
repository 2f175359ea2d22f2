"""What the config means: the only file with Python logic. Functions named like an input or parameter serve rules."""

import json
import os
import sys
from pathlib import Path


envvars:
    "PATH",


sys.path.insert(0, f"{workflow.basedir}/scripts")
search_path = os.environ["PATH"]
os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), search_path])

from voiceprivacy import configuration, seeds
from voiceprivacy.dependencies import modules
from voiceprivacy.files import RESOURCES, SCRIPTS, BadInput, ours

try:
    config.update(configuration.check(config))
except BadInput as error:
    sys.exit(f"error: {error}")

PAGE = Path(workflow.basedir) / "workflow" / "report"

# condition -> (whose speech enrols, whose speech is tried)
CONDITIONS = {
    "oo": ("original", "original"),
    "op": ("original", "run0"),
    "pp": ("run0", "run0"),
    "p0p1": ("run0", "run1"),
}
PARTS = ["enrolment", "trial", "train"]
EVALUATED = [name for name, entry in config["corpora"].items() if entry["use"] == "evaluation"]
REPEATED = [name for name, entry in config["anonymisers"].items() if entry["runs"] == 2]
PROTECTED = [*config["anonymisers"], *[f"{name}_run1" for name in REPEATED]]


def trial_lists(corpus):
    """Names of a corpus's trial lists."""
    protocol = config["corpora"][corpus].get("protocol", {})
    if "enrol_trial" in protocol:
        return protocol["enrol_trial"]["lists"]
    return list(protocol.get("given", ["all"]))


def one_of(names):
    """Regular expression of a wildcard that is one of these names (of none: one that never matches)."""
    return "|".join(names) or "(?!)"


wildcard_constraints:
    corpus=one_of(config["corpora"]),
    part=one_of(PARTS),
    trials=one_of(dict.fromkeys(trials for corpus in EVALUATED for trials in trial_lists(corpus))),
    anonymiser=one_of(["original", *PROTECTED]),
    extractor=one_of(config["extractors"]),
    backend=one_of(config["backends"]),
    condition=one_of(CONDITIONS),
    shard=r"\d+",


def corpus_modules(script):
    """Input function: a script's modules and those of the kind of corpus and protocol, which it imports by name."""

    def files(wildcards):
        protocol = config["corpora"][wildcards.corpus].get("protocol", {})
        by_name = [f"voiceprivacy/corpora/{name}" for name in (corpus_kind(wildcards.corpus), *protocol)]
        found = {module for name in (script, *by_name) for module in modules(name)}
        return sorted(found | {SCRIPTS / f"{name}.py" for name in by_name})

    return files


def corpus_kind(corpus):
    return next(kind for kind in ("synthetic", "librispeech", "kaldi") if kind in config["corpora"][corpus])


def corpus_source(wildcards):
    kind = corpus_kind(wildcards.corpus)
    return json.dumps({kind: config["corpora"][wildcards.corpus][kind]})


def corpus_protocol(wildcards):
    return json.dumps(config["corpora"][wildcards.corpus].get("protocol", {}))


def sample_rate(wildcards):
    return config["corpora"][wildcards.corpus]["sample_rate"]


def anonymiser_entry(wildcards):
    return config["anonymisers"][wildcards.anonymiser.removesuffix("_run1")]


def anonymiser_argument(wildcards):
    """The entry's own fields, as anonymise_part takes them; placeholders of audio folders are filled in."""
    entry = anonymiser_entry(wildcards)
    kind = next(kind for kind in ("command", "function", "audio") if kind in entry)
    where = dict(
        corpus=wildcards.corpus,
        part=wildcards.part,
        set=data_set(wildcards.corpus, wildcards.part),
    )
    value = entry[kind]
    for name in where:
        value = value.replace(f"{{{name}}}", where[name])
    return json.dumps({kind: value, "options": entry["options"]})


def data_set(corpus, part):
    """Name of the Kaldi directory that a part lies in, else the corpus."""
    kaldi = config["corpora"][corpus].get("kaldi")
    folders = kaldi[part] if isinstance(kaldi, dict) else kaldi
    return Path(folders).name if isinstance(folders, str) else corpus


def anonymiser_inputs(wildcards):
    entry = anonymiser_entry(wildcards)
    own = [entry["function"].rpartition(":")[0]] if "function" in entry else []
    files = [ours(file) for file in own + entry["inputs"]]
    scripts = [Path(file).stem for file in files if Path(file).parent == SCRIPTS]
    return files + [module for script in scripts for module in modules(script)]


def anonymiser_environment(wildcards):
    name = anonymiser_entry(wildcards)["env"]
    return name if len(Path(name).parts) > 1 else f"{workflow.basedir}/envs/{name}.yaml"


def anonymiser_resource(name):
    return lambda wildcards: anonymiser_entry(wildcards)[name]


def anonymiser_shards(wildcards):
    folder = f"results/audio/{wildcards.corpus}/{wildcards.part}/{wildcards.anonymiser}/shards"
    return [f"{folder}/{shard}.tsv" for shard in range(anonymiser_entry(wildcards)["shards"])]


def anonymiser_seed(wildcards):
    """The users protect the trial part; an attacker does not hold their seed unless attacker_draw is same."""
    run = ["run1"] if wildcards.anonymiser.endswith("_run1") else []
    attacker = wildcards.part != "trial" and config["attacker_draw"] == "independent"
    names = run + ([wildcards.part] if attacker else [])
    return seeds.derive(config["seed"], *names) if names else config["seed"]


def folder_of_model(extractor):
    """Where the extractor's SpeechBrain folder lies: the user's, or one that a rule makes."""
    entry = config["extractors"][extractor]
    made = "train" in entry or "revision" in entry
    return f"results/models/{extractor}" if made else entry["model"]


def files_of_model(extractor):
    return [f"{folder_of_model(extractor)}/{name}" for name in ("hyperparams.yaml", "embedding_model.ckpt")]


def extractors_with(field):
    """Names of the extractors whose entry has a field (the rule that makes their model)."""
    return one_of([name for name, entry in config["extractors"].items() if field in entry])


def model_folder(wildcards):
    return folder_of_model(wildcards.extractor)


def model_files(wildcards):
    return files_of_model(wildcards.extractor)


def extractor_field(name):
    return lambda wildcards: config["extractors"][wildcards.extractor][name]


def training_manifest(wildcards):
    return f"results/audio/{config['extractors'][wildcards.extractor]['train']['corpus']}/train/original/manifest.tsv"


def recipe(wildcards):
    name = config["extractors"][wildcards.extractor]["recipe"]
    return name if name.endswith(".yaml") else RESOURCES / "recipes" / f"{name}.yaml"


def backend_training_embeddings(wildcards):
    corpus = config["backends"][wildcards.backend]["train"]["corpus"]
    return f"results/embeddings/{corpus}/train/original/{wildcards.extractor}.npz"


def backend_training_manifest(wildcards):
    return f"results/audio/{config['backends'][wildcards.backend]['train']['corpus']}/train/original/manifest.tsv"


def backend_options(wildcards):
    entry = config["backends"][wildcards.backend]
    lda_dim = f" --lda-dim {entry['lda_dim']}" if "lda_dim" in entry else ""
    return f"--length-norm {entry['length_norm']}{lda_dim}"


def backend_model(wildcards):
    """The file of a trained back-end; cosine has none."""
    if config["backends"][wildcards.backend]["type"] == "cosine":
        return []
    return f"results/backends/{wildcards.backend}/{wildcards.extractor}.npz"


def backend_argument(wildcards):
    return backend_model(wildcards) or "cosine"


def speech_of(side, wildcards):
    """The anonymiser (or original) whose speech is on one side of a condition: 0 enrols, 1 is tried."""
    speech = CONDITIONS[wildcards.condition][side]
    return {
        "original": "original",
        "run0": wildcards.anonymiser,
        "run1": f"{wildcards.anonymiser}_run1",
    }[speech]


def embeddings(corpus, part, anonymiser, extractor):
    return f"results/embeddings/{corpus}/{part}/{anonymiser}/{extractor}.npz"


def enrolment_embeddings(wildcards):
    return embeddings(wildcards.corpus, "enrolment", speech_of(0, wildcards), wildcards.extractor)


def trial_embeddings(wildcards):
    return embeddings(wildcards.corpus, "trial", speech_of(1, wildcards), wildcards.extractor)


def row_embeddings(wildcards):
    """The trial utterances as the enrolling side of a condition holds them (rows of a pairs matrix)."""
    return embeddings(wildcards.corpus, "trial", speech_of(0, wildcards), wildcards.extractor)


def matrix(path):
    """A score matrix: large, so removed after use unless the config keeps it."""
    return path if config["report"]["keep_matrices"] else temp(path)


def conditions(anonymiser):
    """The attacks that an anonymiser's scores are assessed under."""
    if anonymiser == "original":
        return ["oo"]
    return ["op", "pp", "p0p1"] if anonymiser in REPEATED else ["op", "pp"]


def per_condition(kind, ending):
    """Input function: one file for each condition of the wildcards' anonymiser."""

    def files(wildcards):
        folder = "{0.corpus}/{0.trials}/{0.anonymiser}/{0.extractor}/{0.backend}".format(wildcards)
        return [f"results/{kind}/{folder}/{condition}.{ending}" for condition in conditions(wildcards.anonymiser)]

    return files


def condition_labels(wildcards):
    return conditions(wildcards.anonymiser)


def families(anonymiser):
    """The metrics that an anonymiser gets."""
    if anonymiser == "original":
        return ["verification", "zebra", "ranks"]
    calibration = ["calibration"] if anonymiser in REPEATED else []
    return ["verification", "zebra", "similarity", "ranks", *calibration]


SYSTEMS = ["original", *config["anonymisers"]]
ATTACKS = [
    (corpus, trials, extractor, backend)
    for corpus in EVALUATED
    for trials in trial_lists(corpus)
    for extractor in config["extractors"]
    for backend in config["backends"]
]


def all_metrics(wildcards):
    return [
        f"results/metrics/{family}/{corpus}/{trials}/{anonymiser}/{extractor}/{backend}.json"
        for corpus, trials, extractor, backend in ATTACKS
        for anonymiser in SYSTEMS
        for family in families(anonymiser)
    ]


def of_all_systems(kind, family, ending):
    """Input function: one file of a family for each system under the wildcards' attack."""

    def files(wildcards):
        where, attack = (
            f"{wildcards.corpus}/{wildcards.trials}",
            f"{wildcards.extractor}/{wildcards.backend}",
        )
        return [f"results/{kind}/{family}/{where}/{anonymiser}/{attack}.{ending}" for anonymiser in SYSTEMS]

    return files


def all_figures(wildcards):
    folder = "results/report/figures"
    figures = []
    for corpus, trials, extractor, backend in ATTACKS:
        figures += [f"{folder}/{kind}/{corpus}/{trials}/{extractor}/{backend}.svg" for kind in ("zebra", "ranks")]
        figures += [
            f"{folder}/similarity/{corpus}/{trials}/{anonymiser}/{extractor}/{backend}.svg"
            for anonymiser in config["anonymisers"]
        ]
    return figures


def for_papers(path):
    """Outputs of a picture besides the svg that the page shows."""
    return {ending: f"results/report/figures/{path}.{ending}" for ending in ("pdf", "png")}


def folder_of_tables(wildcards, output):
    return Path(output.tsv).parent


def used_files(wildcards):
    """What a number depends on and a reviewer may want to compare: the trial lists and the attackers' models."""
    lists = [f"results/trials/{corpus}/{trials}.tsv" for corpus in EVALUATED for trials in trial_lists(corpus)]
    models = [file for name in config["extractors"] if EVALUATED for file in files_of_model(name)]
    return lists + models


def config_as_used(wildcards):
    return json.dumps(config)
