"""What a config asks for: which speech, which attacks, which files. The rules only put wildcards into these answers.

A plan is made of a config that ``configuration.check`` has completed, and answers in names and in paths under results/.
"""

import re
from glob import glob
from itertools import product
from pathlib import Path
from typing import NamedTuple

from voiceprivacy import seeds
from voiceprivacy.files import ours

# condition -> (whose speech enrols, whose speech is tried); run1 is an anonymiser's second, independent draw
CONDITIONS = {
    "oo": ("original", "original"),
    "op": ("original", "run0"),
    "pp": ("run0", "run0"),
    "p0p1": ("run0", "run1"),
}
PARTS = ["enrolment", "trial", "train"]
MODEL_FILES = ["hyperparams.yaml", "embedding_model.ckpt"]
CORPUS_KINDS = ["synthetic", "librispeech", "vctk", "kaldi", "folder"]
ANONYMISER_KINDS = ["command", "function", "audio"]
PICTURES = ["ece", "bayes_error", "normalised_bayes_error", "det", "roc", "tippett", "scores", "llrs", "calibration"]
TABLES = ["challenge", "2", "3", "4"]
RUN1 = "_run1"
ON = "_on_"  # an attacker trained on protected speech: <name>_on_<anonymiser>
NAME = "[a-z][a-z0-9_]*"
GIVEN = "given"  # back-end of an attack whose scores somebody else made
RESAMPLED = ["verification", "zebra", "similarity", "ranks"]  # families with intervals
REPLICATES_PER_PAIR = 40  # of anonymisers that are compared: fewer could not show a difference among so many
MEAN = "mean"  # of all trial lists of a corpus, where there are several
HISTOGRAMS = ["f0", "units", "style"]  # extractors that are no network: their features are histograms


class Attack(NamedTuple):
    """An attacker and the trials that are attacked."""

    corpus: str
    trials: str
    extractor: str
    backend: str

    def path(self, anonymiser):
        """Where files about one system under this attack lie, below a folder of their kind."""
        return f"{self.corpus}/{self.trials}/{anonymiser}/{self.extractor}/{self.backend}"


def given_scores(template):
    """Score files that match a path with {corpus}, {trials}, {anonymiser} and {condition}: {(those four): path}.

    Without {corpus} or {trials} they are ``scores`` and ``all``. Names and conditions that cannot be ones do not match.
    """
    names = {"corpus": "scores", "trials": "all"}
    pattern, star = re.escape(template), template
    for field in ("corpus", "trials", "anonymiser", "condition"):
        values = "|".join(CONDITIONS) if field == "condition" else NAME
        pattern = pattern.replace(re.escape(f"{{{field}}}"), f"(?P<{field}>{values})", 1)
        pattern = pattern.replace(re.escape(f"{{{field}}}"), f"(?P={field})")
        star = star.replace(f"{{{field}}}", "*")
    found = {}
    for path in sorted(glob(star)):
        if match := re.fullmatch(pattern, path):
            fields = names | match.groupdict()
            found[Attack(fields["corpus"], fields["trials"], "", GIVEN), fields["anonymiser"], fields["condition"]] = (
                path
            )
    return found


