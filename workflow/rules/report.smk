"""What it means: a table of all numbers, the page that a person reads, its figures for papers."""

import hashlib

from voiceprivacy.report import contents, figures

PLAN = "results/plan.json"
CONTENTS = contents.contents_of(plan)
# Written here and by no job: whatever comes after a job that runs is not asked whether its own
# parameters have changed, ancient() or not, and pictures that name people would stay.
if workflow.is_main_process and not workflow.output_settings.dryrun:
    contents.write_contents(PLAN, CONTENTS)


def digest(values):
    """Of what a script reads from PLAN: it runs again when that has changed."""
    return hashlib.sha256(repr(values).encode()).hexdigest()[:16]


def config_as_used(wildcards):
    return json.dumps(config)


rule collect_metrics:
    """All numbers of a run in one tidy table."""
    input:
        metrics=CONTENTS.metrics,
        intervals=CONTENTS.intervals,
        utility=CONTENTS.utility or [],
        inference=CONTENTS.inference,
        checks=plan.speech.check_of_training(),
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
        plan=PLAN,
    shell:
        "python -P -m voiceprivacy.jobs.collect_metrics"
        " --plan {params.plan:q}"
        " --folder results/metrics"
        " --metrics {output.metrics:q}"
        " > {log:q} 2>&1"


def heard_channels(wildcards):
    return json.dumps(plan.atlas.lists[TrialList(wildcards.corpus, wildcards.trials)])


def fusions_of_channels(wildcards):
    """{(anonymiser, condition): what its channels disclose together} of a list."""
    return plan.atlas.fusions(TrialList(wildcards.corpus, wildcards.trials))


def speakers_by_channel(wildcards):
    """Rank disclosure of every speaker by every channel of a list, as heard_channels has them."""
    files = []
    for one in plan.atlas.lists[TrialList(wildcards.corpus, wildcards.trials)]:
        attack = Attack(wildcards.corpus, wildcards.trials, one.extractor, one.backend)
        files.append(f"results/curves/rank_speakers/{attack.path(one.heard_in)}.tsv")
    return files


rule collect_atlas:
    """How many bits of who speaks channels give away on a list."""
    input:
        metrics="results/metrics.tsv",
        fusions=lambda wildcards: fusions_of_channels(wildcards).values(),
        speakers=speakers_by_channel,
    output:
        atlas="results/curves/atlas/{corpus}/{trials}.tsv",
        together="results/curves/channels/{corpus}/{trials}.tsv",
        exposed="results/curves/exposed/{corpus}/{trials}.tsv",
    log:
        "results/logs/collect_atlas/{corpus}/{trials}.log",
    localrule: True
    conda:
        "../../envs/evaluate.yaml"
    params:
        code=code("collect_atlas"),
        heard=heard_channels,
        fusions=lambda wildcards: [
            f"{anonymiser}/{condition}={file}"
            for (anonymiser, condition), file in fusions_of_channels(wildcards).items()
        ],
    shell:
        "python -P -m voiceprivacy.jobs.collect_atlas"
        " --heard {params.heard:q}"
        " --corpus {wildcards.corpus:q}"
        " --trials {wildcards.trials:q}"
        " --metrics {input.metrics:q}"
        " --fusions {params.fusions:q}"
        " --atlas {output.atlas:q}"
        " --together {output.together:q}"
        " --speakers {input.speakers:q}"
        " --exposed {output.exposed:q}"
        " > {log:q} 2>&1"


def manifests_protected(wildcards):
    """Trials of which something is measured: others may not be protected."""
    return [
        f"results/audio/{corpus}/trial/{system}/manifest.tsv"
        for corpus in plan.speech.evaluated
        for system in ("original", *plan.speech.anonymisers)
        if plan.utility.measures(corpus)
    ]


rule measure_speed:
    """How long each anonymiser takes for a second of speech."""
    input:
        manifests=manifests_protected,
    output:
        speeds="results/report/tables/speed.tsv",
    log:
        "results/logs/measure_speed.log",
    localrule: True
    conda:
        "../../envs/evaluate.yaml"
    params:
        code=code("measure_speed"),
        config=config_as_used,
    shell:
        "python -P -m voiceprivacy.jobs.measure_speed"
        " --config {params.config:q}"
        " --speeds {output.speeds:q}"
        " > {log:q} 2>&1"


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
        "python -P -m voiceprivacy.jobs.write_tables"
        " --metrics {input.metrics:q}"
        " --table ranks"
        " --output {output.tsv:q} {output.tex:q}"
        " > {log:q} 2>&1"


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
    conda:
        "../../envs/evaluate.yaml"
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        code=code("describe_corpora"),
    shell:
        "python -P -m voiceprivacy.jobs.describe_corpora"
        " --manifests {input.manifests:q}"
        " --trials {input.trials:q}"
        " --speech {output.speech:q}"
        " --lists {output.lists:q}"
        " > {log:q} 2>&1"


def tables_of_page(wildcards):
    """Tables of the page besides those that are always there."""
    tables = [CONTENTS.speech, CONTENTS.lists, CONTENTS.expected, CONTENTS.published]
    tables.append(CONTENTS.speed)
    alphas = []
    if CONTENTS.internal:
        alphas = [table for of_corpus in CONTENTS.alphas.values() for table in of_corpus.values()]
    tables += [*CONTENTS.checks, *(CONTENTS.utility or []), *CONTENTS.words.values()]
    return [*filter(None, tables), *alphas]


