"""Protected speech: a part of a corpus a job, or one shard of it, checked in the same job."""


def anonymiser_manifest(wildcards):
    return plan.speech.anonymiser_manifest(wildcards.corpus, wildcards.part)


def anonymiser_name(wildcards):
    """The anonymiser's name in the config: a second run has that of the first."""
    return plan.speech.first_run(wildcards.anonymiser) or wildcards.anonymiser


def anonymiser_files(wildcards):
    """Fingerprint of the anonymiser's files."""
    return plan.sources.file("anonymisers", anonymiser_name(wildcards))


def anonymiser_code(wildcards):
    """Fingerprint of our modules behind the job, and behind our script or function in it."""
    named = plan.sources.named.get(f"anonymisers/{anonymiser_name(wildcards)}", [])
    files = [Path(file.path) for file in named]
    ours = [file.relative_to(PACKAGE) for file in files if file.is_relative_to(PACKAGE)]
    scripts = [str(file.with_suffix("")) for file in ours if file.suffix == ".py"]
    entry = plan.speech.anonymiser(wildcards.anonymiser)
    named = paths_behind([entry.get("command", ""), entry["options"]])
    return code("anonymise_part", *scripts) + named


def anonymiser_environment(wildcards):
    return environment_file(plan.speech.anonymiser(wildcards.anonymiser)["env"])


def anonymiser_field(name):
    """A function that gives a field of an anonymiser's entry."""
    return lambda wildcards: plan.speech.anonymiser(wildcards.anonymiser)[name]


def anonymiser_memory(wildcards, attempt):
    return plan.speech.anonymiser(wildcards.anonymiser)["mem_mb"] * attempt


def anonymiser_job_runtime(wildcards):
    """Minutes of a job: those of its plug-in, and some to check and convert what it made."""
    return plan.speech.anonymiser(wildcards.anonymiser)["runtime"] + 15


def anonymiser_call(wildcards):
    """The anonymiser's entry as an argument."""
    return json.dumps(
        plan.speech.anonymiser_call(wildcards.anonymiser, wildcards.corpus, wildcards.part)
    )


def first_run(wildcards):
    """Of a second run: the manifest of the first."""
    first = plan.speech.first_run(wildcards.anonymiser)
    folder = f"results/audio/{wildcards.corpus}/{wildcards.part}"
    return [f"{folder}/{first}/manifest.tsv"] if first else []


def first_run_argument(wildcards, input):
    return ["--first-run", *input.first_run] if input.first_run else []


def original_argument(wildcards, input):
    """What the final manifest is checked against."""
    return ["--original", input.original, *first_run_argument(wildcards, input)]


def in_shards(are_several):
    """Regular expression of the anonymisers whose parts are several shards, or are not."""
    return one_of(
        name
        for name in plan.speech.protected
        if (plan.speech.anonymiser(name)["shards"] > 1) == are_several
    )


rule anonymise_part:
    """Anonymise a part, check what came back, and write its manifest."""
    input:
        manifest=anonymiser_manifest,
        original="results/audio/{corpus}/{part}/original/manifest.tsv",
        first_run=first_run,
        files=anonymiser_files,
    output:
        manifest="results/audio/{corpus}/{part}/{anonymiser}/manifest.tsv",
        alphas="results/audio/{corpus}/{part}/{anonymiser}/manifest.alphas.tsv",
        audio=directory("results/audio/{corpus}/{part}/{anonymiser}/wav/0"),
    log:
        "results/logs/anonymise_part/{corpus}/{part}/{anonymiser}.log",
    benchmark:
        "results/benchmarks/anonymise_part/{corpus}/{part}/{anonymiser}.tsv"
    wildcard_constraints:
        anonymiser=in_shards(False),
    priority: BY_PROGRAMS
    conda:
        anonymiser_environment
    threads: speech_threads
    resources:
        mem_mb=anonymiser_memory,
        runtime=anonymiser_job_runtime,
        plugin_runtime=anonymiser_field("runtime"),
        gpu=anonymiser_field("gpu"),
    params:
        code=anonymiser_code,
        anonymiser=anonymiser_call,
        seed=lambda wildcards: plan.speech.anonymiser_seed(wildcards.anonymiser, wildcards.part),
        share=original_argument,
        sample_rate=sample_rate,
    shell:
        "python -P -m voiceprivacy.jobs.anonymise_part"
        " --manifest {input.manifest:q}"
        " --anonymiser {params.anonymiser:q}"
        " --seed {params.seed:q}"
        " {params.share:q}"
        " --sample-rate {params.sample_rate:q}"
        " --threads {threads}"
        " --runtime {resources.plugin_runtime:q}"
        " --memory {resources.mem_mb:q}"
        " --audio-dir {output.audio:q}"
        " --output-manifest {output.manifest:q}"
        " > {log:q} 2>&1"


def shard_argument(wildcards):
    shards = plan.speech.anonymiser(wildcards.anonymiser)["shards"]
    return ["--shard", wildcards.shard, "--shards", shards]


use rule anonymise_part as anonymise_shard with:
    input:
        manifest=anonymiser_manifest,
        files=anonymiser_files,
    output:
        manifest="results/audio/{corpus}/{part}/{anonymiser}/shards/{shard}.tsv",
        alphas="results/audio/{corpus}/{part}/{anonymiser}/shards/{shard}.alphas.tsv",
        audio=directory("results/audio/{corpus}/{part}/{anonymiser}/wav/{shard}"),
    log:
        "results/logs/anonymise_shard/{corpus}/{part}/{anonymiser}/{shard}.log",
    benchmark:
        "results/benchmarks/anonymise_shard/{corpus}/{part}/{anonymiser}/{shard}.tsv"
    wildcard_constraints:
        anonymiser=in_shards(True),
    params:
        code=anonymiser_code,
        anonymiser=anonymiser_call,
        seed=lambda wildcards: plan.speech.anonymiser_seed(wildcards.anonymiser, wildcards.part),
        share=shard_argument,
        sample_rate=sample_rate,


def anonymiser_shards(ending):
    """A function that gives a file of every shard of a part."""

    def files(wildcards):
        folder = f"results/audio/{wildcards.corpus}/{wildcards.part}/{wildcards.anonymiser}"
        shards = plan.speech.anonymiser(wildcards.anonymiser)["shards"]
        return [f"{folder}/shards/{shard}{ending}" for shard in range(shards)]

    return files


rule gather_manifests:
    """Join the manifests of the shards, in the order and with the speakers of the original's."""
    input:
        original="results/audio/{corpus}/{part}/original/manifest.tsv",
        shards=anonymiser_shards(".tsv"),
        alphas=anonymiser_shards(".alphas.tsv"),
        first_run=first_run,
    output:
        manifest="results/audio/{corpus}/{part}/{anonymiser}/manifest.tsv",
        alphas="results/audio/{corpus}/{part}/{anonymiser}/manifest.alphas.tsv",
    log:
        "results/logs/gather_manifests/{corpus}/{part}/{anonymiser}.log",
    benchmark:
        "results/benchmarks/gather_manifests/{corpus}/{part}/{anonymiser}.tsv"
    wildcard_constraints:
        anonymiser=in_shards(True),
    priority: BY_PROGRAMS
    conda:
        "../../envs/evaluate.yaml"
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        code=code("gather_manifests"),
        first_run=first_run_argument,
    shell:
        "python -P -m voiceprivacy.jobs.gather_manifests"
        " --original {input.original:q}"
        " --shards {input.shards:q}"
        " {params.first_run:q}"
        " --manifest {output.manifest:q}"
        " > {log:q} 2>&1"
