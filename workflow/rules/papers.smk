"""Pictures and tables for papers, made on request."""

ANY_OF_OURS = {wildcard: one_of(names) for wildcard, names in OURS.items()}


def scores_of_all_systems(wildcards):
    attack = Attack(wildcards.corpus, wildcards.trials, wildcards.extractor, wildcards.backend)
    return [
        f"results/scores/{attack.path(system)}/{condition}.tsv"
        for system in plan.attackers.systems(wildcards.extractor, wildcards.backend)
        for condition in plan.speech.conditions(system)
    ]


def labels_of_all_systems(wildcards):
    return [
        f"{system}/{condition}"
        for system in plan.attackers.systems(wildcards.extractor, wildcards.backend)
        for condition in plan.speech.conditions(system)
    ]


rule plot_scores:
    """One conventional picture (DET, ECE, Tippett ...) of all systems under one attacker."""
    input:
        scores=scores_of_all_systems,
    output:
        plots=multiext(
            "results/paper/{picture}/{corpus}/{trials}/{extractor}/{backend}",
            ".pdf",
            ".png",
            ".svg",
        ),
    log:
        "results/logs/plot_scores/{picture}/{corpus}/{trials}/{extractor}/{backend}.log",
    wildcard_constraints:
        **ANY_OF_OURS,
    conda:
        "../../envs/evaluate.yaml"
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        code=code("plot", *figures.modules()),
        labels=labels_of_all_systems,
    shell:
        "python -P -m voiceprivacy.jobs.plot scores"
        " --scores {input.scores:q}"
        " --label {params.labels:q}"
        " --picture {wildcards.picture:q}"
        " --figures {output.plots:q}"
        " > {log:q} 2>&1"


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
    shell:
        "python -P -m voiceprivacy.jobs.write_tables"
        " --metrics {input.metrics:q}"
        " --table {wildcards.table:q}"
        " --output {output.tables:q}"
        " > {log:q} 2>&1"


SETS = plan.speech.all_trial_lists()
SET_NAMES = [f"{corpus} {trials}" for corpus, trials in SETS]


def curves_of_all_sets(family, systems):
    """All sets of the first system, then of the next, under the wildcards' attacker."""
    return [
        f"results/curves/{family}/{corpus}/{trials}/{system}/{{extractor}}/{{backend}}.tsv"
        for system in systems
        for corpus, trials in SETS
    ]


def systems_of_attacker(wildcards):
    return plan.attackers.systems(wildcards.extractor, wildcards.backend)


def anonymisers_of_attacker(wildcards):
    return [system for system in systems_of_attacker(wildcards) if system != "original"]


def matrices_of_all_sets(wildcards):
    paths = curves_of_all_sets("similarity", anonymisers_of_attacker(wildcards))
    return expand(paths, extractor=wildcards.extractor, backend=wildcards.backend)


def profiles_of_all_sets(wildcards):
    paths = curves_of_all_sets("zebra", systems_of_attacker(wildcards))
    return expand(paths, extractor=wildcards.extractor, backend=wildcards.backend)


rule plot_all_matrices:
    """Similarity matrices of all anonymisers on all sets in one picture."""
    input:
        curves=matrices_of_all_sets,
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
        anonymisers=anonymisers_of_attacker,
        sets=SET_NAMES,
    shell:
        "python -P -m voiceprivacy.jobs.plot all_matrices"
        " --anonymisers {params.anonymisers:q}"
        " --sets {params.sets:q}"
        " --manifests {input.manifests:q}"
        " --curves {input.curves:q}"
        " --figures {output:q}"
        " > {log:q} 2>&1"


rule plot_all_profiles:
    """ECE profiles of all systems, a panel for every set."""
    input:
        curves=profiles_of_all_sets,
    output:
        multiext("results/paper/all_profiles/{extractor}/{backend}", ".svg", ".pdf", ".png"),
    log:
        "results/logs/plot_all_profiles/{extractor}/{backend}.log",
    wildcard_constraints:
        **ANY_OF_OURS,
    conda:
        "../../envs/evaluate.yaml"
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        code=code("plot", *figures.modules()),
        palette=list(config["anonymisers"]),
        systems=systems_of_attacker,
        sets=SET_NAMES,
    shell:
        "python -P -m voiceprivacy.jobs.plot all_profiles"
        " --systems {params.systems:q}"
        " --sets {params.sets:q}"
        " --curves {input.curves:q}"
        " --palette {params.palette:q}"
        " --figures {output:q}"
        " > {log:q} 2>&1"


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
        feature=lambda wildcards: plan.attackers.feature(wildcards.extractor),
    shell:
        "python -P -m voiceprivacy.jobs.plot features"
        " --embeddings {input.embeddings:q}"
        " --systems {params.systems:q}"
        " --feature {params.feature:q}"
        " --title {wildcards.corpus:q}"
        " --figures {output:q}"
        " > {log:q} 2>&1"


def all_papers(wildcards):
    pictures, tables = plan.outputs.papers()
    layouts = plan.outputs.layouts()
    return [
        *expand("{path}.{ending}", path=pictures, ending=["pdf", "png", "svg"]),
        *expand("{path}.{ending}", path=tables, ending=["md", "tsv", "tex"]),
        *expand("results/paper/{path}.svg", path=layouts),
    ]


rule paper:
    """All pictures and tables for papers: snakemake --cores all paper."""
    input:
        all_papers,
        FIGURE_FILES,
        "results/report/index.html",
