"""What protected speech is still good for: measures that are shipped, and those of one's own."""

TOGETHER = plan.utility.together()


def measures_of(wildcards):
    """The measures of a job: the one that it is named after, or all that are made together."""
    return [wildcards.measure] if "measure" in wildcards.keys() else TOGETHER


def measure_field(name):
    """A function that gives a field of a measure's entry."""
    return lambda wildcards: plan.utility.entries[wildcards.measure][name]


def most_of_measures(name):
    """A function that gives the largest of a field of the entries of a job."""

    def most(wildcards):
        return max(plan.utility.entries[measure][name] for measure in measures_of(wildcards))

    return most


def of_measures(function):
    """A function that joins what ``function(measure, wildcards)`` lists, without repetition."""

    def of_all(wildcards):
        lists = [function(measure, wildcards) for measure in measures_of(wildcards)]
        return list(dict.fromkeys(itertools.chain.from_iterable(lists)))

    return of_all


def measure_memory(wildcards, attempt):
    return most_of_measures("mem_mb")(wildcards) * attempt


def measure_environment(wildcards):
    return environment_file(plan.utility.entries[wildcards.measure]["env"])


def measure_job_runtime(wildcards):
    """Minutes of a job: those of its measures, and some to check what they wrote."""
    entries = [plan.utility.entries[measure] for measure in measures_of(wildcards)]
    return sum(options["runtime"] for options in entries) + 5


def measure_commands(wildcards):
    measures = measures_of(wildcards)
    return [plan.utility.command(name, wildcards.corpus, wildcards.anonymiser) for name in measures]


def measure_code(wildcards):
    scripts = of_measures(lambda measure, _: plan.utility.scripts(measure))(wildcards)
    own = "".join(map(paths_behind, measure_commands(wildcards)))
    return code("measure_utility", *scripts) + own


def measure_draws(wildcards):
    """How many utterances of each speaker are measured (0: all), and the seed that draws them."""
    entries = [plan.utility.entries[measure] for measure in measures_of(wildcards)]
    numbers = [options.get("utterances", 0) for options in entries]
    return ["--utterances", *numbers, "--seed", config["report"]["seed"]] if any(numbers) else []


def measure_sandbox(wildcards):
    return sandbox_arguments(plan.utility.entries[measures_of(wildcards)[0]])


measure_files = of_measures(lambda measure, _: plan.sources.file("utility", measure))
measure_models = of_measures(lambda measure, _: plan.utility.model_stamp(measure))
measure_transcripts = of_measures(
    lambda measure, wildcards: plan.utility.transcripts(measure, wildcards.corpus)
)


rule fetch_listener:
    """Fetch the model of a measure from the hub at its pinned revision."""
    output:
        checksums="results/listeners/{measure}/SHA256SUMS",
    log:
        "results/logs/fetch_listener/{measure}.log",
    wildcard_constraints:
        measure=one_of(plan.utility.fetched()),
    priority: EARLY
    localrule: True
    conda:
        "../../envs/speechbrain.yaml"
    params:
        code=code_alone("fetch_model"),
        model=measure_field("model"),
        revision=measure_field("revision"),
        kind=lambda wildcards: plan.utility.kind_of_model(wildcards.measure),
        folder=lambda wildcards: plan.utility.model_folder(wildcards.measure),
    shell:
        "python -P -m voiceprivacy.jobs.fetch_model"
        " --kind {params.kind:q}"
        " --model {params.model:q}"
        " --revision {params.revision:q}"
        " --folder {params.folder:q}"
        " > {log:q} 2>&1"


rule measure_utility:
    """Call a measure of the config on an anonymiser or the original; check what it wrote."""
    input:
        manifest="results/audio/{corpus}/{part}/{anonymiser}/manifest.tsv",
        original="results/audio/{corpus}/{part}/original/manifest.tsv",
        files=measure_files,
        transcripts=measure_transcripts,
        model=measure_models,
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
        measure_environment
    threads: lambda wildcards: max(map(plan.utility.threads, measures_of(wildcards)))
    resources:
        mem_mb=measure_memory,
        runtime=measure_job_runtime,
        measure_runtime=most_of_measures("runtime"),
        gpu=most_of_measures("gpu"),
    params:
        code=measure_code,
        command=measure_commands,
        draws=measure_draws,
        sandbox=measure_sandbox,
    shell:
        "python -P -m voiceprivacy.jobs.measure_utility"
        " --command {params.command:q}"
        " --manifest {input.manifest:q}"
        " --original {input.original:q}"
        " --threads {threads}"
        " --runtime {resources.measure_runtime:q}"
        " {params.draws:q}"
        " {params.sandbox:q}"
        " --memory {resources.mem_mb:q}"
        " --output {output.measures:q}"
        " > {log:q} 2>&1"


