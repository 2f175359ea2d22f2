"""Metrics of whole score matrices: similarity, what single speakers give away, and ranks."""


rule assess_similarity:
    """Similarity matrices, de-identification and gain of voice distinctiveness of one anonymiser."""
    input:
        oo="results/pairs/{corpus}/{trials}/original/{extractor}/{backend}/oo.npz",
        op="results/pairs/{corpus}/{trials}/{anonymiser}/{extractor}/{backend}/op.npz",
        pp="results/pairs/{corpus}/{trials}/{anonymiser}/{extractor}/{backend}/pp.npz",
        script=SCRIPTS / "assess_similarity.py",
    output:
        **intervals("similarity"),
        metrics="results/metrics/similarity/{corpus}/{trials}/{anonymiser}/{extractor}/{backend}.json",
        curves="results/curves/similarity/{corpus}/{trials}/{anonymiser}/{extractor}/{backend}.tsv",
        zoo="results/curves/zoo/{corpus}/{trials}/{anonymiser}/{extractor}/{backend}.tsv",
    log:
        "results/logs/assess_similarity/{corpus}/{trials}/{anonymiser}/{extractor}/{backend}.log",
    benchmark:
        "results/benchmarks/assess_similarity/{corpus}/{trials}/{anonymiser}/{extractor}/{backend}.tsv"
    conda:
        "../../envs/evaluate.yaml"
    resources:
        mem_mb=4000,
        runtime=20,
    params:
        code=code("assess_similarity"),
        bootstrap=BOOTSTRAP,
    shell:
        "python {input.script:q}"
        " --oo {input.oo:q}"
        " --op {input.op:q}"
        " --pp {input.pp:q}"
        " {params.bootstrap:q}"
        " --metrics {output.metrics:q}"
        " --curves {output.curves:q}"
        " --zoo {output.zoo:q}"
        " > {log:q} 2>&1"


rule assess_speakers:
    """What the speech of each speaker still gives away under one anonymiser."""
    input:
        oo="results/scores/{corpus}/{trials}/original/{extractor}/{backend}/oo.tsv",
        op="results/scores/{corpus}/{trials}/{anonymiser}/{extractor}/{backend}/op.tsv",
        pp="results/scores/{corpus}/{trials}/{anonymiser}/{extractor}/{backend}/pp.tsv",
        manifest="results/audio/{corpus}/trial/original/manifest.tsv",
        similarity="results/curves/similarity/{corpus}/{trials}/{anonymiser}/{extractor}/{backend}.tsv",
        script=SCRIPTS / "assess_speakers.py",
    output:
        table="results/curves/speakers/{corpus}/{trials}/{anonymiser}/{extractor}/{backend}.tsv",
    log:
        "results/logs/assess_speakers/{corpus}/{trials}/{anonymiser}/{extractor}/{backend}.log",
    benchmark:
        "results/benchmarks/assess_speakers/{corpus}/{trials}/{anonymiser}/{extractor}/{backend}.tsv"
    conda:
        "../../envs/evaluate.yaml"
    resources:
        mem_mb=2000,
        runtime=20,
    params:
        code=code("assess_speakers"),
    shell:
        "python {input.script:q}"
        " --scores {input.oo:q} {input.op:q} {input.pp:q}"
        " --label oo op pp"
        " --manifest {input.manifest:q}"
        " --similarity {input.similarity:q}"
        " --table {output.table:q}"
        " > {log:q} 2>&1"


rule assess_ranks:
    """Similarity-rank disclosure of every attack on one system."""
    input:
        matrices=per_condition("templates", "npz"),
        script=SCRIPTS / "assess_ranks.py",
    output:
        **intervals("ranks"),
        metrics="results/metrics/ranks/{corpus}/{trials}/{anonymiser}/{extractor}/{backend}.json",
        curves="results/curves/ranks/{corpus}/{trials}/{anonymiser}/{extractor}/{backend}.tsv",
        speakers="results/curves/rank_speakers/{corpus}/{trials}/{anonymiser}/{extractor}/{backend}.tsv",
        examples="results/curves/rank_examples/{corpus}/{trials}/{anonymiser}/{extractor}/{backend}.tsv",
    log:
        "results/logs/assess_ranks/{corpus}/{trials}/{anonymiser}/{extractor}/{backend}.log",
    benchmark:
        "results/benchmarks/assess_ranks/{corpus}/{trials}/{anonymiser}/{extractor}/{backend}.tsv"
    conda:
        "../../envs/evaluate.yaml"
    resources:
        mem_mb=4000,
        runtime=20,
    params:
        code=code("assess_ranks"),
        bootstrap=BOOTSTRAP,
        labels=condition_labels,
    shell:
        "python {input.script:q}"
        " --matrix {input.matrices:q}"
        " --label {params.labels:q}"
        " {params.bootstrap:q}"
        " --metrics {output.metrics:q}"
        " --all-fits"
        " --curves {output.curves:q}"
        " --speakers {output.speakers:q}"
        " --examples {output.examples:q}"
        " > {log:q} 2>&1"
