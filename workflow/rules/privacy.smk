"""How much of the speaker's identity is still there: metrics, their intervals and curves."""

from itertools import product

from voiceprivacy.plan.verdict import other_files, score_files, verdict_plan

# Paths of a system, and of unprotected speech, under the same attack.
SYSTEM = "{corpus}/{trials}/{anonymiser}/{extractor}/{backend}"
UNPROTECTED = "{corpus}/{trials}/original/{extractor}/{backend}"
# What assess_matrices compares: original speech, and the two conditions of an anonymiser.
PAIRS = [
    f"results/pairs/{UNPROTECTED}/oo.npz",
    f"results/pairs/{SYSTEM}/op.npz",
    f"results/pairs/{SYSTEM}/pp.npz",
]
NOT_RESAMPLED_GIVEN = [name for name in config["attacks"] if name not in RESAMPLED_GIVEN]
# Metrics of original speech without each speaker: intervals of ratios to it are made of them.
LEFT_OUT = [
    f"results/metrics/verification/{UNPROTECTED}.bootstrap.npz",
    f"results/metrics/zebra/{UNPROTECTED}.bootstrap.npz",
]
DRAWS = ["--bootstrap", plan.n_replicates, "--seed", config["report"]["seed"]]
TAGS = ours(plan.config["report"]["tags"]) if "tags" in config["report"] else []  # the user's own


def attack_of(wildcards):
    return Attack(*[wildcards[name] for name in Attack._fields])


def intervals(*families):
    """Outputs of families of metrics besides numbers; none if the config wants no intervals."""
    files = {}
    for family in families if plan.n_replicates else []:
        files[f"{family}_intervals"] = f"results/metrics/{family}/{SYSTEM}.intervals.json"
        files[f"{family}_replicates"] = f"results/metrics/{family}/{SYSTEM}.bootstrap.npz"
    return files


def normalised_argument(wildcards, input, output):
    return [
        *("--verification-original", input.verification_original),
        *("--zebra-original", input.zebra_original),
        *("--normalised", output.normalised),
    ]


def conditions_of_system(wildcards):
    """The conditions that a system is attacked under."""
    if wildcards.backend == GIVEN:
        return plan.given.systems(given_attack(wildcards))[wildcards.anonymiser]
    return plan.speech.conditions(wildcards.anonymiser)


def scored_conditions(wildcards):
    """The conditions that a system's trials are scored under, within the release among them."""
    if wildcards.backend == GIVEN:
        return plan.given.systems(given_attack(wildcards))[wildcards.anonymiser]
    return plan.speech.scored(wildcards.anonymiser)


def path_of_system(wildcards):
    """Where the files of a system under an attack lie, below the folder of their kind."""
    return attack_of(wildcards).path(wildcards.anonymiser)


def scores_of_system(wildcards):
    folder = f"results/scores/{path_of_system(wildcards)}"
    return [f"{folder}/{condition}.tsv" for condition in scored_conditions(wildcards)]


def templates_of_system(wildcards):
    folder = f"results/templates/{path_of_system(wildcards)}"
    return [f"{folder}/{condition}.npz" for condition in conditions_of_system(wildcards)]


def speaker_map(wildcards):
    """Who speaks in the trials of a list; nothing if the config wants no intervals."""
    if wildcards.backend == GIVEN:
        return plan.given.speakers(given_attack(wildcards))
    path = f"results/trials/{wildcards.corpus}/{wildcards.trials}.speakers.tsv"
    return path if plan.n_replicates else []


def speaker_files(wildcards):
    """That map, or the fingerprint of the user's own."""
    if wildcards.backend == GIVEN and "speakers" in config["attacks"][wildcards.extractor]:
        return plan.sources.file("attacks", wildcards.extractor)
    return speaker_map(wildcards)


def speakers_argument(wildcards):
    return ["--speakers", speaker_map(wildcards)] if plan.n_replicates else []


def trial_list(wildcards):
    """The list that scores must be of; scores of others may be of lists that only they know."""
    if wildcards.backend == GIVEN:
        return plan.given.trials(given_attack(wildcards)) or []
    return f"results/trials/{wildcards.corpus}/{wildcards.trials}.tsv"