if TOGETHER:

    # Measures that are shipped share an environment: one job for each corpus and anonymiser, and
    # its program says which of them failed.
    use rule measure_utility as measure_shipped with:
        input:
            manifest="results/audio/{corpus}/trial/{anonymiser}/manifest.tsv",
            original="results/audio/{corpus}/trial/original/manifest.tsv",
            files=measure_files,
            transcripts=measure_transcripts,
        output:
            measures=[
                f"results/utility/{{corpus}}/trial/{{anonymiser}}/{measure}.tsv"
                for measure in TOGETHER
            ],
        log:
            "results/logs/measure_shipped/{corpus}/{anonymiser}.log",
        benchmark:
            "results/benchmarks/measure_shipped/{corpus}/{anonymiser}.tsv"
        wildcard_constraints:
            anonymiser=one_of(plan.speech.anonymisers),
        priority: LONGEST
        conda:
            "../../envs/measures.yaml"

    ruleorder: measure_shipped > measure_utility


VOICES_BY = plan.utility.embedded_by
VOICES_OF = ["original", *plan.speech.anonymisers]


def voices_compared(wildcards):
    """Embeddings of the trials of all systems, and of the original speech that enrols."""
    folder, name = f"results/embeddings/{wildcards.corpus}", VOICES_BY[wildcards.corpus]
    trials = [f"{folder}/trial/{system}/{name}.npz" for system in VOICES_OF]
    return [*trials, f"{folder}/enrolment/original/{name}.npz"]


rule measure_voices:
    """Whether speakers keep one voice, and their sex, from the embeddings of an attacker."""
    input:
        embeddings=voices_compared,
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
        extractor=lambda wildcards: VOICES_BY[wildcards.corpus],
        seed=config["report"]["seed"],
    shell:
        "python -P -m voiceprivacy.jobs.measure_voices"
        " --corpus {wildcards.corpus:q}"
        " --extractor {params.extractor:q}"
        " --embeddings results/embeddings"
        " --audio results/audio"
        " --seed {params.seed:q}"
        " --output {output.measures:q}"
        " > {log:q} 2>&1"


def trial_lists(wildcards):
    """The trial lists of a corpus."""
    names = plan.speech.trial_lists(wildcards.corpus)
    return [f"results/trials/{wildcards.corpus}/{trials}.tsv" for trials in names]


def of_draws(name, path):
    """An output that only a run with intervals has."""
    return {name: path} if plan.n_replicates else {}


def tables_of_draws(wildcards, output):
    """Where replicates and comparisons are written, if the run has intervals."""
    files = {name: path for name, path in output.items() if name not in ("metrics", "words")}
    return [word for name, path in files.items() for word in (f"--{name}", path)]


rule assess_utility:
    """Means of all measures of a corpus by anonymiser and trial list, and each two compared."""
    input:
        measures=lambda wildcards: plan.utility.measures(wildcards.corpus),
        manifest="results/audio/{corpus}/trial/original/manifest.tsv",
        trials=trial_lists,
    output:
        **of_draws("replicates", "results/metrics/utility/{corpus}.bootstrap.npz"),
        **of_draws("comparisons", "results/comparisons/utility/{corpus}.tsv"),
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
        tables=tables_of_draws,
    shell:
        "python -P -m voiceprivacy.jobs.assess_utility"
        " --measures {input.measures:q}"
        " --manifest {input.manifest:q}"
        " --trials {input.trials:q}"
        " --options {params.options:q}"
        " --bootstrap {params.bootstrap:q}"
        " --seed {params.seed:q}"
        " --metrics {output.metrics:q}"
        " --words {output.words:q}"
        " {params.tables:q}"
        " > {log:q} 2>&1"
