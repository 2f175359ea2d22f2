"""What each attack and each anonymiser of a run takes: jobs, and the speech behind them.

Effort is what the attacker does, not what the run does to measure it: he protects speech to learn
from and to enrol with, trains, embeds what he compares, and scores. Jobs are told by their files of
results/benchmarks, which Snakemake writes. A job that serves several attacks counts for each of
them. What others trained (a model from a folder or a package) costs the attacker nothing.
"""

from collections.abc import Iterator
from typing import NamedTuple

from voiceprivacy.plan.plan import Plan
from voiceprivacy.vocabulary import (
    CONDITIONS,
    FUSED,
    ORIGINAL,
    PROTECTED_CONDITIONS,
    STREAMED,
    WITHIN_RELEASE,
    Attack,
    TrialList,
    draws_of,
)

FOLDER = "results/benchmarks"


class Effort(NamedTuple):
    """An attack on one anonymiser under one condition, and what tells its effort.

    ``benchmarks`` are patterns of files below FOLDER, of which some need not be there: parts of a
    corpus are embedded together or alone. ``training`` are the manifests of the speech that is
    learnt from.
    """

    attack: Attack
    anonymiser: str
    condition: str
    benchmarks: tuple[str, ...]
    training: tuple[str, ...]

    @property
    def enrols(self) -> bool:
        """Whether speech of the attacker's own enrols: within a release it does not."""
        return self.condition not in WITHIN_RELEASE


def efforts(plan: Plan, trial_list: TrialList) -> Iterator[Effort]:
    """The effort of every attack of the run's own attackers on a list."""
    for attack in plan.attackers.attacks():
        if (attack.corpus, attack.trials) != trial_list:
            continue
        training, manifests = _training(plan, attack.extractor, attack.backend)
        for anonymiser in plan.attackers.systems(attack.extractor, attack.backend):
            if anonymiser == ORIGINAL:
                continue
            for condition in (*PROTECTED_CONDITIONS, *WITHIN_RELEASE):
                jobs = {**training, **_comparing(plan, attack, anonymiser, condition)}
                yield Effort(attack, anonymiser, condition, tuple(jobs), tuple(manifests))


class Protecting(NamedTuple):
    """How an anonymiser protects the trials of a corpus, with all its draws.

    ``benchmarks`` are the files below FOLDER of each draw's jobs; there are none of speech that
    others protected. ``streaming`` is what its entry says, None for nothing. ``latencies`` is what
    Path.glob finds of each draw, where a stream was tried.
    """

    corpus: str
    anonymiser: str
    device: str
    benchmarks: list[list[str]]
    streaming: bool | None
    latencies: list[str]


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


def training_manifests(plan: Plan, trial_list: TrialList) -> list[str]:
    """All manifests that the efforts on a list name."""
    manifests: dict[str, None] = {}
    for effort in efforts(plan, trial_list):
        manifests |= dict.fromkeys(effort.training)
    return list(manifests)


def _comparing(plan, attack, anonymiser, condition):
    """Jobs of embedding and scoring one condition, and of the attacker's own enrolment."""
    corpus, jobs = attack.corpus, {}
    if attack.extractor == FUSED:
        for part in plan.attackers.fusions[attack.backend].parts:
            own = attack._replace(extractor=part.extractor, backend=part.backend)
            jobs |= _comparing(plan, own, anonymiser, condition)
        jobs[f"fuse_system/{corpus}/{attack.trials}/{anonymiser}/{attack.backend}.tsv"] = None
        return jobs
    for system in plan.speech.of_condition(condition, anonymiser):
        jobs |= _embedding(corpus, system, attack.extractor, parts=("enrolment", "trial"))
    if CONDITIONS[condition].enrolment != "original" and condition not in WITHIN_RELEASE:
        jobs |= _protecting(corpus, "enrolment", anonymiser)
    jobs[f"score_system/{attack.path(anonymiser)}.tsv"] = None
    return jobs


def _training(plan, extractor, backend):
    """Jobs of training an attacker, and the manifests of what is learnt from."""
    attackers = plan.attackers
    jobs: dict[str, None] = {}
    manifests: dict[str, None] = {}
    if extractor == FUSED:
        fusion = attackers.fusions[backend]
        for part in fusion.parts:
            more, further = _training(plan, *part)
            jobs, manifests = jobs | more, manifests | further
            for system in fusion.systems():
                jobs |= _embedding(fusion.corpus, system, part.extractor, parts=("train",))
        for system in fusion.systems():
            jobs |= _protecting(fusion.corpus, "train", system)
        manifests[attackers.held_out_manifest(fusion.corpus)] = None
        return jobs | {f"train_fusion/{backend}.tsv": None}, manifests
    learner: str | None = extractor
    while learner and "train" in attackers.extractors[learner]:
        options = attackers.extractors[learner]
        jobs[f"train_extractor/{learner}.tsv"] = None
        jobs |= _protecting(options["train"]["corpus"], "train", options["on"])
        manifests[attackers.training_manifest(options)] = None
        learner = attackers.start_extractor(learner)
    options = attackers.backends[backend]
    if "train" in options:
        corpus, system = options["train"]["corpus"], options["on"] or ORIGINAL
        jobs[f"train_backend/{backend}/{extractor}.tsv"] = None
        jobs |= _protecting(corpus, "train", system)
        jobs |= _embedding(corpus, system, extractor, parts=("train",))
        if attackers.original_embeddings(backend, extractor):
            jobs |= _embedding(corpus, ORIGINAL, extractor, parts=("train",))
        manifests[attackers.training_manifest(options)] = None
    return jobs, manifests


def _embedding(corpus, system, extractor, *, parts):
    """Jobs of embedding parts: of both at once, or of each."""
    jobs = dict.fromkeys(f"extract_*/{corpus}/{part}/{system}/{extractor}.tsv" for part in parts)
    if len(parts) > 1:
        jobs[f"extract_*/{corpus}/{system}/{extractor}.tsv"] = None
    return jobs


def _protecting(corpus, part, anonymiser):
    if anonymiser in (None, ORIGINAL):
        return {}
    folder = f"{corpus}/{part}/{anonymiser}"
    return {f"anonymise_part/{folder}.tsv": None, f"anonymise_shard/{folder}/*.tsv": None}
