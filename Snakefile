"""Voice privacy evaluation: corpora -> anonymise -> attack -> privacy -> report."""

from snakemake.utils import min_version

min_version("9.0")

if not config:

    configfile: f"{workflow.current_basedir}/config/config.yaml"


report: "workflow/report/workflow.rst"


include: "workflow/rules/common.smk"
include: "workflow/rules/corpora.smk"
include: "workflow/rules/anonymise.smk"
include: "workflow/rules/training.smk"
include: "workflow/rules/attack.smk"
include: "workflow/rules/privacy.smk"
include: "workflow/rules/utility.smk"
include: "workflow/rules/report.smk"
include: "workflow/rules/papers.smk"


rule all:
    default_target: True
    input:
        FIRST_PAGE,
        "results/report/index.html",
        "results/verdict.json",
        "results/metrics.tsv",
        "results/provenance.json",
        "results/report/tables/ranks.tsv",
        FIGURE_FILES,
