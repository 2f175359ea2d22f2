"""Input functions and parameters of the rules of privacy.smk and similarity.smk only."""

# The same in every job: no functions, which Snakemake would call some thousand times.
BOOTSTRAP = (
    ["--bootstrap", plan.n_replicates, "--seed", config["report"]["seed"]]
    if plan.n_replicates
    else []
)
TAGS = (
    ours(config["report"]["tags"]) if "tags" in config["report"] else []
)  # the user's own, of the worst case


def condition_labels(wildcards):
    if wildcards.backend == GIVEN:
        return given_conditions(wildcards)
    return plan.speech.conditions(wildcards.anonymiser)


def per_condition(kind, ending):
    """Input function: one file for each condition of the wildcards' system."""

    def files(wildcards):
        folder = "{0.corpus}/{0.trials}/{0.anonymiser}/{0.extractor}/{0.backend}".format(wildcards)
        return [
            f"results/{kind}/{folder}/{condition}.{ending}"
            for condition in condition_labels(wildcards)
        ]

    return files


def calibration_scores(run):
    """Input function: the scores that C_ECE is measured on, of an anonymiser or of its second run."""

    def files(wildcards):
        folder = (
            f"{{0.corpus}}/{{0.trials}}/{{0.anonymiser}}{run}/{{0.extractor}}/{{0.backend}}".format(
                wildcards
            )
        )
        return [
            f"results/scores/{folder}/{condition}.tsv" for condition in config["report"]["cece"]
        ]

    return files


def given_conditions(wildcards):
    return plan.given.systems(given_attack(wildcards))[wildcards.anonymiser]


def given_scores(wildcards):
    folder = f"results/scores/{given_attack(wildcards).path(wildcards.anonymiser)}"
    return [f"{folder}/{condition}.tsv" for condition in given_conditions(wildcards)]


def speakers(wildcards):
    if wildcards.backend == GIVEN:
        return plan.given.speakers(given_attack(wildcards))
    return (
        f"results/trials/{wildcards.corpus}/{wildcards.trials}.speakers.tsv"
        if plan.n_replicates
        else []
    )


def speakers_argument(wildcards):
    return ["--speakers", speakers(wildcards)] if plan.n_replicates else []


def compared_intervals(wildcards):
    return plan.outputs.compared_intervals(Attack(*[wildcards[name] for name in Attack._fields]))


def weights_argument(wildcards):
    """Weights of the lists of an average over several corpora; a list or a corpus' mean needs none."""
    if wildcards.corpus != ACROSS_CORPORA:
        return []
    weights = plan.averages.weights[wildcards.trials]
    return [
        "--weights",
        *(f"{corpus}/{trials}={weight}" for (corpus, trials), weight in weights.items()),
    ]


def compared_replicates(wildcards):
    return beside(compared_intervals(wildcards))


def strongest_intervals(wildcards):
    return plan.outputs.strongest_intervals(wildcards.corpus, wildcards.trials)


def strongest_replicates(wildcards):
    return beside(strongest_intervals(wildcards))


def beside(intervals):
    """The files of replicates beside files of intervals."""
    return [path.replace(".intervals.json", ".bootstrap.npz") for path in intervals]


def left_out(wildcards):
    """Metrics without each speaker, of which the intervals of ratios to the original speech are made."""
    place, attacker = "{0.corpus}/{0.trials}".format(wildcards), "{0.extractor}/{0.backend}".format(
        wildcards
    )
    files = [
        f"results/metrics/{family}/{place}/{system}/{attacker}.bootstrap.npz"
        for family in ("verification", "zebra")
        for system in ("original", wildcards.anonymiser)
    ]
    return files if plan.n_replicates else []