def release_list(wildcards):
    """The pairs that scores within the release must be of, where the list is one of ours."""
    if wildcards.backend == GIVEN:
        return plan.given.release(given_attack(wildcards)) or []
    return f"results/trials/{wildcards.corpus}/{wildcards.trials}.release.tsv"


def lists_argument(wildcards):
    """Both lists."""
    trials, release = trial_list(wildcards), release_list(wildcards)
    return [*option("--trials", trials), *option("--release", release)]


rule assess_scores:
    """EER, Cllr, linkability and ZEBRA of every attack on one anonymiser, and what it changed."""
    input:
        scores=scores_of_system,
        trials=trial_list,
        release=release_list,
        speakers=speaker_files,
        tags=plan.sources.file("report", "tags"),
        verification_original=f"results/metrics/verification/{UNPROTECTED}.json",
        zebra_original=f"results/metrics/zebra/{UNPROTECTED}.json",
        left_out=LEFT_OUT if plan.n_replicates else [],
    output:
        **intervals("verification", "zebra", "normalised"),
        verification=f"results/metrics/verification/{SYSTEM}.json",
        zebra=f"results/metrics/zebra/{SYSTEM}.json",
        normalised=f"results/metrics/normalised/{SYSTEM}.json",
        curves=f"results/curves/zebra/{SYSTEM}.tsv",
        law=f"results/curves/law/{SYSTEM}.tsv",
    log:
        f"results/logs/assess_scores/{SYSTEM}.log",
    benchmark:
        f"results/benchmarks/assess_scores/{SYSTEM}.tsv"
    wildcard_constraints:
        anonymiser=one_of(plan.speech.protected),
    conda:
        "../../envs/evaluate.yaml"
    resources:
        mem_mb=2000,
        runtime=60,
    params:
        code=code("assess_scores"),
        labels=scored_conditions,
        trials=lists_argument,
        speakers=speakers_argument,
        draws=DRAWS,
        tags=["--tags", TAGS] if TAGS else [],
        normalised=normalised_argument,
    shell:
        "python -P -m voiceprivacy.jobs.assess_scores"
        " --scores {input.scores:q}"
        " --label {params.labels:q}"
        " {params.trials:q}"
        " {params.speakers:q} {params.draws:q}"
        " {params.tags:q}"
        " --verification {output.verification:q}"
        " --zebra {output.zebra:q}"
        " --curves {output.curves:q}"
        " --law {output.law:q}"
        " {params.normalised:q}"
        " > {log:q} 2>&1"


use rule assess_scores as assess_scores_of_original with:
    input:
        scores=scores_of_system,
        trials=trial_list,
        release=release_list,
        speakers=speaker_files,
        tags=plan.sources.file("report", "tags"),
    output:
        **intervals("verification", "zebra"),
        verification=f"results/metrics/verification/{SYSTEM}.json",
        zebra=f"results/metrics/zebra/{SYSTEM}.json",
        curves=f"results/curves/zebra/{SYSTEM}.tsv",
        law=f"results/curves/law/{SYSTEM}.tsv",
    wildcard_constraints:
        anonymiser="original",
    params:
        code=code("assess_scores"),
        labels=scored_conditions,
        trials=lists_argument,
        speakers=speakers_argument,
        draws=DRAWS,
        tags=["--tags", TAGS] if TAGS else [],
        normalised=[],


use rule assess_scores as assess_fused_scores with:
    wildcard_constraints:
        **FUSIONS,
        anonymiser=one_of(plan.speech.protected),


use rule assess_scores_of_original as assess_fused_scores_of_original with:
    wildcard_constraints:
        **FUSIONS,
        anonymiser="original",


use rule assess_scores_of_original as assess_scores_given with:
    wildcard_constraints:
        extractor=one_of(RESAMPLED_GIVEN),
        backend=GIVEN,


