"""What an attacker brings along: models from the hub, and what he trains himself."""


def extractor_field(name):
    """Parameter: a field of an extractor's entry in the config."""
    return lambda wildcards: plan.attackers.extractors[wildcards.extractor][name]


def model_folder(wildcards):
    return plan.attackers.model_folder(wildcards.extractor)


def extractor_sources(wildcards):
    """Fingerprint of the user's files behind an extractor."""
    entry = plan.attackers.extractors[wildcards.extractor]
    return plan.sources.file("extractors", entry["base"])


def model_files(extractor):
    """What a model is: the files that a rule makes, or the fingerprint of the user's."""
    entry = plan.attackers.extractors[extractor]
    made = "train" in entry or "revision" in entry
    sources = [] if "train" in entry else plan.sources.file("extractors", entry["base"])
    return [*(plan.attackers.model_files(extractor) if made else []), *sources]


def gpus(wildcards):
    return int(plan.attackers.extractors[wildcards.extractor].get("device") == "cuda")


rule fetch_model:
    """Fetch a model from the hub at its pinned revision (compute nodes have no network)."""
    output:
        hyperparams="results/models/{extractor}/hyperparams.yaml",
        embedding_model="results/models/{extractor}/embedding_model.ckpt",
    log:
        "results/logs/fetch_model/{extractor}.log",
    wildcard_constraints:
        extractor=one_of(plan.attackers.extractors_with("revision")),
    priority: EARLY
    localrule: True
    conda:
        "../../envs/speechbrain.yaml"
    params:
        code=code_alone("fetch_model"),
        model=extractor_field("model"),
        revision=extractor_field("revision"),
        folder=model_folder,
    shell:
        "python -P -m voiceprivacy.jobs.fetch_model"
        " --model {params.model:q}"
        " --revision {params.revision:q}"
        " --folder {params.folder:q}"
        " > {log:q} 2>&1"


def encoder_to_fetch(field):
    """Parameter: model or revision of an encoder of the hub."""
    return lambda wildcards: plan.attackers.fetched_encoders()[wildcards.extractor][field]


rule fetch_encoder:
    """Fetch a self-supervised encoder from the hub at its pinned revision."""
    output:
        settings="results/encoders/{extractor}/config.json",
        preparation="results/encoders/{extractor}/preprocessor_config.json",
    log:
        "results/logs/fetch_encoder/{extractor}.log",
    wildcard_constraints:
        extractor=one_of(plan.attackers.fetched_encoders()),
    priority: EARLY
    localrule: True
    conda:
        "../../envs/speechbrain.yaml"
    params:
        code=code_alone("fetch_encoder"),
        model=encoder_to_fetch("model"),
        revision=encoder_to_fetch("revision"),
        folder="results/encoders/{extractor}",
    shell:
        "python -P -m voiceprivacy.jobs.fetch_encoder"
        " --model {params.model:q}"
        " --revision {params.revision:q}"
        " --folder {params.folder:q}"
        " > {log:q} 2>&1"


def training_encoder_files(wildcards):
    """The encoder of a training that a rule fetches; a user's has its fingerprint."""
    entry = plan.attackers.extractors[wildcards.extractor]
    if not isinstance(entry.get("encoder"), dict):
        return []
    return f"{plan.attackers.training_encoder(wildcards.extractor)}/config.json"


def training_memory(wildcards):
    """A batch of all layers of a large encoder takes several GB."""
    entry = plan.attackers.extractors[wildcards.extractor]
    return 16000 if "encoder" in entry else 8000


def training_recipe(wildcards):
    return recipe_file(plan.attackers.extractors[wildcards.extractor]["recipe"])


def training_start_files(wildcards):
    """The model where training starts, if it is another extractor of the config."""
    start = plan.attackers.start_extractor(wildcards.extractor)
    return model_files(start) if start else []


def training_threads(wildcards):
    """One, so that a machine's cores change no weights; beside a GPU, some that load speech."""
    return 8 if gpus(wildcards) else 1


def learnt_manifest(wildcards):
    return plan.attackers.training_manifest(plan.attackers.extractors[wildcards.extractor])


