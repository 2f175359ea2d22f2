"""How much of the speaker's identity is still there: metrics, their intervals and curves."""

# Paths of a system, and of unprotected speech, under the same attack.
SYSTEM = "{corpus}/{trials}/{anonymiser}/{extractor}/{backend}"
METRICS = f"results/metrics/{{family}}/{SYSTEM}"
UNPROTECTED = "{corpus}/{trials}/original/{extractor}/{backend}"
# What assess_matrices compares: original speech, and the two conditions of an anonymiser.
COMPARED_PAIRS = [
    f"results/pairs/{UNPROTECTED}/oo.npz",
    f"results/pairs/{SYSTEM}/op.npz",
    f"results/pairs/{SYSTEM}/pp.npz",
]
COMPARED_SCORES = [
    f"results/scores/{UNPROTECTED}/oo.tsv",
    f"results/scores/{SYSTEM}/op.tsv",
    f"results/scores/{SYSTEM}/pp.tsv",
]
OF_SECOND_RUN = SCORES.replace("{anonymiser}", f"{{anonymiser}}{SECOND_RUN}")
NOT_RESAMPLED_GIVEN = [name for name in config["attacks"] if name not in RESAMPLED_GIVEN]
# Metrics of original speech without each speaker: intervals of ratios to it are made of them.
LEFT_OUT = [
    f"results/metrics/verification/{UNPROTECTED}.bootstrap.npz",
    f"results/metrics/zebra/{UNPROTECTED}.bootstrap.npz",
]
DRAWS = ["--bootstrap", plan.n_replicates, "--seed", config["report"]["seed"]]
# By which definitions scores, ranks and similarities are assessed; tags are the user's own.
TAGS = ["--tags", ours(plan.config["report"]["tags"])] if "tags" in config["report"] else []
OF_SCORES = [*TAGS, "--p-target", config["report"]["p_target"]]
OF_RANKS = ["--fit", config["report"]["rank_fit"]]
OF_SIMILARITY = [
    *["--definition", config["report"]["similarity"]["definition"]],
    *["--compared", config["report"]["similarity"]["pairs"]],
]


rule assess_scores:
    """EER, Cllr, linkability and ZEBRA of every attack on one anonymiser, and what it changed."""
    input:
        scores=scored.files(SCORES, plan.speech.scored),
        trials=ask(plan.speech.list_file),
        release=ask(plan.speech.release_file),
        speakers=scored.speakers,
        tags=plan.sources.file("report", "tags"),
        verification_original=f"results/metrics/verification/{UNPROTECTED}.json",
        zebra_original=f"results/metrics/zebra/{UNPROTECTED}.json",
        left_out=LEFT_OUT if plan.n_replicates else [],
    output:
        **scored.intervals(METRICS, "verification", "zebra", "normalised"),
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
        label=scored.under(plan.speech.scored),
        trials=ask(scored.lists),
        speakers=scored.speakers_argument,
        draws=DRAWS,
        definitions=OF_SCORES,
        normalised=scored.normalised_argument,
    shell:
        command(
            "assess_scores",
            input="scores",
            output="verification zebra curves law",
            params="label",
            options="trials speakers draws definitions normalised",
        )


use rule assess_scores as assess_scores_of_original with:
    input:
        scores=scored.files(SCORES, plan.speech.scored),
        trials=ask(plan.speech.list_file),
        release=ask(plan.speech.release_file),
        speakers=scored.speakers,
        tags=plan.sources.file("report", "tags"),
    output:
        **scored.intervals(METRICS, "verification", "zebra"),
        verification=f"results/metrics/verification/{SYSTEM}.json",
        zebra=f"results/metrics/zebra/{SYSTEM}.json",
        curves=f"results/curves/zebra/{SYSTEM}.tsv",
        law=f"results/curves/law/{SYSTEM}.tsv",
    wildcard_constraints:
        anonymiser="original",
    params:
        code=code("assess_scores"),
        label=scored.under(plan.speech.scored),
        trials=ask(scored.lists),
        speakers=scored.speakers_argument,
        draws=DRAWS,
        definitions=OF_SCORES,
        normalised=[],


use rule assess_scores_of_original as assess_scores_given with:
    wildcard_constraints:
        extractor=one_of(RESAMPLED_GIVEN),
        backend=GIVEN,


