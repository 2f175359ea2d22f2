"""Input functions and parameters of the rules of page.smk, and what they add to the page."""


def manifests_to_hear(wildcards):
    return [
        f"results/audio/{wildcards.corpus}/trial/{name}/manifest.tsv"
        for name in ("original", *plan.anonymisers)
    ]


def corpora_and_anonymisers(wildcards):
    return json.dumps({section: config[section] for section in ("corpora", "anonymisers")})


def clips_to_hear(wildcards):
    return plan.listened()


def published_numbers(wildcards):
    """Published numbers beside the run's, of a run that may have some: with trial lists given by Kaldi directories."""
    return ["results/report/tables/published.tsv"] if plan.given_lists() else []


def additions(wildcards):
    """Arguments that hand write_report what rules of utility.smk and page.smk made."""
    utility = ["--utility", *plan.utility()] if plan.anonymisers or plan.given else []
    listen = ["--listen", *plan.listened()] if plan.listened() else []
    return (
        utility
        + listen
        + [word for path in published_numbers(wildcards) for word in ("--published", path)]
    )
