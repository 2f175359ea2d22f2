"""Protected speech: a part of a corpus a job, or one shard of it, checked in the same job."""


rule anonymise_part:
    """Anonymise a part, check what came back, and write its manifest."""
    input:
        manifest=ask(plan.speech.anonymiser_manifest),
        positions="results/audio/{corpus}/{part}/original/positions.tsv",
        original="results/audio/{corpus}/{part}/original/manifest.tsv",
        first_run=anonymisers.first_run,
        files=anonymisers.files,
        secret=anonymisers.secret,
    output:
        output_manifest="results/audio/{corpus}/{part}/{anonymiser}/manifest.tsv",
        alphas="results/audio/{corpus}/{part}/{anonymiser}/manifest.alphas.tsv",
        audio_dir=directory("results/audio/{corpus}/{part}/{anonymiser}/wav/0"),
    log:
        "results/logs/anonymise_part/{corpus}/{part}/{anonymiser}.log",
    benchmark:
        "results/benchmarks/anonymise_part/{corpus}/{part}/{anonymiser}.tsv"
    wildcard_constraints:
        anonymiser=one_of(plan.speech.in_shards(several=False)),
    priority: BY_PROGRAMS
    conda:
        anonymisers.entries.environment
    threads: speech_threads.few
    resources:
        mem_mb=anonymisers.entries.memory,
        runtime=anonymisers.runtime,
        plugin_runtime=anonymisers.entries.field("runtime"),
        gpu=anonymisers.entries.gpus,
    params:
        code=anonymisers.code,
        anonymiser=in_json(plan.speech.anonymiser_call),
        seed=anonymisers.seed,
        share=anonymisers.original_argument,
        sample_rate=ask(plan.speech.sample_rate),
    shell:
        command(
            "anonymise_part",
            also="--threads {threads} --runtime {resources.plugin_runtime:q}"
            " --memory {resources.mem_mb:q}",
            input="manifest",
            output="audio_dir output_manifest",
            params="anonymiser sample_rate",
            options="seed share",
        )


use rule anonymise_part as anonymise_shard with:
    input:
        manifest=ask(plan.speech.anonymiser_manifest),
        positions="results/audio/{corpus}/{part}/original/positions.tsv",
        files=anonymisers.files,
        secret=anonymisers.secret,
    output:
        output_manifest="results/audio/{corpus}/{part}/{anonymiser}/shards/{shard}.tsv",
        alphas="results/audio/{corpus}/{part}/{anonymiser}/shards/{shard}.alphas.tsv",
        audio_dir=directory("results/audio/{corpus}/{part}/{anonymiser}/wav/{shard}"),
    log:
        "results/logs/anonymise_shard/{corpus}/{part}/{anonymiser}/{shard}.log",
    benchmark:
        "results/benchmarks/anonymise_shard/{corpus}/{part}/{anonymiser}/{shard}.tsv"
    wildcard_constraints:
        anonymiser=one_of(plan.speech.in_shards(several=True)),
    params:
        code=anonymisers.code,
        anonymiser=in_json(plan.speech.anonymiser_call),
        seed=anonymisers.seed,
        share=anonymisers.shard_argument,
        sample_rate=ask(plan.speech.sample_rate),


rule gather_manifests:
    """Join the manifests of the shards, in the order and with the speakers of the original's."""
    input:
        original="results/audio/{corpus}/{part}/original/manifest.tsv",
        shards=anonymisers.shards("results/audio/{corpus}/{part}/{anonymiser}/shards/{shard}.tsv"),
        alphas=anonymisers.shards(
            "results/audio/{corpus}/{part}/{anonymiser}/shards/{shard}.alphas.tsv"
        ),
        first_run=anonymisers.first_run,
    output:
        manifest="results/audio/{corpus}/{part}/{anonymiser}/manifest.tsv",
        alphas="results/audio/{corpus}/{part}/{anonymiser}/manifest.alphas.tsv",
    log:
        "results/logs/gather_manifests/{corpus}/{part}/{anonymiser}.log",
    benchmark:
        "results/benchmarks/gather_manifests/{corpus}/{part}/{anonymiser}.tsv"
    wildcard_constraints:
        anonymiser=one_of(plan.speech.in_shards(several=True)),
    priority: BY_PROGRAMS
    conda:
        "../../envs/evaluate.yaml"
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        code=code("gather_manifests"),
        first_run=anonymisers.first_run_argument,
    shell:
        command("gather_manifests", input="original shards", output="manifest", options="first_run")
