"""Pictures and tables for papers, made on request."""


rule plot_scores:
    """One conventional picture (DET, ECE, Tippett and the like) of all systems under one attacker, on request."""
    input:
        scores=scores_of_all_systems,
        script=SCRIPTS / "plot_scores.py",
    output:
        plots=multiext(
            "results/paper/{picture}/{corpus}/{trials}/{extractor}/{backend}",
            ".pdf",
            ".png",
            ".svg",
            ".tex",
        ),
    log:
        "results/logs/plot_scores/{picture}/{corpus}/{trials}/{extractor}/{backend}.log",
    conda:
        "../../envs/evaluate.yaml"
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        code=code("plot_scores"),
        labels=labels_of_all_systems,
    shell:
        "python {input.script:q}"
        " --scores {input.scores:q}"
        " --label {params.labels:q}"
        " --picture {wildcards.picture:q}"
        " --plot {output.plots:q}"
        " > {log:q} 2>&1"


rule write_tables:
    """A table for papers, on request: the whole challenge, or one in the columns of the paper of 2022."""
    input:
        metrics="results/metrics.tsv",
        script=SCRIPTS / "write_tables.py",
    output:
        tables=multiext("results/paper/tables/{table}", ".md", ".tsv", ".tex"),
    log:
        "results/logs/write_tables/{table}.log",
    localrule: True
    conda:
        "../../envs/evaluate.yaml"
    params:
        code=code("write_tables"),
    shell:
        "python {input.script:q}"
        " --metrics {input.metrics:q}"
        " --table {wildcards.table:q}"
        " --output {output.tables:q}"
        " > {log:q} 2>&1"


rule plot_all_matrices:
    """Similarity matrices of all anonymisers on all sets in one picture, on request."""
    input:
        curves=of_all_sets("similarity", "anonymisers"),
        manifests=all_trial_manifests,
        script=SCRIPTS / "plot_all_matrices.py",
    output:
        multiext("results/paper/all_matrices/{extractor}/{backend}", ".svg", ".pdf", ".png"),
    log:
        "results/logs/plot_all_matrices/{extractor}/{backend}.log",
    conda:
        "../../envs/evaluate.yaml"
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        code=code("plot_all_matrices"),
        anonymisers=protected_systems,
        sets=all_sets,
    shell:
        "python {input.script:q}"
        " --anonymisers {params.anonymisers:q}"
        " --sets {params.sets:q}"
        " --manifests {input.manifests:q}"
        " --curves {input.curves:q}"
        " --figures {output:q}"
        " > {log:q} 2>&1"


rule plot_all_profiles:
    """ECE profiles of all systems, a panel for every set, on request."""
    input:
        curves=of_all_sets("zebra", "systems"),
        script=SCRIPTS / "plot_all_profiles.py",
    output:
        multiext("results/paper/all_profiles/{extractor}/{backend}", ".svg", ".pdf", ".png"),
    log:
        "results/logs/plot_all_profiles/{extractor}/{backend}.log",
    conda:
        "../../envs/evaluate.yaml"
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        code=code("plot_all_profiles"),
        palette=palette,
        systems=systems,
        sets=all_sets,
    shell:
        "python {input.script:q}"
        " --systems {params.systems:q}"
        " --sets {params.sets:q}"
        " --curves {input.curves:q}"
        " --palette {params.palette:q}"
        " --figures {output:q}"
        " > {log:q} 2>&1"


rule plot_features:
    """Mean histogram of a feature over all speakers, for original and protected speech, on request."""
    input:
        embeddings=trial_features,
        script=SCRIPTS / "plot_features.py",
    output:
        multiext("results/paper/features/{corpus}/{extractor}", ".svg", ".pdf", ".png"),
    log:
        "results/logs/plot_features/{corpus}/{extractor}.log",
    conda:
        "../../envs/evaluate.yaml"
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        code=code("plot_features"),
        systems=["original", *plan.speech.anonymisers],
        feature=feature_of,
    shell:
        "python {input.script:q}"
        " --embeddings {input.embeddings:q}"
        " --systems {params.systems:q}"
        " --feature {params.feature:q}"
        " --title {wildcards.corpus:q}"
        " --figures {output:q}"
        " > {log:q} 2>&1"


rule paper:
    """All conventional pictures and tables for papers: snakemake --cores all paper."""
    input:
        all_papers,
        all_layouts,
        "results/report/index.html",
