"""Pictures and tables for papers, made on request."""


rule plot_scores:
    """One conventional picture (DET, ECE, Tippett ...) of all systems under one attacker."""
    input:
        scores=scored.all_scores,
    output:
        plots=multiext(
            "results/paper/{picture}/{corpus}/{trials}/{extractor}/{backend}",
            ".pdf",
            ".png",
            ".svg",
        ),
    log:
        "results/logs/plot_scores/{picture}/{corpus}/{trials}/{extractor}/{backend}.log",
    conda:
        "../../envs/evaluate.yaml"
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        code=code("plot", *figures.modules()),
        label=scored.all_labels,
    shell:
        command(
            "plot scores",
            also="--figures {output.plots:q}",
            input="scores",
            params="label",
            wildcards="picture",
        )


NOTES = evaluation_notes(config)


rule write_tables:
    """A table for papers: the whole challenge, or one in the columns of the paper of 2022."""
    input:
        metrics="results/metrics.tsv",
    output:
        tables=multiext("results/paper/tables/{table}", ".md", ".tsv", ".tex"),
    log:
        "results/logs/write_tables/{table}.log",
    localrule: True
    conda:
        "../../envs/evaluate.yaml"
    params:
        code=code("write_tables"),
        notes=["--notes", *NOTES] if NOTES else [],
    shell:
        command(
            "write_tables",
            also="--output {output.tables:q}",
            input="metrics",
            options="notes",
            wildcards="table",
        )


SETS = plan.speech.all_trial_lists()
SET_NAMES = [f"{corpus} {trials}" for corpus, trials in SETS]


rule plot_all_matrices:
    """Similarity matrices of all anonymisers on all sets in one picture."""
    input:
        curves=scored.on_all_sets(
            "results/curves/similarity/{corpus}/{trials}/{anonymiser}/{extractor}/{backend}.tsv",
            scored.anonymisers,
        ),
        manifests=[f"results/audio/{corpus}/trial/original/manifest.tsv" for corpus, _ in SETS],
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
        code=code("plot", *figures.modules()),
        anonymisers=scored.anonymisers,
        sets=SET_NAMES,
    shell:
        command(
            "plot all_matrices",
            also="--figures {output:q}",
            input="manifests curves",
            params="anonymisers sets",
        )


rule plot_all_profiles:
    """ECE profiles of all systems, a panel for every set."""
    input:
        curves=scored.on_all_sets(
            "results/curves/zebra/{corpus}/{trials}/{anonymiser}/{extractor}/{backend}.tsv",
            ask(plan.attackers.systems),
        ),
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
        code=code("plot", *figures.modules()),
        palette=list(config["anonymisers"]),
        systems=ask(plan.attackers.systems),
        sets=SET_NAMES,
    shell:
        command(
            "plot all_profiles",
            also="--figures {output:q}",
            input="curves",
            params="systems sets palette",
        )


OF_FEATURE = "{corpus}/{trials}/original/{extractor}/{backend}.tsv"


rule plot_rank_features:
    """How much the ranks of each feature disclose of the speakers, all features in one axes."""
    input:
        speakers=scored.ranked(f"results/curves/rank_speakers/{OF_FEATURE}"),
        examples=scored.ranked(f"results/curves/rank_examples/{OF_FEATURE}"),
    output:
        multiext("results/paper/rank_features/{corpus}/{trials}", ".svg", ".pdf", ".png"),
    log:
        "results/logs/plot_rank_features/{corpus}/{trials}.log",
    wildcard_constraints:
        trials=GALLERIES,
    conda:
        "../../envs/evaluate.yaml"
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        code=code("plot", *figures.modules()),
        anonymisers=scored.ranked("{extractor}_{backend}"),
    shell:
        command(
            "plot rank_speakers",
            also="--figures {output:q}",
            input="speakers examples",
            params="anonymisers",
        )


FEATURE_SYSTEMS = ["original", *plan.speech.anonymisers]


rule plot_features:
    """Mean histogram of a feature over all speakers, for original and protected speech."""
    input:
        embeddings=expand(
            "results/embeddings/{{corpus}}/trial/{system}/{{extractor}}.npz",
            system=FEATURE_SYSTEMS,
        ),
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
        code=code("plot", *figures.modules()),
        systems=FEATURE_SYSTEMS,
        feature=ask(plan.attackers.feature),
    shell:
        command(
            "plot features",
            also="--title {wildcards.corpus:q} --figures {output:q}",
            input="embeddings",
            params="systems feature",
        )


rule paper:
    """All pictures and tables for papers: snakemake --cores all paper."""
    input:
        plan.outputs.papers(),
        FIGURE_FILES,
        "results/report/index.html",
