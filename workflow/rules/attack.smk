"""What an attacker does with the speech: embeddings, back-ends and scores."""


include: "training.smk"
include: "features.smk"


rule extract_embeddings:
    """Embed every utterance of one part as one system speaks it."""
    input:
        manifest="results/audio/{corpus}/{part}/{anonymiser}/manifest.tsv",
        files=extractor_files,
        script=SCRIPTS / "extract_embeddings.py",
    output:
        embeddings="results/embeddings/{corpus}/{part}/{anonymiser}/{extractor}.npz",
    log:
        "results/logs/extract_embeddings/{corpus}/{part}/{anonymiser}/{extractor}.log",
    benchmark:
        "results/benchmarks/extract_embeddings/{corpus}/{part}/{anonymiser}/{extractor}.tsv"
    wildcard_constraints:
        extractor=one_of(plan.attackers.networks()),
    conda:
        extractor_environment
    threads: 4
    resources:
        mem_mb=8000,
        runtime=embedding_runtime,
        command_runtime=extractor_field("runtime"),
        gpu=gpus,
    params:
        code=code("extract_embeddings"),
        how=extraction,
    shell:
        "python {input.script:q}"
        " --manifest {input.manifest:q}"
        " {params.how:q}"
        " --threads {threads}"
        " --runtime {resources.command_runtime:q}"
        " --embeddings {output.embeddings:q}"
        " > {log:q} 2>&1"


rule score_trials:
    """Score every trial of one list; higher means more likely the same speaker."""
    input:
        enrolment=embeddings("enrolment", 0),
        trial=embeddings("trial", 1),
        trials="results/trials/{corpus}/{trials}.tsv",
        enrolments="results/trials/{corpus}/{trials}.enrolments.tsv",
        backend=backend_model,
        script=SCRIPTS / "score_trials.py",
    output:
        scores="results/scores/{corpus}/{trials}/{anonymiser}/{extractor}/{backend}/{condition}.tsv",
    log:
        "results/logs/score_trials/{corpus}/{trials}/{anonymiser}/{extractor}/{backend}/{condition}.log",
    benchmark:
        "results/benchmarks/score_trials/{corpus}/{trials}/{anonymiser}/{extractor}/{backend}/{condition}.tsv"
    conda:
        "../../envs/evaluate.yaml"
    resources:
        mem_mb=4000,
        runtime=20,
    params:
        code=code("score_trials"),
        backend=backend_argument,
    shell:
        "python {input.script:q}"
        " --enrolment {input.enrolment:q}"
        " --trial {input.trial:q}"
        " --trials {input.trials:q}"
        " --enrolments {input.enrolments:q}"
        " --backend {params.backend:q}"
        " --scores {output.scores:q}"
        " > {log:q} 2>&1"


rule take_scores:
    """Check the scores of somebody else's attack and take them over."""
    input:
        given=given_file,
        key=given_key,
        script=SCRIPTS / "take_scores.py",
    output:
        scores="results/scores/{corpus}/{trials}/{anonymiser}/{extractor}/given/{condition}.tsv",
    log:
        "results/logs/take_scores/{corpus}/{trials}/{anonymiser}/{extractor}/given/{condition}.log",
    wildcard_constraints:
        extractor=one_of(config["attacks"]),
    localrule: True
    conda:
        "../../envs/evaluate.yaml"
    params:
        code=code("take_scores"),
        key=given_key_argument,
    shell:
        "python {input.script:q}"
        " --given {input.given:q}"
        " {params.key:q}"
        " --scores {output.scores:q}"
        " > {log:q} 2>&1"


