"""How much of the speaker's identity is still there: metrics and the curves that pictures draw."""


include: "similarity.smk"


rule assess_verification:
    """EER, Cllr, min Cllr, linkability of every attack on one system."""
    input:
        scores=per_condition("scores", "tsv"),
        speakers=speakers,
        script=SCRIPTS / "assess_verification.py",
    output:
        **intervals("verification"),
        metrics="results/metrics/verification/{corpus}/{trials}/{anonymiser}/{extractor}/{backend}.json",
    log:
        "results/logs/assess_verification/{corpus}/{trials}/{anonymiser}/{extractor}/{backend}.log",
    benchmark:
        "results/benchmarks/assess_verification/{corpus}/{trials}/{anonymiser}/{extractor}/{backend}.tsv"
    wildcard_constraints:
        extractor=one_of([*plan.attackers.extractors, *RESAMPLED_GIVEN]),
        backend=OURS_AND_GIVEN["backend"],
    conda:
        "../../envs/evaluate.yaml"
    resources:
        mem_mb=2000,
        runtime=60,
    params:
        code=code("assess_verification"),
        labels=condition_labels,
        speakers=speakers_argument,
        bootstrap=BOOTSTRAP,
    shell:
        "python {input.script:q}"
        " --scores {input.scores:q}"
        " --label {params.labels:q}"
        " {params.speakers:q} {params.bootstrap:q}"
        " --metrics {output.metrics:q}"
        " > {log:q} 2>&1"


rule assess_zebra:
    """Expected disclosure, worst case and tag of every attack on one system (zero evidence)."""
    input:
        scores=per_condition("scores", "tsv"),
        speakers=speakers,
        tags=TAGS,
        script=SCRIPTS / "assess_zebra.py",
    output:
        **intervals("zebra"),
        metrics="results/metrics/zebra/{corpus}/{trials}/{anonymiser}/{extractor}/{backend}.json",
        curves="results/curves/zebra/{corpus}/{trials}/{anonymiser}/{extractor}/{backend}.tsv",
    log:
        "results/logs/assess_zebra/{corpus}/{trials}/{anonymiser}/{extractor}/{backend}.log",
    benchmark:
        "results/benchmarks/assess_zebra/{corpus}/{trials}/{anonymiser}/{extractor}/{backend}.tsv"
    wildcard_constraints:
        extractor=one_of([*plan.attackers.extractors, *RESAMPLED_GIVEN]),
        backend=OURS_AND_GIVEN["backend"],
    conda:
        "../../envs/evaluate.yaml"
    resources:
        mem_mb=2000,
        runtime=60,
    params:
        code=code("assess_zebra"),
        labels=condition_labels,
        speakers=speakers_argument,
        bootstrap=BOOTSTRAP,
        tags=["--tags", TAGS] if TAGS else [],
    shell:
        "python {input.script:q}"
        " --scores {input.scores:q}"
        " --label {params.labels:q}"
        " {params.speakers:q} {params.bootstrap:q}"
        " {params.tags:q}"
        " --metrics {output.metrics:q}"
        " --curves {output.curves:q}"
        " > {log:q} 2>&1"


rule assess_given:
    """EER, Cllr, min Cllr, linkability and ZEBRA of somebody's scores in which it is not known who speaks."""
    input:
        scores=given_scores,
        tags=TAGS,
        script=SCRIPTS / "assess_given.py",
    output:
        verification="results/metrics/verification/{corpus}/{trials}/{anonymiser}/{extractor}/given.json",
        zebra="results/metrics/zebra/{corpus}/{trials}/{anonymiser}/{extractor}/given.json",
        curves="results/curves/zebra/{corpus}/{trials}/{anonymiser}/{extractor}/given.tsv",
    log:
        "results/logs/assess_given/{corpus}/{trials}/{anonymiser}/{extractor}/given.log",
    wildcard_constraints:
        extractor=one_of(name for name in config["attacks"] if name not in RESAMPLED_GIVEN),
    conda:
        "../../envs/evaluate.yaml"
    resources:
        mem_mb=2000,
        runtime=20,
    params:
        code=code("assess_given"),
        labels=given_conditions,
        tags=["--tags", TAGS] if TAGS else [],
    shell:
        "python {input.script:q}"
        " --scores {input.scores:q}"
        " --label {params.labels:q}"
        " {params.tags:q}"
        " --verification {output.verification:q}"
        " --zebra {output.zebra:q}"
        " --curves {output.curves:q}"
        " > {log:q} 2>&1"


rule assess_calibration:
    """Calibration distortion: LLRs calibrated on one run of an anonymiser, tried on the other."""
    input:
        train=calibration_scores(""),
        test=calibration_scores("_run1"),
        speakers=speakers,
        script=SCRIPTS / "assess_calibration.py",
    output:
        **intervals("calibration"),
        metrics="results/metrics/calibration/{corpus}/{trials}/{anonymiser}/{extractor}/{backend}.json",
        curves="results/curves/calibration/{corpus}/{trials}/{anonymiser}/{extractor}/{backend}.tsv",
    log:
        "results/logs/assess_calibration/{corpus}/{trials}/{anonymiser}/{extractor}/{backend}.log",
    benchmark:
        "results/benchmarks/assess_calibration/{corpus}/{trials}/{anonymiser}/{extractor}/{backend}.tsv"
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
        labels=config["report"]["cece"],
        speakers=speakers_argument,
        bootstrap=BOOTSTRAP,
    shell:
        "python {input.script:q}"
        " --train {input.train:q}"
        " --test {input.test:q}"
        " --label {params.labels:q}"
        " {params.speakers:q} {params.bootstrap:q}"
        " --metrics {output.metrics:q}"
        " --curves {output.curves:q}"
        " > {log:q} 2>&1"


