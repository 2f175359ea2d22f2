"""Input functions and parameters of the rules of attack.smk only."""


def units_manifest(wildcards):
    return f"results/audio/{plan.attackers.extractors[wildcards.extractor]['units']['corpus']}/train/original/manifest.tsv"


def encoder_files(wildcards):
    return plan.attackers.encoder_files(wildcards.extractor)


def encoder_argument(wildcards):
    folder = plan.attackers.encoder(wildcards.extractor)
    return ["--encoder", folder] if folder else []


def units_runtime(wildcards):
    """Minutes of a job: a self-supervised encoder takes hours where MFCC take minutes."""
    return 1440 if plan.attackers.encoder(wildcards.extractor) else 120


def units_memory(wildcards):
    return 8000 if plan.attackers.encoder(wildcards.extractor) else 4000


def dictionary(wildcards):
    return plan.attackers.extractors[wildcards.extractor]["style"].get("dictionary", [])


def dictionary_argument(wildcards):
    return ["--dictionary", dictionary(wildcards)] if dictionary(wildcards) else []


def model_folder(wildcards):
    return plan.attackers.model_folder(wildcards.extractor)


def extractor_field(name):
    return lambda wildcards: plan.attackers.extractors[wildcards.extractor][name]


def training_manifest(wildcards):
    return plan.attackers.training_manifest(plan.attackers.extractors[wildcards.extractor])


def start_files(wildcards):
    folder = plan.attackers.start(wildcards.extractor)
    return [f"{folder}/{name}" for name in MODEL_FILES] if folder else []


def start_argument(wildcards):
    folder = plan.attackers.start(wildcards.extractor)
    return ["--start", folder] if folder else []


def training_threads(wildcards):
    """One, so that a machine's number of cores does not change the weights; beside a GPU, some that load speech."""
    return 8 if gpus(wildcards) else 1


def embedding_runtime(wildcards):
    """Minutes of a job: those of a command and some to spare, or four hours."""
    entry = plan.attackers.extractors[wildcards.extractor]
    return entry["runtime"] + 15 if "command" in entry else 240


def gpus(wildcards):
    return int(plan.attackers.extractors[wildcards.extractor].get("device") == "cuda")


def extraction(wildcards):
    return plan.attackers.extraction(
        wildcards.extractor, wildcards.corpus, wildcards.part, wildcards.anonymiser
    )


def extractor_files(wildcards):
    """What embeddings depend on: the model, or the ready-made file."""
    if "embeddings" in plan.attackers.extractors[wildcards.extractor]:
        return [
            plan.attackers.ready(
                wildcards.extractor, wildcards.corpus, wildcards.part, wildcards.anonymiser
            )
        ]
    return plan.attackers.model_files(wildcards.extractor) + [
        ours(path) for path in plan.attackers.extractors[wildcards.extractor]["inputs"]
    ]


def extractor_environment(wildcards):
    return environment_file(plan.attackers.extractors[wildcards.extractor]["env"])


def backend_environment(wildcards):
    is_speechbrains = plan.attackers.backends[wildcards.backend]["type"] == "speechbrain_plda"
    return environment_file("speechbrain" if is_speechbrains else "evaluate")


def recipe(wildcards):
    return recipe_file(plan.attackers.extractors[wildcards.extractor]["recipe"])


def backend_training_embeddings(wildcards):
    return plan.attackers.training_embeddings(wildcards.backend, wildcards.extractor)


def backend_training_manifest(wildcards):
    return plan.attackers.training_manifest(plan.attackers.backends[wildcards.backend])


def backend_options(wildcards):
    entry = plan.attackers.backends[wildcards.backend]
    if entry["type"] == "speechbrain_plda":
        return ["--type", "speechbrain_plda", "--rank", entry["rank"]]
    lda_dim = ["--lda-dim", entry["lda_dim"]] if "lda_dim" in entry else []
    centre = [] if entry["centre"] else ["--no-centre"]
    return [
        "--length-norm",
        entry["length_norm"],
        "--shrinkage",
        entry["shrinkage"],
        *lda_dim,
        *centre,
    ]


def backend_model(wildcards):
    return plan.attackers.backend_file(wildcards.backend, wildcards.extractor) or []


def backend_argument(wildcards):
    return backend_model(wildcards) or plan.attackers.backends[wildcards.backend]["type"]


def embeddings(part, side):
    """Input function: embeddings of a part as the enrolling (0) or the tried (1) side of a condition speaks it."""

    def file(wildcards):
        speech = plan.speech.of_condition(wildcards.condition, wildcards.anonymiser)[side]
        return f"results/embeddings/{wildcards.corpus}/{part}/{speech}/{wildcards.extractor}.npz"

    return file


def given_file(wildcards):
    return plan.given.file(given_attack(wildcards), wildcards.anonymiser, wildcards.condition)


def given_key(wildcards):
    """The key of a score file in Kaldi's format."""
    key = config["attacks"][wildcards.extractor].get("key")
    return (
        key.replace("{corpus}", wildcards.corpus).replace("{trials}", wildcards.trials)
        if key
        else []
    )


def given_key_argument(wildcards):
    return ["--trials", given_key(wildcards)] if given_key(wildcards) else []
