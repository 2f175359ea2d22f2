"""Several attackers whose scores are fused: their weights are learnt, and used on every system."""

FUSIONS = {"extractor": FUSED, "backend": one_of(plan.attackers.fusions)}


rule split_speakers:
    """Hold speakers of a training corpus out, whom no attacker learns from: they train fusions."""
    input:
        manifest="results/audio/{corpus}/train/{anonymiser}/manifest.tsv",
    output:
        learners="results/audio/{corpus}/train/{anonymiser}/learners.tsv",
        held_out="results/audio/{corpus}/train/{anonymiser}/held_out.tsv",
    log:
        "results/logs/split_speakers/{corpus}/{anonymiser}.log",
    wildcard_constraints:
        corpus=one_of(plan.attackers.split),
    localrule: True
    conda:
        "../../envs/evaluate.yaml"
    params:
        code=code("split_speakers"),
        seed=config["seed"],
    shell:
        "python -P -m voiceprivacy.jobs.split_speakers"
        " --manifest {input.manifest:q}"
        " --seed {params.seed:q}"
        " --learners {output.learners:q}"
        " --held-out {output.held_out:q}"
        " > {log:q} 2>&1"


def fusion_of(wildcards):
    return plan.attackers.fusions[wildcards.backend]


def embeddings_to_fuse(position):
    """Input function: embeddings of training speech for each attacker, of original speech (0) or
    of the anonymiser (1) that the fusion learns from."""

    def files(wildcards):
        fusion = fusion_of(wildcards)
        return [
            f"results/embeddings/{fusion.corpus}/train/{system}/{part.extractor}.npz"
            for system in fusion.systems()[position : position + 1]
            for part in fusion.parts
        ]

    return files


def models_to_fuse(wildcards):
    """The trained back-ends among the fused attackers."""
    models = [
        plan.attackers.backend_file(part.backend, part.extractor)
        for part in fusion_of(wildcards).parts
    ]
    return [*filter(None, models)]


def backends_to_fuse(wildcards):
    return [
        plan.attackers.backend_file(part.backend, part.extractor)
        or plan.attackers.backends[part.backend]["type"]
        for part in fusion_of(wildcards).parts
    ]


def recording_to_fuse(wildcards):
    return option("--recording", plan.speech.recording(fusion_of(wildcards).corpus))


rule train_fusion:
    """Learn weights from pairs of training speech that none of the fused attackers learnt from."""
    input:
        manifest=lambda wildcards: plan.attackers.held_out_manifest(fusion_of(wildcards).corpus),
        original=embeddings_to_fuse(0),
        protected=embeddings_to_fuse(1),
        backends=models_to_fuse,
    output:
        fusion="results/fusions/{backend}.json",
        held_out="results/fusions/{backend}.held_out.json",
    log:
        "results/logs/train_fusion/{backend}.log",
    benchmark:
        "results/benchmarks/train_fusion/{backend}.tsv"
    wildcard_constraints:
        backend=FUSIONS["backend"],
    conda:
        "../../envs/evaluate.yaml"
    resources:
        mem_mb=4000,
        runtime=60,
    params:
        code=code("train_fusion"),
        parts=lambda wildcards: ["/".join(part) for part in fusion_of(wildcards).parts],
        backends=backends_to_fuse,
        recording=recording_to_fuse,
    shell:
        "python -P -m voiceprivacy.jobs.train_fusion"
        " --manifest {input.manifest:q}"
        " --parts {params.parts:q}"
        " --original {input.original:q}"
        " --protected {input.protected:q}"
        " --backends {params.backends:q}"
        " {params.recording:q}"
        " --fusion {output.fusion:q}"
        " --held-out {output.held_out:q}"
        " > {log:q} 2>&1"


def scores_to_fuse(*conditions):
    """Input function: scores of each fused attacker on the same list and system."""

    def files(wildcards):
        folder = f"results/scores/{wildcards.corpus}/{wildcards.trials}/{wildcards.anonymiser}"
        return [
            f"{folder}/{part.extractor}/{part.backend}/{condition}.tsv"
            for part in fusion_of(wildcards).parts
            for condition in conditions
        ]

    return files


def fused_scores(*conditions):
    """Outputs: fused scores of a list, by condition."""
    folder = f"results/scores/{{corpus}}/{{trials}}/{{anonymiser}}/{FUSED}/{{backend}}"
    return [f"{folder}/{condition}.tsv" for condition in conditions]


rule fuse_system:
    """Fuse the scores of several attackers on one system, condition by condition."""
    input:
        fusion="results/fusions/{backend}.json",
        parts=scores_to_fuse("op", "pp", "rr"),
    output:
        scores=fused_scores("op", "pp", "rr"),
    log:
        "results/logs/fuse_system/{corpus}/{trials}/{anonymiser}/{backend}.log",
    benchmark:
        "results/benchmarks/fuse_system/{corpus}/{trials}/{anonymiser}/{backend}.tsv"
    wildcard_constraints:
        backend=FUSIONS["backend"],
        trials=TRIAL_LISTS,
        anonymiser=ONCE,
    conda:
        "../../envs/evaluate.yaml"
    resources:
        mem_mb=2000,
        runtime=20,
    params:
        code=code("fuse_system"),
        original=[],
    shell:
        "python -P -m voiceprivacy.jobs.fuse_system"
        " --fusion {input.fusion:q}"
        " --parts {input.parts:q}"
        " {params.original:q}"
        " --scores {output.scores:q}"
        " > {log:q} 2>&1"


use rule fuse_system as fuse_repeated_system with:
    input:
        fusion="results/fusions/{backend}.json",
        parts=scores_to_fuse("op", "pp", "p0p1", "rr"),
    output:
        scores=fused_scores("op", "pp", "p0p1", "rr"),
    wildcard_constraints:
        backend=FUSIONS["backend"],
        trials=TRIAL_LISTS,
        anonymiser=TWICE,


use rule fuse_system as fuse_second_run with:
    input:
        fusion="results/fusions/{backend}.json",
        parts=scores_to_fuse(*config["report"]["cece"]),
    output:
        scores=fused_scores(*config["report"]["cece"]),
    wildcard_constraints:
        backend=FUSIONS["backend"],
        trials=TRIAL_LISTS,
        anonymiser=SECOND_RUNS,


use rule fuse_system as fuse_original with:
    input:
        fusion="results/fusions/{backend}.json",
        parts=scores_to_fuse("oo", "rr"),
    output:
        scores=fused_scores("oo", "rr"),
    wildcard_constraints:
        backend=FUSIONS["backend"],
        trials=TRIAL_LISTS,
        anonymiser="original",
    params:
        code=code("fuse_system"),
        original="--original",
