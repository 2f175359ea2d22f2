"""Input functions and parameters of the rules of anonymise.smk only."""


def anonymiser_argument(wildcards):
    return json.dumps(
        plan.speech.anonymiser_call(wildcards.anonymiser, wildcards.corpus, wildcards.part)
    )


def anonymiser_inputs(wildcards):
    entry = plan.speech.anonymiser(wildcards.anonymiser)
    own = [entry["function"].rpartition(":")[0]] if "function" in entry else []
    files = [ours(file) for file in own + entry["inputs"]]
    scripts = [Path(file).stem for file in files if Path(file).parent == SCRIPTS]
    return files + [module for script in scripts for module in modules(script)]


def anonymiser_environment(wildcards):
    return environment_file(plan.speech.anonymiser(wildcards.anonymiser)["env"])


def anonymiser_manifest(wildcards):
    return plan.speech.anonymiser_manifest(wildcards.corpus, wildcards.part)


def anonymiser_field(name):
    return lambda wildcards: plan.speech.anonymiser(wildcards.anonymiser)[name]


def anonymiser_job_runtime(wildcards):
    """Minutes of a job: those of its plug-in, and some to check and convert what it made."""
    return plan.speech.anonymiser(wildcards.anonymiser)["runtime"] + 15


def anonymiser_seed(wildcards):
    return plan.speech.anonymiser_seed(wildcards.anonymiser, wildcards.part)


def anonymiser_shards(wildcards):
    folder = f"results/audio/{wildcards.corpus}/{wildcards.part}/{wildcards.anonymiser}/shards"
    return [
        f"{folder}/{shard}.tsv"
        for shard in range(plan.speech.anonymiser(wildcards.anonymiser)["shards"])
    ]


def first_run(wildcards):
    """Of a second run: the manifest of the first."""
    first = plan.speech.first_run(wildcards.anonymiser)
    return (
        f"results/audio/{wildcards.corpus}/{wildcards.part}/{first}/manifest.tsv" if first else []
    )


def first_run_argument(wildcards):
    return ["--first-run", first_run(wildcards)] if first_run(wildcards) else []
