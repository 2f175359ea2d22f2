"""What an attacker brings along: models from the hub, and what is trained here."""


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
        "../../envs/torch.yaml"
    params:
        code=code_alone("fetch_model"),
        kind="speakers",
        model=attackers.extractors.field("model"),
        revision=attackers.extractors.field("revision"),
        folder=ask(plan.attackers.model_folder),
    shell:
        command("fetch_model", params="kind model revision folder")


# A self-supervised encoder, at its pinned revision.
use rule fetch_model as fetch_encoder with:
    output:
        settings="results/encoders/{extractor}/config.json",
        preparation="results/encoders/{extractor}/preprocessor_config.json",
    log:
        "results/logs/fetch_encoder/{extractor}.log",
    wildcard_constraints:
        extractor=one_of(plan.attackers.fetched_encoders()),
    params:
        code=code_alone("fetch_model"),
        kind="encoder",
        model=attackers.encoders.field("model"),
        revision=attackers.encoders.field("revision"),
        folder=f"{RESULTS}/encoders/{{extractor}}",


rule train_extractor:
    """Train an embedding extractor on the speakers of a training corpus."""
    input:
        manifest=attackers.extractors.ask(plan.attackers.training_manifest),
        files=attackers.files,
        start=attackers.start_files,
        encoder=attackers.encoder_files,
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
    priority: TO_VERDICT
    conda:
        "../../envs/torch.yaml"
    threads: attackers.training_threads
    resources:
        mem_mb=attackers.training_memory,
        runtime=attackers.extractors.field("runtime"),
        gpu=attackers.extractors.gpus,
    params:
        code=code("train_extractor"),
        folder=ask(plan.attackers.model_folder),
        recipe=attackers.recipe,
        seed=PUBLIC_SEED,
        start=ask_option("--start", plan.attackers.start),
        encoder=ask_option("--encoder", plan.attackers.training_encoder),
        device=attackers.extractors.field("device"),
        precision=attackers.extractors.field("precision"),
    shell:
        command(
            "train_extractor",
            also="--threads {threads}",
            input="manifest",
            params="recipe seed device precision folder",
            options="start encoder",
        )


rule train_units:
    """Codebook of vector-quantised frames, from training speech."""
    input:
        manifest=attackers.units_manifest,
        files=attackers.files,
    output:
        codebook="results/models/{extractor}/codebook.npz",
    log:
        "results/logs/train_units/{extractor}.log",
    benchmark:
        "results/benchmarks/train_units/{extractor}.tsv"
    wildcard_constraints:
        extractor=one_of(plan.attackers.extractors_with("units")),
    priority: TO_VERDICT
    conda:
        "../../envs/torch.yaml"
    resources:
        mem_mb=attackers.feature_memory,
        runtime=attackers.feature_runtime,
    params:
        code=code("train_units"),
        encoder=ask_option("--encoder", plan.attackers.encoder),
        seed=PUBLIC_SEED,
    shell:
        command(
            "train_units", input="manifest", output="codebook", params="seed", options="encoder"
        )


rule train_backend:
    """Train a back-end on the training speakers, as they are or as anonymisers protect them."""
    input:
        embeddings=ask(plan.attackers.training_embeddings),
        original=ask(plan.attackers.original_embeddings),
        manifest=attackers.backends.ask(plan.attackers.training_manifest),
    output:
        backend="results/backends/{backend}/{extractor}.npz",
        held_out="results/backends/{backend}/{extractor}.held_out.json",
    log:
        "results/logs/train_backend/{backend}/{extractor}.log",
    benchmark:
        "results/benchmarks/train_backend/{backend}/{extractor}.tsv"
    priority: TO_VERDICT
    conda:
        attackers.backend_environment
    resources:
        mem_mb=4000,
        runtime=60,
    params:
        code=code("train_backend"),
        options=attackers.backend_options,
    shell:
        command(
            "train_backend",
            input="embeddings manifest",
            output="backend held_out",
            options="options",
        )


rule plant_leak:
    """Does a back-end find a leak that is planted in what it learns from and is tried on?"""
    input:
        embeddings=ask(plan.attackers.training_embeddings),
        original=ask(plan.attackers.original_embeddings),
        manifest=attackers.backends.ask(plan.attackers.training_manifest),
        enrolment=ask(planted_leaks.enrolment),
        trial=ask(planted_leaks.trial),
        enrolment_manifest="results/audio/{corpus}/enrolment/original/manifest.tsv",
        trial_manifest="results/audio/{corpus}/trial/original/manifest.tsv",
        trials=ask(plan.speech.trials_of),
        enrolments=ask(planted_leaks.enrolments),
    output:
        evidence="results/planted_leaks/{corpus}/{extractor}/{backend}.json",
    log:
        "results/logs/plant_leak/{corpus}/{extractor}/{backend}.log",
    benchmark:
        "results/benchmarks/plant_leak/{corpus}/{extractor}/{backend}.tsv"
    priority: TO_VERDICT
    conda:
        attackers.backend_environment
    resources:
        mem_mb=4000,
        runtime=60,
    params:
        code=code("plant_leak"),
        options=attackers.backend_options,
    shell:
        command(
            "plant_leak",
            input="embeddings manifest enrolment trial enrolment_manifest trial_manifest trials"
            " enrolments",
            output="evidence",
            options="options",
        )
