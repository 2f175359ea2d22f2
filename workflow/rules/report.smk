"""What it means: pictures, one table of all numbers, and the page that a person reads."""


rule plot_zebra:
    """ECE profiles of all systems under one attacker in one picture."""
    input:
        curves=of_all_systems("curves", "zebra", "tsv"),
        metrics=of_all_systems("metrics", "zebra", "json"),
        script=SCRIPTS / "plot_zebra.py",
        modules=modules("plot_zebra"),
    output:
        **for_papers("zebra/{corpus}/{trials}/{extractor}/{backend}"),
        tex="results/report/figures/zebra/{corpus}/{trials}/{extractor}/{backend}.tex",
        svg=report(
            "results/report/figures/zebra/{corpus}/{trials}/{extractor}/{backend}.svg",
            caption="../report/zebra.rst",
            category="ZEBRA",
        ),
    log:
        "results/logs/plot_zebra/{corpus}/{trials}/{extractor}/{backend}.log",
    conda:
        "../../envs/evaluate.yaml"
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        anonymisers=systems,
    shell:
        "python {input.script}"
        " --anonymisers {params.anonymisers}"
        " --curves {input.curves:q}"
        " --metrics {input.metrics:q}"
        " --figures {output:q}"
        " > {log:q} 2>&1"


rule plot_calibration:
    """ECE profiles of two runs of an anonymiser, and of calibrations trained on one and used on the other."""
    input:
        curves="results/curves/calibration/{corpus}/{trials}/{anonymiser}/{extractor}/{backend}.tsv",
        metrics="results/metrics/calibration/{corpus}/{trials}/{anonymiser}/{extractor}/{backend}.json",
        script=SCRIPTS / "plot_calibration.py",
        modules=modules("plot_calibration"),
    output:
        **for_papers("calibration/{corpus}/{trials}/{anonymiser}/{extractor}/{backend}"),
        tex="results/report/figures/calibration/{corpus}/{trials}/{anonymiser}/{extractor}/{backend}.tex",
        svg=report(
            "results/report/figures/calibration/{corpus}/{trials}/{anonymiser}/{extractor}/{backend}.svg",
            caption="../report/calibration.rst",
            category="Calibration",
        ),
    log:
        "results/logs/plot_calibration/{corpus}/{trials}/{anonymiser}/{extractor}/{backend}.log",
    conda:
        "../../envs/evaluate.yaml"
    resources:
        mem_mb=2000,
        runtime=10,
    shell:
        "python {input.script}"
        " --curves {input.curves:q}"
        " --metrics {input.metrics:q}"
        " --figures {output:q}"
        " > {log:q} 2>&1"


rule plot_similarity:
    """Voice similarity matrices OO, OP, PO and PP of one anonymiser in one picture."""
    input:
        curves="results/curves/similarity/{corpus}/{trials}/{anonymiser}/{extractor}/{backend}.tsv",
        manifest="results/audio/{corpus}/trial/original/manifest.tsv",
        script=SCRIPTS / "plot_similarity.py",
        modules=modules("plot_similarity"),
    output:
        **for_papers("similarity/{corpus}/{trials}/{anonymiser}/{extractor}/{backend}"),
        svg=report(
            "results/report/figures/similarity/{corpus}/{trials}/{anonymiser}/{extractor}/{backend}.svg",
            caption="../report/similarity.rst",
            category="Voice similarity",
        ),
    log:
        "results/logs/plot_similarity/{corpus}/{trials}/{anonymiser}/{extractor}/{backend}.log",
    conda:
        "../../envs/evaluate.yaml"
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        order=config["report"]["speaker_order"],
        title="{anonymiser}, {corpus} {trials}",
    shell:
        "python {input.script}"
        " --curves {input.curves:q}"
        " --manifest {input.manifest:q}"
        " --order {params.order}"
        " --title {params.title:q}"
        " --figures {output:q}"
        " > {log:q} 2>&1"