class Plan:
    """The answers for one config (dict, completed)."""

    def __init__(self, config):
        self.config = config
        self.corpora = config["corpora"]
        self.anonymisers = config["anonymisers"]
        self.extractors = self._instances(config["extractors"])
        self.backends = self._instances(config["backends"])
        self.given = {name: given_scores(entry["scores"]) for name, entry in config["attacks"].items()}
        self.evaluated = [name for name, entry in self.corpora.items() if entry["use"] == "evaluation"]
        self.repeated = [name for name, entry in self.anonymisers.items() if entry["runs"] == 2]
        self.protected = [*self.anonymisers, *[f"{name}{RUN1}" for name in self.repeated]]

    def _instances(self, entries):
        """Entries trained on protected speech become one for each anonymiser, with its name under ``on``."""
        instances = {}
        for name, entry in entries.items():
            if entry.get("train", {}).get("speech") == "anonymised":
                instances |= {f"{name}{ON}{of}": {**entry, "on": of, "base": name} for of in self.anonymisers}
            else:
                instances[name] = {**entry, "on": None, "base": name}
        return instances

    def attacked(self, extractor, backend):
        """The anonymiser that an attacker was trained on; None for one trained on original speech."""
        return self.extractors[extractor]["on"] or self.backends[backend]["on"]

    def training_manifest(self, entry):
        """Manifest of the speech that an extractor or back-end (its entry) is trained on, with the true speakers."""
        return f"results/audio/{entry['train']['corpus']}/train/{entry['on'] or 'original'}/manifest.tsv"

    def training_embeddings(self, backend, extractor):
        """Embeddings that a back-end is trained on."""
        entry = self.backends[backend]
        return f"results/embeddings/{entry['train']['corpus']}/train/{entry['on'] or 'original'}/{extractor}.npz"

    def start(self, extractor):
        """Where training starts: another extractor of the config (its own instance on that anonymiser), or a folder."""
        entry = self.extractors[extractor]
        own = f"{entry.get('start')}{ON}{entry['on']}"
        found = next((name for name in (own, entry.get("start")) if name in self.extractors), None)
        if found:
            return self.model_folder(found)
        return ours(entry["start"]) if "start" in entry else None

    def extraction(self, extractor, corpus, part, anonymiser):
        """The arguments of extract_embeddings that say how: a model with its switches, a command, or a ready file."""
        entry = self.extractors[extractor]
        if "command" in entry:
            return ["--command", entry["command"]]
        if "embeddings" in entry:
            return ["--ready", self.ready(extractor, corpus, part, anonymiser)]
        switches = [f"--{name}" for name in ("trust", "loudness", "trim", "vad") if entry[name]]
        return ["--model", self.model_folder(extractor), "--device", entry["device"], *switches]

    def ready(self, extractor, corpus, part, anonymiser):
        """The file of ready-made embeddings of one part."""
        path = self.extractors[extractor]["embeddings"]
        return path.replace("{corpus}", corpus).replace("{part}", part).replace("{anonymiser}", anonymiser)

    def anonymiser_manifest(self, corpus, part):
        """What an anonymiser is given: in training, every utterance has a pseudo-speaker of its own."""
        name = "pseudo_manifest" if part == "train" else "manifest"
        return f"results/audio/{corpus}/{part}/original/{name}.tsv"

    def trial_lists(self, corpus):
        """Names of a corpus's trial lists."""
        protocol = self.corpora[corpus].get("protocol", {None: {}})
        (options,) = protocol.values()
        return [] if "rank_sampling" in protocol else options.get("lists", list(options))

    def galleries(self, corpus):
        """Sampled galleries of a corpus: {name: (gender, observations of a test, of a template)}."""
        options = self.corpora[corpus].get("protocol", {}).get("rank_sampling")
        if not options:
            return {}
        lengths = [of if isinstance(of, list) else [of] for of in (options["test"], options["template"])]
        return {
            f"{gender}_t{test}_d{template}": (gender, test, template)
            for gender, test, template in product(options["lists"], *lengths)
        }

    def all_galleries(self):
        """(corpus, gallery) of all evaluated corpora."""
        return [(corpus, gallery) for corpus in self.evaluated for gallery in self.galleries(corpus)]

    def has_gallery(self, corpus):
        """Whether a corpus enrols one model a speaker, among whom a true speaker has a rank."""
        return "all_pairs" not in self.corpora[corpus].get("protocol", {})

    def all_trial_lists(self):
        """(corpus, trial list) of all evaluated corpora."""
        return [(corpus, trials) for corpus in self.evaluated for trials in self.trial_lists(corpus)]

    def corpus_kind(self, corpus):
        """Which key of CORPUS_KINDS a corpus has."""
        return next(kind for kind in CORPUS_KINDS if kind in self.corpora[corpus])

    def data_sets(self, corpus, part):
        """Names of the Kaldi directories that a part lies in, else the corpus: what {set} is in an audio folder."""
        kaldi = self.corpora[corpus].get("kaldi", corpus)
        folders = kaldi.get("directory", kaldi.get(part, corpus)) if isinstance(kaldi, dict) else kaldi
        return [Path(folder).name for folder in ([folders] if isinstance(folders, str) else folders)]

    def source(self, corpus):
        """What a corpus's entry says of its speech, as the scripts of the corpora room take it."""
        keys = (*CORPUS_KINDS, "pipes", "limit", "segments")
        return {key: self.corpora[corpus][key] for key in keys if key in self.corpora[corpus]}

    def training_sources(self, corpus):
        """The sources of the corpora that train the run's attackers, whose speakers an evaluated one must not have."""
        if corpus not in self.evaluated:
            return {}
        return {name: self.source(name) for name in self._training_corpora()}

    def manifests(self):
        """The manifests of the original speech that a run reads: both parts of what is evaluated, and what trains."""
        parts = {name: ["enrolment", "trial"] for name in self.evaluated}
        parts |= {name: ["train"] for name in self._training_corpora()}
        return [f"results/audio/{name}/{part}/original/manifest.tsv" for name, of in parts.items() for part in of]

    def _training_corpora(self):
        """Corpora that an extractor or a back-end of the run is trained on."""
        entries = (*self.extractors.values(), *self.backends.values())
        fields = [entry[field] for entry in entries for field in ("train", "units") if field in entry]
        return dict.fromkeys(field["corpus"] for field in fields)

    def checks(self):
        """What was found in the corpora of the run."""
        return [f"results/checks/{name}.tsv" for name in (*self.evaluated, *self._training_corpora())]

    def trials(self):
        """Every trial list of the run; its enrolments lie beside it."""
        return [f"results/trials/{corpus}/{trials}.tsv" for corpus, trials in self.all_trial_lists()]

    def downloads(self, corpus):
        """What says that a corpus's subsets are downloaded (of one that lies there: none)."""
        options = self.corpora[corpus].get("librispeech", {})
        subsets = options["subsets"] if options.get("download") else []
        return [f"results/downloads/{corpus}/{subset}.tsv" for subset in subsets]

    def anonymiser(self, name):
        """The entry of an anonymiser or of its second run."""
        return self.anonymisers[name.removesuffix(RUN1)]

    def anonymiser_call(self, name, corpus, part):
        """The fields of an entry that anonymise_part takes; an audio folder is filled in: one for every {set}."""
        entry = self.anonymiser(name)
        kind = next(kind for kind in ANONYMISER_KINDS if kind in entry)
        value = entry[kind]
        if kind == "audio":
            folder = value.replace("{corpus}", corpus).replace("{part}", part)
            value = list(dict.fromkeys(folder.replace("{set}", of) for of in self.data_sets(corpus, part)))
        return {kind: value, "options": entry["options"], "resample": entry["resample"]}

    def first_run(self, name):
        """The first run of a second one; nothing for others."""
        return name.removesuffix(RUN1) if name.endswith(RUN1) else None

    def anonymiser_seed(self, name, part):
        """Seed of one run on one part: an attacker does not hold the users' (trial), unless attacker_draw is same."""
        run = ["run1"] if name.endswith(RUN1) else []
        attacker = part != "trial" and self.config["attacker_draw"] == "independent"
        names = run + ([part] if attacker else [])
        return seeds.derive(self.config["seed"], *names) if names else self.config["seed"]

    def model_folder(self, extractor):
        """Where an extractor's SpeechBrain folder lies: the user's, or one that a rule makes."""
        entry = self.extractors[extractor]
        made = "train" in entry or "revision" in entry
        if "model" not in entry and not made:
            return None
        return f"results/models/{extractor}" if made else ours(entry["model"])

    def model_files(self, extractor):
        """The files of an extractor that embeddings depend on."""
        folder = self.model_folder(extractor)
        return [f"{folder}/{name}" for name in MODEL_FILES] if folder else []

    def extractors_with(self, field):
        """Extractors whose entry has a field."""
        return [name for name, entry in self.extractors.items() if field in entry]

    def feature(self, extractor):
        """Which of HISTOGRAMS an extractor is; None for a network."""
        return next((name for name in HISTOGRAMS if name in self.extractors[extractor]), None)

    def networks(self):
        """Extractors that are networks."""
        return [name for name in self.extractors if not self.feature(name)]

    def applies(self, backend, extractor):
        """Whether a back-end compares what an extractor gives: those it names, else histograms or else embeddings."""
        entry = self.backends[backend]
        default = (entry["type"] == "jensen_shannon") == bool(self.feature(extractor))
        chosen = self.extractors[extractor]["base"] in entry["extractors"] if "extractors" in entry else default
        trained_on = {self.extractors[extractor]["on"], entry["on"]} - {None}
        return chosen and len(trained_on) < 2

    def backend_file(self, backend, extractor):
        """The file of a trained back-end; cosine has none."""
        trained = "train" in self.backends[backend]
        return f"results/backends/{backend}/{extractor}.npz" if trained else None

    def speech(self, condition, anonymiser):
        """Whose speech enrols and whose is tried: (original, b2) for op."""
        names = {"original": "original", "run0": anonymiser, "run1": f"{anonymiser}{RUN1}"}
        enrolment, trial = CONDITIONS[condition]
        return names[enrolment], names[trial]

    def conditions(self, anonymiser):
        """The conditions that a system's scores are assessed under."""
        if anonymiser == "original":
            return ["oo"]
        return ["op", "pp", "p0p1"] if anonymiser in self.repeated else ["op", "pp"]

    def families(self, anonymiser):
        """The metrics that a system gets."""
        if anonymiser == "original":
            return ["verification", "zebra", "ranks"]
        calibration = ["calibration"] if anonymiser in self.repeated else []
        return ["verification", "zebra", "normalised", "similarity", "ranks", *calibration]

    def attacks(self):
        """Every attacker on every trial list."""
        return self._attacks_on(self.all_trial_lists())

    def rank_attacks(self):
        """Every attacker on every sampled gallery."""
        return self._attacks_on(self.all_galleries())

    def _attacks_on(self, lists):
        return [
            Attack(corpus, trials, extractor, backend)
            for (corpus, trials), extractor, backend in product(lists, self.extractors, self.backends)
            if self.applies(backend, extractor)
        ]

    def given_attacks(self):
        """Attacks whose scores somebody else made, by trial list."""
        return list(
            dict.fromkeys(of._replace(extractor=name) for name, files in self.given.items() for of, _, _ in files)
        )

    def given_systems(self, attack):
        """The systems that such an attack has scores of: {anonymiser: [condition, ...]}; second runs not."""
        systems = {}
        for of, anonymiser, condition in self.given[attack.extractor]:
            if of == attack._replace(extractor="") and condition in ("oo", "op", "pp"):
                systems.setdefault(anonymiser, []).append(condition)
        return {name: of for name, of in systems.items() if not name.endswith(RUN1)}

    def given_file(self, attack, anonymiser, condition):
        """The file of one condition's scores."""
        return self.given[attack.extractor][attack._replace(extractor=""), anonymiser, condition]

    def given_calibrated(self, attack):
        """The anonymisers of which such an attack has the scores of two runs that C_ECE needs."""
        place, found = attack._replace(extractor=""), self.given[attack.extractor]
        runs, conditions = ("", RUN1), self.config["report"]["cece"]
        return [
            name
            for name in self.given_systems(attack)
            if all((place, f"{name}{run}", condition) in found for run in runs for condition in conditions)
        ]

    def given_metrics(self):
        """Every metrics file of such attacks."""
        paths = []
        for attack in self.given_attacks():
            for system in self.given_systems(attack):
                families = ["verification", "zebra"] + ["calibration"] * (system in self.given_calibrated(attack))
                paths += [f"results/metrics/{family}/{attack.path(system)}.json" for family in families]
        return paths

    def given_names(self, field):
        """All corpora or trial lists (a field of Attack) that such attacks have, or all anonymisers."""
        if field == "anonymiser":
            return [anonymiser for files in self.given.values() for _, anonymiser, _ in files]
        return [getattr(attack, field) for attack in self.given_attacks()]

    def systems(self, extractor, backend):
        """The systems that an attacker is tried on: unprotected speech, and all anonymisers or that of his training."""
        attacked = self.attacked(extractor, backend)
        return ["original", *([attacked] if attacked else self.anonymisers)]

    def metrics(self):
        """Every metrics file of the run."""
        return [
            f"results/metrics/{family}/{attack.path(system)}.json"
            for attack in self.attacks()
            for system in self.systems(attack.extractor, attack.backend)
            for family in self.families(system)
            if family != "ranks" or self.has_gallery(attack.corpus)
        ] + [
            f"results/metrics/ranks/{attack.path(system)}.json"
            for attack in self.rank_attacks()
            for system in self.systems(attack.extractor, attack.backend)
        ]

    def n_replicates(self):
        """Replicates of the intervals; 0 for none."""
        pairs = len(self.anonymisers) * (len(self.anonymisers) - 1) // 2
        wanted = self.config["report"]["bootstrap"]
        return max(wanted, REPLICATES_PER_PAIR * pairs) if wanted else 0

    def intervals(self):
        """Every file of intervals of the run."""
        of_families = tuple(f"results/metrics/{family}/" for family in RESAMPLED)
        metrics = [path for path in self.metrics() if path.startswith(of_families)] if self.n_replicates() else []
        return [path.removesuffix("json") + "intervals.json" for path in metrics]

    def compared_lists(self, corpus):
        """The trial lists of a corpus, and their mean where there are several: on what anonymisers are compared."""
        lists = list(self.trial_lists(corpus))
        return [*lists, MEAN] if len(lists) > 1 else lists

    def compared_intervals(self, attack):
        """The intervals behind a comparison of all systems; ``attack.trials`` may be the mean."""
        lists = self.trial_lists(attack.corpus) if attack.trials == MEAN else [attack.trials]
        paths = {
            f"results/metrics/{family}/{attack._replace(trials=trials).path(system)}.intervals.json"
            for trials in lists
            for system in self.systems(attack.extractor, attack.backend)
            for family in RESAMPLED
        }
        return [path for path in self.intervals() if path in paths]

    def comparisons(self):
        """Every comparison of anonymisers under one attacker."""
        found = {
            f"results/comparisons/{attack.corpus}/{trials}/{attack.extractor}/{attack.backend}.tsv": None
            for attack in self.attacks()
            for trials in self.compared_lists(attack.corpus)
        }
        return list(found) if self.n_replicates() else []

    def figures(self):
        """Every figure of the report, as svg."""
        figures = [figure for attack in self.attacks() for figure in self._of(attack)]
        figures += [figure for attack in self.rank_attacks() for figure in self._ranks(attack)]
        figures += dict.fromkeys(
            f"rank_lengths/{attack.corpus}/{self.galleries(attack.corpus)[attack.trials][0]}"
            f"/{attack.extractor}/{attack.backend}"
            for attack in self.rank_attacks()
            if len(self.galleries(attack.corpus))
            > len(self.corpora[attack.corpus]["protocol"]["rank_sampling"]["lists"])
        )
        attackers = dict.fromkeys((attack.extractor, attack.backend) for attack in self.attacks())
        figures += [f"distinctiveness/{'/'.join(attacker)}" for attacker in attackers if self._protected(*attacker)]
        figures += [
            f"calibration/{attack.path(name)}"
            for attack in self.attacks()
            for name in self._protected(attack.extractor, attack.backend)
            if name in self.repeated
        ]
        return [f"results/report/figures/{figure}.svg" for figure in figures]

    def _of(self, attack):
        one_each = f"{attack.corpus}/{attack.trials}/{attack.extractor}/{attack.backend}"
        protected = self._protected(attack.extractor, attack.backend)
        per_system = [f"{kind}/{attack.path(name)}" for kind in ("similarity", "zoo", "speakers") for name in protected]
        ranks = self._ranks(attack) if self.has_gallery(attack.corpus) else []
        return [f"zebra/{one_each}", *ranks, *per_system]

    def _ranks(self, attack):
        one_each = f"{attack.corpus}/{attack.trials}/{attack.extractor}/{attack.backend}"
        return [f"ranks/{one_each}", f"rank_speakers/{one_each}"]

    def layouts(self):
        """Pictures of all sets and systems under one attacker, made on request: paths below results/paper."""
        attackers = dict.fromkeys((attack.extractor, attack.backend) for attack in self.attacks())
        shown = [attacker for attacker in attackers if self._protected(*attacker)]
        histograms = [name for name in self.extractors if self.feature(name)]
        return [
            *(f"{kind}/{'/'.join(attacker)}" for attacker in shown for kind in ("all_matrices", "all_profiles")),
            *(f"features/{corpus}/{name}" for corpus in self.evaluated for name in histograms),
        ]

    def papers(self):
        """Pictures and tables that are made on request: paths without ending."""
        pictures = [
            f"results/paper/{picture}/{attack.corpus}/{attack.trials}/{attack.extractor}/{attack.backend}"
            for attack in self.attacks()
            for picture in PICTURES
        ]
        return pictures, [f"results/paper/tables/{table}" for table in TABLES]

    def _protected(self, extractor, backend):
        return [name for name in self.systems(extractor, backend) if name != "original"]

    def used_files(self):
        """What a reviewer may want to compare besides the config: the trial lists and the attackers' models."""
        lists = [f"results/trials/{corpus}/{trials}.tsv" for corpus, trials in self.all_trial_lists()]
        lists += [f"results/samples/{corpus}/{gallery}.tsv" for corpus, gallery in self.all_galleries()]
        return lists + [file for name in self.networks() if lists for file in self.model_files(name)]
