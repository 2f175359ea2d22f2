"""What rules ask of corpora and anonymisers: how speech is prepared and protected."""

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from voiceprivacy.inout.placeholders import paths_behind
from voiceprivacy.plan.inputs.wildcards import Ask, Entries
from voiceprivacy.plan.plan import Plan
from voiceprivacy.running.fingerprints import code
from voiceprivacy.vocabulary import SCRIPTS, SECRET_SEED

MOST_THREADS = 4  # of jobs that read speech
TO_CHECK_AND_CONVERT = 15  # minutes, after a plug-in's own


class Threads:
    """Threads of jobs that read speech.

    Parameters
    ----------
    cores : says how many cores the jobs share; None on a cluster, where they do not
    """

    def __init__(self, cores: Callable[[], int | None]) -> None:
        self.cores = cores

    def few(self, wildcards: Any) -> int:
        """At most half of this machine's cores.

        A program starts on one core, while another works. A job that wants all cores would wait
        until no other job is left that fits beside one that runs, whatever its priority.
        """
        cores = self.cores()
        return max(1, min(MOST_THREADS, cores // 2)) if cores else MOST_THREADS


class CorpusInputs:
    """What rules ask about the corpora of a plan."""

    def __init__(self, plan: Plan) -> None:
        self.speech = plan.speech

    def code(self, job: str) -> Ask:
        """Return a parameter: the fingerprint of a job, with what it imports for its corpus."""
        return lambda wildcards: self.code_of(job, [wildcards.corpus])

    def code_of(self, job: str, corpora: Iterable[str]) -> str:
        """Fingerprint of a job, and of the kinds and protocols that it imports by name."""
        modules = []
        for corpus in corpora:
            modules.append(f"kinds/{self.speech.corpus_kind(corpus)}")
            modules += [f"protocols/{name}" for name in self.speech.protocol(corpus)]
        return code(job, *[f"voiceprivacy/corpora/{module}" for module in dict.fromkeys(modules)])


class AnonymiserInputs:
    """What rules ask about the anonymisers of a plan; second runs are jobs of their own."""

    def __init__(self, plan: Plan) -> None:
        self.speech = plan.speech
        self.sources = plan.sources
        self.entries = Entries(plan.speech.anonymiser, "anonymiser")
        # Before the first run there is none: a dry run draws nothing.
        self.secret_seed = plan.layout.path(SECRET_SEED)
        is_drawn = plan.speech.seed is None and os.path.exists(self.secret_seed)
        self.secret = [self.secret_seed] if is_drawn else []

    def files(self, wildcards: Any) -> list[str]:
        """Fingerprint of the anonymiser's files."""
        return self.sources.file(self._source(wildcards))

    def _source(self, wildcards):
        """A second run is of the same files as the first."""
        first = self.speech.first_run(wildcards.anonymiser)
        return f"anonymisers/{first or wildcards.anonymiser}"

    def code(self, wildcards: Any) -> str:
        """Fingerprint of our modules behind the job, and behind our script or function in it."""
        named = self.sources.named.get(self._source(wildcards), [])
        files = [Path(file.path) for file in named]
        ours = [file.relative_to(SCRIPTS) for file in files if file.is_relative_to(SCRIPTS)]
        scripts = [str(file.with_suffix("")) for file in ours if file.suffix == ".py"]
        options = self.entries.of_job(wildcards)
        paths = paths_behind([options.get("command", ""), options["options"]])
        return code("anonymise_part", *scripts) + paths

    def runtime(self, wildcards: Any) -> int:
        """Minutes of a job: those of its plug-in, and some to check and convert what it made."""
        return self.entries.of_job(wildcards)["runtime"] + TO_CHECK_AND_CONVERT

    def seed(self, wildcards: Any) -> list[Any]:
        """The seed of a job, or the file of the secret that the job makes it from."""
        seed = self.speech.anonymiser_seed(wildcards.anonymiser, wildcards.part)
        if seed is not None:
            return ["--seed", seed]
        names = self.speech.names_of_seed(wildcards.anonymiser, wildcards.part)
        return ["--seed-file", self.secret_seed, "--seed-of", *names]

    def first_run(self, wildcards: Any) -> list[str]:
        """The manifest of the first run, where this is the second."""
        first = self.speech.first_run(wildcards.anonymiser)
        manifest = self.speech.layout.speech
        return [manifest(wildcards.corpus, wildcards.part, first)] if first else []

    def first_run_argument(self, wildcards: Any, input: Any) -> list[str]:
        """The same as an argument."""
        return ["--first-run", *input.first_run] if input.first_run else []

    def original_argument(self, wildcards: Any, input: Any) -> list[str]:
        """What the final manifest is checked against."""
        return ["--original", input.original, *self.first_run_argument(wildcards, input)]

    def shard_argument(self, wildcards: Any) -> list[Any]:
        """Which shard of how many a job makes."""
        return ["--shard", wildcards.shard, "--shards", self.entries.of_job(wildcards)["shards"]]

    def shards(self, pattern: str) -> Ask:
        """Return an input function: a file of every shard of a part."""
        return lambda wildcards: [
            pattern.format(shard=shard, **wildcards)
            for shard in range(self.entries.of_job(wildcards)["shards"])
        ]