DRAWN = sorted({file for figure in CONTENTS.figures for file in figure.files})
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
        tables=tables_of_page,
        files=[file for file in USED if file not in SHIPPED],
    output:
        provenance="results/provenance.json",
    log:
        "results/logs/write_provenance.log",
    localrule: True
    conda:
        "../../envs/evaluate.yaml"
    params:
        code=code("write_provenance", files=map(Path, SHIPPED)),
        config=config_as_used,
        shipped=lambda wildcards: SHIPPED,
    shell:
        "python -P -m voiceprivacy.jobs.write_provenance"
        " --config {params.config:q}"
        " --files {input.files:q} {params.shipped:q}"
        " --results results"
        " --provenance {output.provenance:q}"
        " > {log:q} 2>&1"


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
        expected=lambda wildcards: ours(config.get("expected", "")),
    shell:
        "python -P -m voiceprivacy.jobs.compare_expected"
        " --metrics {input.metrics:q}"
        " --expected {params.expected:q}"
        " --comparison {output.comparison:q}"
        " > {log:q} 2>&1"


def corpora_and_anonymisers(wildcards):
    sections = ("corpora", "anonymisers", "utility")
    return json.dumps({section: config[section] for section in sections})


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
        config=corpora_and_anonymisers,
    shell:
        "python -P -m voiceprivacy.jobs.compare_published"
        " --metrics {input.metrics:q}"
        " --config {params.config:q}"
        " --published {output.published:q}"
        " > {log:q} 2>&1"


def manifests_to_hear(wildcards):
    folder = f"results/audio/{wildcards.corpus}/trial"
    return [f"{folder}/{name}/manifest.tsv" for name in ("original", *plan.speech.anonymisers)]


def lists_to_hear(wildcards):
    lists = plan.speech.trial_lists(wildcards.corpus)
    return [f"results/trials/{wildcards.corpus}/{trials}.tsv" for trials in lists]


rule embed_audio:
    """Clips and spectrograms of a few utterances of every trial list, unprotected and protected."""
    input:
        manifests=manifests_to_hear,
        trials=lists_to_hear,
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
        results=lambda wildcards: option(
            "--results", "" if wildcards.corpus in CONTENTS.named else "results"
        ),
    shell:
        "python -P -m voiceprivacy.jobs.embed_audio"
        " --corpus {wildcards.corpus:q}"
        " --trials {input.trials:q}"
        " --manifests {input.manifests:q}"
        " --label {params.systems:q}"
        " --count {params.n_utterances:q}"
        " --seed {params.seed:q}"
        " {params.results:q}"
        " --examples {output.examples:q}"
        " > {log:q} 2>&1"


def pictures_of_page(wildcards):
    """The SVGs, and the PNGs that stand in for large ones."""
    pictures = []
    for figure in CONTENTS.figures:
        pictures += [figure.pictures()[ending] for ending in ("svg", "png")]
    return pictures


PARTS_OF_PAGE = [path for path in PAGE.rglob("*") if path.is_file()]
PARTS_OF_PAGE += [RESOURCES / "citations.bib"]


rule write_report:
    """The page with the verdict and what every attack found, and its tables for papers."""
    input:
        metrics="results/metrics.tsv",
        verdict="results/verdict.json",
        provenance="results/provenance.json",
        comparisons=CONTENTS.comparisons,
        intervals=CONTENTS.intervals,
        figures=DRAWN,
        pictures=pictures_of_page,
        tables=tables_of_page,
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
        contents=digest(CONTENTS),
    shell:
        "python -P -m voiceprivacy.jobs.write_report"
        " --plan {params.plan:q}"
        " --metrics {input.metrics:q}"
        " --verdict {input.verdict:q}"
        " --provenance {input.provenance:q}"
        " --comparisons results/comparisons"
        " --page {output.page:q}"
        " --tables results/report/tables"
        " > {log:q} 2>&1"


def files_of_pictures(drawn):
    """Curves and metrics, and the intervals beside these."""
    files = {file for figure in drawn for file in figure.files}
    beside = {f"{file.removesuffix('.json')}.intervals.json" for file in files}
    return sorted(files | beside.intersection(CONTENTS.intervals))


def pictures_in_report(drawn):
    """The SVGs, which Snakemake's own report shows with their captions."""
    pictures = []
    for figure in drawn:
        caption, category = PAGE / f"{figure.kind}.rst", figures.KINDS[figure.kind].category
        pictures.append(report(figure.pictures()["svg"], caption=caption, category=category))
    return pictures


def other_pictures(drawn):
    pictures = []
    for figure in drawn:
        pictures += [path for ending, path in figure.pictures().items() if ending != "svg"]
    return pictures


FIGURE_FILES = [path for figure in CONTENTS.figures for path in figure.pictures().values()]


# Pictures for papers: a rule for each list and attacker, because a rule must name all that it
# writes, and which pictures there are depends on the systems that were tried there.
for job, drawn in contents.by_job(CONTENTS.figures).items():

    rule:
        """All pictures of a list and attacker, or of what is not of one, each curve read once."""
        name:
            contents.rule_name(job)
        input:
            files=files_of_pictures(drawn),
        output:
            pictures_in_report(drawn),
            other_pictures(drawn),
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
            "python -P -m voiceprivacy.jobs.plot planned"
            " --plan {params.plan:q}"
            " --job {params.job:q}"
            " > {log:q} 2>&1"