use rule assess_scores_of_original as assess_scores_of_unknown_speakers with:
    input:
        scores=scores_of_system,
        trials=trial_list,
        tags=plan.sources.file("report", "tags"),
    output:
        verification=f"results/metrics/verification/{SYSTEM}.json",
        zebra=f"results/metrics/zebra/{SYSTEM}.json",
        curves=f"results/curves/zebra/{SYSTEM}.tsv",
        law=f"results/curves/law/{SYSTEM}.tsv",
    wildcard_constraints:
        extractor=one_of(NOT_RESAMPLED_GIVEN),
        backend=GIVEN,
    params:
        code=code("assess_scores"),
        labels=scored_conditions,
        trials=lists_argument,
        speakers=[],
        draws=DRAWS,
        tags=["--tags", TAGS] if TAGS else [],
        normalised=[],


INFERENCE = plan.outputs.inference()


def inference_embeddings(wildcards):
    """Embeddings of both parts of all systems, by all extractors of one name in the config."""
    files = []
    for corpus, extractors in INFERENCE[wildcards.extractor].items():
        for extractor, systems in extractors.items():
            for system, part in product(systems, ("enrolment", "trial")):
                files.append(f"results/embeddings/{corpus}/{part}/{system}/{extractor}.npz")
    return files


def inference_corpora(pattern):
    """Input function: a file of every corpus that an extractor is tried on."""
    return lambda wildcards: expand(pattern, corpus=INFERENCE[wildcards.extractor])


rule assess_inference:
    """What the speech of all systems tells of people: sex, age, accent."""
    input:
        embeddings=inference_embeddings,
        enrolment=inference_corpora("results/audio/{corpus}/enrolment/original/manifest.tsv"),
        trial=inference_corpora("results/audio/{corpus}/trial/original/manifest.tsv"),
        facts=inference_corpora("results/checks/{corpus}.speakers.tsv"),
    output:
        inference="results/metrics/inference/{extractor}.tsv",
    log:
        "results/logs/assess_inference/{extractor}.log",
    benchmark:
        "results/benchmarks/assess_inference/{extractor}.tsv"
    wildcard_constraints:
        extractor=one_of(INFERENCE),
    conda:
        "../../envs/evaluate.yaml"
    resources:
        mem_mb=4000,
        runtime=60,
    params:
        code=code("assess_inference"),
        plan=lambda wildcards: json.dumps(INFERENCE[wildcards.extractor]),
        draws=DRAWS,
    shell:
        "python -P -m voiceprivacy.jobs.assess_inference"
        " --plan {params.plan:q}"
        " --embeddings results/embeddings"
        " --audio results/audio"
        " --facts results/checks"
        " {params.draws:q}"
        " --inference {output.inference:q}"
        " > {log:q} 2>&1"


def calibration_scores(run):
    """Input function: the scores that C_ECE is measured on, of an anonymiser or its second run."""

    def files(wildcards):
        folder = "{corpus}/{trials}/{anonymiser}{run}/{extractor}/{backend}".format(
            run=run, **wildcards
        )
        return [
            f"results/scores/{folder}/{condition}.tsv" for condition in config["report"]["cece"]
        ]

    return files


def calibration_lists(wildcards):
    trials = trial_list(wildcards)
    return [*option("--train-trials", trials), *option("--test-trials", trials)]


rule assess_calibration:
    """Calibration distortion: LLRs calibrated on one run of an anonymiser, tried on the other."""
    input:
        train=calibration_scores(""),
        test=calibration_scores(SECOND_RUN),
        trials=trial_list,
        speakers=speaker_files,
    output:
        **intervals("calibration"),
        metrics=f"results/metrics/calibration/{SYSTEM}.json",
        curves=f"results/curves/calibration/{SYSTEM}.tsv",
    log:
        f"results/logs/assess_calibration/{SYSTEM}.log",
    benchmark:
        f"results/benchmarks/assess_calibration/{SYSTEM}.tsv"
    wildcard_constraints:
        extractor=one_of([*OURS["extractor"], *RESAMPLED_GIVEN]),
        backend=OURS_AND_GIVEN["backend"],
    conda:
        "../../envs/evaluate.yaml"
    resources:
        mem_mb=2000,
        runtime=60,
    params:
        code=code("assess_calibration"),
        labels=config["report"]["cece"],
        trials=calibration_lists,
        speakers=speakers_argument,
        draws=DRAWS,
    shell:
        "python -P -m voiceprivacy.jobs.assess_calibration"
        " --train {input.train:q}"
        " --test {input.test:q}"
        " --label {params.labels:q}"
        " {params.trials:q}"
        " {params.speakers:q} {params.draws:q}"
        " --metrics {output.metrics:q}"
        " --curves {output.curves:q}"
        " > {log:q} 2>&1"