use rule assess_scores_of_original as assess_scores_of_unknown_speakers with:
    input:
        scores=scored.files(SCORES, plan.speech.scored),
        trials=ask(plan.speech.list_file),
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
        label=scored.under(plan.speech.scored),
        trials=ask(scored.lists),
        speakers=[],
        draws=DRAWS,
        definitions=OF_SCORES,
        normalised=[],


rule assess_inference:
    """What the speech of all systems tells of people: sex, age, accent."""
    input:
        embeddings=ask(scored.inferred),
        enrolment=scored.tried_on("results/audio/{corpus}/enrolment/original/manifest.tsv"),
        trial=scored.tried_on("results/audio/{corpus}/trial/original/manifest.tsv"),
        facts=scored.tried_on("results/checks/{corpus}.speakers.tsv"),
    output:
        inference="results/metrics/inference/{extractor}.tsv",
    log:
        "results/logs/assess_inference/{extractor}.log",
    benchmark:
        "results/benchmarks/assess_inference/{extractor}.tsv"
    wildcard_constraints:
        extractor=one_of(scored.inference),
    conda:
        "../../envs/evaluate.yaml"
    resources:
        mem_mb=4000,
        runtime=60,
    params:
        code=code("assess_inference"),
        plan=in_json(scored.inference_plan),
        embeddings=as_is(f"{RESULTS}/embeddings"),
        audio=as_is(f"{RESULTS}/audio"),
        facts=as_is(f"{RESULTS}/checks"),
        draws=DRAWS,
    shell:
        command(
            "assess_inference",
            output="inference",
            params="embeddings audio facts plan",
            options="draws",
        )


rule assess_calibration:
    """Calibration distortion: LLRs calibrated on one run of an anonymiser, tried on the other."""
    input:
        train=expand(SCORES, condition=config["report"]["cece"], allow_missing=True),
        test=expand(OF_SECOND_RUN, condition=config["report"]["cece"], allow_missing=True),
        trials=ask(plan.speech.list_file),
        tags=plan.sources.file("report", "tags"),
        speakers=scored.speakers,
    output:
        **scored.intervals(METRICS, "calibration"),
        metrics=f"results/metrics/calibration/{SYSTEM}.json",
        curves=f"results/curves/calibration/{SYSTEM}.tsv",
    log:
        f"results/logs/assess_calibration/{SYSTEM}.log",
    benchmark:
        f"results/benchmarks/assess_calibration/{SYSTEM}.tsv"
    wildcard_constraints:
        extractor=one_of([*plan.attackers.extractors, *RESAMPLED_GIVEN]),
        backend=OURS_AND_GIVEN["backend"],
    conda:
        "../../envs/evaluate.yaml"
    resources:
        mem_mb=2000,
        runtime=60,
    params:
        code=code("assess_calibration"),
        label=config["report"]["cece"],
        trials=ask(scored.calibration_lists),
        speakers=scored.speakers_argument,
        draws=[*DRAWS, *TAGS],
    shell:
        command(
            "assess_calibration",
            input="train test",
            output="metrics curves",
            params="label",
            options="trials speakers draws",
        )


use rule assess_calibration as assess_calibration_of_unknown_speakers with:
    input:
        train=expand(SCORES, condition=config["report"]["cece"], allow_missing=True),
        test=expand(OF_SECOND_RUN, condition=config["report"]["cece"], allow_missing=True),
        trials=ask(plan.speech.list_file),
        tags=plan.sources.file("report", "tags"),
    output:
        metrics=f"results/metrics/calibration/{SYSTEM}.json",
        curves=f"results/curves/calibration/{SYSTEM}.tsv",
    wildcard_constraints:
        extractor=one_of(NOT_RESAMPLED_GIVEN),
        backend=GIVEN,
    params:
        code=code("assess_calibration"),
        label=config["report"]["cece"],
        trials=ask(scored.calibration_lists),
        speakers=[],
        draws=TAGS,


rule assess_matrices:
    """Similarity, zoo, what each speaker gives away, and ranks of one anonymiser."""
    input:
        pairs=COMPARED_PAIRS,
        scores=COMPARED_SCORES,
        trials="results/trials/{corpus}/{trials}.tsv",
        manifest="results/audio/{corpus}/trial/original/manifest.tsv",
        templates=scored.files(TEMPLATES, plan.speech.conditions),
    output:
        **scored.intervals(METRICS, "similarity", "ranks"),
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
        definitions=[*OF_SIMILARITY, *OF_RANKS],
        ranks=scored.ranks_argument,
    shell:
        command(
            "assess_matrices",
            input="pairs scores trials manifest",
            output="similarity cells zoo speakers",
            options="draws definitions ranks",
        )