use rule assess_calibration as assess_calibration_given with:
    input:
        train=calibration_scores(""),
        test=calibration_scores("_run1"),
        script=SCRIPTS / "assess_calibration.py",
    output:
        metrics="results/metrics/calibration/{corpus}/{trials}/{anonymiser}/{extractor}/{backend}.json",
        curves="results/curves/calibration/{corpus}/{trials}/{anonymiser}/{extractor}/{backend}.tsv",
    log:
        "results/logs/assess_calibration/{corpus}/{trials}/{anonymiser}/{extractor}/{backend}.log",
    benchmark:
        "results/benchmarks/assess_calibration/{corpus}/{trials}/{anonymiser}/{extractor}/{backend}.tsv"
    wildcard_constraints:
        extractor=one_of(name for name in config["attacks"] if name not in RESAMPLED_GIVEN),
        backend=GIVEN,
    params:
        code=code("assess_calibration"),
        labels=config["report"]["cece"],
        speakers=[],
        bootstrap=[],


rule normalise_metrics:
    """Disclosure and voice distinctiveness of one anonymiser in proportion to the original speech."""
    input:
        verification="results/metrics/verification/{corpus}/{trials}/{anonymiser}/{extractor}/{backend}.json",
        verification_original="results/metrics/verification/{corpus}/{trials}/original/{extractor}/{backend}.json",
        zebra="results/metrics/zebra/{corpus}/{trials}/{anonymiser}/{extractor}/{backend}.json",
        zebra_original="results/metrics/zebra/{corpus}/{trials}/original/{extractor}/{backend}.json",
        left_out=left_out,
        script=SCRIPTS / "normalise_metrics.py",
    output:
        **intervals("normalised"),
        metrics="results/metrics/normalised/{corpus}/{trials}/{anonymiser}/{extractor}/{backend}.json",
    log:
        "results/logs/normalise_metrics/{corpus}/{trials}/{anonymiser}/{extractor}/{backend}.log",
    localrule: True
    conda:
        "../../envs/evaluate.yaml"
    params:
        code=code("normalise_metrics"),
        bootstrap=BOOTSTRAP,
    shell:
        "python {input.script:q}"
        " --verification {input.verification:q}"
        " --verification-original {input.verification_original:q}"
        " --zebra {input.zebra:q}"
        " --zebra-original {input.zebra_original:q}"
        " {params.bootstrap:q}"
        " --metrics {output.metrics:q}"
        " > {log:q} 2>&1"


rule compare_anonymisers:
    """Which of two anonymisers protects better; systems with intervals: of lists, a corpus' mean, averages over corpora."""
    input:
        intervals=compared_intervals,
        replicates=compared_replicates,
        script=SCRIPTS / "compare_anonymisers.py",
    output:
        comparisons="results/comparisons/{corpus}/{trials}/{extractor}/{backend}.tsv",
        systems="results/comparisons/{corpus}/{trials}/{extractor}/{backend}.systems.tsv",
    log:
        "results/logs/compare_anonymisers/{corpus}/{trials}/{extractor}/{backend}.log",
    benchmark:
        "results/benchmarks/compare_anonymisers/{corpus}/{trials}/{extractor}/{backend}.tsv"
    wildcard_constraints:
        **OURS_AND_GIVEN,
        corpus=one_of([*plan.speech.evaluated, *plan.given.names("corpus"), ACROSS_CORPORA]),
        trials=one_of(
            [
                trials
                for corpus in plan.speech.evaluated
                for trials in plan.outputs.compared_lists(corpus)
            ]
            + [attack.trials for attack in plan.given.compared()]
            + list(plan.averages.weights)
        ),
    conda:
        "../../envs/evaluate.yaml"
    resources:
        mem_mb=2000,
        runtime=20,
    params:
        code=code("compare_anonymisers"),
        weights=weights_argument,
    shell:
        "python {input.script:q}"
        " --intervals {input.intervals:q}"
        " --folder results/metrics"
        " {params.weights:q}"
        " --comparisons {output.comparisons:q}"
        " --systems {output.systems:q}"
        " > {log:q} 2>&1"


rule compare_strongest_attacks:
    """Does an anonymiser protect, and which better: each under the strongest attack on it, of whatever attacker."""
    input:
        intervals=strongest_intervals,
        replicates=strongest_replicates,
        script=SCRIPTS / "compare_strongest_attacks.py",
    output:
        comparisons="results/comparisons/{corpus}/{trials}/strongest.tsv",
    log:
        "results/logs/compare_strongest_attacks/{corpus}/{trials}.log",
    wildcard_constraints:
        corpus=one_of(corpus for corpus, _ in plan.outputs.compared_strongest()),
        trials=one_of(trials for _, trials in plan.outputs.compared_strongest()),
    localrule: True
    conda:
        "../../envs/evaluate.yaml"
    params:
        code=code("compare_strongest_attacks"),
        weights=weights_argument,
    shell:
        "python {input.script:q}"
        " --intervals {input.intervals:q}"
        " --folder results/metrics"
        " {params.weights:q}"
        " --comparisons {output.comparisons:q}"
        " > {log:q} 2>&1"