use rule assess_calibration as assess_calibration_of_unknown_speakers with:
    input:
        train=calibration_scores(""),
        test=calibration_scores(SECOND_RUN),
        trials=trial_list,
    output:
        metrics=f"results/metrics/calibration/{SYSTEM}.json",
        curves=f"results/curves/calibration/{SYSTEM}.tsv",
    wildcard_constraints:
        extractor=one_of(NOT_RESAMPLED_GIVEN),
        backend=GIVEN,
    params:
        code=code("assess_calibration"),
        labels=config["report"]["cece"],
        trials=calibration_lists,
        speakers=[],
        draws=[],


def ranks_argument(wildcards, input, output):
    return [
        *("--templates", *input.templates, "--label", *conditions_of_system(wildcards)),
        *("--ranks", output.ranks),
        *("--rank-curves", output.rank_curves),
        *("--rank-speakers", output.rank_speakers),
        *("--rank-examples", output.rank_examples),
    ]


rule assess_matrices:
    """Similarity, zoo, what each speaker gives away, and ranks of one anonymiser."""
    input:
        pairs=PAIRS,
        scores=[
            f"results/scores/{UNPROTECTED}/oo.tsv",
            f"results/scores/{SYSTEM}/op.tsv",
            f"results/scores/{SYSTEM}/pp.tsv",
        ],
        trials="results/trials/{corpus}/{trials}.tsv",
        manifest="results/audio/{corpus}/trial/original/manifest.tsv",
        templates=templates_of_system,
    output:
        **intervals("similarity", "ranks"),
        similarity=f"results/metrics/similarity/{SYSTEM}.json",
        cells=f"results/curves/similarity/{SYSTEM}.tsv",
        zoo=f"results/curves/zoo/{SYSTEM}.tsv",
        speakers=f"results/curves/speakers/{SYSTEM}.tsv",
        ranks=f"results/metrics/ranks/{SYSTEM}.json",
        rank_curves=f"results/curves/ranks/{SYSTEM}.tsv",
        rank_speakers=f"results/curves/rank_speakers/{SYSTEM}.tsv",
        rank_examples=f"results/curves/rank_examples/{SYSTEM}.tsv",
    log:
        f"results/logs/assess_matrices/{SYSTEM}.log",
    benchmark:
        f"results/benchmarks/assess_matrices/{SYSTEM}.tsv"
    wildcard_constraints:
        corpus=WITH_GALLERY,
        trials=TRIAL_LISTS,
        anonymiser=one_of(plan.speech.protected),
    conda:
        "../../envs/evaluate.yaml"
    resources:
        mem_mb=4000,
        runtime=40,
    params:
        code=code("assess_matrices"),
        draws=DRAWS,
        ranks=ranks_argument,
    shell:
        "python -P -m voiceprivacy.jobs.assess_matrices"
        " --pairs {input.pairs:q}"
        " --scores {input.scores:q}"
        " --trials {input.trials:q}"
        " --manifest {input.manifest:q}"
        " {params.draws:q}"
        " --similarity {output.similarity:q}"
        " --cells {output.cells:q}"
        " --zoo {output.zoo:q}"
        " --speakers {output.speakers:q}"
        " {params.ranks:q}"
        " > {log:q} 2>&1"