rule plot_zoo:
    """Every condition's similarity matrix above its zoo plot."""
    input:
        curves="results/curves/similarity/{corpus}/{trials}/{anonymiser}/{extractor}/{backend}.tsv",
        zoo="results/curves/zoo/{corpus}/{trials}/{anonymiser}/{extractor}/{backend}.tsv",
        manifest="results/audio/{corpus}/trial/original/manifest.tsv",
        script=SCRIPTS / "plot_zoo.py",
        modules=modules("plot_zoo"),
    output:
        **for_papers("zoo/{corpus}/{trials}/{anonymiser}/{extractor}/{backend}"),
        svg=report(
            "results/report/figures/zoo/{corpus}/{trials}/{anonymiser}/{extractor}/{backend}.svg",
            caption="../report/zoo.rst",
            category="The zoo",
        ),
    log:
        "results/logs/plot_zoo/{corpus}/{trials}/{anonymiser}/{extractor}/{backend}.log",
    conda:
        "../../envs/evaluate.yaml"
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        order=config["report"]["speaker_order"],
        title="{anonymiser}, {corpus} {trials}",
    shell:
        "python {input.script}"
        " --curves {input.curves:q}"
        " --zoo {input.zoo:q}"
        " --manifest {input.manifest:q}"
        " --order {params.order}"
        " --title {params.title:q}"
        " --figures {output:q}"
        " > {log:q} 2>&1"


rule plot_speakers:
    """What the speech of every speaker still gives away."""
    input:
        speakers="results/curves/speakers/{corpus}/{trials}/{anonymiser}/{extractor}/{backend}.tsv",
        script=SCRIPTS / "plot_speakers.py",
        modules=modules("plot_speakers"),
    output:
        **for_papers("speakers/{corpus}/{trials}/{anonymiser}/{extractor}/{backend}"),
        svg=report(
            "results/report/figures/speakers/{corpus}/{trials}/{anonymiser}/{extractor}/{backend}.svg",
            caption="../report/speakers.rst",
            category="Speakers at risk",
        ),
    log:
        "results/logs/plot_speakers/{corpus}/{trials}/{anonymiser}/{extractor}/{backend}.log",
    conda:
        "../../envs/evaluate.yaml"
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        title="{anonymiser}, {corpus} {trials}",
    shell:
        "python {input.script}"
        " --speakers {input.speakers:q}"
        " --title {params.title:q}"
        " --figures {output:q}"
        " > {log:q} 2>&1"


rule plot_distinctiveness:
    """De-identification against voice distinctiveness: all anonymisers on all sets under one attacker."""
    input:
        metrics="results/metrics.tsv",
        script=SCRIPTS / "plot_distinctiveness.py",
        modules=modules("plot_distinctiveness"),
    output:
        **for_papers("distinctiveness/{extractor}/{backend}"),
        svg=report(
            "results/report/figures/distinctiveness/{extractor}/{backend}.svg",
            caption="../report/distinctiveness.rst",
            category="Voice similarity",
        ),
    log:
        "results/logs/plot_distinctiveness/{extractor}/{backend}.log",
    conda:
        "../../envs/evaluate.yaml"
    resources:
        mem_mb=2000,
        runtime=10,
    shell:
        "python {input.script}"
        " --metrics {input.metrics:q}"
        " --extractor {wildcards.extractor}"
        " --backend {wildcards.backend}"
        " --figures {output:q}"
        " > {log:q} 2>&1"


rule plot_ranks:
    """Rank histograms of all systems under one attacker, with the fitted model."""
    input:
        curves=of_all_systems("curves", "ranks", "tsv"),
        metrics=of_all_systems("metrics", "ranks", "json"),
        script=SCRIPTS / "plot_ranks.py",
        modules=modules("plot_ranks"),
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
        anonymisers=systems,
    shell:
        "python {input.script}"
        " --anonymisers {params.anonymisers}"
        " --curves {input.curves:q}"
        " --metrics {input.metrics:q}"
        " --figures {output:q}"
        " > {log:q} 2>&1"


rule plot_scores:
    """One conventional picture (DET, ECE, Tippett and the like) of all systems under one attacker, on request."""
    input:
        scores=scores_of_all_systems,
        script=SCRIPTS / "plot_scores.py",
        modules=modules("plot_scores"),
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
        labels=labels_of_all_systems,
    shell:
        "python {input.script}"
        " --scores {input.scores:q}"
        " --label {params.labels}"
        " --picture {wildcards.picture}"
        " --plot {output.plots:q}"
        " > {log:q} 2>&1"


