"""The pictures that the report shows."""


include: "rank_pictures.smk"


rule plot_zebra:
    """ECE profiles of all systems under one attacker in one picture."""
    input:
        curves=of_all_systems("curves", "zebra", "tsv"),
        metrics=of_all_systems("metrics", "zebra", "json"),
        script=SCRIPTS / "plot_zebra.py",
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
    wildcard_constraints:
        **OURS_AND_GIVEN,
    conda:
        "../../envs/evaluate.yaml"
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        code=code("plot_zebra"),
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


rule plot_calibration:
    """ECE profiles of two runs of an anonymiser, and of calibrations trained on one and used on the other."""
    input:
        curves="results/curves/calibration/{corpus}/{trials}/{anonymiser}/{extractor}/{backend}.tsv",
        metrics="results/metrics/calibration/{corpus}/{trials}/{anonymiser}/{extractor}/{backend}.json",
        script=SCRIPTS / "plot_calibration.py",
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
    wildcard_constraints:
        **OURS_AND_GIVEN,
    conda:
        "../../envs/evaluate.yaml"
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        code=code("plot_calibration"),
    shell:
        "python {input.script:q}"
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
        code=code("plot_similarity"),
        order=config["report"]["speaker_order"],
        title="{anonymiser}, {corpus} {trials}",
    shell:
        "python {input.script:q}"
        " --curves {input.curves:q}"
        " --manifest {input.manifest:q}"
        " --order {params.order:q}"
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
        code=code("plot_zoo"),
        order=config["report"]["speaker_order"],
        title="{anonymiser}, {corpus} {trials}",
    shell:
        "python {input.script:q}"
        " --curves {input.curves:q}"
        " --zoo {input.zoo:q}"
        " --manifest {input.manifest:q}"
        " --order {params.order:q}"
        " --title {params.title:q}"
        " --figures {output:q}"
        " > {log:q} 2>&1"


rule plot_speakers:
    """What the speech of every speaker still gives away."""
    input:
        speakers="results/curves/speakers/{corpus}/{trials}/{anonymiser}/{extractor}/{backend}.tsv",
        script=SCRIPTS / "plot_speakers.py",
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
        code=code("plot_speakers"),
        colour=colour,
        title="{anonymiser}, {corpus} {trials}",
    shell:
        "python {input.script:q}"
        " --speakers {input.speakers:q}"
        " --title {params.title:q}"
        " --colour {params.colour:q}"
        " --figures {output:q}"
        " > {log:q} 2>&1"


rule plot_distinctiveness:
    """De-identification against voice distinctiveness: all anonymisers on all sets under one attacker."""
    input:
        metrics="results/metrics.tsv",
        script=SCRIPTS / "plot_distinctiveness.py",
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
    params:
        code=code("plot_distinctiveness"),
        palette=palette,
    shell:
        "python {input.script:q}"
        " --metrics {input.metrics:q}"
        " --extractor {wildcards.extractor:q}"
        " --backend {wildcards.backend:q}"
        " --palette {params.palette:q}"
        " --figures {output:q}"
        " > {log:q} 2>&1"


rule plot_training:
    """Loss and held-out EER of the training of one extractor."""
    input:
        curve="results/models/{extractor}/training.tsv",
        script=SCRIPTS / "plot_training.py",
    output:
        **for_papers("training/{extractor}/loss"),
        svg=report(
            "results/report/figures/training/{extractor}/loss.svg",
            caption="../report/training.rst",
            category="Training",
        ),
    log:
        "results/logs/plot_training/{extractor}.log",
    conda:
        "../../envs/evaluate.yaml"
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        code=code("plot_training"),
    shell:
        "python {input.script:q}"
        " --curve {input.curve:q}"
        " --title {wildcards.extractor:q}"
        " --figures {output:q}"
        " > {log:q} 2>&1"