use rule assess_matrices as assess_matrices_without_ranks with:
    input:
        pairs=PAIRS,
        scores=[
            f"results/scores/{UNPROTECTED}/oo.tsv",
            f"results/scores/{SYSTEM}/op.tsv",
            f"results/scores/{SYSTEM}/pp.tsv",
        ],
        trials="results/trials/{corpus}/{trials}.tsv",
        manifest="results/audio/{corpus}/trial/original/manifest.tsv",
    output:
        **intervals("similarity"),
        similarity=f"results/metrics/similarity/{SYSTEM}.json",
        cells=f"results/curves/similarity/{SYSTEM}.tsv",
        zoo=f"results/curves/zoo/{SYSTEM}.tsv",
        speakers=f"results/curves/speakers/{SYSTEM}.tsv",
    wildcard_constraints:
        corpus=WITHOUT_GALLERY,
    params:
        code=code("assess_matrices"),
        draws=DRAWS,
        ranks=[],


rule assess_ranks:
    """Similarity-rank disclosure of original speech, of which there is nothing else in matrices."""
    input:
        matrices=templates_of_system,
    output:
        **intervals("ranks"),
        metrics=f"results/metrics/ranks/{SYSTEM}.json",
        curves=f"results/curves/ranks/{SYSTEM}.tsv",
        speakers=f"results/curves/rank_speakers/{SYSTEM}.tsv",
        examples=f"results/curves/rank_examples/{SYSTEM}.tsv",
    log:
        f"results/logs/assess_ranks/{SYSTEM}.log",
    benchmark:
        f"results/benchmarks/assess_ranks/{SYSTEM}.tsv"
    wildcard_constraints:
        trials=TRIAL_LISTS,
        anonymiser="original",
    conda:
        "../../envs/evaluate.yaml"
    resources:
        mem_mb=4000,
        runtime=20,
    params:
        code=code("assess_ranks"),
        draws=DRAWS,
        labels=conditions_of_system,
        seconds=[],
    shell:
        "python -P -m voiceprivacy.jobs.assess_ranks"
        " --matrix {input.matrices:q}"
        " --label {params.labels:q}"
        " {params.draws:q}"
        " {params.seconds:q}"
        " --metrics {output.metrics:q}"
        " --all-fits"
        " --curves {output.curves:q}"
        " --speakers {output.speakers:q}"
        " --examples {output.examples:q}"
        " > {log:q} 2>&1"


use rule assess_ranks as assess_ranks_in_galleries with:
    input:
        matrices=templates_of_system,
        seconds="results/samples/{corpus}/{trials}.seconds.json",
    wildcard_constraints:
        trials=GALLERIES,
    params:
        code=code("assess_ranks"),
        draws=DRAWS,
        labels=conditions_of_system,
        seconds=["--seconds", "results/samples/{corpus}/{trials}.seconds.json"],


def matrices_of_channels(wildcards):
    """Tests against templates by each channel of a system that is heard under a condition."""
    trial_list = TrialList(wildcards.corpus, wildcards.trials)
    heard = plan.atlas.together(trial_list)[wildcards.anonymiser, wildcards.condition]
    folders = {
        one: Attack(*trial_list, one.extractor, one.backend).path(one.heard_in) for one in heard
    }
    return {
        one.channel: f"results/templates/{folder}/{one.heard_under}.npz"
        for one, folder in folders.items()
    }


rule assess_atlas:
    """What channels of a system disclose together, and what each adds to the others."""
    input:
        matrices=lambda wildcards: matrices_of_channels(wildcards).values(),
    output:
        metrics="results/curves/channels/{corpus}/{trials}/{anonymiser}/together/{condition}.json",
    log:
        "results/logs/assess_atlas/{corpus}/{trials}/{anonymiser}/{condition}.log",
    benchmark:
        "results/benchmarks/assess_atlas/{corpus}/{trials}/{anonymiser}/{condition}.tsv"
    conda:
        "../../envs/evaluate.yaml"
    resources:
        mem_mb=4000,
        runtime=40,
    params:
        code=code("assess_atlas"),
        channels=lambda wildcards: list(matrices_of_channels(wildcards)),
    shell:
        "python -P -m voiceprivacy.jobs.assess_atlas"
        " --matrix {input.matrices:q}"
        " --label {params.channels:q}"
        " --metrics {output.metrics:q}"
        " > {log:q} 2>&1"


