"""What the page shows besides the numbers of the run: speech to listen to, and what others published."""


rule embed_audio:
    """Clips and spectrograms of a few utterances of every trial list, unprotected and by every anonymiser."""
    input:
        manifests=manifests_to_hear,
        trials=trial_lists,
        script=SCRIPTS / "embed_audio.py",
    output:
        examples="results/report/listen/{corpus}.json",
    log:
        "results/logs/embed_audio/{corpus}.log",
    conda:
        "../../envs/evaluate.yaml"
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        code=code("embed_audio"),
        systems=["original", *plan.speech.anonymisers],
        n_utterances=config["report"]["listen"],
        seed=config["report"]["seed"],
    shell:
        "python {input.script:q}"
        " --corpus {wildcards.corpus:q}"
        " --trials {input.trials:q}"
        " --manifests {input.manifests:q}"
        " --label {params.systems:q}"
        " --count {params.n_utterances:q}"
        " --seed {params.seed:q}"
        " --examples {output.examples:q}"
        " > {log:q} 2>&1"


rule compare_published:
    """What others published about the same sets and systems."""
    input:
        metrics="results/metrics.tsv",
        numbers=RESOURCES / "published" / "numbers.tsv",
        n_trials=RESOURCES / "published_counts.tsv",
        script=SCRIPTS / "compare_published.py",
    output:
        published="results/report/tables/published.tsv",
    log:
        "results/logs/compare_published.log",
    localrule: True
    conda:
        "../../envs/evaluate.yaml"
    params:
        code=code("compare_published"),
        config=corpora_and_anonymisers,
    shell:
        "python {input.script:q}"
        " --metrics {input.metrics:q}"
        " --config {params.config:q}"
        " --published {output.published:q}"
        " > {log:q} 2>&1"