rule train_extractor:
    """Train an embedding extractor on the speakers of a training corpus."""
    input:
        manifest=learnt_manifest,
        files=extractor_sources,
        start=training_start_files,
        encoder=training_encoder_files,
    output:
        hyperparams="results/models/{extractor}/hyperparams.yaml",
        embedding_model="results/models/{extractor}/embedding_model.ckpt",
        curve="results/models/{extractor}/training.tsv",
        held_out="results/models/{extractor}/held_out.json",
    log:
        "results/logs/train_extractor/{extractor}.log",
    benchmark:
        "results/benchmarks/train_extractor/{extractor}.tsv"
    wildcard_constraints:
        extractor=one_of(plan.attackers.extractors_with("train")),
    conda:
        "../../envs/speechbrain.yaml"
    threads: training_threads
    resources:
        mem_mb=training_memory,
        runtime=extractor_field("runtime"),
        gpu=gpus,
    params:
        code=code("train_extractor"),
        folder=model_folder,
        recipe=training_recipe,
        seed=config["seed"],
        start=lambda wildcards: option("--start", plan.attackers.start(wildcards.extractor)),
        encoder=lambda wildcards: option(
            "--encoder", plan.attackers.training_encoder(wildcards.extractor)
        ),
        device=extractor_field("device"),
        precision=extractor_field("precision"),
    shell:
        "python -P -m voiceprivacy.jobs.train_extractor"
        " --manifest {input.manifest:q}"
        " --recipe {params.recipe:q}"
        " {params.start:q}"
        " {params.encoder:q}"
        " --seed {params.seed:q}"
        " --device {params.device:q}"
        " --precision {params.precision:q}"
        " --threads {threads}"
        " --folder {params.folder:q}"
        " > {log:q} 2>&1"


def encoder_argument(wildcards):
    return option("--encoder", plan.attackers.encoder(wildcards.extractor))


def feature_runtime(wildcards):
    """Minutes of a job: a self-supervised encoder takes hours where MFCC take minutes."""
    return 1440 if plan.attackers.encoder(wildcards.extractor) else 120


def feature_memory(wildcards):
    return 8000 if plan.attackers.encoder(wildcards.extractor) else 4000


def units_manifest(wildcards):
    corpus = plan.attackers.extractors[wildcards.extractor]["units"]["corpus"]
    return plan.attackers.learnt_manifest(corpus, "original")


rule train_units:
    """Codebook of vector-quantised frames, from training speech."""
    input:
        manifest=units_manifest,
        files=extractor_sources,
    output:
        codebook="results/models/{extractor}/codebook.npz",
    log:
        "results/logs/train_units/{extractor}.log",
    benchmark:
        "results/benchmarks/train_units/{extractor}.tsv"
    wildcard_constraints:
        extractor=one_of(plan.attackers.extractors_with("units")),
    conda:
        "../../envs/speechbrain.yaml"
    resources:
        mem_mb=feature_memory,
        runtime=feature_runtime,
    params:
        code=code("train_units"),
        encoder=encoder_argument,
        seed=config["seed"],
    shell:
        "python -P -m voiceprivacy.jobs.train_units"
        " --manifest {input.manifest:q}"
        " {params.encoder:q}"
        " --seed {params.seed:q}"
        " --codebook {output.codebook:q}"
        " > {log:q} 2>&1"


def backend_entry(wildcards):
    return plan.attackers.backends[wildcards.backend]


def backend_environment(wildcards):
    is_speechbrains = backend_entry(wildcards)["type"] == "speechbrain_plda"
    return environment_file("speechbrain" if is_speechbrains else "evaluate")


def original_embeddings(wildcards):
    return plan.attackers.original_embeddings(wildcards.backend, wildcards.extractor) or []


def backend_options(wildcards):
    entry = backend_entry(wildcards)
    if entry["type"] == "procrustes":
        return ["--type", "procrustes", "--original", original_embeddings(wildcards)]
    if entry["type"] == "speechbrain_plda":
        return ["--type", "speechbrain_plda", "--rank", entry["rank"]]
    options = ["--length-norm", entry["length_norm"], "--shrinkage", entry["shrinkage"]]
    options += option("--lda-dim", entry.get("lda_dim"))
    options += option("--original", original_embeddings(wildcards))
    return options if entry["centre"] else [*options, "--no-centre"]


rule train_backend:
    """Train a back-end on the training speakers, as they are or as one anonymiser protects them."""
    input:
        embeddings=lambda wildcards: plan.attackers.training_embeddings(
            wildcards.backend, wildcards.extractor
        ),
        original=original_embeddings,
        manifest=lambda wildcards: plan.attackers.training_manifest(backend_entry(wildcards)),
    output:
        backend="results/backends/{backend}/{extractor}.npz",
        held_out="results/backends/{backend}/{extractor}.held_out.json",
    log:
        "results/logs/train_backend/{backend}/{extractor}.log",
    benchmark:
        "results/benchmarks/train_backend/{backend}/{extractor}.tsv"
    conda:
        backend_environment
    resources:
        mem_mb=4000,
        runtime=60,
    params:
        code=code("train_backend"),
        options=backend_options,
    shell:
        "python -P -m voiceprivacy.jobs.train_backend"
        " --embeddings {input.embeddings:q}"
        " --manifest {input.manifest:q}"
        " {params.options:q}"
        " --backend {output.backend:q}"
        " --held-out {output.held_out:q}"
        " > {log:q} 2>&1"
