"""What an attacker brings along: models from the hub, and what he trains himself."""


rule fetch_model:
    """Fetch a model from the hub at its pinned revision (compute nodes have no network)."""
    input:
        script=SCRIPTS / "fetch_model.py",
    output:
        hyperparams="results/models/{extractor}/hyperparams.yaml",
        embedding_model="results/models/{extractor}/embedding_model.ckpt",
    log:
        "results/logs/fetch_model/{extractor}.log",
    wildcard_constraints:
        extractor=one_of(plan.attackers.extractors_with("revision")),
    localrule: True
    conda:
        "../../envs/speechbrain.yaml"
    params:
        model=extractor_field("model"),
        revision=extractor_field("revision"),
        folder=model_folder,
    shell:
        "python {input.script:q}"
        " --model {params.model:q}"
        " --revision {params.revision:q}"
        " --folder {params.folder:q}"
        " > {log:q} 2>&1"


rule train_extractor:
    """Train an embedding extractor on the speakers of a training corpus."""
    input:
        manifest=training_manifest,
        speakers=ancient("results/checks/training/speakers.tsv"),
        recipe=recipe,
        start=start_files,
        script=SCRIPTS / "train_extractor.py",
    output:
        hyperparams="results/models/{extractor}/hyperparams.yaml",
        embedding_model="results/models/{extractor}/embedding_model.ckpt",
        curve="results/models/{extractor}/training.tsv",
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
        mem_mb=8000,
        runtime=extractor_field("runtime"),
        gpu=gpus,
    params:
        code=code("train_extractor"),
        folder=model_folder,
        seed=config["seed"],
        start=start_argument,
        device=extractor_field("device"),
        precision=extractor_field("precision"),
    shell:
        "python {input.script:q}"
        " --manifest {input.manifest:q}"
        " --recipe {input.recipe:q}"
        " {params.start:q}"
        " --seed {params.seed:q}"
        " --device {params.device:q}"
        " --precision {params.precision:q}"
        " --threads {threads}"
        " --folder {params.folder:q}"
        " > {log:q} 2>&1"


rule train_units:
    """Codebook of vector-quantised frames, from training speech."""
    input:
        manifest=units_manifest,
        speakers=ancient("results/checks/training/speakers.tsv"),
        encoder=encoder_files,
        script=SCRIPTS / "train_units.py",
    output:
        codebook="results/models/{extractor}/codebook.npz",
    log:
        "results/logs/train_units/{extractor}.log",
    benchmark:
        "results/benchmarks/train_units/{extractor}.tsv"
    wildcard_constraints:
        extractor=features("units"),
    conda:
        "../../envs/speechbrain.yaml"
    resources:
        mem_mb=units_memory,
        runtime=units_runtime,
    params:
        code=code("train_units"),
        encoder=encoder_argument,
        seed=config["seed"],
    shell:
        "python {input.script:q}"
        " --manifest {input.manifest:q}"
        " {params.encoder:q}"
        " --seed {params.seed:q}"
        " --codebook {output.codebook:q}"
        " > {log:q} 2>&1"


rule train_backend:
    """Train PLDA on the training speakers, as they are or as one anonymiser protects them."""
    input:
        embeddings=backend_training_embeddings,
        manifest=backend_training_manifest,
        speakers=ancient("results/checks/training/speakers.tsv"),
        script=SCRIPTS / "train_backend.py",
    output:
        backend="results/backends/{backend}/{extractor}.npz",
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
        "python {input.script:q}"
        " --embeddings {input.embeddings:q}"
        " --manifest {input.manifest:q}"
        " {params.options:q}"
        " --backend {output.backend:q}"
        " > {log:q} 2>&1"