rule score_pairs:
    """Score a list's trial utterances against themselves (for similarity matrices)."""
    input:
        enrolment=embeddings("trial", 0),
        trial=embeddings("trial", 1),
        manifest="results/audio/{corpus}/trial/original/manifest.tsv",
        trials="results/trials/{corpus}/{trials}.tsv",
        backend=backend_model,
        script=SCRIPTS / "score_pairs.py",
    output:
        matrix=matrix(
            "results/pairs/{corpus}/{trials}/{anonymiser}/{extractor}/{backend}/{condition}.npz"
        ),
    log:
        "results/logs/score_pairs/{corpus}/{trials}/{anonymiser}/{extractor}/{backend}/{condition}.log",
    benchmark:
        "results/benchmarks/score_pairs/{corpus}/{trials}/{anonymiser}/{extractor}/{backend}/{condition}.tsv"
    wildcard_constraints:
        condition=one_of(name for name in CONDITIONS if name != "oo"),
    conda:
        "../../envs/evaluate.yaml"
    resources:
        mem_mb=4000,
        runtime=20,
    params:
        code=code("score_pairs"),
        backend=backend_argument,
    shell:
        "python {input.script:q}"
        " --enrolment {input.enrolment:q}"
        " --trial {input.trial:q}"
        " --manifest {input.manifest:q}"
        " --trials {input.trials:q}"
        " --backend {params.backend:q}"
        " --matrix {output.matrix:q}"
        " > {log:q} 2>&1"


use rule score_pairs as score_original_pairs with:
    # Kept: if it were removed after use, a change of one anonymiser would score it again, and then all others with it.
    output:
        matrix="results/pairs/{corpus}/{trials}/{anonymiser}/{extractor}/{backend}/{condition}.npz",
    wildcard_constraints:
        condition="oo",


rule score_samples:
    """Score the tests of a sampled gallery against its templates (for ranks)."""
    input:
        enrolment=embeddings("enrolment", 0),
        trial=embeddings("trial", 1),
        samples="results/samples/{corpus}/{trials}.tsv",
        backend=backend_model,
        script=SCRIPTS / "score_samples.py",
    output:
        matrix=matrix(
            "results/templates/{corpus}/{trials}/{anonymiser}/{extractor}/{backend}/{condition}.npz"
        ),
    log:
        "results/logs/score_samples/{corpus}/{trials}/{anonymiser}/{extractor}/{backend}/{condition}.log",
    benchmark:
        "results/benchmarks/score_samples/{corpus}/{trials}/{anonymiser}/{extractor}/{backend}/{condition}.tsv"
    wildcard_constraints:
        trials=GALLERIES,
    conda:
        "../../envs/evaluate.yaml"
    resources:
        mem_mb=4000,
        runtime=20,
    params:
        code=code("score_samples"),
        backend=backend_argument,
    shell:
        "python {input.script:q}"
        " --enrolment {input.enrolment:q}"
        " --trial {input.trial:q}"
        " --samples {input.samples:q}"
        " --backend {params.backend:q}"
        " --matrix {output.matrix:q}"
        " > {log:q} 2>&1"


rule score_templates:
    """Score a list's trial utterances against all its enrolled speakers (for ranks)."""
    input:
        enrolment=embeddings("enrolment", 0),
        trial=embeddings("trial", 1),
        enrolment_manifest="results/audio/{corpus}/enrolment/original/manifest.tsv",
        trial_manifest="results/audio/{corpus}/trial/original/manifest.tsv",
        trials="results/trials/{corpus}/{trials}.tsv",
        enrolments="results/trials/{corpus}/{trials}.enrolments.tsv",
        backend=backend_model,
        script=SCRIPTS / "score_templates.py",
    output:
        matrix=matrix(
            "results/templates/{corpus}/{trials}/{anonymiser}/{extractor}/{backend}/{condition}.npz"
        ),
    log:
        "results/logs/score_templates/{corpus}/{trials}/{anonymiser}/{extractor}/{backend}/{condition}.log",
    benchmark:
        "results/benchmarks/score_templates/{corpus}/{trials}/{anonymiser}/{extractor}/{backend}/{condition}.tsv"
    wildcard_constraints:
        trials=TRIAL_LISTS,
    conda:
        "../../envs/evaluate.yaml"
    resources:
        mem_mb=4000,
        runtime=20,
    params:
        code=code("score_templates"),
        backend=backend_argument,
    shell:
        "python {input.script:q}"
        " --enrolment {input.enrolment:q}"
        " --trial {input.trial:q}"
        " --enrolment-manifest {input.enrolment_manifest:q}"
        " --trial-manifest {input.trial_manifest:q}"
        " --trials {input.trials:q}"
        " --enrolments {input.enrolments:q}"
        " --backend {params.backend:q}"
        " --matrix {output.matrix:q}"
        " > {log:q} 2>&1"
