"""Which speech a run takes: corpora, their lists and galleries, anonymisers and their seeds."""

import json
import os
from collections.abc import Iterable, Mapping
from itertools import chain, product
from pathlib import Path
from typing import Any, NamedTuple

from voiceprivacy import corpus_kinds, kinds, seeds
from voiceprivacy.inout.placeholders import ours
from voiceprivacy.layout import HERE, Layout
from voiceprivacy.running import entry_points
from voiceprivacy.vocabulary import (
    BESIDE_THE_KIND,
    CONDITIONS,
    EVALUATION,
    NO_TRIALS,
    ORIGINAL,
    SCRIPTS,
    SECOND_RUN,
    TRAIN,
    UTILITY_ALONE,
    WITHIN_RELEASE,
    TrialList,
)

ANONYMISER_KINDS = ["command", "function", "package", "audio"]
FUNCTIONS = ("function", "package")  # those whose options keep their types, and are called here
# Words of 0.1.0 for torch, and encoders inside packages that need torch.
WITH_TORCH = ("corpora", "measures", "resemblyzer", "campplus", "speechbrain")
OUR_ENV = "evaluate"  # of what runs in the environment of the run itself
OF_BOX = ["inputs", "reads", "gpu"]  # of an entry: what its box is made from


def first_training_corpus(config: dict[str, Any]) -> str | None:
    """The corpus from which attackers learn where nothing else is said; None without one."""
    corpora = config.get("corpora", {}).items()
    return next((name for name, options in corpora if options.get("use") == TRAIN), None)


class Gallery(NamedTuple):
    """Whose voices a sampled gallery holds; observations that make a test and a template."""

    gender: str
    test: int
    template: int


