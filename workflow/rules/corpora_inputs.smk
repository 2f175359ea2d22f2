"""Input functions and parameters of the rules of corpora.smk only."""


def corpus_modules(script):
    """Input function: a script's modules and those of the kind of corpus and protocol, which it imports by name."""

    def files(wildcards):
        protocol = plan.corpora[wildcards.corpus].get("protocol", {})
        kinds = map(plan.corpus_kind, (wildcards.corpus, *plan.training_sources(wildcards.corpus)))
        by_name = [f"voiceprivacy/corpora/{name}" for name in (*kinds, *protocol)]
        found = {module for name in (script, *by_name) for module in modules(name)}
        return sorted(found | {SCRIPTS / f"{name}.py" for name in by_name})

    return files


def sampling_options(wildcards):
    return json.dumps(plan.corpora[wildcards.corpus]["protocol"]["rank_sampling"])


def corpus_source(wildcards):
    return json.dumps(plan.source(wildcards.corpus))


def training_sources(wildcards):
    return json.dumps(plan.training_sources(wildcards.corpus))


def all_downloads(wildcards):
    """Downloads of a corpus and of those that train attackers, which its check lists too."""
    corpora = [wildcards.corpus, *plan.training_sources(wildcards.corpus)]
    return [file for corpus in dict.fromkeys(corpora) for file in plan.downloads(corpus)]


def download_root(wildcards):
    return plan.corpora[wildcards.corpus]["librispeech"]["root"]


def download_address(wildcards):
    download = plan.corpora[wildcards.corpus]["librispeech"]["download"]
    return download if isinstance(download, str) else OPENSLR


def corpus_protocol(wildcards):
    return json.dumps(plan.corpora[wildcards.corpus].get("protocol", {}))
