"""What it means: a table of all numbers, the page that a person reads, its figures for papers."""

from voiceprivacy.plan.speed import protecting
from voiceprivacy.report import contents, figures
from voiceprivacy.report.files_of_rules import (
    digest,
    drawn_from,
    drawn_with_intervals,
    in_report,
    pictures_of,
    results_folder,
    tables_of,
)

PLAN = LAYOUT.path("plan.json")
CONTENTS = contents.contents_of(plan)
# Written here and by no job: whatever comes after a job that runs is not asked whether its own
# parameters have changed, ancient() or not, and pictures that name people would stay.
if workflow.is_main_process and not workflow.output_settings.dryrun:
    contents.write_contents(PLAN, CONTENTS)


rule collect_metrics:
    """All numbers of a run in one tidy table."""
    input:
        metrics=CONTENTS.metrics,
        intervals=CONTENTS.intervals,
        utility=CONTENTS.utility or [],
        inference=CONTENTS.inference,
        checks=plan.speech.checks_across(),
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
        folder=as_is(f"{RESULTS}/metrics"),
        plan=PLAN,
    shell:
        command("collect_metrics", output="metrics", params="folder plan")


rule collect_atlas:
    """How many bits of who speaks channels give away on a list."""
    input:
        metrics="results/metrics.tsv",
        speakers=ask(plan.atlas.speakers),
    output:
        atlas="results/curves/atlas/{corpus}/{trials}.tsv",
        exposed="results/curves/exposed/{corpus}/{trials}.tsv",
    log:
        "results/logs/collect_atlas/{corpus}/{trials}.log",
    localrule: True
    conda:
        "../../envs/evaluate.yaml"
    params:
        code=code("collect_atlas"),
        heard=as_is(json.dumps(plan.atlas.heard)),
    shell:
        command(
            "collect_atlas",
            input="metrics speakers",
            output="atlas exposed",
            params="heard",
            wildcards="corpus trials",
        )


rule measure_speed:
    """How long each anonymiser takes for a second of speech."""
    input:
        manifests=plan.utility.manifests(),
    output:
        speeds="results/report/tables/speed.tsv",
    log:
        "results/logs/measure_speed.log",
    localrule: True
    conda:
        "../../envs/evaluate.yaml"
    params:
        code=code("measure_speed"),
        results=as_is(RESULTS),
        anonymisers=as_is(json.dumps([one._asdict() for one in protecting(plan)])),
    shell:
        command("measure_speed", output="speeds", params="results anonymisers")


rule write_rank_tables:
    """Rank disclosure of all features beside each other, and how well each loss fits."""
    input:
        metrics="results/metrics.tsv",
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
        command(
            "write_tables",
            also="--table ranks --output {output.tsv:q} {output.tex:q}",
            input="metrics",
        )


rule describe_corpora:
    """What was evaluated: speech by part and trials by list."""
    input:
        manifests=plan.speech.manifests(),
        trials=plan.speech.trials(),
    output:
        speech="results/report/tables/speech.tsv",
        lists="results/report/tables/trials.tsv",
    log:
        "results/logs/describe_corpora.log",
    priority: TO_VERDICT
    conda:
        "../../envs/evaluate.yaml"
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        code=code("describe_corpora"),
    shell:
        command("describe_corpora", input="manifests trials", output="speech lists")


DRAWN = sorted(drawn_from(CONTENTS.figures))
USED = plan.outputs.used_files()
SHIPPED = [OurPath(file) for file in USED if file.startswith(f"{RESOURCES}/")]


rule write_provenance:
    """What the numbers were made from: config, versions, models, lists, seeds; and all of them."""
    input:
        metrics="results/metrics.tsv",
        verdict="results/verdict.json",
        comparisons=CONTENTS.comparisons,
        intervals=CONTENTS.intervals,
        inference=CONTENTS.inference,
        figures=DRAWN,
        tables=tables_of(CONTENTS),
        files=[file for file in USED if file not in SHIPPED] + anonymisers.secret,
        sources=plan.sources.files(),
    output:
        provenance="results/provenance.json",
    log:
        "results/logs/write_provenance.log",
    localrule: True
    conda:
        "../../envs/evaluate.yaml"
    params:
        code=code("write_provenance", files=map(Path, SHIPPED)),
        results=as_is(RESULTS),
        config=as_is(json.dumps(config)),
        shipped=as_is(SHIPPED),
    shell:
        command(
            "write_provenance",
            also="--files {input.files:q} {input.sources:q} {params.shipped:q}",
            output="provenance",
            params="results config",
        )


rule compare_expected:
    """PASS or FAIL for every published number that the config expects."""
    input:
        metrics="results/metrics.tsv",
        files=plan.sources.file("expected"),
    output:
        comparison="results/report/tables/expected.tsv",
    log:
        "results/logs/compare_expected.log",
    localrule: True
    conda:
        "../../envs/evaluate.yaml"
    params:
        code=code("compare_expected"),
        expected=as_is(ours(plan.config.get("expected", ""))),
    shell:
        command("compare_expected", input="metrics", output="comparison", params="expected")


