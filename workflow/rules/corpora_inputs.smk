"""Input functions and parameters of the rules of corpora.smk only."""


def corpus_code(script):
    """Parameter: fingerprint of a script and of the kinds of corpus and protocol, which it imports by name."""

    def fingerprint(wildcards):
        protocol = plan.speech.corpora[wildcards.corpus].get("protocol", {})
        kinds = map(
            plan.speech.corpus_kind,
            (wildcards.corpus, *plan.speech.training_sources(wildcards.corpus)),
        )
        modules = [f"kinds/{name}" for name in kinds] + [f"protocols/{name}" for name in protocol]
        return code(script, *[f"voiceprivacy/corpora/{name}" for name in modules])

    return fingerprint


def sampling_options(wildcards):
    return json.dumps(plan.speech.corpora[wildcards.corpus]["protocol"]["rank_sampling"])


def corpus_source(wildcards):
    return json.dumps(plan.speech.source(wildcards.corpus))


def training_sources(wildcards):
    return json.dumps(plan.speech.training_sources(wildcards.corpus))


def all_downloads(wildcards):
    """Downloads of a corpus and of those that train attackers, which its check lists too."""
    corpora = [wildcards.corpus, *plan.speech.training_sources(wildcards.corpus)]
    return [file for corpus in dict.fromkeys(corpora) for file in plan.speech.downloads(corpus)]


def download_root(wildcards):
    return plan.speech.corpora[wildcards.corpus]["librispeech"]["root"]


def download_address(wildcards):
    download = plan.speech.corpora[wildcards.corpus]["librispeech"]["download"]
    return download if isinstance(download, str) else OPENSLR


def corpus_protocol(wildcards):
    return json.dumps(plan.speech.corpora[wildcards.corpus].get("protocol", {}))