rule write_tables:
    """A table for papers, on request: the whole challenge, or one in the columns of the paper of 2022."""
    input:
        metrics="results/metrics.tsv",
        script=SCRIPTS / "write_tables.py",
        modules=modules("write_tables"),
    output:
        tables=multiext("results/paper/tables/{table}", ".md", ".tsv", ".tex"),
    log:
        "results/logs/write_tables/{table}.log",
    localrule: True
    conda:
        "../../envs/evaluate.yaml"
    shell:
        "python {input.script}"
        " --metrics {input.metrics:q}"
        " --table {wildcards.table}"
        " --output {output.tables:q}"
        " > {log:q} 2>&1"


rule plot_all_matrices:
    """Similarity matrices of all anonymisers on all sets in one picture, on request."""
    input:
        curves=of_all_sets("similarity", "anonymisers"),
        manifests=all_trial_manifests,
        script=SCRIPTS / "plot_all_matrices.py",
        modules=modules("plot_all_matrices"),
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
        anonymisers=protected_systems,
        sets=all_sets,
    shell:
        "python {input.script}"
        " --anonymisers {params.anonymisers}"
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
        modules=modules("plot_all_profiles"),
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
        systems=systems,
        sets=all_sets,
    shell:
        "python {input.script}"
        " --systems {params.systems}"
        " --sets {params.sets:q}"
        " --curves {input.curves:q}"
        " --figures {output:q}"
        " > {log:q} 2>&1"


rule plot_features:
    """Mean histogram of a feature over all speakers, for original and protected speech, on request."""
    input:
        embeddings=trial_features,
        script=SCRIPTS / "plot_features.py",
        modules=modules("plot_features"),
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
        systems=["original", *plan.anonymisers],
        feature=feature_of,
    shell:
        "python {input.script}"
        " --embeddings {input.embeddings:q}"
        " --systems {params.systems}"
        " --feature {params.feature}"
        " --title {wildcards.corpus:q}"
        " --figures {output:q}"
        " > {log:q} 2>&1"


rule paper:
    """All conventional pictures and tables for papers: snakemake --cores all paper."""
    input:
        all_papers,
        all_layouts,
        "results/report/index.html",


rule plot_rank_speakers:
    """How rank disclosure is spread over the speakers, for all systems under one attacker."""
    input:
        speakers=of_all_systems("curves", "rank_speakers", "tsv"),
        examples=of_all_systems("curves", "rank_examples", "tsv"),
        script=SCRIPTS / "plot_rank_speakers.py",
        modules=modules("plot_rank_speakers"),
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
        anonymisers=systems,
    shell:
        "python {input.script}"
        " --anonymisers {params.anonymisers}"
        " --speakers {input.speakers:q}"
        " --examples {input.examples:q}"
        " --figures {output:q}"
        " > {log:q} 2>&1"


rule plot_rank_lengths:
    """Rank disclosure against the length of tests and templates."""
    input:
        metrics="results/metrics.tsv",
        script=SCRIPTS / "plot_rank_lengths.py",
        modules=modules("plot_rank_lengths"),
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
    shell:
        "python {input.script}"
        " --metrics {input.metrics:q}"
        " --corpus {wildcards.corpus}"
        " --gender {wildcards.gender}"
        " --extractor {wildcards.extractor}"
        " --backend {wildcards.backend}"
        " --figures {output:q}"
        " > {log:q} 2>&1"


rule write_rank_tables:
    """Rank disclosure of all features beside each other, and how well each loss fits."""
    input:
        metrics="results/metrics.tsv",
        script=SCRIPTS / "write_rank_tables.py",
        modules=modules("write_rank_tables"),
    output:
        tsv="results/report/tables/ranks.tsv",
        tex="results/report/tables/ranks.tex",
    log:
        "results/logs/write_rank_tables.log",
    localrule: True
    conda:
        "../../envs/evaluate.yaml"
    shell:
        "python {input.script}"
        " --metrics {input.metrics:q}"
        " --tsv {output.tsv:q}"
        " --tex {output.tex:q}"
        " > {log:q} 2>&1"


