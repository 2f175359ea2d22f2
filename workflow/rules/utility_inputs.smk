"""Input functions and parameters of the rules of utility.smk only."""


def measure_files(wildcards):
    """Fingerprint of the user's files behind a measure."""
    return plan.sources.file("utility", wildcards.measure)


def measure_environment(wildcards):
    return environment_file(config["utility"][wildcards.measure]["env"])


def measure_field(name):
    return lambda wildcards: config["utility"][wildcards.measure][name]


def measure_job_runtime(wildcards):
    """Minutes of a job: those of the measure, and some to check what it wrote."""
    return config["utility"][wildcards.measure]["runtime"] + 5


def measure_command(wildcards):
    return config["utility"][wildcards.measure]["command"].replace("{corpus}", wildcards.corpus)


def measure_sandbox(wildcards):
    return ["--sandbox"] if config["utility"][wildcards.measure]["sandbox"] else []


def measures(wildcards):
    return plan.utility.measures(wildcards.corpus)


def measure_options(wildcards):
    return json.dumps(plan.utility.options())


def trial_lists(wildcards):
    return [
        f"results/trials/{wildcards.corpus}/{trials}.tsv"
        for trials in plan.speech.trial_lists(wildcards.corpus)
    ]
