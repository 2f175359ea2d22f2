"""Input functions and parameters of the rules of anonymise.smk only."""


def anonymiser_argument(wildcards):
    return json.dumps(
        plan.speech.anonymiser_call(wildcards.anonymiser, wildcards.corpus, wildcards.part)
    )


def anonymiser_files(wildcards):
    """Fingerprint of the user's files behind an anonymiser or its second run."""
    name = plan.speech.first_run(wildcards.anonymiser) or wildcards.anonymiser
    return plan.sources.file("anonymisers", name)


def anonymiser_code(wildcards):
    """Fingerprint of our code: that of the job, and of each script of ours that is an input."""
    inputs = [Path(ours(file)) for file in plan.speech.anonymiser(wildcards.anonymiser)["inputs"]]
    return code("anonymise_part", *[path.stem for path in inputs if path.parent == SCRIPTS])


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