use rule assess_matrices as assess_matrices_without_ranks with:
    input:
        pairs=COMPARED_PAIRS,
        scores=COMPARED_SCORES,
        trials="results/trials/{corpus}/{trials}.tsv",
        manifest="results/audio/{corpus}/trial/original/manifest.tsv",
    output:
        **scored.intervals(METRICS, "similarity"),
        similarity=f"results/metrics/similarity/{SYSTEM}.json",
        cells=f"results/curves/similarity/{SYSTEM}.tsv",
        zoo=f"results/curves/zoo/{SYSTEM}.tsv",
        speakers=f"results/curves/speakers/{SYSTEM}.tsv",
    wildcard_constraints:
        corpus=WITHOUT_GALLERY,
    params:
        code=code("assess_matrices"),
        draws=DRAWS,
        definitions=OF_SIMILARITY,
        ranks=[],


rule assess_ranks:
    """Similarity-rank disclosure of original speech, of which there is nothing else in matrices."""
    input:
        matrix=scored.files(TEMPLATES, plan.speech.conditions),
    output:
        **scored.intervals(METRICS, "ranks"),
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
        definitions=OF_RANKS,
        label=scored.under(plan.speech.conditions),
        seconds=[],
    shell:
        command(
            "assess_ranks",
            also="--all-fits",
            input="matrix",
            output="metrics curves speakers examples",
            params="label",
            options="draws definitions seconds",
        )


use rule assess_ranks as assess_ranks_in_galleries with:
    input:
        matrix=scored.files(TEMPLATES, plan.speech.conditions),
        seconds="results/samples/{corpus}/{trials}.seconds.json",
    wildcard_constraints:
        trials=GALLERIES,
    params:
        code=code("assess_ranks"),
        draws=DRAWS,
        definitions=OF_RANKS,
        label=scored.under(plan.speech.conditions),
        seconds=["--seconds", f"{RESULTS}/samples/{{corpus}}/{{trials}}.seconds.json"],


rule compare_anonymisers:
    """Which of two anonymisers has the better numbers: on lists, the mean of a corpus, averages."""
    input:
        intervals=scored.compared_intervals,
        replicates=scored.replicates(scored.compared_intervals),
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
        folder=as_is(f"{RESULTS}/metrics"),
        weights=scored.weights_argument,
        tables=tables(),
    shell:
        command(
            "compare_anonymisers",
            input="intervals",
            params="folder",
            options="weights tables",
        )


localrules:
    compare_strongest_attacks,


use rule compare_anonymisers as compare_strongest_attacks with:
    input:
        intervals=ask(plan.outputs.strongest_intervals),
        replicates=scored.replicates(ask(plan.outputs.strongest_intervals)),
    output:
        strongest="results/comparisons/{corpus}/{trials}/strongest.tsv",
    log:
        "results/logs/compare_strongest_attacks/{corpus}/{trials}.log",
    benchmark:
        "results/benchmarks/compare_strongest_attacks/{corpus}/{trials}.tsv"
    wildcard_constraints:
        corpus=one_of(corpus for corpus, _ in plan.outputs.compared_strongest()),
        trials=one_of(trials for _, trials in plan.outputs.compared_strongest()),


rule write_verdict:
    """How much of the speakers' identity attackers find in every system."""
    input:
        scores=score_files(plan),
        others=other_files(plan),
        checks=plan.speech.checks_across(),
    output:
        verdict="results/verdict.json",
        evidence="results/evidence.json",
    log:
        "results/logs/write_verdict.log",
    benchmark:
        "results/benchmarks/write_verdict.tsv"
    priority: TO_VERDICT
    conda:
        "../../envs/evaluate.yaml"
    resources:
        mem_mb=2000,
        runtime=20,
    params:
        code=code("write_verdict"),
        scores=as_is(f"{RESULTS}/scores"),
        plan=as_is(json.dumps(verdict_plan(plan))),
    shell:
        command("write_verdict", output="verdict evidence", params="scores plan")
