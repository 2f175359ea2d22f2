"""Protected speech: any anonymiser, one part of a corpus (or one shard of it) a job, checked in the same job."""


rule anonymise_part:
    """Anonymise one shard of a part and check what came back."""
    input:
        manifest=anonymiser_manifest,
        files=anonymiser_files,
        script=SCRIPTS / "anonymise_part.py",
    output:
        manifest="results/audio/{corpus}/{part}/{anonymiser}/shards/{shard}.tsv",
        audio=directory("results/audio/{corpus}/{part}/{anonymiser}/wav/{shard}"),
    log:
        "results/logs/anonymise_part/{corpus}/{part}/{anonymiser}/{shard}.log",
    benchmark:
        "results/benchmarks/anonymise_part/{corpus}/{part}/{anonymiser}/{shard}.tsv"
    wildcard_constraints:
        anonymiser=one_of(plan.speech.protected),
    conda:
        anonymiser_environment
    threads: 4
    resources:
        mem_mb=4000,
        runtime=anonymiser_job_runtime,
        plugin_runtime=anonymiser_field("runtime"),
        gpu=anonymiser_field("gpu"),
    params:
        code=anonymiser_code,
        anonymiser=anonymiser_argument,
        seed=anonymiser_seed,
        shards=anonymiser_field("shards"),
        sample_rate=sample_rate,
    shell:
        "python {input.script:q}"
        " --manifest {input.manifest:q}"
        " --anonymiser {params.anonymiser:q}"
        " --seed {params.seed:q}"
        " --shard {wildcards.shard:q}"
        " --shards {params.shards:q}"
        " --sample-rate {params.sample_rate:q}"
        " --threads {threads}"
        " --runtime {resources.plugin_runtime:q}"
        " --audio-dir {output.audio:q}"
        " --output-manifest {output.manifest:q}"
        " > {log:q} 2>&1"


rule gather_manifests:
    """Join the shards' manifests in the order and with the speakers of the original's; a second run must differ."""
    input:
        original="results/audio/{corpus}/{part}/original/manifest.tsv",
        shards=anonymiser_shards,
        first_run=first_run,
        script=SCRIPTS / "gather_manifests.py",
    output:
        manifest="results/audio/{corpus}/{part}/{anonymiser}/manifest.tsv",
    log:
        "results/logs/gather_manifests/{corpus}/{part}/{anonymiser}.log",
    benchmark:
        "results/benchmarks/gather_manifests/{corpus}/{part}/{anonymiser}.tsv"
    wildcard_constraints:
        anonymiser=one_of(plan.speech.protected),
    conda:
        "../../envs/evaluate.yaml"
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        code=code("gather_manifests"),
        first_run=first_run_argument,
    shell:
        "python {input.script:q}"
        " --original {input.original:q}"
        " --shards {input.shards:q}"
        " {params.first_run:q}"
        " --manifest {output.manifest:q}"
        " > {log:q} 2>&1"