def compared_intervals(wildcards):
    return plan.outputs.compared_intervals(attack_of(wildcards))


def compared_replicates(wildcards):
    return replicates_beside(compared_intervals(wildcards))


def replicates_beside(paths):
    """The files of replicates beside files of intervals."""
    return [path.replace(".intervals.json", ".bootstrap.npz") for path in paths]


def weights_argument(wildcards):
    """Weights of the lists of an average over several corpora; other places need none."""
    if wildcards.corpus != ACROSS_CORPORA:
        return []
    weights = plan.averages.weights[wildcards.trials]
    texts = [f"{corpus}/{trials}={weight}" for (corpus, trials), weight in weights.items()]
    return ["--weights", *texts]


def comparison_tables(wildcards, output):
    """The tables that a job writes, as arguments: --comparisons and --systems, or --strongest."""
    return [word for name, path in output.items() for word in (f"--{name}", path)]


rule compare_anonymisers:
    """Which of two anonymisers has the better numbers: on lists, the mean of a corpus, averages."""
    input:
        intervals=compared_intervals,
        replicates=compared_replicates,
    output:
        comparisons="results/comparisons/{corpus}/{trials}/{extractor}/{backend}.tsv",
        systems="results/comparisons/{corpus}/{trials}/{extractor}/{backend}.systems.tsv",
    log:
        "results/logs/compare_anonymisers/{corpus}/{trials}/{extractor}/{backend}.log",
    benchmark:
        "results/benchmarks/compare_anonymisers/{corpus}/{trials}/{extractor}/{backend}.tsv"
    wildcard_constraints:
        **OURS_AND_GIVEN,
        corpus=one_of([*plan.speech.attacked, *plan.given.names("corpus"), ACROSS_CORPORA]),
        trials=one_of(attack.trials for attack in plan.outputs.compared()),
    conda:
        "../../envs/evaluate.yaml"
    resources:
        mem_mb=2000,
        runtime=20,
    params:
        code=code("compare_anonymisers"),
        weights=weights_argument,
        tables=comparison_tables,
    shell:
        "python -P -m voiceprivacy.jobs.compare_anonymisers"
        " --intervals {input.intervals:q}"
        " --folder results/metrics"
        " {params.weights:q}"
        " {params.tables:q}"
        " > {log:q} 2>&1"


localrules:
    compare_strongest_attacks,


def strongest_intervals(wildcards):
    return plan.outputs.strongest_intervals(wildcards.corpus, wildcards.trials)


def strongest_replicates(wildcards):
    return replicates_beside(strongest_intervals(wildcards))


use rule compare_anonymisers as compare_strongest_attacks with:
    input:
        intervals=strongest_intervals,
        replicates=strongest_replicates,
    output:
        strongest="results/comparisons/{corpus}/{trials}/strongest.tsv",
    log:
        "results/logs/compare_strongest_attacks/{corpus}/{trials}.log",
    benchmark:
        "results/benchmarks/compare_strongest_attacks/{corpus}/{trials}.tsv"
    wildcard_constraints:
        corpus=one_of(corpus for corpus, _ in plan.outputs.compared_strongest()),
        trials=one_of(trials for _, trials in plan.outputs.compared_strongest()),


def verdict_argument(wildcards):
    return json.dumps(verdict_plan(plan))


rule write_verdict:
    """How much of the speakers' identity attackers find in every system."""
    input:
        scores=score_files(plan),
        others=other_files(plan),
        checks=plan.speech.check_of_training(),
    output:
        verdict="results/verdict.json",
    log:
        "results/logs/write_verdict.log",
    benchmark:
        "results/benchmarks/write_verdict.tsv"
    conda:
        "../../envs/evaluate.yaml"
    resources:
        mem_mb=2000,
        runtime=20,
    params:
        code=code("write_verdict"),
        plan=verdict_argument,
    shell:
        "python -P -m voiceprivacy.jobs.write_verdict"
        " --plan {params.plan:q}"
        " --scores results/scores"
        " --verdict {output.verdict:q}"
        " > {log:q} 2>&1"
