"""Which speech a run takes: corpora, their trial lists and galleries, anonymisers and their seeds."""

from itertools import product
from pathlib import Path

from voiceprivacy.inout import seeds
from voiceprivacy.inout.files import SCRIPTS
from voiceprivacy.vocabulary import SECOND_RUN

CORPUS_KINDS = ["synthetic", "librispeech", "vctk", "kaldi", "folder"]
ANONYMISER_KINDS = ["command", "function", "audio"]


def environment_file(env):
    """The absolute path of a conda environment: one of ours by its word, or a file of the user's."""
    own = "/" in env or env.endswith((".yaml", ".yml"))
    return str(Path(env).absolute() if own else SCRIPTS.parent / "envs" / f"{env}.yaml")


class Speech:
    """The part of a plan that is about corpora and anonymisers."""

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
        lengths = [
            of if isinstance(of, list) else [of] for of in (options["test"], options["template"])
        ]
        return {
            f"{gender}_t{test}_d{template}": (gender, test, template)
            for gender, test, template in product(options["lists"], *lengths)
        }

    def all_galleries(self):
        """(corpus, gallery) of all evaluated corpora."""
        return [
            (corpus, gallery) for corpus in self.evaluated for gallery in self.galleries(corpus)
        ]

    def has_gallery(self, corpus):
        """Whether a corpus enrols one model a speaker, among whom a true speaker has a rank."""
        return "all_pairs" not in self.corpora[corpus].get("protocol", {})

    def all_trial_lists(self):
        """(corpus, trial list) of all evaluated corpora."""
        return [
            (corpus, trials) for corpus in self.evaluated for trials in self.trial_lists(corpus)
        ]

    def corpus_kind(self, corpus):
        """Which key of CORPUS_KINDS a corpus has."""
        return next(kind for kind in CORPUS_KINDS if kind in self.corpora[corpus])

    def data_sets(self, corpus, part):
        """Names of the Kaldi directories that a part lies in, else the corpus: what {set} is in an audio folder."""
        kaldi = self.corpora[corpus].get("kaldi", corpus)
        folders = (
            kaldi.get("directory", kaldi.get(part, corpus)) if isinstance(kaldi, dict) else kaldi
        )
        return [
            Path(folder).name for folder in ([folders] if isinstance(folders, str) else folders)
        ]

    def source(self, corpus):
        """What a corpus's entry says of its speech, as the scripts of the corpora room take it."""
        keys = (*CORPUS_KINDS, "pipes", "limit", "segments", "exclude", "on_bad_audio")
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
        return [
            f"results/audio/{name}/{part}/original/manifest.tsv"
            for name, of in parts.items()
            for part in of
        ]

    def _training_corpora(self):
        """Corpora that an extractor or a back-end of the run is trained on."""
        entries = (*self.extractors.values(), *self.backends.values())
        fields = [
            entry[field] for entry in entries for field in ("train", "units") if field in entry
        ]
        return dict.fromkeys(field["corpus"] for field in fields)

    def checks(self):
        """What was found in the corpora of the run."""
        return [
            f"results/checks/{name}.tsv" for name in (*self.evaluated, *self._training_corpora())
        ]

    def trials(self):
        """Every trial list of the run; its enrolments lie beside it."""
        return [
            f"results/trials/{corpus}/{trials}.tsv" for corpus, trials in self.all_trial_lists()
        ]

    def downloads(self, corpus):
        """What says that a corpus's subsets are downloaded (of one that lies there: none)."""
        options = self.corpora[corpus].get("librispeech", {})
        subsets = options["subsets"] if options.get("download") else []
        return [f"results/downloads/{corpus}/{subset}.tsv" for subset in subsets]

    def anonymiser(self, name):
        """The entry of an anonymiser or of its second run."""
        return self.anonymisers[name.removesuffix(SECOND_RUN)]

    def anonymiser_call(self, name, corpus, part):
        """The fields of an entry that anonymise_part takes; an audio folder is filled in: one for every {set}."""
        entry = self.anonymiser(name)
        kind = next(kind for kind in ANONYMISER_KINDS if kind in entry)
        value = entry[kind]
        if kind == "audio":
            folder = value.replace("{corpus}", corpus).replace("{part}", part)
            value = list(
                dict.fromkeys(folder.replace("{set}", of) for of in self.data_sets(corpus, part))
            )
        return {
            kind: value,
            **{field: entry[field] for field in ("options", "resample", "sandbox")},
        }

    def first_run(self, name):
        """The first run of a second one; nothing for others."""
        return name.removesuffix(SECOND_RUN) if name.endswith(SECOND_RUN) else None

    def anonymiser_seed(self, name, part):
        """Seed of one run on one part: an attacker does not hold the users' (trial), unless attacker_draw is same."""
        run = ["run1"] if name.endswith(SECOND_RUN) else []
        attacker = part != "trial" and self.config["attacker_draw"] == "independent"
        names = run + ([part] if attacker else [])
        return seeds.derive(self.config["seed"], *names) if names else self.config["seed"]
