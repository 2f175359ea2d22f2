"""Several attackers whose scores are fused: their weights are learnt, and used on every system."""

FUSED_SCORES = "results/scores/{corpus}/{trials}/{anonymiser}/fused/{backend}/{condition}.tsv"
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
    priority: TO_VERDICT
    localrule: True
    conda:
        "../../envs/evaluate.yaml"
    params:
        code=code("split_speakers"),
        seed=PUBLIC_SEED,
    shell:
        command("split_speakers", input="manifest", output="learners held_out", params="seed")


rule train_fusion:
    """Learn weights from pairs of training speech that none of the fused attackers learnt from."""
    input:
        manifest=fusions.manifest,
        original=fusions.original,
        protected=fusions.protected,
        backends=fusions.models,
    output:
        fusion="results/fusions/{backend}.json",
        held_out="results/fusions/{backend}.held_out.json",
    log:
        "results/logs/train_fusion/{backend}.log",
    benchmark:
        "results/benchmarks/train_fusion/{backend}.tsv"
    wildcard_constraints:
        backend=FUSIONS["backend"],
    priority: TO_VERDICT
    conda:
        "../../envs/evaluate.yaml"
    resources:
        mem_mb=4000,
        runtime=60,
    params:
        code=code("train_fusion"),
        parts=fusions.parts,
        backends=fusions.backends,
        recording=fusions.recording,
    shell:
        command(
            "train_fusion",
            input="manifest original protected",
            output="fusion held_out",
            params="parts backends",
            options="recording",
        )


rule fuse_system:
    """Fuse the scores of several attackers on one system, condition by condition."""
    input:
        fusion="results/fusions/{backend}.json",
        parts=fusions.scores("op", "pp", "rr"),
    output:
        scores=expand(FUSED_SCORES, condition=["op", "pp", "rr"], allow_missing=True),
    log:
        "results/logs/fuse_system/{corpus}/{trials}/{anonymiser}/{backend}.log",
    benchmark:
        "results/benchmarks/fuse_system/{corpus}/{trials}/{anonymiser}/{backend}.tsv"
    wildcard_constraints:
        backend=FUSIONS["backend"],
        trials=TRIAL_LISTS,
        anonymiser=ONCE,
    priority: TO_VERDICT
    conda:
        "../../envs/evaluate.yaml"
    resources:
        mem_mb=2000,
        runtime=20,
    params:
        code=code("fuse_system"),
        original=[],
    shell:
        command("fuse_system", input="fusion parts", output="scores", options="original")


use rule fuse_system as fuse_repeated_system with:
    input:
        fusion="results/fusions/{backend}.json",
        parts=fusions.scores("op", "pp", "p0p1", "rr"),
    output:
        scores=expand(FUSED_SCORES, condition=["op", "pp", "p0p1", "rr"], allow_missing=True),
    wildcard_constraints:
        backend=FUSIONS["backend"],
        trials=TRIAL_LISTS,
        anonymiser=TWICE,


use rule fuse_system as fuse_second_run with:
    input:
        fusion="results/fusions/{backend}.json",
        parts=fusions.scores(*config["report"]["cece"]),
    output:
        scores=expand(FUSED_SCORES, condition=config["report"]["cece"], allow_missing=True),
    wildcard_constraints:
        backend=FUSIONS["backend"],
        trials=TRIAL_LISTS,
        anonymiser=SECOND_RUNS,


use rule fuse_system as fuse_original with:
    input:
        fusion="results/fusions/{backend}.json",
        parts=fusions.scores("oo", "rr"),
    output:
        scores=expand(FUSED_SCORES, condition=["oo", "rr"], allow_missing=True),
    wildcard_constraints:
        backend=FUSIONS["backend"],
        trials=TRIAL_LISTS,
        anonymiser="original",
    params:
        code=code("fuse_system"),
        original="--original",