PUBLISHED_BY = ("corpora", "anonymisers", "backends", "utility")
PUBLISHED = [
    RESOURCES / "published" / "numbers.tsv",
    RESOURCES / "published" / "utility.tsv",
    RESOURCES / "published_counts.tsv",
]


rule compare_published:
    """What others published about the same sets and systems."""
    input:
        metrics="results/metrics.tsv",
    output:
        published="results/report/tables/published.tsv",
    log:
        "results/logs/compare_published.log",
    localrule: True
    conda:
        "../../envs/evaluate.yaml"
    params:
        code=code("compare_published", files=PUBLISHED),
        config=as_is(json.dumps({name: config[name] for name in PUBLISHED_BY})),
    shell:
        command("compare_published", input="metrics", output="published", params="config")


rule embed_audio:
    """Clips and spectrograms of a few utterances of every trial list, unprotected and protected."""
    input:
        manifests=expand(
            "results/audio/{corpus}/trial/{anonymiser}/manifest.tsv",
            anonymiser=["original", *plan.speech.anonymisers],
            allow_missing=True,
        ),
        trials=ask(plan.speech.trials_of),
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
        label=["original", *plan.speech.anonymisers],
        n_utterances=config["report"]["listen"],
        seed=config["report"]["seed"],
        results=ask_option("--results", partial(results_folder, CONTENTS, LAYOUT)),
    shell:
        command(
            "embed_audio",
            also="--count {params.n_utterances:q}",
            input="trials manifests",
            output="examples",
            params="label seed",
            wildcards="corpus",
            options="results",
        )


PARTS_OF_PAGE = [path for path in PAGE.rglob("*") if path.is_file()]
PARTS_OF_PAGE += [RESOURCES / "citations.bib"]


# Where speech is measured for what it is still good for, the verdict does not wait for that.
FIRST_PAGE = "results/report/privacy.html" if CONTENTS.utility and score_files(plan) else []


rule write_first_page:
    """The page with the verdict alone, before measures of utility are made."""
    input:
        verdict="results/verdict.json",
        speech=CONTENTS.speech or [],
    output:
        page="results/report/privacy.html",
    log:
        "results/logs/write_first_page.log",
    priority: TO_VERDICT
    localrule: True
    conda:
        "../../envs/evaluate.yaml"
    params:
        code=code("write_first_page", files=PARTS_OF_PAGE),
        speech=as_is(["--speech", CONTENTS.speech] if CONTENTS.speech else []),
        internal=["--internal"] if CONTENTS.internal else [],
    shell:
        command("write_first_page", input="verdict", output="page", options="speech internal")


rule write_report:
    """The page with the verdict and what every attack found, and its tables for papers."""
    input:
        metrics="results/metrics.tsv",
        verdict="results/verdict.json",
        provenance="results/provenance.json",
        comparisons=CONTENTS.comparisons,
        intervals=CONTENTS.intervals,
        figures=DRAWN,
        pictures=pictures_of(CONTENTS.figures, LAYOUT, "svg", "png"),
        tables=tables_of(CONTENTS),
        inference=CONTENTS.inference,
        listen=CONTENTS.listen,
    output:
        page="results/report/index.html",
        tsv="results/report/tables/comparison.tsv",
        tex="results/report/tables/comparison.tex",
        numbers="results/report/tables/numbers.tex",
        methods=multiext("results/report/methods", ".tex", ".md", ".bib"),
    log:
        "results/logs/write_report.log",
    conda:
        "../../envs/evaluate.yaml"
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        code=code("write_report", files=PARTS_OF_PAGE),
        plan=PLAN,
        comparisons=as_is(f"{RESULTS}/comparisons"),
        tables=as_is(f"{RESULTS}/report/tables"),
        contents=digest(CONTENTS),
    shell:
        command(
            "write_report",
            input="metrics verdict provenance",
            output="page",
            params="plan comparisons tables",
        )


FIGURE_FILES = pictures_of(CONTENTS.figures, LAYOUT, *figures.PICTURES)


# Pictures for papers: a rule for each list and attacker, because a rule must name all that it
# writes, and which pictures there are depends on the systems that were tried there.
for job, drawn in contents.by_job(CONTENTS.figures).items():

    rule:
        """All pictures of a list and attacker, or of what is not of one, each curve read once."""
        name:
            contents.rule_name(job)
        input:
            files=drawn_with_intervals(drawn, CONTENTS),
        output:
            [
                report(picture, caption=PAGE / f"{kind}.rst", category=category)
                for picture, kind, category in in_report(drawn, LAYOUT)
            ],
            pictures_of(drawn, LAYOUT, "pdf", "png"),
        log:
            f"results/logs/plot/{job}.log",
        conda:
            "../../envs/evaluate.yaml"
        resources:
            mem_mb=2000,
            runtime=30,
        params:
            code=code("plot", *figures.modules()),
            plan=PLAN,
            figures=digest((drawn, CONTENTS.named)),
            job=job,
        shell:
            command("plot planned", params="plan job")
