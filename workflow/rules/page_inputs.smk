"""Input functions and parameters of the rules of page.smk, and what they add to the page."""


def manifests_to_hear(wildcards):
    return [
        f"results/audio/{wildcards.corpus}/trial/{name}/manifest.tsv"
        for name in ("original", *plan.speech.anonymisers)
    ]


def corpora_and_anonymisers(wildcards):
    return json.dumps({section: config[section] for section in ("corpora", "anonymisers")})


def clips_to_hear(wildcards):
    return plan.utility.clips()


def published_numbers(wildcards):
    """Published numbers beside the run's, of a run that may have some: with trial lists given by Kaldi directories."""
    return ["results/report/tables/published.tsv"] if plan.speech.kaldi_lists() else []


def additions(wildcards):
    """Arguments that hand write_report what rules of utility.smk and page.smk made."""
    utility = (
        ["--utility", *plan.utility.tables()] if plan.speech.anonymisers or plan.given.files else []
    )
    listen = ["--listen", *plan.utility.clips()] if plan.utility.clips() else []
    return (
        utility
        + listen
        + [word for path in published_numbers(wildcards) for word in ("--published", path)]
    )
