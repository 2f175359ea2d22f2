"""Which jobs of a run tell how fast an anonymiser is: those that protect the trials.

Jobs are told by their files of results/benchmarks, which Snakemake writes.
"""

from collections.abc import Iterator

from voiceprivacy.plan.plan import Plan
from voiceprivacy.plan.rows import Protecting
from voiceprivacy.vocabulary import STREAMED, draws_of


def protecting(plan: Plan) -> Iterator[Protecting]:
    """Every anonymiser on every corpus of which something is measured: others may not be made."""
    for corpus in plan.speech.evaluated:
        for anonymiser, draws in draws_of(plan.speech.anonymisers).items():
            options = plan.speech.anonymiser(anonymiser)
            jobs = [_jobs_of_trials(corpus, draw, options["shards"]) for draw in draws]
            said = options.get("streaming")
            if plan.utility.measures(corpus):
                yield Protecting(
                    corpus,
                    anonymiser,
                    "gpu" if options["gpu"] else "cpu",
                    [] if "audio" in options else jobs,
                    None if said is None else bool(said),
                    [f"{corpus}/trial/{draw}/wav/*/{STREAMED}" for draw in draws],
                )


def _jobs_of_trials(corpus, anonymiser, n_shards):
    folder = f"{corpus}/trial/{anonymiser}"
    if n_shards == 1:
        return [f"anonymise_part/{folder}.tsv"]
    return [f"anonymise_shard/{folder}/{shard}.tsv" for shard in range(n_shards)]