class Speech:
    """The corpora and anonymisers of a run.

    Parameters
    ----------
    corpora, anonymisers : sections of a completed config
    training : names of the corpora that attackers of the run are trained on
    seed, attacker_draw : as in the config; without a seed a secret of the run's is drawn from
    """

    def __init__(
        self,
        corpora: dict[str, dict],
        anonymisers: dict[str, dict],
        *,
        training: Iterable[str] = (),
        seed: int | None = None,
        attacker_draw: str = "independent",
        layout: Layout = HERE,
    ) -> None:
        self.layout = layout
        self.corpora = corpora
        self.anonymisers = anonymisers
        self.training = list(training)
        self.seed = seed
        self.attacker_draw = attacker_draw
        # Of those that are evaluated, utility is measured; some of them are attacked, too.
        self.evaluated = [name for name, options in corpora.items() if options["use"] != TRAIN]
        self.attacked = [name for name, options in corpora.items() if options["use"] == EVALUATION]
        self.repeated = [name for name, options in anonymisers.items() if options["runs"] == 2]
        self.protected = [*anonymisers, *[f"{name}{SECOND_RUN}" for name in self.repeated]]

    # Corpora and where they come from.

    def corpus_kind(self, corpus: str) -> str:
        """Which kind a corpus is of."""
        return next(kind for kind in kinds.names() if kind in self.corpora[corpus])

    def transcribed(self, corpus: str) -> dict[str, Any]:
        """What a corpus's entry says of its speech, as the scripts of the corpora room take it."""
        keys = (*kinds.names(), *BESIDE_THE_KIND)
        return {key: self.corpora[corpus][key] for key in keys if key in self.corpora[corpus]}

    def source(self, corpus: str) -> dict[str, Any]:
        """The same without transcripts: a new table of them makes no speech again."""
        source, name = self.transcribed(corpus), self.corpus_kind(corpus)
        for key in corpus_kinds.corpus_kind(name).of_transcripts:
            source[name] = {other: source[name][other] for other in source[name] if other != key}
        return source

    def protocol(self, corpus: str) -> dict[str, Any]:
        """{protocol: options} of a corpus; nothing for one that only trains."""
        options = self.corpora[corpus]
        return {NO_TRIALS: {}} if options["use"] == UTILITY_ALONE else options.get("protocol", {})

    def attacked_sources(self) -> dict[str, dict[str, Any]]:
        """The corpora that are attacked: {corpus: {"source": ..., "protocol": ...}}."""
        return {
            name: {"source": self.source(name), "protocol": self.protocol(name)}
            for name in self.attacked
        }

    def training_sources(self) -> dict[str, dict[str, Any]]:
        """The sources of the corpora that train attackers: their speakers must not be attacked."""
        return {name: self.source(name) for name in self.training}

    def sample_rate(self, corpus: str) -> int:
        """Samples per second of a corpus in a run."""
        return self.corpora[corpus]["sample_rate"]

    def fetched(self, corpus: str) -> corpus_kinds.Fetched | None:
        """What a job downloads of a corpus; None if it lies there."""
        kind, options = corpus_kinds.kind_in(self.corpora[corpus])
        return kind.fetched(options)

    def download_root(self, corpus: str) -> str:
        """Where parts of a corpus lie, or are downloaded to."""
        fetched = self.fetched(corpus)
        return fetched.root if fetched else ""

    def download_address(self, corpus: str) -> str | None:
        """The address of the archives, where the config names one."""
        fetched = self.fetched(corpus)
        return fetched.address if fetched else None

    def downloads(self, corpus: str) -> list[str]:
        """The files that say that parts of a corpus are downloaded; none if it lies there."""
        fetched = self.fetched(corpus)
        parts = fetched.parts if fetched else []
        return [self.layout.path(f"downloads/{corpus}/{part}.tsv") for part in parts]

    def data_sets(self, corpus: str, part: str) -> list[str]:
        """What {set} is in an audio folder: a part's data directories by name, else the corpus."""
        return corpus_kinds.data_sets(self.corpora[corpus], part) or [corpus]

    def manifests(self) -> list[str]:
        """The manifests of the original speech that a run reads."""
        parts = list(product(self.attacked, ("enrolment", "trial")))
        parts += [(name, "trial") for name in self.evaluated if name not in self.attacked]
        parts += [(name, "train") for name in self.training]
        return [self.layout.speech(name, part, ORIGINAL) for name, part in parts]

    def checks(self) -> list[str]:
        """What was found in the corpora of the run."""
        return [self.checks_of(name) for name in (*self.evaluated, *self.training)]

    def checks_of(self, corpus: str) -> str:
        """What was found in a corpus."""
        return self.layout.path(f"checks/{corpus}.tsv")

    def checks_of_sounds(self) -> list[str]:
        """What is one sound where it must not be, of each corpus that is attacked."""
        is_needed = self.anonymisers or self.training
        names = self.attacked if is_needed else []
        return [self.layout.path(f"checks/sounds/{name}.tsv") for name in names]

    def checks_across(self) -> list[str]:
        """Checks that attackers learnt from other speakers, and of recordings that are one."""
        speakers = [self.layout.path("checks/training/speakers.tsv")] if self.training else []
        return [*speakers, *self.checks_of_sounds()]

    def compared_manifests(self, corpus: str) -> list[str]:
        """The speech of a corpus in which no two recordings should be one, the originals first.

        Controls are left out: they leak on purpose. Nothing is protected for this alone.
        """
        manifests = []
        for name in [ORIGINAL, *self.anonymisers]:
            if name != ORIGINAL and self.anonymiser(name)["control"]:
                continue
            for part in ("enrolment", "trial"):
                systems = self.spoken(part, name, self.conditions(name)).values()
                manifests += [self.layout.speech(corpus, part, system) for system in systems]
        return list(dict.fromkeys(manifests))

    def training_manifests(self) -> list[str]:
        """The original speech that attackers learn from."""
        return [self.layout.speech(name, "train", ORIGINAL) for name in self.training]

    # Trial lists and galleries.

    def trial_lists(self, corpus: str) -> list[str]:
        """Names of a corpus's trial lists."""
        protocol = self.corpora[corpus].get("protocol", {None: {}})
        (options,) = protocol.values()
        return [] if "rank_sampling" in protocol else options.get("lists", list(options))

    def all_trial_lists(self) -> list[TrialList]:
        """The trial lists of all evaluated corpora."""
        lists = []
        for corpus in self.evaluated:
            lists += [TrialList(corpus, trials) for trials in self.trial_lists(corpus)]
        return lists

    def trials(self) -> list[str]:
        """The files of all trial lists; each list's enrolments lie beside it."""
        return list(chain.from_iterable(map(self.trials_of, self.evaluated)))

    def trials_of(self, corpus: str) -> list[str]:
        """The files of the trial lists of a corpus."""
        return [self.layout.trials(corpus, trials) for trials in self.trial_lists(corpus)]

    def list_file(self, corpus: str, trials: str) -> str | None:
        """The file of a trial list; None where the config does not have the list."""
        return self.beside_list(corpus, trials, "")

    def release_file(self, corpus: str, trials: str) -> str | None:
        """The file of the pairs of a list within the release, as ``list_file``."""
        return self.beside_list(corpus, trials, "release")

    def beside_list(self, corpus: str, trials: str, table: str) -> str | None:
        """A table beside a trial list, or the list itself, as ``list_file``."""
        is_there = (corpus, trials) in self.all_trial_lists()
        return self.layout.trials(corpus, trials, table) if is_there else None

    def kaldi_lists(self) -> list[TrialList]:
        """The trial lists that lie in Kaldi directories: only those can be published sets."""
        return [
            trial_list
            for trial_list in self.all_trial_lists()
            if "given" in self.corpora[trial_list.corpus].get("protocol", {})
        ]

    def rank_sampling(self, corpus: str) -> dict[str, Any] | None:
        """How the galleries of a corpus are sampled; None where they are not."""
        return self.corpora[corpus].get("protocol", {}).get("rank_sampling")

    def gallery(self, corpus: str, trials: str) -> Gallery:
        """A sampled gallery by name."""
        return self.galleries(corpus)[trials]

    def galleries(self, corpus: str) -> dict[str, Gallery]:
        """Sampled galleries of a corpus by name."""
        options = self.rank_sampling(corpus)
        if not options:
            return {}
        # A gallery for each combination: papers vary T and D on the same speech.
        choices = [options["lists"], _as_list(options["test"]), _as_list(options["template"])]
        sampled = [Gallery(*choice) for choice in product(*choices)]
        names = [f"{gender}_t{test}_d{template}" for gender, test, template in sampled]
        return dict(zip(names, sampled, strict=True))

    def all_galleries(self) -> list[TrialList]:
        """The galleries of all evaluated corpora."""
        galleries = []
        for corpus in self.evaluated:
            galleries += [TrialList(corpus, gallery) for gallery in self.galleries(corpus)]
        return galleries

    def has_gallery(self, corpus: str) -> bool:
        """Whether a corpus enrols one model a speaker, among whom a true speaker has a rank."""
        return "all_pairs" not in self.corpora[corpus].get("protocol", {})

    # Anonymisers.

    def anonymiser(self, anonymiser: str) -> dict[str, Any]:
        """The entry of an anonymiser or of its second run."""
        return self.anonymisers[anonymiser.removesuffix(SECOND_RUN)]

    def in_shards(self, *, several: bool) -> list[str]:
        """Anonymisers and second runs whose parts are several shards, or are not."""
        names = self.protected
        return [name for name in names if (self.anonymiser(name)["shards"] > 1) == several]

    def anonymiser_manifest(self, corpus: str, part: str) -> str:
        """What an anonymiser is given: in training, every utterance has its own pseudo-speaker."""
        name = "pseudo_manifest" if part == "train" else "manifest"
        return self.layout.speech(corpus, part, ORIGINAL, name)

    def anonymiser_call(self, anonymiser: str, corpus: str, part: str) -> dict[str, Any]:
        """The fields of an entry that anonymise_part takes.

        An audio folder is filled in: one folder for every {set}. A package in our own environment
        has its version beside it.
        """
        options = self.anonymiser(anonymiser)
        kind = next(kind for kind in ANONYMISER_KINDS if kind in options)
        value = options[kind]
        if kind == "audio":
            folder = value.replace("{corpus}", corpus).replace("{part}", part)
            folders = [folder.replace("{set}", name) for name in self.data_sets(corpus, part)]
            value = list(dict.fromkeys(folders))  # without {set} they are all one
        fields = ["options", "resample", "sandbox"]
        if options["sandbox"] or "container" in options:
            fields += OF_BOX
        fields += [field for field in ("container", "lengths") if field in options]
        call = {kind: value, **{field: options[field] for field in fields}}
        if isinstance(options.get("streaming"), dict):  # else the page only repeats it
            chunks = options["streaming"]
            call["streaming"] = {name: float(value) for name, value in chunks.items()}
        if kind == "package" and options["env"] == OUR_ENV:
            call["version"] = entry_points.version(value)
        return call

    def lacks_training_speech(self, name: str, corpus: str) -> str | None:
        """Why an anonymiser has no protected version of a training corpus; None where it has one.

        Speech that is anonymised already has one where its folder depends on the corpus or the
        part, and that of this corpus is there and not empty.
        """
        if "audio" not in self.anonymiser(name):
            return None
        folders = self.anonymiser_call(name, corpus, "train")["audio"]
        evaluated = [
            self.anonymiser_call(name, other, part)["audio"]
            for other, part in product(self.evaluated, ("enrolment", "trial"))
        ]
        if folders in evaluated:
            return "its entry names one folder for all speech"
        empty = [folder for folder in folders if not _has_anything(ours(folder))]
        return f"nothing is in {empty[0]}" if empty else None

    def first_run(self, anonymiser: str) -> str | None:
        """The first run of a second one; None for others."""
        is_second = anonymiser.endswith(SECOND_RUN)
        return anonymiser.removesuffix(SECOND_RUN) if is_second else None

    def anonymiser_seed(self, anonymiser: str, part: str) -> int | None:
        """Seed of one run on one part; None where it comes from the secret of the run."""
        names = self.names_of_seed(anonymiser, part)
        # With no name the seed is that of the config itself.
        return seeds.derive(self.seed, *names) if names and self.seed is not None else self.seed

    def names_of_seed(self, anonymiser: str, part: str) -> list[str]:
        """What the seed of one run on one part is of, as names in ``seeds.derive``.

        An attacker does not hold the seed of the users (trial), unless attacker_draw is same.
        """
        run = ["run1"] if self.first_run(anonymiser) else []
        draw = self.anonymiser(anonymiser).get("draw", 1)
        run += [f"draw{draw}"] if draw > 1 else []
        is_attackers = part != "trial" and self.attacker_draw == "independent"
        return run + ([part] if is_attackers else [])

    def of_condition(self, condition: str, anonymiser: str) -> tuple[str, str]:
        """Whose speech enrols and whose is tried: (original, b2) for op."""
        names = _names_of_runs(anonymiser)
        enrolment, trial = CONDITIONS[condition]
        return names[enrolment], names[trial]

    def spoken(self, part: str, anonymiser: str, conditions: Iterable[str]) -> dict[str, str]:
        """The systems whose speech of a part is scored under conditions: {original or run: system}.

        Trials are also compared with each other, as both sides of a condition speak them.
        """
        whose: list[str] = []
        for condition in conditions:
            enrolment, trial = CONDITIONS[condition]
            whose += [enrolment] if part == "enrolment" else [enrolment, trial]
        names = _names_of_runs(anonymiser)
        return {run: names[run] for run in whose}

    def conditions(self, anonymiser: str) -> list[str]:
        """The conditions under which enrolled speakers of a system are attacked."""
        if anonymiser == ORIGINAL:
            return ["oo"]
        return ["op", "pp", "p0p1"] if anonymiser in self.repeated else ["op", "pp"]

    def scored(self, anonymiser: str) -> list[str]:
        """The conditions that a system's trials are scored under: those, and within the release."""
        return [*self.conditions(anonymiser), *WITHIN_RELEASE]

    def recording(self, corpus: str) -> str | None:
        """The pattern that finds the recording, or session, in an utterance's id; None for none."""
        kind, _ = corpus_kinds.kind_in(self.corpora[corpus])
        return self.corpora[corpus].get("recording", kind.session)


def environment_file(env: str) -> str:
    """The absolute path of a conda environment: ours by its word, or a file of the user's."""
    if "/" in env or env.endswith((".yaml", ".yml")):
        return str(Path(env).absolute())
    word = "torch" if env in WITH_TORCH else env
    return str(SCRIPTS.parent / "envs" / f"{word}.yaml")


def sandbox_arguments(options: Mapping[str, Any]) -> list[str]:
    """The argument of a command that runs an entry's program in a box; none without one."""
    if not options["sandbox"]:
        return []
    box = {"inputs": options["inputs"], "reads": options["reads"], "gpu": gpus(options)}
    return ["--sandbox", json.dumps(box)]


def gpus(options: Mapping[str, Any]) -> int:
    """How many GPUs a job of an entry takes: an extractor names its device instead."""
    return options.get("gpu", int(options.get("device") == "cuda"))


def _names_of_runs(anonymiser: str) -> dict[str, str]:
    return {"original": ORIGINAL, "run0": anonymiser, "run1": f"{anonymiser}{SECOND_RUN}"}


def _has_anything(folder: str) -> bool:
    return os.path.isdir(folder) and bool(os.listdir(folder))


def _as_list(value: Any) -> list:
    return value if isinstance(value, list) else [value]