rule collect_metrics:
    """All numbers of a run in one tidy table."""
    input:
        metrics=all_metrics,
        intervals=all_intervals,
        script=SCRIPTS / "collect_metrics.py",
        modules=modules("collect_metrics"),
    output:
        metrics="results/metrics.tsv",
    log:
        "results/logs/collect_metrics.log",
    conda:
        "../../envs/evaluate.yaml"
    resources:
        mem_mb=2000,
        runtime=10,
    shell:
        "python {input.script}"
        " --folder results/metrics"
        " --metrics {output.metrics:q}"
        " {input.metrics:q}"
        " --intervals {input.intervals:q}"
        " > {log:q} 2>&1"


rule describe_corpora:
    """What was evaluated: speech by part and trials by list."""
    input:
        manifests=all_manifests,
        trials=all_trials,
        script=SCRIPTS / "describe_corpora.py",
        modules=modules("describe_corpora"),
    output:
        speech="results/report/tables/speech.tsv",
        lists="results/report/tables/trials.tsv",
    log:
        "results/logs/describe_corpora.log",
    conda:
        "../../envs/evaluate.yaml"
    resources:
        mem_mb=2000,
        runtime=10,
    shell:
        "python {input.script}"
        " --manifests {input.manifests:q}"
        " --trials {input.trials:q}"
        " --speech {output.speech:q}"
        " --lists {output.lists:q}"
        " > {log:q} 2>&1"


rule write_provenance:
    """What the numbers were made from: config, versions, models, trial lists, seeds."""
    input:
        metrics="results/metrics.tsv",
        files=used_files,
        script=SCRIPTS / "write_provenance.py",
        modules=modules("write_provenance"),
    output:
        provenance="results/provenance.json",
    log:
        "results/logs/write_provenance.log",
    localrule: True
    conda:
        "../../envs/evaluate.yaml"
    params:
        config=config_as_used,
    shell:
        "python {input.script}"
        " --config {params.config:q}"
        " --files {input.files:q}"
        " --benchmarks results/benchmarks"
        " --provenance {output.provenance:q}"
        " > {log:q} 2>&1"


rule compare_expected:
    """PASS or FAIL for every published number that the config expects."""
    input:
        metrics="results/metrics.tsv",
        expected=expected,
        script=SCRIPTS / "compare_expected.py",
        modules=modules("compare_expected"),
    output:
        comparison="results/report/tables/expected.tsv",
    log:
        "results/logs/compare_expected.log",
    localrule: True
    conda:
        "../../envs/evaluate.yaml"
    shell:
        "python {input.script}"
        " --metrics {input.metrics:q}"
        " --expected {input.expected:q}"
        " --comparison {output.comparison:q}"
        " > {log:q} 2>&1"


rule write_report:
    """The page that answers which anonymiser protects better, and its tables for papers."""
    input:
        metrics="results/metrics.tsv",
        provenance="results/provenance.json",
        comparisons=all_comparisons,
        figures=all_figures,
        described=described_corpora,
        checks=all_checks,
        expected=expected_comparison,
        template=PAGE / "index.html.j2",
        captions=[PAGE / f"{kind}.rst" for kind in ("comparison", *KINDS)],
        script=SCRIPTS / "write_report.py",
        modules=modules("write_report"),
    output:
        page="results/report/index.html",
        tsv="results/report/tables/comparison.tsv",
        tex="results/report/tables/comparison.tex",
    log:
        "results/logs/write_report.log",
    conda:
        "../../envs/evaluate.yaml"
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        tables=folder_of_tables,
        expected=expected_argument,
        corpora=corpora_arguments,
    shell:
        "python {input.script}"
        " --metrics {input.metrics:q}"
        " {params.corpora}"
        " --provenance {input.provenance:q}"
        " --comparisons results/comparisons"
        " {params.expected}"
        " --figures {input.figures:q}"
        " --tables {params.tables:q}"
        " --page {output.page:q}"
        " > {log:q} 2>&1"
