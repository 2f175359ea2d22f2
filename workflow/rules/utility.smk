"""What protected speech is still good for: measures that are shipped, and those of one's own."""


# The model of a measure, at its pinned revision.
use rule fetch_model as fetch_listener with:
    output:
        checksums="results/listeners/{measure}/SHA256SUMS",
    log:
        "results/logs/fetch_listener/{measure}.log",
    wildcard_constraints:
        measure=one_of(plan.utility.fetched()),
    params:
        code=code_alone("fetch_model"),
        model=utility.entries.field("model"),
        revision=utility.entries.field("revision"),
        kind=ask(plan.utility.kind_of_model),
        folder=ask(plan.utility.model_folder),


rule measure_utility:
    """Call a measure of the config on an anonymiser or the original."""
    input:
        manifest="results/audio/{corpus}/{part}/{anonymiser}/manifest.tsv",
        original="results/audio/{corpus}/{part}/original/manifest.tsv",
        files=utility.files,
        transcripts=utility.transcripts,
        model=utility.models,
    output:
        measures="results/utility/{corpus}/{part}/{anonymiser}/{measure}.tsv",
    log:
        "results/logs/measure_utility/{corpus}/{part}/{anonymiser}/{measure}.log",
    benchmark:
        "results/benchmarks/measure_utility/{corpus}/{part}/{anonymiser}/{measure}.tsv"
    wildcard_constraints:
        measure=one_of(
            name for name in plan.utility.entries if name not in plan.utility.of_embeddings()
        ),
    conda:
        utility.entries.environment
    threads: utility.threads
    resources:
        mem_mb=utility.memory,
        runtime=utility.runtime,
        measure_runtime=utility.most("runtime"),
        gpu=utility.most("gpu"),
    params:
        code=utility.code,
        measures=utility.asked_in_json,
        sandbox=utility.sandbox,
    shell:
        command(
            "measure_utility",
            also="--threads {threads} --runtime {resources.measure_runtime:q}"
            " --memory {resources.mem_mb:q} --output {output.measures:q}",
            input="manifest original",
            params="measures",
            options="sandbox",
        )


if utility.together:

    # Measures that are shipped share an environment: one job for each corpus and anonymiser.
    use rule measure_utility as measure_shipped with:
        input:
            manifest="results/audio/{corpus}/trial/{anonymiser}/manifest.tsv",
            original="results/audio/{corpus}/trial/original/manifest.tsv",
            files=utility.files,
            transcripts=utility.transcripts,
        output:
            measures=[
                f"results/utility/{{corpus}}/trial/{{anonymiser}}/{measure}.tsv"
                for measure in utility.together
            ],
        log:
            "results/logs/measure_shipped/{corpus}/{anonymiser}.log",
        benchmark:
            "results/benchmarks/measure_shipped/{corpus}/{anonymiser}.tsv"
        wildcard_constraints:
            anonymiser=one_of(plan.speech.anonymisers),
        conda:
            "../../envs/torch.yaml"

    ruleorder: measure_shipped > measure_utility


VOICES_OF = ["original", *plan.speech.anonymisers]


rule measure_voices:
    """Whether speakers keep one voice, and their sex, from the embeddings of an attacker."""
    input:
        embeddings=ask(utility.voices),
        enrolment="results/audio/{corpus}/enrolment/original/manifest.tsv",
        trial="results/audio/{corpus}/trial/original/manifest.tsv",
    output:
        measures=[
            f"results/utility/{{corpus}}/trial/{system}/{{measure}}.tsv" for system in VOICES_OF
        ],
    log:
        "results/logs/measure_voices/{corpus}/{measure}.log",
    benchmark:
        "results/benchmarks/measure_voices/{corpus}/{measure}.tsv"
    wildcard_constraints:
        measure=one_of(plan.utility.of_embeddings()),
    conda:
        "../../envs/evaluate.yaml"
    resources:
        mem_mb=2000,
        runtime=20,
    params:
        code=code("measure_voices"),
        extractor=ask(plan.utility.voice_extractor),
        embeddings=as_is(f"{RESULTS}/embeddings"),
        audio=as_is(f"{RESULTS}/audio"),
        seed=config["report"]["seed"],
    shell:
        command(
            "measure_voices",
            also="--output {output.measures:q}",
            params="extractor seed embeddings audio",
            wildcards="corpus",
        )


# Outputs of a run with intervals.
OF_DRAWS = {
    "replicates": "results/metrics/utility/{corpus}.bootstrap.npz",
    "comparisons": "results/comparisons/utility/{corpus}.tsv",
}


rule assess_utility:
    """Means of all measures of a corpus by anonymiser and trial list, and each two compared."""
    input:
        measures=ask(plan.utility.measures),
        manifest="results/audio/{corpus}/trial/original/manifest.tsv",
        trials=ask(plan.speech.trials_of),
    output:
        **(OF_DRAWS if plan.n_replicates else {}),
        metrics="results/metrics/utility/{corpus}.tsv",
        words="results/metrics/words/{corpus}.tsv",
    log:
        "results/logs/assess_utility/{corpus}.log",
    benchmark:
        "results/benchmarks/assess_utility/{corpus}.tsv"
    conda:
        "../../envs/evaluate.yaml"
    resources:
        mem_mb=2000,
        runtime=20,
    params:
        code=code("assess_utility"),
        options=json.dumps(plan.utility.options()),
        bootstrap=plan.n_replicates,
        seed=config["report"]["seed"],
        tables=tables("metrics", "words"),
    shell:
        command(
            "assess_utility",
            input="measures manifest trials",
            output="metrics words",
            params="options bootstrap seed",
            options="tables",
        )
