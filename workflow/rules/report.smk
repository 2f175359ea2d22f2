"""What it means: one table of all numbers, and the page that a person reads."""


rule write_rank_tables:
    """Rank disclosure of all features beside each other, and how well each loss fits."""
    input:
        metrics="results/metrics.tsv",
        script=SCRIPTS / "write_tables.py",
    output:
        tsv="results/report/tables/ranks.tsv",
        tex="results/report/tables/ranks.tex",
    log:
        "results/logs/write_rank_tables.log",
    localrule: True
    conda:
        "../../envs/evaluate.yaml"
    params:
        code=code("write_tables"),
    shell:
        "python {input.script:q}"
        " --metrics {input.metrics:q}"
        " --table ranks"
        " --output {output.tsv:q} {output.tex:q}"
        " > {log:q} 2>&1"


rule collect_metrics:
    """All numbers of a run in one tidy table."""
    input:
        metrics=all_metrics,
        intervals=all_intervals,
        utility=all_utility,
        script=SCRIPTS / "collect_metrics.py",
    output:
        metrics="results/metrics.tsv",
    log:
        "results/logs/collect_metrics.log",
    conda:
        "../../envs/evaluate.yaml"
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        code=code("collect_metrics"),
    shell:
        "python {input.script:q}"
        " --folder results/metrics"
        " --metrics {output.metrics:q}"
        " {input.metrics:q}"
        " --intervals {input.intervals:q}"
        " --utility {input.utility:q}"
        " > {log:q} 2>&1"


rule describe_corpora:
    """What was evaluated: speech by part and trials by list."""
    input:
        manifests=all_manifests,
        trials=all_trials,
        script=SCRIPTS / "describe_corpora.py",
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
    params:
        code=code("describe_corpora"),
    shell:
        "python {input.script:q}"
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
    output:
        provenance="results/provenance.json",
    log:
        "results/logs/write_provenance.log",
    localrule: True
    conda:
        "../../envs/evaluate.yaml"
    params:
        code=code("write_provenance"),
        config=config_as_used,
    shell:
        "python {input.script:q}"
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
    output:
        comparison="results/report/tables/expected.tsv",
    log:
        "results/logs/compare_expected.log",
    localrule: True
    conda:
        "../../envs/evaluate.yaml"
    params:
        code=code("compare_expected"),
    shell:
        "python {input.script:q}"
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
        utility=all_utility,
        listen=clips_to_hear,
        published=published_numbers,
        template=PAGE / "index.html.j2",
        parts=parts_of_page,
        plotly=RESOURCES / "plotly" / "plotly-cartesian.min.js",
        script=SCRIPTS / "write_report.py",
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
        code=code("write_report"),
        tables=folder_of_tables,
        expected=expected_argument,
        corpora=corpora_arguments,
        additions=additions,
    shell:
        "python {input.script:q}"
        " --metrics {input.metrics:q}"
        " {params.corpora:q}"
        " --provenance {input.provenance:q}"
        " --comparisons results/comparisons"
        " {params.expected:q}"
        " {params.additions:q}"
        " --results results"
        " --figures {input.figures:q}"
        " --tables {params.tables:q}"
        " --page {output.page:q}"
        " > {log:q} 2>&1"
