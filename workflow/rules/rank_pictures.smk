"""Pictures of similarity ranks."""


rule plot_ranks:
    """Rank histograms of all systems under one attacker, with the fitted model."""
    input:
        curves=of_all_systems("curves", "ranks", "tsv"),
        metrics=of_all_systems("metrics", "ranks", "json"),
        script=SCRIPTS / "plot_ranks.py",
    output:
        **for_papers("ranks/{corpus}/{trials}/{extractor}/{backend}"),
        svg=report(
            "results/report/figures/ranks/{corpus}/{trials}/{extractor}/{backend}.svg",
            caption="../report/ranks.rst",
            category="Similarity ranks",
        ),
    log:
        "results/logs/plot_ranks/{corpus}/{trials}/{extractor}/{backend}.log",
    conda:
        "../../envs/evaluate.yaml"
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        code=code("plot_ranks"),
        palette=palette,
        anonymisers=systems,
    shell:
        "python {input.script:q}"
        " --anonymisers {params.anonymisers:q}"
        " --curves {input.curves:q}"
        " --metrics {input.metrics:q}"
        " --palette {params.palette:q}"
        " --figures {output:q}"
        " > {log:q} 2>&1"


rule plot_rank_speakers:
    """How rank disclosure is spread over the speakers, for all systems under one attacker."""
    input:
        speakers=of_all_systems("curves", "rank_speakers", "tsv"),
        examples=of_all_systems("curves", "rank_examples", "tsv"),
        script=SCRIPTS / "plot_rank_speakers.py",
    output:
        **for_papers("rank_speakers/{corpus}/{trials}/{extractor}/{backend}"),
        svg=report(
            "results/report/figures/rank_speakers/{corpus}/{trials}/{extractor}/{backend}.svg",
            caption="../report/rank_speakers.rst",
            category="Similarity ranks",
        ),
    log:
        "results/logs/plot_rank_speakers/{corpus}/{trials}/{extractor}/{backend}.log",
    conda:
        "../../envs/evaluate.yaml"
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        code=code("plot_rank_speakers"),
        palette=palette,
        anonymisers=systems,
    shell:
        "python {input.script:q}"
        " --anonymisers {params.anonymisers:q}"
        " --speakers {input.speakers:q}"
        " --examples {input.examples:q}"
        " --palette {params.palette:q}"
        " --figures {output:q}"
        " > {log:q} 2>&1"


rule plot_rank_lengths:
    """Rank disclosure against the length of tests and templates."""
    input:
        metrics="results/metrics.tsv",
        script=SCRIPTS / "plot_rank_lengths.py",
    output:
        **for_papers("rank_lengths/{corpus}/{gender}/{extractor}/{backend}"),
        svg=report(
            "results/report/figures/rank_lengths/{corpus}/{gender}/{extractor}/{backend}.svg",
            caption="../report/rank_lengths.rst",
            category="Similarity ranks",
        ),
    log:
        "results/logs/plot_rank_lengths/{corpus}/{gender}/{extractor}/{backend}.log",
    conda:
        "../../envs/evaluate.yaml"
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        code=code("plot_rank_lengths"),
    shell:
        "python {input.script:q}"
        " --metrics {input.metrics:q}"
        " --corpus {wildcards.corpus:q}"
        " --gender {wildcards.gender:q}"
        " --extractor {wildcards.extractor:q}"
        " --backend {wildcards.backend:q}"
        " --figures {output:q}"
        " > {log:q} 2>&1"
